// What a loader puts into a processing element before it starts: bytes of memory and initial values of memory-mapped registers.
// Plain data, the same for the golden fabric and for the fabric of verilated units.
#pragma once
#include <cstdint>
#include <vector>

namespace waferloom::golden {

// One memory-mapped register as a store of the loader would set it (configs/spec/registers.yaml, `mmio`).
struct RegisterSetting {
  uint16_t address = 0;  // byte address in the PE's memory map, 0xF000 and above
  uint32_t value = 0;
};

// `bytes` go to addresses base, base + 1, ... of SRAM or window. Registers are set afterwards, in order.
struct Program {
  std::vector<uint8_t> bytes;
  uint32_t base = 0;
  std::vector<RegisterSetting> registers;
};

// A rectangle of tiles: x from `x` to `x + width - 1`, likewise y.
struct Region {
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t width = 1;
  uint32_t height = 1;
};

}  // namespace waferloom::golden
