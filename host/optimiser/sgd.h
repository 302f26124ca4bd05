// Stochastic gradient descent with momentum, in binary32: the rule that MemoryX applies to its master weights.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sim/checkpoint/archive.h"

namespace waferloom::optimiser {

struct SgdRule {
  float learning_rate = 0;
  float momentum = 0;
  float weight_decay = 0;
};

// Master values and velocities of one tensor. Plain data: a checkpoint saves both vectors.
struct SgdState {
  std::vector<float> master;
  std::vector<float> velocity;  // same length

  explicit SgdState(std::vector<float> initial = {}) : master(std::move(initial)), velocity(master.size(), 0.0f) {}
  void transfer(checkpoint::Archive& archive) { archive(master, velocity); }
};

// v = momentum v + (gradient * gradient_scale + weight_decay w); w = w - learning_rate v. Every operation rounds once to binary32, in this order;
// gradient_scale takes the loss scale out again. Requires gradient.size() == master.size(). With `stored`, only where it is non-zero (a pruned weight
// stays as it is); null: everywhere.
void apply(const SgdRule& rule, const std::vector<float>& gradient, float gradient_scale, SgdState& state, const unsigned char* stored = nullptr);

// Whether all values are finite.
bool all_finite(const std::vector<float>& values);

}  // namespace waferloom::optimiser
