// One wrong bit in a streamed weight, or one wrong arithmetic opcode in the microcode, must show in the bits of a step's results.
//
// State space: every k-th weight word of every streamed phase; every arithmetic instruction of the training program, each replaced by a sibling that is
// legal with the same operands (or by nothing, where there is no sibling). The uncorrupted golden run is the expectation. What is left out: words whose
// change cannot matter (none in these networks, whose hidden features all see tokens on both sides of zero).
#include <cstring>
#include <set>

#include "sim/generated/packet.h"
#include "testbenches/host/plan/golden_array.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/mutation.h"

namespace waferloom {
namespace {

plan::Plan planned(const plan::NetworkSpec& network, int width, int height, int batch) {
  plan::Target target;
  target.width = width;
  target.height = height;
  auto made = plan::make_plan(network, target, batch);
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&made)) FAIL(refusal->message);
  return std::get<plan::Plan>(std::move(made));
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

bool same_results(const plan::StepResult& a, const plan::StepResult& b) {
  bool same = same_bits(std::vector<float>{a.loss_sum, a.wrong}, std::vector<float>{b.loss_sum, b.wrong});
  for (std::size_t l = 0; l < a.weight_gradient.size(); ++l) {
    same = same && same_bits(a.weight_gradient[l], b.weight_gradient[l]) && same_bits(a.bias_gradient[l], b.bias_gradient[l]);
  }
  return same;
}

struct Subject {
  plan::NetworkSpec network;
  testing::Weights weights;
  testing::Batch batch;
};

Subject subject() {
  Subject s;
  s.network = testing::network({15, 10, 6});
  s.network.layers[1].stored_only = true;  // so that both kinds of gradient run
  s.weights = testing::random_weights(s.network, 21, 0.8);
  s.batch = testing::random_batch(s.network, 14, 21, 8);
  return s;
}

testing::GoldenArray::Outcome run(const plan::Plan& plan, const Subject& s, const testing::GoldenArray::Change& change = {}, std::uint64_t shuffle = 0) {
  testing::GoldenArray array(plan, shuffle);
  return array.step(plan::StepKind::kTrain, s.weights, s.batch, change);
}

TEST_CASE("the order of events does not change a bit") {
  const Subject s = subject();
  const plan::Plan plan = planned(s.network, 4, 3, 14);
  const testing::GoldenArray::Outcome golden = run(plan, s);
  REQUIRE(golden.problem == "");
  for (std::uint64_t shuffle = 1; shuffle <= 5; ++shuffle) {
    const testing::GoldenArray::Outcome other = run(plan, s, {}, shuffle);
    REQUIRE(other.problem == "");
    CHECK(same_results(golden.result, other.result));
  }
}

TEST_CASE("a corrupted weight wavelet is seen in the results") {
  const Subject s = subject();
  const plan::Plan plan = planned(s.network, 4, 3, 14);
  // Which words are weights: data on colour 0, of passes that carry values.
  std::vector<std::uint64_t> candidates;
  {
    plan::EdgeStream stream(plan, {plan::StepKind::kTrain, s.batch.samples.data(), s.batch.labels.data(), s.batch.rows, s.batch.factor}, s.weights.view());
    plan::EdgeWord word;
    for (std::uint64_t number = 0; stream.next(word); ++number) {
      const plan::PhaseKind kind = plan.train_step[stream.phase()].kind;
      const bool weights = kind == plan::PhaseKind::kForward || kind == plan::PhaseKind::kDelta;
      if (weights && !spec::link_control(word.link)) candidates.push_back(number);
    }
  }
  REQUIRE(candidates.size() > 200);
  const testing::GoldenArray::Outcome golden = run(plan, s);
  REQUIRE(golden.problem == "");
  for (std::size_t i = 0; i < candidates.size(); i += 7) {
    const std::uint64_t target = candidates[i];
    const testing::GoldenArray::Outcome corrupted = run(plan, s, [&](std::uint64_t number, plan::EdgeWord& word) {
      if (number == target) word.link ^= 0x0100;
    });
    INFO("word " << target);
    CHECK(corrupted.problem == "");  // the machine itself cannot tell
    CHECK_FALSE(same_results(golden.result, corrupted.result));
  }
}

TEST_CASE("a corrupted arithmetic opcode is seen in the results") {
  const Subject s = subject();
  const plan::Plan plan = planned(s.network, 4, 3, 14);
  const testing::GoldenArray::Outcome golden = run(plan, s);
  REQUIRE(golden.problem == "");
  REQUIRE(golden.result.wrong > 1);
  const std::uint32_t start = plan.address("code");
  const std::uint32_t end = plan.address("boot_table");
  int mutants = 0;
  std::set<std::uint32_t> opcodes;
  for (std::uint32_t at = start; at + 4 <= end; at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, plan.images[0].bytes.data() + at, 4);
    const std::uint32_t other = testing::arithmetic_sibling(word);
    if (other == word) continue;
    plan::Plan mutant = plan;
    for (plan::Image& image : mutant.images) std::memcpy(image.bytes.data() + at, &other, 4);
    const testing::GoldenArray::Outcome outcome = run(mutant, s);
    INFO("address " << at << ", word " << word);
    CHECK((!outcome.problem.empty() || !same_results(golden.result, outcome.result)));
    opcodes.insert(spec::kOpcodeField.get(word));
    ++mutants;
  }
  CHECK(mutants >= 35);
  CHECK(opcodes.size() == 10);  // every kind that has a sibling
}

}  // namespace
}  // namespace waferloom
