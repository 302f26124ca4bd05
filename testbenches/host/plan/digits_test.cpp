// Training on real data with the functional model: the digits run's own configuration, its optimiser and loss scale, on golden tiles.
//
// What it holds: planner, microcode, edge schedule, collector, optimiser and loss scale together learn; the loss falls, the held-out half is recognised, a
// loss scale far too high recovers by skipping steps. What is left out: the SystemC host and time (system tests).
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numeric>

#include "host/config/dataset.h"
#include "host/config/resolver.h"
#include "host/optimiser/loss_scale.h"
#include "host/optimiser/sgd.h"
#include "sim/macros/arith.h"
#include "testbenches/host/plan/golden_array.h"
#include "testbenches/lib/catch.h"

namespace waferloom {
namespace {

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

struct Trainer {
  config::Run run;
  config::Dataset data;
  plan::Plan plan;
  testing::GoldenArray array;
  testing::Weights weights;
  std::vector<optimiser::SgdState> states;  // weights and biases of layer 0, of layer 1, ...
  optimiser::LossScaler scaler;

  Trainer(const config::Run& r, const config::Dataset& d, const plan::Plan& p)
      : run(r), data(d), plan(p), array(plan), weights(testing::random_weights(plan.network, r.seed)), scaler(r.loss_scale) {
    for (const testing::Weights::Layer& layer : weights.layers) {
      for (const std::vector<std::uint16_t>* tensor : {&layer.weights, &layer.bias}) {
        std::vector<float> master;
        for (const std::uint16_t bits : *tensor) master.push_back(static_cast<float>(testing::half_value(bits)));
        states.emplace_back(std::move(master));
      }
    }
  }

  testing::Batch batch_of(const config::Samples& samples, const std::vector<int>& order, int first, int rows) const {
    testing::Batch batch;
    batch.rows = rows;
    for (int t = 0; t < rows; ++t) {
      const int row = order[static_cast<std::size_t>(first + t)];
      batch.samples.insert(batch.samples.end(), samples.row(row), samples.row(row) + samples.features);
      batch.labels.push_back(samples.labels[static_cast<std::size_t>(row)]);
    }
    return batch;
  }

  // The step's mean loss.
  double step(testing::Batch batch) {
    const float scale = static_cast<float>(scaler.scale());
    batch.factor = scale / static_cast<float>(batch.rows);
    const testing::GoldenArray::Outcome outcome = array.step(plan::StepKind::kTrain, weights, batch);
    REQUIRE(outcome.problem == "");
    const plan::StepResult& result = outcome.result;
    bool finite = true;
    for (std::size_t l = 0; l < weights.layers.size(); ++l) {
      finite = finite && optimiser::all_finite(result.weight_gradient[l]) && optimiser::all_finite(result.bias_gradient[l]);
    }
    const optimiser::StepVerdict verdict = scaler.judge(std::isfinite(result.loss_sum), finite);
    REQUIRE(verdict != optimiser::StepVerdict::kStop);
    if (verdict == optimiser::StepVerdict::kApply) {
      const optimiser::SgdRule rule{static_cast<float>(run.optimiser.learning_rate), static_cast<float>(run.optimiser.momentum),
                                    static_cast<float>(run.optimiser.weight_decay)};
      for (std::size_t l = 0; l < weights.layers.size(); ++l) {
        update(rule, result.weight_gradient[l], 1 / scale, states[2 * l], weights.layers[l].weights);
        update(rule, result.bias_gradient[l], 1 / scale, states[2 * l + 1], weights.layers[l].bias);
      }
    }
    return static_cast<double>(result.loss_sum) / batch.rows;
  }

  static void update(const optimiser::SgdRule& rule, const std::vector<float>& gradient, float unscale, optimiser::SgdState& state,
                     std::vector<std::uint16_t>& wire) {
    optimiser::apply(rule, gradient, unscale, state);
    for (std::size_t i = 0; i < wire.size(); ++i) wire[i] = macros::single_to_half(macros::to_bits(state.master[i]));
  }

  // Mean loss of an epoch.
  double epoch(std::uint64_t number) {
    std::vector<int> order(static_cast<std::size_t>(data.train.rows()));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[mix(run.seed * 1000003u + number * 7919u + i) % i]);
    double loss = 0;
    int steps = 0;
    for (int first = 0; first + run.batch <= data.train.rows(); first += run.batch, ++steps) loss += step(batch_of(data.train, order, first, run.batch));
    return loss / steps;
  }

  double accuracy() {
    std::vector<int> order(static_cast<std::size_t>(data.test.rows()));
    std::iota(order.begin(), order.end(), 0);
    double wrong = 0;
    for (int first = 0; first < data.test.rows(); first += run.batch) {
      testing::Batch batch = batch_of(data.test, order, first, std::min(run.batch, data.test.rows() - first));
      const testing::GoldenArray::Outcome outcome = array.step(plan::StepKind::kEvaluate, weights, batch);
      REQUIRE(outcome.problem == "");
      wrong += static_cast<double>(outcome.result.wrong);
    }
    return 1 - wrong / data.test.rows();
  }
};

Trainer trainer(const std::function<void(config::Run&)>& change = {}) {
  const auto resolved = config::resolve_run(std::filesystem::path(WL_SOURCE_DIR) / "configs" / "runs" / "digits-8x8.yaml");
  if (!resolved) FAIL(config::render(resolved.errors()));
  config::Run run = resolved->value;
  if (change) change(run);
  const config::Result<config::Dataset> data = config::load_dataset(run.data, run.model.inputs, run.model.outputs());
  if (!data) FAIL(config::render(data.errors()));
  auto plan = plan::make_plan(plan::network_of(run.model), plan::target_of(run), run.batch);
  REQUIRE(std::holds_alternative<plan::Plan>(plan));
  return Trainer(run, *data, std::get<plan::Plan>(plan));
}

TEST_CASE("the digits run learns on golden tiles") {
  Trainer t = trainer();
  const char* wanted = std::getenv("WL_DIGITS_EPOCHS");
  const int epochs = wanted != nullptr ? std::atoi(wanted) : 4;
  double first = 0;
  double last = 0;
  for (int e = 0; e < epochs; ++e) {
    last = t.epoch(static_cast<std::uint64_t>(e));
    if (e == 0) first = last;
    if (wanted != nullptr) std::cout << "epoch " << e << ": loss " << last << ", accuracy " << t.accuracy() << std::endl;
  }
  CHECK(last < 0.5 * first);
  CHECK(t.accuracy() > 0.8);
  CHECK(t.scaler.state().skipped == 0);
}

TEST_CASE("a loss scale that is far too high is lowered by skipped steps, then the run learns") {
  Trainer t = trainer([](config::Run& run) {
    run.loss_scale.mode = config::LossScaleMode::kDynamic;
    run.loss_scale.initial = 0x1p24;
    run.loss_scale.maximum = 0x1p24;
    run.loss_scale.growth_interval_steps = 2000;
  });
  const double first = t.epoch(0);
  CHECK(t.scaler.state().skipped >= 2);
  CHECK(t.scaler.scale() < 0x1p24);
  CHECK(t.epoch(1) < first);
}

}  // namespace
}  // namespace waferloom
