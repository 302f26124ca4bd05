#include "host/optimiser/loss_scale.h"

#include <algorithm>

namespace waferloom::optimiser {

LossScaler::LossScaler(const config::LossScale& rule) : rule_(rule) { state_.scale = rule.initial; }

StepVerdict LossScaler::judge(bool loss_finite, bool gradients_finite) {
  // The loss is not scaled: if it is not finite, no other scale mends it.
  if (!loss_finite) return StepVerdict::kStop;
  const bool dynamic = rule_.mode == config::LossScaleMode::kDynamic;
  if (!gradients_finite) {
    ++state_.skipped;
    state_.good_steps = 0;
    if (!dynamic) return StepVerdict::kSkip;
    if (state_.scale <= rule_.minimum) return StepVerdict::kStop;
    state_.scale = std::max(rule_.minimum, state_.scale / rule_.factor);
    ++state_.lowered;
    return StepVerdict::kSkip;
  }
  ++state_.good_steps;
  if (dynamic && rule_.growth_interval_steps > 0 && state_.good_steps >= rule_.growth_interval_steps) {
    state_.good_steps = 0;
    const double raised = std::min(rule_.maximum, state_.scale * rule_.factor);
    if (raised > state_.scale) {
      state_.scale = raised;
      ++state_.raised;
    }
  }
  return StepVerdict::kApply;
}

}  // namespace waferloom::optimiser
