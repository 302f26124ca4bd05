// The optimiser's rule and the loss scale, by values worked out by hand and by invariants.
//
// State space: momentum and decay on and off, masks, and every transition of the loss scale. What is left out: training as a whole (system tests).
#include <cmath>
#include <limits>

#include "host/optimiser/loss_scale.h"
#include "host/optimiser/sgd.h"
#include "testbenches/lib/catch.h"

namespace waferloom {
namespace {

using optimiser::LossScaler;
using optimiser::SgdState;
using optimiser::StepVerdict;

TEST_CASE("plain descent") {
  SgdState state({1.0f, -2.0f, 0.5f});
  optimiser::apply({0.5f, 0, 0}, {2.0f, 4.0f, 0.0f}, 0.25f, state);
  CHECK(state.master == std::vector<float>{0.75f, -2.5f, 0.5f});
  CHECK(state.velocity == std::vector<float>{0.5f, 1.0f, 0.0f});
}

TEST_CASE("momentum and weight decay") {
  SgdState state({1.0f});
  optimiser::apply({0.5f, 0.5f, 0.25f}, {1.0f}, 1.0f, state);  // v = 1.25, w = 1 - 0.625
  CHECK(state.velocity[0] == 1.25f);
  CHECK(state.master[0] == 0.375f);
  optimiser::apply({0.5f, 0.5f, 0.25f}, {0.0f}, 1.0f, state);  // v = 0.625 + 0.09375
  CHECK(state.velocity[0] == 0.71875f);
  CHECK(state.master[0] == 0.375f - 0.359375f);
}

TEST_CASE("every operation rounds once, in the stated order") {
  SgdState state({0.1f});
  state.velocity[0] = 0.3f;
  const float lr = 0.07f, momentum = 0.9f, decay = 0.01f, gradient = 0.123f, scale = 1.0f / 3.0f;
  const volatile float unscaled = gradient * scale;
  const volatile float decayed = decay * state.master[0];
  const volatile float slope = unscaled + decayed;
  const volatile float kept = momentum * state.velocity[0];
  const volatile float velocity = kept + slope;
  const volatile float move = lr * velocity;
  const volatile float expected = 0.1f - move;
  optimiser::apply({lr, momentum, decay}, {gradient}, scale, state);
  CHECK(state.velocity[0] == velocity);
  CHECK(state.master[0] == expected);
}

TEST_CASE("what is not stored stays as it is") {
  SgdState state({1.0f, 1.0f});
  const unsigned char stored[] = {0, 1};
  optimiser::apply({1.0f, 0.9f, 0.1f}, {1.0f, 1.0f}, 1.0f, state, stored);
  CHECK(state.master[0] == 1.0f);
  CHECK(state.velocity[0] == 0.0f);
  CHECK(state.master[1] != 1.0f);
}

TEST_CASE("finite or not") {
  CHECK(optimiser::all_finite({}));
  CHECK(optimiser::all_finite({1.0f, -3e38f}));
  CHECK_FALSE(optimiser::all_finite({1.0f, std::numeric_limits<float>::infinity()}));
  CHECK_FALSE(optimiser::all_finite({std::nanf(""), 1.0f}));
}

config::LossScale dynamic() {
  config::LossScale rule;
  rule.mode = config::LossScaleMode::kDynamic;
  rule.initial = 8;
  rule.factor = 2;
  rule.growth_interval_steps = 3;
  rule.minimum = 2;
  rule.maximum = 16;
  return rule;
}

TEST_CASE("a static scale never moves; a bad step is skipped and counted") {
  config::LossScale rule = dynamic();
  rule.mode = config::LossScaleMode::kStatic;
  LossScaler scaler(rule);
  for (int i = 0; i < 10; ++i) CHECK(scaler.judge(true, true) == StepVerdict::kApply);
  CHECK(scaler.judge(true, false) == StepVerdict::kSkip);
  CHECK(scaler.scale() == 8);
  CHECK(scaler.state().skipped == 1);
}

TEST_CASE("a dynamic scale grows after good steps and shrinks after a bad one, within its limits") {
  LossScaler scaler(dynamic());
  for (int i = 0; i < 2; ++i) scaler.judge(true, true);
  CHECK(scaler.scale() == 8);
  scaler.judge(true, true);
  CHECK(scaler.scale() == 16);
  for (int i = 0; i < 6; ++i) scaler.judge(true, true);
  CHECK(scaler.scale() == 16);  // the maximum
  CHECK(scaler.state().raised == 1);

  scaler.judge(true, true);
  scaler.judge(true, true);
  CHECK(scaler.judge(true, false) == StepVerdict::kSkip);
  CHECK(scaler.scale() == 8);
  scaler.judge(true, true);  // the count of good steps started over
  CHECK(scaler.scale() == 8);

  CHECK(scaler.judge(true, false) == StepVerdict::kSkip);
  CHECK(scaler.judge(true, false) == StepVerdict::kSkip);
  CHECK(scaler.scale() == 2);
  CHECK(scaler.judge(true, false) == StepVerdict::kStop);  // cannot go lower
  CHECK(scaler.state().skipped == 4);
  CHECK(scaler.state().lowered == 3);
}

TEST_CASE("a loss that is not finite ends the run") {
  LossScaler scaler(dynamic());
  CHECK(scaler.judge(false, true) == StepVerdict::kStop);
  CHECK(scaler.judge(false, false) == StepVerdict::kStop);
}

TEST_CASE("the state can be saved and restored") {
  LossScaler scaler(dynamic());
  scaler.judge(true, true);
  scaler.judge(true, true);
  LossScaler other(dynamic());
  checkpoint::Archive saved;
  scaler.transfer(saved);
  checkpoint::Archive loaded(saved.bytes());
  other.transfer(loaded);
  CHECK(loaded.complete());
  scaler.judge(true, true);
  other.judge(true, true);
  CHECK(other.scale() == scaler.scale());
  CHECK(other.scale() == 16);
}

}  // namespace
}  // namespace waferloom
