// The foreign functions of the fast view wl_sram.sv; the words are in sram_pages.h.
#include "sim/macros/sram_pages.h"
#include "sim/plugin/unit_abi.h"

using waferloom::macros::SramPages;

namespace {

SramPages* pages(void* self) { return static_cast<SramPages*>(self); }
const SramPages* pages(const void* self) { return static_cast<const SramPages*>(self); }

const WlMemoryOps kOps = {
    [](const void* self, uint32_t word) -> uint64_t { return pages(self)->read(word); },
    [](void* self, uint32_t word, uint64_t value) { pages(self)->write(word, static_cast<uint32_t>(value), 0xffffffffu); },
    [](void* self, uint32_t first, const uint64_t* words, uint32_t count) { pages(self)->load(first, words, count); },
    [](const void* self) -> uint64_t { return pages(self)->private_bytes(); },
    [](const void* self) -> uint64_t { return pages(self)->changes(); },
    [](void* self) { pages(self)->destroy(); },
};

}  // namespace

extern "C" unsigned long long wl_sram_create(unsigned int words) {
  SramPages* memory = SramPages::create(words);
  const uint64_t handle = reinterpret_cast<uintptr_t>(memory);
  wl_register_memory(handle, "", memory, &kOps, words, 32);
  return handle;
}

// control: [7:0] enable per bank, [23:8] write enable, two per bank (low half first). row: 11 bits per bank; wdata, rdata: 32 bits
// per bank. rdata changes only for banks that read.
extern "C" void wl_sram_access(unsigned long long handle, unsigned int control, const unsigned int* row,
                               const unsigned int* wdata, unsigned int* rdata) {
  SramPages& memory = *reinterpret_cast<SramPages*>(static_cast<uintptr_t>(handle));
  const uint64_t low = row[0] | static_cast<uint64_t>(row[1]) << 32;
  const uint64_t high = row[1] >> 12 | static_cast<uint64_t>(row[2]) << 20;  // from bit 44: banks 4 to 7
  for (unsigned int pending = control & 0xffu; pending != 0; pending &= pending - 1) {
    const unsigned int bank = static_cast<unsigned int>(__builtin_ctz(pending));
    const uint32_t bank_row = static_cast<uint32_t>((bank < 4 ? low >> (11 * bank) : high >> (11 * (bank - 4))) & 0x7ffu);
    const uint32_t word = bank_row * 8 + bank;
    const unsigned int write = (control >> (8 + 2 * bank)) & 3u;
    if (write == 0) {
      rdata[bank] = memory.read(word);
    } else {
      memory.write(word, wdata[bank], ((write & 1u) ? 0x0000ffffu : 0u) | ((write & 2u) ? 0xffff0000u : 0u));
    }
  }
}
