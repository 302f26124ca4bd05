#pragma once
// Pieces of programs that several benches of the PE share.
#include <vector>

#include "testbenches/unit/pe/pe_bench.h"

namespace waferloom::pe {

constexpr uint32_t kDescs = 0x800;

inline void append(std::vector<uint32_t>* code, const std::vector<uint32_t>& more) { code->insert(code->end(), more.begin(), more.end()); }

// Puts descriptors at kDescs; the code loads them into d1, d2, ...
inline std::vector<uint32_t> load_descs(PeBench& b, const std::vector<Desc>& descs) {
  std::vector<uint32_t> code;
  for (size_t k = 0; k < descs.size(); ++k) {
    b.desc(kDescs + 16 * static_cast<uint32_t>(k), descs[k]);
    code.push_back(ldd(static_cast<int>(k) + 1, 0, static_cast<int32_t>(kDescs + 16 * k)));
  }
  return code;
}

// Memory-mapped register at offset, as the immediate of lw and sw from r0.
inline int32_t mmio(uint32_t offset) { return static_cast<int32_t>(0xf000 + offset) - 0x10000; }

// Binds an input queue; uses r1.
inline std::vector<uint32_t> bind(uint32_t queue, uint32_t colour, bool tasks = false) {
  return {li(1, static_cast<int32_t>(0x80 | colour | (tasks ? 0x40u : 0u))), sw(1, 0, mmio(0x20 + 4 * queue))};
}

}  // namespace waferloom::pe
