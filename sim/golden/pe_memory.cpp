// Memory and memory-mapped registers of the golden PE.
#include <cstring>

#include "sim/golden/pe.h"

namespace waferloom::golden {

bool Pe::in_memory(uint16_t address, uint32_t bytes) const {
  const uint32_t end = address + bytes;
  return end <= parameters_.sram_bytes ||
         (address >= spec::kWindowBase && end <= spec::kWindowBase + parameters_.window_bytes);
}

uint32_t Pe::peek(uint16_t address, uint32_t bytes) const {
  if (bytes == 4) {
    uint32_t value;
    std::memcpy(&value, &memory_[address], 4);
    return value;
  }
  uint16_t value;
  std::memcpy(&value, &memory_[address], 2);
  return value;
}

void Pe::poke(uint16_t address, uint32_t bytes, uint32_t value) {
  if (bytes == 4) {
    std::memcpy(&memory_[address], &value, 4);
  } else {
    const uint16_t half = static_cast<uint16_t>(value);
    std::memcpy(&memory_[address], &half, 2);
  }
  log({EffectKind::kMemory, static_cast<uint8_t>(bytes), fault_pc_, address, value, {}});
}

bool Pe::load_scalar(uint16_t address, uint32_t bytes, uint32_t* value) {
  if ((address & (bytes - 1)) != 0) {
    raise(Trap::kMisaligned);
    return false;
  }
  if (in_memory(address, bytes)) {
    *value = peek(address, bytes);
    return true;
  }
  if (address < spec::kMmioBase) {
    raise(Trap::kOutOfRange);
    return false;
  }
  if (bytes != 4 || !read_mmio(address, value)) {
    raise(Trap::kIllegalMmio);
    return false;
  }
  return true;
}

void Pe::store_scalar(uint16_t address, uint32_t bytes, uint32_t value) {
  if ((address & (bytes - 1)) != 0) {
    raise(Trap::kMisaligned);
  } else if (in_memory(address, bytes)) {
    poke(address, bytes, value);
  } else if (address < spec::kMmioBase) {
    raise(Trap::kOutOfRange);
  } else if (bytes != 4 || !write_mmio(address, value)) {
    raise(Trap::kIllegalMmio);
  }
}

namespace {

// The register at an address, and which of its repetitions; null if there is none. `high` selects the upper word of a pair.
const spec::MmioRegister* find_register(uint16_t address, uint32_t* index, bool* high) {
  const uint32_t offset = address - spec::kMmioBase;
  for (const spec::MmioRegister& r : spec::kMmio) {
    if (offset < r.offset || offset >= uint32_t{r.offset} + uint32_t{r.count} * r.stride) continue;
    *index = (offset - r.offset) / r.stride;
    *high = (offset - r.offset) % r.stride != 0;
    return &r;
  }
  return nullptr;
}

}  // namespace

bool Pe::read_mmio(uint16_t address, uint32_t* value) {
  uint32_t index = 0;
  bool high = false;
  const spec::MmioRegister* r = find_register(address, &index, &high);
  if (r == nullptr || r->access == spec::Access::kWriteOnly) return false;
  switch (r->offset) {
    case spec::kMmioCoord: *value = coord_; break;
    case spec::kMmioDims: *value = dims_; break;
    case spec::kMmioTimeLo: *value = static_cast<uint32_t>(time_); break;
    case spec::kMmioTimeHi: *value = static_cast<uint32_t>(time_ >> 32) & 0xffffu; break;
    case spec::kMmioQueueBind: *value = binds_[index]; break;
    case spec::kMmioTaskActive: *value = static_cast<uint32_t>(activated_ >> (32 * index)); break;
    case spec::kMmioTaskBlocked: *value = static_cast<uint32_t>(blocked_ >> (32 * index)); break;
    case spec::kMmioEventCount: *value = static_cast<uint32_t>(events_[index] >> (high ? 32 : 0)); break;
    default: *value = 0; break;  // trap: none, since this executes; class_count: cycles do not exist here
  }
  return true;
}

bool Pe::write_mmio(uint16_t address, uint32_t value) {
  uint32_t index = 0;
  bool high = false;
  const spec::MmioRegister* r = find_register(address, &index, &high);
  if (r == nullptr || r->access == spec::Access::kReadOnly) return false;
  const auto half = [&](uint64_t old) {
    return index == 0 ? (old & 0xffffffff00000000ull) | value : (old & 0xffffffffull) | (uint64_t{value} << 32);
  };
  switch (r->offset) {
    case spec::kMmioQueueBind: binds_[index] = value & 0xdfu; break;
    case spec::kMmioTaskActive: activated_ = half(activated_); break;
    case spec::kMmioTaskBlocked: blocked_ = half(blocked_); break;
    default:
      configs_.push_back({static_cast<uint8_t>(index >> 3), static_cast<uint8_t>(index & 7u), value});
      log({EffectKind::kConfig, 4, fault_pc_, index, value, {}});
      break;
  }
  return true;
}

}  // namespace waferloom::golden
