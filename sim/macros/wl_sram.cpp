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
    [](const void* self) -> void* { return pages(self)->clone(); },
    [](void* self, const void* before, const void* after, uint32_t first, const uint64_t* words, uint32_t count) {
      pages(self)->load_like(*pages(before), *pages(after), first, words, count);
    },
    [](const void* self, uint32_t first, uint32_t count, uint64_t* words) -> uint64_t { return pages(self)->block(first, count, words); },
};

}  // namespace

extern "C" unsigned long long wl_sram_create(unsigned int words) {
  SramPages* memory = SramPages::create(words);
  const uint64_t handle = reinterpret_cast<uintptr_t>(memory);
  wl_register_memory(handle, "", memory, &kOps, words, 32);
  return handle;
}

// control: [0] read a, [1] read b, [5:2] write enable per half, lines of 8 bytes: [21:9] a, [37:25] b, [53:41] written. a and b change
// only where they read.
extern "C" void wl_sram_access(unsigned long long handle, unsigned long long control, unsigned long long wdata, unsigned long long* a,
                               unsigned long long* b) {
  SramPages& memory = *reinterpret_cast<SramPages*>(static_cast<uintptr_t>(handle));
  if ((control & 1u) != 0) *a = memory.read_line(static_cast<uint32_t>(control >> 9) & 0x1fffu);
  if ((control & 2u) != 0) *b = memory.read_line(static_cast<uint32_t>(control >> 25) & 0x1fffu);
  const unsigned int halves = static_cast<unsigned int>(control >> 2) & 15u;
  if (halves == 0) return;
  const uint32_t word = 2 * (static_cast<uint32_t>(control >> 41) & 0x1fffu);
  static constexpr uint32_t kMask[4] = {0, 0x0000ffffu, 0xffff0000u, 0xffffffffu};
  if ((halves & 3u) != 0) memory.write(word, static_cast<uint32_t>(wdata), kMask[halves & 3u]);
  if ((halves & 12u) != 0) memory.write(word + 1, static_cast<uint32_t>(wdata >> 32), kMask[halves >> 2]);
}
