// Calibrations held against RTL that they never saw: 30 shapes drawn from a seed, the whole step of the digits network on 32x32 tiles, and an edit of the RTL that a
// projection must see as an unseen array of 64x64 tiles sees it. Minutes of RTL: label full.
#include <filesystem>
#include <fstream>
#include <set>
#include <variant>

#include "host/cluster/project.h"
#include "host/optimiser/parameters.h"
#include "testbenches/extrapolate/calibration_bench.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom;
namespace ex = waferloom::extrapolate;

namespace {

constexpr std::uint64_t kSeed = 35901283;
constexpr std::uint64_t kDomain = 0x6a756467;

// Sizes as layers of large models put them on tiles of small arrays; none is in the sweep.
std::vector<ex::StepShape> drawn(int count, std::uint64_t seed) {
  std::set<std::vector<int>> listed;
  for (const ex::StepShape& s : ex::sweep_shapes()) listed.insert({s.width, s.height, s.inputs_per_column, s.hidden_per_column, s.outputs_per_column, s.tokens});
  std::vector<ex::StepShape> shapes;
  std::uint64_t index = 0;
  auto between = [&](int low, int high) { return low + static_cast<int>(optimiser::hash_random(seed, kDomain, index++) % static_cast<std::uint64_t>(high - low + 1)); };
  while (static_cast<int>(shapes.size()) < count) {
    ex::StepShape s = test::shape(between(2, 12), between(2, 12), between(2, 24), between(2, 16), between(2, 8), 4 * between(2, 16), between(0, 1) == 1, between(0, 1) == 1);
    const double products = static_cast<double>(s.width) * s.height * s.width * (s.inputs_per_column * s.hidden_per_column + s.hidden_per_column * s.outputs_per_column) * s.tokens;
    if (products > 3e6 || !listed.insert({s.width, s.height, s.inputs_per_column, s.hidden_per_column, s.outputs_per_column, s.tokens}).second) continue;
    shapes.push_back(s);
  }
  return shapes;
}

void replace_once(const std::filesystem::path& file, const std::string& from, const std::string& to) {
  std::string text = test::read_file(file);
  const std::size_t at = text.find(from);
  INFO(file.string() << " has no line '" << from << "': the edit of this test belongs to it");
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find(from, at + 1) == std::string::npos);
  text.replace(at, from.size(), to);
  std::ofstream(file, std::ios::binary) << text;
}

// The fitting arrays alone: what a prediction of the edited RTL rests on.
ex::Calibration fitted(const test::Bench& bench, ex::Store* store) {
  ex::CalibrationRequest request = bench.request();
  request.store = store;
  request.jobs = 2;
  for (const ex::StepShape& s : ex::sweep_shapes()) {
    if (!s.held_out) request.shapes.push_back(s);
  }
  const ex::CalibrationOutcome outcome = ex::calibrate(request, true);
  INFO(outcome.error);
  REQUIRE(outcome.fault == ex::CalibrationFault::kNone);
  return outcome.calibration;
}

report::Projection projected(const ex::Calibration& calibration) {
  const config::Result<config::Resolved<config::ProjectionRun>> run = config::resolve_projection_text(
      "run.yaml", "name: bubble\nmachine: wse2\ncluster: single\nmodel: gpt3-13b\nsequence: 2048\nbatch_tokens: 1048576\noptimiser: adam\n");
  REQUIRE(run.ok());
  cluster::ProjectionInputs inputs;
  inputs.run = run->value;
  inputs.resolved_yaml = run->yaml;
  const config::Result<models::Transformer> model = models::load_transformer(run->value.model, run->value.model_where);
  REQUIRE(model.ok());
  inputs.model = *model;
  inputs.calibration = calibration;
  inputs.calibration_from = "measured now";
  const config::Result<report::Projection> p = cluster::project(inputs);
  INFO((p.ok() ? std::string() : config::render(p.errors())));
  REQUIRE(p.ok());
  return *p;
}

double figure(const report::Projection& p, const std::string& key) {
  for (const report::Figure& f : p.figures) {
    if (f.key == key) return f.quantity.value;
  }
  FAIL("no figure " << key);
  return 0;
}

}  // namespace

TEST_CASE("of 30 shapes that are listed nowhere nine of ten lie in their intervals") {
  for (const char* machine : {"wse2", "wse3"}) {
    test::Bench bench(machine);
    const ex::Calibration calibration = bench.calibration();
    test::Judged judged;
    for (const ex::StepShape& s : drawn(30, kSeed)) judged.add(bench.judge(s, calibration));
    std::cout << machine << ", seed " << kSeed << '\n';
    judged.print();
    CHECK(judged.inside() >= 0.9);
    CHECK(judged.median_width() <= 0.05);
    CHECK(judged.median_error() <= 0.02);
  }
}

TEST_CASE("the whole digits step on 32x32 tiles is predicted within 3 %") {
  for (const char* machine : {"wse2", "wse3"}) {
    test::Bench bench(machine);
    const ex::Calibration calibration = bench.calibration();
    for (const unsigned io : {66U, 4U}) {
      systemc::SmallStepSpec spec;
      spec.width = spec.height = 32;
      spec.inputs = 64;
      spec.hidden = 32;
      spec.outputs = 10;
      spec.batch = 64;
      spec.bias = spec.relu = true;
      spec.offer = systemc::Offer::kWhole;
      spec.io_words_per_cycle = io;
      spec.out_buffer_words = 0;
      systemc::SmallStep step;
      REQUIRE(step.prepare(spec, bench.run()).empty());
      const systemc::DirectResult result = step.run(bench.router(), bench.pe(), 50'000'000, {});
      INFO(result.error);
      REQUIRE(result.error.empty());
      const ex::PlanPrice price = ex::price_plan(step.plan(), calibration, io);
      REQUIRE(price.refusal.empty());
      const double error = price.cycles / static_cast<double>(result.cycles) - 1;
      std::cout << machine << ", " << io << " words a cycle: measured " << result.cycles << ", predicted " << price.cycles << " (" << 100 * error << " %), interval " << price.low << " to " << price.high
                << '\n';
      // Four words a cycle are the edge's pace while the batch loads.
      CHECK(std::abs(error) <= 0.03);
      CHECK(price.low <= static_cast<double>(result.cycles));
      CHECK(price.high >= static_cast<double>(result.cycles));
    }
  }
}

TEST_CASE("a bubble in the AXPY slows a projection as it slows an unseen array of 64x64 tiles") {
  const test::TemporaryFolder folder;
  const auto rtl = folder.path() / "rtl";
  std::filesystem::copy(std::filesystem::path(WL_SOURCE_DIR) / "rtl", rtl, std::filesystem::copy_options::recursive);
  // The first group of a weight takes one token instead of as many as the lanes hold: a group more for each weight, the same sums.
  replace_once(rtl / "pe" / "wl_issue.sv", "    if (overlap) group = 4'd1;", "    if (overlap | (saxpy & first)) group = 4'd1;");
  test::Bench plain("wse2");
  test::Bench slow("wse2", rtl.string());
  const auto store = std::move(ex::Store::open(ex::Store::default_file(), ex::StoreAccess::kReadWrite)).value();
  const ex::Calibration before = fitted(plain, store.get());
  const ex::Calibration after = fitted(slow, store.get());

  // An unseen array, streamed products of both forward passes and the delta pass.
  ex::StepShape shape = test::shape(64, 64, 4, 1, 1, 8, false, false);
  shape.hidden = 96;
  shape.outputs = 64;
  auto streams = [&](const test::Bench& bench, const ex::Calibration& calibration) {
    test::JudgedRow sum;
    for (const test::JudgedRow& row : bench.judge(shape, calibration)) {
      if (row.label.find("forward") == std::string::npos && row.label.find("delta") == std::string::npos) continue;
      sum.measured += row.measured;
      sum.predicted += row.predicted;
      sum.low += row.low;
      sum.high += row.high;
    }
    return sum;
  };
  const test::JudgedRow array_before = streams(plain, before);
  const test::JudgedRow array_after = streams(slow, after);
  std::cout << "64x64 tiles, streamed products: measured " << array_before.measured << " -> " << array_after.measured << ", predicted " << array_before.predicted << " -> " << array_after.predicted << '\n';
  CHECK(array_after.measured > array_before.measured * 1.01);
  CHECK(array_before.inside());
  CHECK(array_after.inside());
  // What the array gained, and what was predicted that it gains: within the intervals of both.
  const double gained = array_after.measured - array_before.measured;
  const double foreseen = array_after.predicted - array_before.predicted;
  const double slack = (array_after.high - array_after.low + array_before.high - array_before.low) / 2;
  std::cout << "gained " << gained << ", foreseen " << foreseen << ", slack " << slack << '\n';
  CHECK(std::abs(gained - foreseen) <= slack);

  // Bubbles for each streamed weight, on the array and in the projection of GPT-3 13B.
  const double array_weights = 96.0 * 4 + 64.0 * 2 + 96.0 * 1;  // outputs x fullest column: forward, forward, delta
  const report::Projection old_answer = projected(before);
  const report::Projection new_answer = projected(after);
  // The same cut of the batch, so that both stream the same weights.
  const double tokens = figure(old_answer, "tokens_per_pe");
  REQUIRE(figure(new_answer, "tokens_per_pe") == tokens);
  double projected_weights = 0;
  double added = 0;
  double added_slack = 0;
  REQUIRE(old_answer.operators.size() == new_answer.operators.size());
  for (std::size_t i = 0; i < old_answer.operators.size(); ++i) {
    const report::OperatorRow& a = old_answer.operators[i];
    const report::OperatorRow& b = new_answer.operators[i];
    if (a.name != "stream_matmul" || a.pass == "gradient") continue;
    for (const report::CostTerm& term : a.terms) {
      // Cycles of groups, over cycles of a group and groups of a weight, are weights.
      const config::Pass pass = a.pass == "delta" ? config::Pass::kDelta : config::Pass::kForward;
      const ex::OperatorFit* fit = before.find(ex::pass_operator(pass, before.window_bytes, tokens, config::Accumulate::kFp32));
      REQUIRE(fit != nullptr);
      if (term.name == "lane groups") projected_weights += static_cast<double>(a.count) * term.cycles / fit->coefficient("lane groups") / std::ceil(2 * tokens / before.lanes);
    }
    added += static_cast<double>(a.count) * (b.cycles.value - a.cycles.value);
    added_slack += static_cast<double>(a.count) * (*a.cycles.high - a.cycles.value + *b.cycles.high - b.cycles.value);
  }
  const double each_array = gained / array_weights;
  const double each_projected = added / projected_weights;
  std::cout << "cycles for each streamed weight: array " << each_array << ", projection " << each_projected << " +- " << added_slack / projected_weights << '\n'
            << "GPT-3 13B: " << old_answer.answer.sentence << "\n        -> " << new_answer.answer.sentence << '\n';
  CHECK(added > 0);
  CHECK(std::abs(each_projected - each_array) <= added_slack / projected_weights + slack / array_weights);
  CHECK(new_answer.answer.step_time.value > old_answer.answer.step_time.value);
  CHECK(new_answer.answer.step_time.value <= *old_answer.answer.step_time.high * 1.1);
}
