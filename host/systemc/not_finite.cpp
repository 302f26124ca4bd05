#include "host/systemc/not_finite.h"

#include <fmt/format.h>

#include <cstdint>

namespace waferloom::systemc {
namespace {

// A tensor that lies in the tiles: [local features][tokens_padded] at one address.
struct Tensor {
  std::string name;
  const plan::Split* features;
  std::string symbol;
  bool wide;  // binary32; else binary16
};

bool finite(std::uint32_t word, std::uint32_t address, bool wide) {
  if (wide) return (word & 0x7f800000U) != 0x7f800000U;
  const std::uint32_t half = (address & 2U) != 0 ? word >> 16U : word & 0xffffU;
  return (half & 0x7c00U) != 0x7c00U;
}

std::string find_in(FabricWafer& wafer, const plan::Plan& plan, int rows, const Tensor& tensor) {
  const std::uint32_t size = tensor.wide ? 4 : 2;
  const std::uint32_t base = plan.address(tensor.symbol);
  for (int row = 0; row < rows; ++row) {
    const int y = plan.tokens.owner(row);
    const int token = row - plan.tokens.first(y);
    for (int feature = 0; feature < tensor.features->items; ++feature) {
      const int x = tensor.features->owner(feature);
      const int local = feature - tensor.features->first(x);
      const std::uint32_t address = base + static_cast<std::uint32_t>(local * plan.tokens_padded + token) * size;
      if (finite(wafer.sram_word(x, y, address), address, tensor.wide)) continue;
      return fmt::format("first in tile ({}, {}): {} of feature {}, row {} of the batch", x, y, tensor.name, feature, row);
    }
  }
  return {};
}

}  // namespace

std::string first_not_finite(FabricWafer& wafer, const plan::Plan& plan, int rows) {
  const std::size_t layers = plan.network.layers.size();
  std::vector<Tensor> tensors;
  for (std::size_t l = 0; l < layers; ++l) {
    const std::string name = l == 0 ? "the input" : "the activation of layer " + plan.network.layers[l - 1].name;
    tensors.push_back({name, &plan.features[l], "slab" + std::to_string(l), false});
  }
  tensors.push_back({"the output of layer " + plan.network.layers.back().name, &plan.features[layers], "logits", true});
  // Only the last two gradients are kept.
  for (std::size_t l = layers; l-- > (layers > 2 ? layers - 2 : 0);) {
    tensors.push_back({"the output gradient of layer " + plan.network.layers[l].name, &plan.features[l + 1], "delta" + std::to_string(l % 2), false});
  }
  for (const Tensor& tensor : tensors) {
    const std::string found = find_in(wafer, plan, rows, tensor);
    if (!found.empty()) return found;
  }
  return wafer.most_saturated();
}

}  // namespace waferloom::systemc
