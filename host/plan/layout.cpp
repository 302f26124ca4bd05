#include "host/plan/layout.h"

#include <algorithm>

#include "sim/generated/registers.h"

namespace waferloom::plan {
namespace {

// Hands out consecutive aligned blocks and remembers their names.
class Allocator {
 public:
  Allocator(std::uint32_t start, std::vector<Symbol>* symbols) : next_(start), symbols_(symbols) {}

  std::uint32_t take(const std::string& name, std::uint64_t bytes) {
    const std::uint64_t address = (next_ + 7) & ~std::uint64_t{7};
    next_ = address + bytes;
    symbols_->push_back({name, static_cast<std::uint16_t>(address), static_cast<std::uint32_t>(bytes)});
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(address, 0xffffffffu));
  }
  std::uint32_t end() const { return static_cast<std::uint32_t>(std::min<std::uint64_t>((next_ + 7) & ~std::uint64_t{7}, 0xffffffffu)); }

 private:
  std::uint64_t next_;
  std::vector<Symbol>* symbols_;
};

}  // namespace

Layout make_layout(const NetworkSpec& network, const std::vector<Split>& features, int tokens_padded, const Target& target,
                   std::uint32_t code_bytes, std::uint32_t boot_bytes, std::uint32_t record_bytes) {
  const std::uint64_t n = static_cast<std::uint64_t>(tokens_padded);
  const std::size_t layers = network.layers.size();
  Layout layout;
  Allocator sram(kCodeBase, &layout.symbols);
  sram.take("code", code_bytes);
  layout.boot_table = sram.take("boot_table", boot_bytes);
  layout.zero = sram.take("constants", 8);
  layout.infinity = layout.zero + 4;
  layout.records = sram.take("records", record_bytes);
  layout.image_end = sram.end();

  std::uint64_t most_inputs = 0;
  std::uint64_t most_delta[2] = {0, 0};
  for (std::size_t l = 0; l < layers; ++l) {
    const std::uint64_t inputs = static_cast<std::uint64_t>(features[l].largest());
    layout.slab.push_back(sram.take("slab" + std::to_string(l), (inputs + 1) * n * 2));
    most_inputs = std::max(most_inputs, inputs);
    most_delta[l % 2] = std::max(most_delta[l % 2], static_cast<std::uint64_t>(features[l + 1].largest()));
  }
  const std::uint64_t classes = static_cast<std::uint64_t>(features[layers].largest());
  layout.logits = sram.take("logits", classes * n * 4);
  layout.targets = sram.take("targets", classes * n * 2);
  for (int i = 0; i < 2; ++i) layout.delta[i] = sram.take("delta" + std::to_string(i), most_delta[i] * n * 2);
  layout.maximum = sram.take("maximum", n * 4);
  layout.sum = sram.take("sum", n * 4);
  layout.label = sram.take("label", n * 4);
  layout.factor_row = sram.take("factor_row", n * 4);
  layout.factor = sram.take("factor", 8);
  layout.losses = sram.take("losses", 8);
  layout.received = sram.take("received", n * 2);
  layout.unused = sram.take("unused", n * 2);
  for (int i = 0; i < 2; ++i) layout.result[i] = sram.take("result" + std::to_string(i), (most_inputs + 1) * 4);

  // Two accumulators of a row of tokens: in the window when it holds both, which is what lets eight lanes run at full rate.
  const std::uint64_t accumulator = n * (target.accumulate == config::Accumulate::kFp32 ? 4 : 2);
  if (2 * accumulator <= static_cast<std::uint64_t>(target.window_bytes)) {
    layout.accumulator[0] = spec::kWindowBase;
    layout.accumulator[1] = spec::kWindowBase + static_cast<std::uint32_t>(accumulator);
    layout.window_end = static_cast<std::uint32_t>(2 * accumulator);
    for (int i = 0; i < 2; ++i) {
      layout.symbols.push_back({"accumulator" + std::to_string(i), static_cast<std::uint16_t>(layout.accumulator[i]), static_cast<std::uint32_t>(accumulator)});
    }
  } else {
    for (int i = 0; i < 2; ++i) layout.accumulator[i] = sram.take("accumulator" + std::to_string(i), accumulator);
  }
  layout.end = sram.end();
  return layout;
}

}  // namespace waferloom::plan
