// Where everything lies in a tile's SRAM. The same in every tile: blocks are sized for the tile that holds most.
//
//   0x0000 task table | 0x0080 pointer to the boot table | code | boot table | constants | records | ... end of the image ...
//   slabs | logits | targets | gradients | rows of tokens | accumulators (or in the window) | results
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/plan/plan.h"

namespace waferloom::plan {

inline constexpr std::uint32_t kBootPointer = 0x80;
inline constexpr std::uint32_t kCodeBase = 0x88;

struct Layout {
  std::uint32_t boot_table = 0;
  std::uint32_t zero = 0;      // one binary32 +0, then one -inf
  std::uint32_t infinity = 0;
  std::uint32_t records = 0;
  std::uint32_t image_end = 0;

  std::vector<std::uint32_t> slab;  // per layer: [local inputs + 1][n] binary16
  std::uint32_t logits = 0;         // [local classes][n] binary32
  std::uint32_t targets = 0;        // [local classes][n] binary16, one-hot
  std::uint32_t delta[2] = {0, 0};  // [local features][n] binary16: output gradient of layer l in delta[l % 2]
  std::uint32_t maximum = 0;        // rows of n binary32
  std::uint32_t sum = 0;
  std::uint32_t label = 0;
  std::uint32_t factor_row = 0;
  std::uint32_t factor = 0;   // two binary32: the factor, and room for nothing
  std::uint32_t losses = 0;   // two binary32
  std::uint32_t received = 0;  // row of n binary16: the gradient row multicast last
  std::uint32_t unused = 0;    // row of n binary16: where a single column sends its copies
  std::uint32_t accumulator[2] = {0, 0};
  std::uint32_t result[2] = {0, 0};  // [local inputs + 1] binary32

  std::uint32_t end = 0;         // SRAM bytes needed
  std::uint32_t window_end = 0;  // window bytes needed
  std::vector<Symbol> symbols;
};

// Lays out for `tokens_padded` tokens per tile. `code_bytes` and `record_bytes` are what the image holds before the data.
Layout make_layout(const NetworkSpec& network, const std::vector<Split>& features, int tokens_padded, const Target& target,
                   std::uint32_t code_bytes, std::uint32_t boot_bytes, std::uint32_t record_bytes);

}  // namespace waferloom::plan
