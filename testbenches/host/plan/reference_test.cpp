// The reference itself: its gradients against central differences of its own loss, and its bounds neither broken nor idle.
#include <cmath>

#include "testbenches/host/plan/golden_array.h"
#include "testbenches/lib/catch.h"

namespace waferloom {
namespace {

struct Problem {
  std::vector<reference::Layer> layers;
  reference::Batch batch;
};

Problem problem(std::uint64_t seed) {
  const plan::NetworkSpec network = testing::network({7, 6, 5, 4});
  const testing::Weights weights = testing::random_weights(network, seed);
  const testing::Batch made = testing::random_batch(network, 9, seed);
  Problem p;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    reference::Layer layer{network.layers[l].inputs, network.layers[l].outputs, network.layers[l].relu, {}, {}};
    for (const std::uint16_t w : weights.layers[l].weights) layer.weights.push_back(testing::half_value(w));
    for (const std::uint16_t b : weights.layers[l].bias) layer.bias.push_back(testing::half_value(b));
    p.layers.push_back(layer);
  }
  p.batch.rows = made.rows;
  p.batch.samples.assign(made.samples.begin(), made.samples.end());
  p.batch.labels = made.labels;
  p.batch.gradient_factor = 2.5;
  return p;
}

TEST_CASE("the reference's gradients are the slopes of its loss") {
  Problem p = problem(11);
  const reference::Step step = reference::run_step(p.layers, p.batch, {});
  const double h = 1e-6;
  const auto slope = [&](double& parameter) {
    const double kept = parameter;
    parameter = kept + h;
    const double above = reference::run_step(p.layers, p.batch, {}).loss_sum;
    parameter = kept - h;
    const double below = reference::run_step(p.layers, p.batch, {}).loss_sum;
    parameter = kept;
    return (above - below) / (2 * h) * p.batch.gradient_factor;
  };
  for (std::size_t l = 0; l < p.layers.size(); ++l) {
    for (std::size_t i = 0; i < p.layers[l].weights.size(); ++i) {
      INFO("layer " << l << ", weight " << i);
      CHECK(std::fabs(slope(p.layers[l].weights[i]) - step.weight_gradient[l].value[i]) < 1e-6);
    }
    for (std::size_t o = 0; o < p.layers[l].bias.size(); ++o) {
      INFO("layer " << l << ", bias " << o);
      CHECK(std::fabs(slope(p.layers[l].bias[o]) - step.bias_gradient[l].value[o]) < 1e-6);
    }
  }
}

TEST_CASE("the bounds are of the size of the rounding that they stand for") {
  const plan::NetworkSpec network = testing::network({64, 32, 10});
  plan::Target target;
  target.width = target.height = 8;
  auto made = plan::make_plan(network, target, 64);
  REQUIRE(std::holds_alternative<plan::Plan>(made));
  const plan::Plan& plan = std::get<plan::Plan>(made);
  testing::GoldenArray array(plan);
  const testing::Weights weights = testing::random_weights(network, 8);
  const testing::Batch batch = testing::random_batch(network, 64, 8, 64);
  const testing::GoldenArray::Outcome outcome = array.step(plan::StepKind::kTrain, weights, batch);
  REQUIRE(outcome.problem == "");
  const reference::Step step = testing::reference_of(plan, weights, batch);
  CHECK(step.loss_bound < 0.02 * step.loss_sum);
  for (std::size_t l = 0; l < 2; ++l) {
    double largest = 0;
    double bound = 0;
    for (std::size_t i = 0; i < step.weight_gradient[l].value.size(); ++i) {
      largest = std::max(largest, std::fabs(step.weight_gradient[l].value[i]));
      bound = std::max(bound, step.weight_gradient[l].bound[i]);
    }
    INFO("layer " << l << ": largest gradient " << largest << ", largest bound " << bound);
    CHECK(bound < 0.2 * largest);
    const reference::Agreement agreement = reference::compare(step.weight_gradient[l], outcome.result.weight_gradient[l]);
    INFO("worst " << agreement.worst);
    CHECK(agreement.within());
    CHECK(agreement.worst > 0.002);
    // A gradient off by a third of the largest is outside.
    std::vector<float> wrong = outcome.result.weight_gradient[l];
    wrong[5] += static_cast<float>(largest / 3);
    CHECK_FALSE(reference::compare(step.weight_gradient[l], wrong).within());
    wrong[5] = std::nanf("");
    CHECK_FALSE(reference::compare(step.weight_gradient[l], wrong).within());
  }
}

}  // namespace
}  // namespace waferloom
