#include "host/optimiser/sgd.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace waferloom::optimiser {

void apply(const SgdRule& rule, const std::vector<float>& gradient, float gradient_scale, SgdState& state, const unsigned char* stored) {
  assert(gradient.size() == state.master.size() && state.velocity.size() == state.master.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    if (stored != nullptr && stored[i] == 0) continue;
    // Named steps: no operation is contracted into a fused one, so the result does not depend on the compiler.
    const float unscaled = gradient[i] * gradient_scale;
    const float decay = rule.weight_decay * state.master[i];
    const float slope = unscaled + decay;
    const float kept = rule.momentum * state.velocity[i];
    state.velocity[i] = kept + slope;
    const float move = rule.learning_rate * state.velocity[i];
    state.master[i] = state.master[i] - move;
  }
}

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

}  // namespace waferloom::optimiser
