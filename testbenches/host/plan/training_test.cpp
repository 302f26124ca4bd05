// Whole training steps on the golden fabric against the double-precision reference.
//
// State space: every phase of a step (load, forward, ReLU, loss, weight gradient, delta, bias) on arrays whose columns and rows take every role (first,
// middle, last, both; even and odd), with splits that do and do not divide. What is left out: time (the benches of the RTL), sizes beyond a tile's memory.
#include "testbenches/host/plan/golden_array.h"
#include "testbenches/lib/catch.h"

namespace waferloom {
namespace {

plan::Plan planned(const plan::NetworkSpec& network, int width, int height, int batch, plan::Target target = {}) {
  target.width = width;
  target.height = height;
  auto made = plan::make_plan(network, target, batch);
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&made)) FAIL(refusal->message);
  return std::get<plan::Plan>(std::move(made));
}

void check_step(const plan::Plan& plan, testing::GoldenArray& array, const testing::Weights& weights, const testing::Batch& batch) {
  const testing::GoldenArray::Outcome outcome = array.step(plan::StepKind::kTrain, weights, batch);
  REQUIRE(outcome.problem == "");
  const std::vector<plan::PhaseCount> expected = plan::count_phases(plan, plan::StepKind::kTrain, weights.view());
  std::uint64_t results = 0;
  for (std::size_t p = 0; p < expected.size(); ++p) {
    INFO("phase " << plan.train_step[p].name);
    CHECK(outcome.sent[p].words == expected[p].words);
    CHECK(outcome.sent[p].wavelets == expected[p].wavelets);
    results += expected[p].results;
  }
  CHECK(outcome.received == results);
  const reference::Step reference = testing::reference_of(plan, weights, batch);
  CHECK(std::abs(static_cast<double>(outcome.result.loss_sum) - reference.loss_sum) <= reference.loss_bound);
  CHECK(std::abs(outcome.result.wrong - static_cast<float>(reference.wrong)) <= static_cast<float>(reference.undecided));
  for (std::size_t l = 0; l < weights.layers.size(); ++l) {
    INFO("layer " << l);
    const reference::Agreement w = reference::compare(reference.weight_gradient[l], outcome.result.weight_gradient[l]);
    INFO("weight gradient: worst " << w.worst << " at " << w.index << ", largest error " << w.largest_error);
    CHECK(w.within());
    const reference::Agreement b = reference::compare(reference.bias_gradient[l], outcome.result.bias_gradient[l]);
    INFO("bias gradient: worst " << b.worst << " at " << b.index << ", largest error " << b.largest_error);
    CHECK(b.within());
  }
}

void train_once(const std::vector<int>& sizes, int width, int height, int batch_size, std::uint64_t seed) {
  const plan::NetworkSpec network = testing::network(sizes);
  const plan::Plan plan = planned(network, width, height, batch_size);
  testing::GoldenArray array(plan, seed);
  check_step(plan, array, testing::random_weights(network, seed), testing::random_batch(network, batch_size, seed));
}

TEST_CASE("37-19-7 on 8x8, 5x3 and 1x7 matches the reference for 20 seeds") {
  const struct { int width, height; } arrays[] = {{8, 8}, {5, 3}, {1, 7}};
  for (const auto& a : arrays) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      INFO(a.width << " x " << a.height << ", seed " << seed);
      train_once({37, 19, 7}, a.width, a.height, 20, seed);
    }
  }
}

TEST_CASE("shapes at the corners") {
  SECTION("one tile") { train_once({3, 2}, 1, 1, 4, 1); }
  SECTION("one layer on 2x2") { train_once({6, 4}, 2, 2, 8, 2); }
  SECTION("more columns than features of every layer") { train_once({5, 3, 2}, 9, 2, 6, 3); }
  SECTION("more columns than classes only") { train_once({23, 17, 3}, 6, 4, 11, 4); }
  SECTION("one token per row") { train_once({13, 9, 5}, 4, 6, 6, 5); }
  SECTION("rows without any token") { train_once({13, 9, 5}, 3, 8, 3, 6); }
  SECTION("one row") { train_once({13, 9, 5}, 7, 1, 9, 7); }
  SECTION("one column") { train_once({13, 9, 5}, 1, 4, 9, 8); }
  SECTION("two columns") { train_once({13, 9, 5}, 2, 3, 9, 9); }
  SECTION("a single input, a single hidden feature, a single class") { train_once({1, 1, 1}, 3, 2, 5, 10); }
  SECTION("four layers") { train_once({11, 12, 7, 9, 4}, 4, 3, 10, 11); }
  SECTION("many tokens per tile") { train_once({9, 8, 4}, 2, 2, 150, 12); }
}

TEST_CASE("several steps one after the other, training and evaluation mixed") {
  const plan::NetworkSpec network = testing::network({13, 9, 5});
  const plan::Plan plan = planned(network, 4, 3, 10);
  testing::GoldenArray array(plan, 77);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const testing::Weights weights = testing::random_weights(network, seed);
    const testing::Batch batch = testing::random_batch(network, seed == 3 ? 4 : 10, seed, seed == 2 ? 128.0f : 1.0f);
    check_step(plan, array, weights, batch);
    const testing::GoldenArray::Outcome evaluation = array.step(plan::StepKind::kEvaluate, weights, batch);
    REQUIRE(evaluation.problem == "");
    const reference::Step reference = testing::reference_of(plan, weights, batch);
    CHECK(std::abs(static_cast<double>(evaluation.result.loss_sum) - reference.loss_sum) <= reference.loss_bound);
  }
}

TEST_CASE("layers without bias, without ReLU, with gradients at stored weights only") {
  plan::NetworkSpec network = testing::network({14, 11, 6});
  SECTION("no bias") { network.layers[0].bias = network.layers[1].bias = false; }
  SECTION("no ReLU") { network.layers[0].relu = false; }
  SECTION("stored only") { network.layers[0].stored_only = network.layers[1].stored_only = true; }
  const plan::Plan plan = planned(network, 4, 3, 10);
  testing::GoldenArray array(plan);
  check_step(plan, array, testing::random_weights(network, 5, 0.4), testing::random_batch(network, 10, 5));
}

TEST_CASE("the digits network on 8x8, and what it costs the main thread") {
  const plan::NetworkSpec network = testing::network({64, 32, 10});
  const plan::Plan plan = planned(network, 8, 8, 64);
  testing::GoldenArray array(plan);
  const testing::Weights weights = testing::random_weights(network, 3);
  const testing::Batch batch = testing::random_batch(network, 64, 3, 64);
  check_step(plan, array, weights, batch);
  // Outputs of all passes: 32 + 10 forward, 32 delta, 32 + 10 gradient. No scalar code per weight; set-up of phases included.
  const std::uint64_t outputs = 32 + 10 + 32 + 32 + 10;
  const std::uint64_t before = array.fabric().events(golden::Event::kInstructions);
  check_step(plan, array, weights, batch);
  const double per_output = static_cast<double>(array.fabric().events(golden::Event::kInstructions) - before) / 64 / static_cast<double>(outputs);
  INFO("instructions of the main thread per output and tile: " << per_output);
  CHECK(per_output < 10);
  CHECK(plan.images.size() <= 16);
  CHECK(plan.sram_needed < 8192);
}

TEST_CASE("binary16 accumulation") {
  plan::Target target;
  target.accumulate = config::Accumulate::kFp16;
  for (const int window : {0, 256}) {
    target.window_bytes = window;
    const plan::NetworkSpec network = testing::network({37, 19, 7});
    const plan::Plan plan = planned(network, 5, 3, 20, target);
    testing::GoldenArray array(plan);
    check_step(plan, array, testing::random_weights(network, 9), testing::random_batch(network, 20, 9));
  }
}

}  // namespace
}  // namespace waferloom
