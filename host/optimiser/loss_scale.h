// The loss scale: static or dynamic, and what becomes of a step whose gradients are not finite.
#pragma once

#include <cstdint>

#include "host/config/run.h"
#include "sim/checkpoint/archive.h"

namespace waferloom::optimiser {

enum class StepVerdict {
  kApply,  // gradients are finite: update the weights
  kSkip,   // they are not: leave the weights alone, the step is counted
  kStop,   // the loss itself is not a number, or the scale cannot go lower: the run ends
};

// Plain state, so that a checkpoint can save it. One object per run, one thread.
class LossScaler {
 public:
  explicit LossScaler(const config::LossScale& rule);

  // The scale of the step that comes next. A power of two whenever `initial` and `factor` are.
  double scale() const { return state_.scale; }

  // Judges a finished step and moves the scale. `loss_finite`: the step's loss is finite; `gradients_finite`: all its gradients are.
  StepVerdict judge(bool loss_finite, bool gradients_finite);

  struct State {
    double scale = 1;
    std::int64_t good_steps = 0;  // since the scale last moved
    std::uint64_t skipped = 0;
    std::uint64_t raised = 0;
    std::uint64_t lowered = 0;
    void transfer(checkpoint::Archive& archive) { archive(scale, good_steps, skipped, raised, lowered); }
  };
  const State& state() const { return state_; }
  void transfer(checkpoint::Archive& archive) { archive(state_); }

 private:
  config::LossScale rule_;
  State state_;
};

}  // namespace waferloom::optimiser
