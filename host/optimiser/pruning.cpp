#include "host/optimiser/pruning.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/macros/arith.h"

namespace waferloom::optimiser {

std::size_t prune(const config::Pruning& rule, const std::vector<float>& master, std::vector<std::uint16_t>& wire) {
  assert(wire.size() == master.size());
  const auto magnitude = [&](std::size_t i) { return std::isnan(master[i]) ? std::numeric_limits<float>::infinity() : std::abs(master[i]); };
  std::size_t dropped = 0;
  const auto drop = [&](std::size_t i) {
    dropped += macros::is_zero16(wire[i]) ? 0 : 1;
    wire[i] = 0;
  };
  const std::size_t keep = static_cast<std::size_t>(std::ceil(rule.kept * static_cast<double>(master.size()) - 1e-9));  // 0.1 x 640 is 64
  if (keep < master.size()) {
    std::vector<std::size_t> order(master.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto larger = [&](std::size_t a, std::size_t b) { return magnitude(a) != magnitude(b) ? magnitude(a) > magnitude(b) : a < b; };
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(keep), order.end(), larger);
    std::for_each(order.begin() + static_cast<std::ptrdiff_t>(keep), order.end(), drop);
  }
  for (std::size_t i = 0; i < master.size(); ++i) {
    if (static_cast<double>(magnitude(i)) < rule.threshold) drop(i);
  }
  return dropped;
}

}  // namespace waferloom::optimiser
