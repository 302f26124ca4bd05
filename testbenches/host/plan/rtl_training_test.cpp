// The training program on verilated tiles: whole steps give the golden fabric's bits, without traps and at a cost that a bound holds.
//
// State space: arrays whose columns and rows take every role, odd and even sizes, both kinds of weight gradient, several steps in a row (what one step
// leaves in queues or microthreads would show in the next). What is left out: the SystemC host (system tests), instruction by instruction comparison
// (lockstep tests).
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "host/config/resolver.h"
#include "host/systemc/fabric_wafer.h"
#include "host/systemc/message.h"
#include "host/systemc/units.h"
#include "sim/generated/counters.h"
#include "sim/plugin/unit.h"
#include "testbenches/host/plan/golden_array.h"
#include "testbenches/lib/catch.h"

namespace waferloom {
namespace {

plugin::Unit unit_of(const plugin::UnitSpec& spec) {
  plugin::Unit unit;
  const std::string error = unit.open(spec);
  if (!error.empty()) FAIL(error);
  return unit;
}

const config::Machine& machine() {
  static const config::Machine wse2 = [] {
    const auto resolved = config::resolve_machine("wse2");
    if (!resolved) FAIL(config::render(resolved.errors()));
    return resolved->value;
  }();
  return wse2;
}

// Verilated tiles with a plan's images, booted.
class Array {
 public:
  explicit Array(const plan::Plan& plan, std::uint32_t io_words = 4) : plan_(plan) {
    systemc::FabricWaferOptions options;
    options.router = unit_of(systemc::router_spec(machine(), {}));
    options.pe = unit_of(systemc::pe_spec(machine(), {}));
    options.hop = static_cast<unsigned>(machine().hop_cycles.value);
    options.io_words_per_cycle = io_words;
    options.out_buffer_words = 1 << 20;
    std::string error;
    wafer_ = systemc::FabricWafer::create(options, plan, &error);
    REQUIRE(error == "");
    REQUIRE(wafer_->run_to(static_cast<std::int64_t>(plan.boot_cycles)) == systemc::WaferState::kRunning);
    REQUIRE(wafer_->quiet());  // booted, within the bound that the plan states
  }

  // Runs a step; with `by_phase` each phase runs to rest before the next one enters, and its cycles are noted.
  plan::StepResult step(plan::StepKind kind, const testing::Weights& weights, const testing::Batch& batch, std::vector<std::int64_t>* by_phase = nullptr) {
    plan::EdgeStream stream(plan_, {kind, batch.samples.data(), batch.labels.data(), batch.rows, batch.factor}, weights.view());
    plan::Collector collector(plan_, kind, weights.view());
    plan::EdgeWord word;
    std::vector<std::uint64_t> words;
    std::uint32_t phase = 0;
    const auto flush = [&] {
      wafer_->offer(words.data(), words.size());
      words.clear();
      const std::int64_t start = wafer_->cycle();
      rest(collector);
      if (by_phase != nullptr) by_phase->push_back(static_cast<std::int64_t>(wafer_->fabric().last_active_cycle()) - start);
    };
    while (stream.next(word)) {
      if (by_phase != nullptr && stream.phase() != phase) {
        flush();
        phase = stream.phase();
      }
      words.push_back(systemc::pack_edge(word.column, word.link));
    }
    flush();
    if (!collector.complete()) FAIL(collector.outstanding() << " results are missing\n" << wafer_->waiting());
    return collector.result();
  }

  systemc::FabricWafer& wafer() { return *wafer_; }

 private:
  void rest(plan::Collector& collector) {
    wafer_->allow(1 << 24);
    const std::int64_t limit = wafer_->cycle() + 2'000'000;
    while (true) {
      const systemc::WaferState state = wafer_->run_to(wafer_->cycle() + 500);
      if (state == systemc::WaferState::kTrapped) FAIL(wafer_->traps());
      for (const std::uint64_t result : wafer_->results()) {
        const std::string wrong = collector.accept(systemc::edge_column(result), systemc::edge_link(result));
        if (!wrong.empty()) FAIL(wrong);
      }
      if (wafer_->quiet() && wafer_->fabric().ports().pending_total() == 0) return;
      if (wafer_->quiet() || wafer_->cycle() > limit) FAIL("no way on\n" << wafer_->waiting());
    }
  }

  const plan::Plan& plan_;
  std::unique_ptr<systemc::FabricWafer> wafer_;
};

plan::Plan planned(const plan::NetworkSpec& network, int width, int height, int batch) {
  plan::Target target;
  target.width = width;
  target.height = height;
  target.lanes = machine().lanes.value;
  target.window_bytes = machine().accumulator_window_bytes.value;
  auto made = plan::make_plan(network, target, batch);
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&made)) FAIL(refusal->message);
  return std::get<plan::Plan>(std::move(made));
}

bool same(const std::vector<float>& a, const std::vector<float>& b) { return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0; }

void same_results(const plan::StepResult& golden, const plan::StepResult& rtl) {
  CHECK(same({golden.loss_sum, golden.wrong}, {rtl.loss_sum, rtl.wrong}));
  for (std::size_t l = 0; l < golden.weight_gradient.size(); ++l) {
    INFO("layer " << l);
    CHECK(same(golden.weight_gradient[l], rtl.weight_gradient[l]));
    CHECK(same(golden.bias_gradient[l], rtl.bias_gradient[l]));
  }
}

void steps_agree(const plan::NetworkSpec& network, int width, int height, int batch, int steps) {
  const plan::Plan plan = planned(network, width, height, batch);
  testing::GoldenArray golden(plan);
  Array rtl(plan);
  for (int s = 0; s < steps; ++s) {
    INFO(width << " x " << height << ", step " << s);
    const std::uint64_t seed = static_cast<std::uint64_t>(s) + 1;
    const testing::Weights weights = testing::random_weights(network, seed, 0.8);
    const testing::Batch data = testing::random_batch(network, s == 1 ? (batch + 1) / 2 : batch, seed, 16);
    const testing::GoldenArray::Outcome expected = golden.step(plan::StepKind::kTrain, weights, data);
    REQUIRE(expected.problem == "");
    same_results(expected.result, rtl.step(plan::StepKind::kTrain, weights, data));
    const testing::GoldenArray::Outcome evaluated = golden.step(plan::StepKind::kEvaluate, weights, data);
    same_results(evaluated.result, rtl.step(plan::StepKind::kEvaluate, weights, data));
  }
}

TEST_CASE("steps on verilated tiles have the golden fabric's bits") {
  SECTION("one tile") { steps_agree(testing::network({3, 2}), 1, 1, 4, 2); }
  SECTION("two columns") { steps_agree(testing::network({9, 5, 3}), 2, 2, 8, 3); }
  SECTION("more columns than features") { steps_agree(testing::network({5, 3, 2}), 7, 2, 6, 2); }
  SECTION("5x3") { steps_agree(testing::network({37, 19, 7}), 5, 3, 20, 2); }
  SECTION("1x7") { steps_agree(testing::network({37, 19, 7}), 1, 7, 20, 1); }
  SECTION("rows without tokens, many tokens in the others") { steps_agree(testing::network({9, 8, 4}), 3, 2, 1, 2); }
  SECTION("many tokens per tile") { steps_agree(testing::network({9, 8, 4}), 3, 2, 70, 2); }
  SECTION("gradients at stored weights only") {
    plan::NetworkSpec network = testing::network({14, 11, 6});
    network.layers[0].stored_only = network.layers[1].stored_only = true;
    steps_agree(network, 4, 3, 10, 2);
  }
}

TEST_CASE("the digits step on 8x8") {
  const plan::NetworkSpec network = testing::network({64, 32, 10});
  const plan::Plan plan = planned(network, 8, 8, 64);
  testing::GoldenArray golden(plan);
  Array rtl(plan);
  const testing::Weights weights = testing::random_weights(network, 1);
  const testing::Batch batch = testing::random_batch(network, 64, 1, 128);
  const testing::GoldenArray::Outcome expected = golden.step(plan::StepKind::kTrain, weights, batch);
  REQUIRE(expected.problem == "");
  same_results(expected.result, rtl.step(plan::StepKind::kTrain, weights, batch));
  const std::int64_t before = rtl.wafer().cycle();
  same_results(expected.result, rtl.step(plan::StepKind::kTrain, weights, batch));
  const std::int64_t cycles = static_cast<std::int64_t>(rtl.wafer().fabric().last_active_cycle()) - before;
  std::vector<std::int64_t> phases;
  const systemc::WaferCounters start = rtl.wafer().counters();
  same_results(expected.result, rtl.step(plan::StepKind::kTrain, weights, batch, &phases));
  const systemc::WaferCounters end = rtl.wafer().counters();
  if (std::getenv("WL_VERBOSE") != nullptr) {
    std::cout << "step " << cycles << " cycles\n";
    for (std::size_t p = 0; p < phases.size(); ++p) std::cout << "  " << plan.train_step[p].name << " " << phases[p] << "\n";
    for (std::size_t c = 0; c < end.pe_classes.size(); ++c) {
      std::cout << "  class " << spec::kPeClasses[c].name << " " << static_cast<double>(end.pe_classes[c] - start.pe_classes[c]) / 64 << "\n";
    }
  }
  CHECK(cycles < 11000);  // 8,825 when it was written
}

}  // namespace
}  // namespace waferloom
