#include "host/block/costs.h"

#include <cmath>

namespace waferloom::block {
namespace {

double groups(const Shape& s) { return std::ceil(2.0 * s.tile_tokens() / s.lanes); }  // of a row of tokens, products with binary32 sums

// Passes over all elements, sums over the row: a chain eastward and a multicast back. The gradient's dot products take a loop over features.
std::vector<double> norm(const Shape& s) {
  return {1.0 * s.tile_features() * s.tile_tokens(), 1.0 * s.tile_features(), 1.0 * s.tile_tokens(), 1.0 * s.width, 1};
}
std::vector<double> norm_gradient(const Shape& s) {
  std::vector<double> counts = norm(s);
  counts.insert(counts.end() - 1, 1.0 * s.height);
  return counts;
}

std::vector<double> activation(const Shape& s) { return {1.0 * s.tile_hidden() * s.tile_tokens(), 1.0 * s.height, 1}; }

// Two sums of outer products in each step, over features for the scores, over tokens for the output. The last row of a causal sequence takes every step.
std::vector<double> attention(const Shape& s) {
  const double n = s.tile_tokens(), f = s.tile_features(), steps = s.sequence_rows(), others = s.head_columns() - 1;
  return {2 * steps * f * n * groups(s), 2 * steps * f * n, steps * n * n, others > 0 ? steps * n * n : 0, steps * others, steps * (f + n), steps, 1};
}
// Five of them, two over features; gradients of keys and values go on to the next row when a step is done.
std::vector<double> attention_gradient(const Shape& s) {
  const double n = s.tile_tokens(), f = s.tile_features(), steps = s.sequence_rows(), others = s.head_columns() - 1;
  return {5 * steps * f * n * groups(s), 5 * steps * f * n, steps * n * n, others > 0 ? steps * n * n : 0, steps * others, steps * (2 * f + 3 * n), steps > 1 ? steps * f * n : 0, steps, 1};
}

std::size_t number_of(const char* name) {
  const std::vector<Phase> all = phases();
  std::size_t p = 0;
  while (all[p].name != name) ++p;
  return p;
}

}  // namespace

const std::vector<PhaseCost>& phase_costs() {
  static const std::vector<PhaseCost> costs = {
      {"norm", {number_of("attention_norm"), number_of("hidden_norm")}, {"elements", "features", "tokens", "columns", "start"}, norm},
      {"norm gradient", {number_of("attention_norm_gradient"), number_of("hidden_norm_gradient")}, {"elements", "features", "tokens", "columns", "rows", "start"}, norm_gradient},
      {"activation", {number_of("gelu")}, {"elements", "rows", "start"}, activation},
      {"activation gradient", {number_of("gelu_gradient")}, {"elements", "rows", "start"}, activation},
      {"attention", {number_of("attention")}, {"lane groups", "launches", "scores", "summed scores", "head columns", "rounds", "steps", "start"}, attention},
      {"attention gradient", {number_of("attention_gradient")}, {"lane groups", "launches", "scores", "summed scores", "head columns", "rounds", "passed sums", "steps", "start"}, attention_gradient},
  };
  return costs;
}

}  // namespace waferloom::block
