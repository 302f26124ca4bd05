// Projections of shipped runs: they add up, move the right way when a constant does, and refuse what cannot be. The calibration is the shipped one, whatever RTL it is of: its
// freshness is another test's matter.
#include <clocale>
#include <locale>
#include <set>

#include "host/cluster/project.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom;

namespace {

cluster::ProjectionInputs inputs_of(const config::Resolved<config::ProjectionRun>& run) {
  cluster::ProjectionInputs inputs;
  inputs.run = run.value;
  inputs.resolved_yaml = run.yaml;
  const config::Result<models::Transformer> model = models::load_transformer(run.value.model, run.value.model_where);
  INFO((model.ok() ? std::string() : config::render(model.errors())));
  REQUIRE(model.ok());
  inputs.model = *model;
  const std::string tile = run.value.machine.lanes.value == 8 ? "wse3" : "wse2";
  const config::Result<extrapolate::Calibration> calibration = extrapolate::read_calibration(std::filesystem::path(WL_SOURCE_DIR) / "configs" / "calibration" / (tile + ".json"));
  INFO((calibration.ok() ? std::string() : config::render(calibration.errors())));
  REQUIRE(calibration.ok());
  inputs.calibration = *calibration;
  inputs.calibration_from = "shipped";
  return inputs;
}

cluster::ProjectionInputs inputs_of_text(const std::string& yaml) {
  const config::Result<config::Resolved<config::ProjectionRun>> run = config::resolve_projection_text("run.yaml", yaml);
  INFO((run.ok() ? std::string() : config::render(run.errors())));
  REQUIRE(run.ok());
  return inputs_of(*run);
}

report::Projection projected(const cluster::ProjectionInputs& inputs) {
  const config::Result<report::Projection> p = cluster::project(inputs);
  INFO((p.ok() ? std::string() : config::render(p.errors())));
  REQUIRE(p.ok());
  return *p;
}

std::string refused(const std::string& yaml) {
  const config::Result<config::Resolved<config::ProjectionRun>> run = config::resolve_projection_text("run.yaml", yaml);
  if (!run) return config::render(run.errors());
  const config::Result<report::Projection> p = cluster::project(inputs_of(*run));
  REQUIRE_FALSE(p.ok());
  return config::render(p.errors());
}

const std::string kRun = "name: t\nmachine: wse2\nmodel: cerebras-gpt-1.3b\nbatch_tokens: 262144\n";

struct CommaNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST_CASE("a projection that is to stop stops wherever it is") {
  cluster::ProjectionInputs inputs = inputs_of_text(kRun);
  int asked = 0;
  inputs.interrupted = [&] {
    ++asked;
    return false;
  };
  CHECK(cluster::project(inputs).ok());
  const int all = asked;
  CHECK(all > 20);
  for (const int at : {1, 2, 5, all / 2}) {
    asked = 0;
    inputs.interrupted = [&] { return ++asked >= at; };
    const config::Result<report::Projection> p = cluster::project(inputs);
    INFO(at);
    REQUIRE_FALSE(p.ok());
    CHECK(p.errors()[0].message == "interrupted");
    CHECK(asked < at + 8);
  }
}

TEST_CASE("every shipped projection adds up") {
  int count = 0;
  for (const std::string& name : config::list_names(config::FileKind::kProjection)) {
    INFO(name);
    const config::Result<config::Resolved<config::ProjectionRun>> run = config::resolve_projection(config::default_configs_dir() / "runs" / (name + ".yaml"));
    REQUIRE(run.ok());
    const report::Projection p = projected(inputs_of(*run));
    const std::vector<std::string> faults = report::check_projection(p);
    INFO((faults.empty() ? std::string() : faults.front()));
    CHECK(faults.empty());
    CHECK(p.answer.mfu.value > 0);
    CHECK(p.answer.mfu.value < 60);  // binary32 accumulation alone halves the peak
    CHECK(*p.answer.step_time.low < p.answer.step_time.value);
    CHECK(*p.answer.step_time.high > p.answer.step_time.value);
    CHECK(p.validation.at(0).agrees);  // analytic against simulated
    ++count;
  }
  CHECK(count >= 6);
}

TEST_CASE("what is said of an operator names it, and once") {
  // 68 tokens a tile: beyond what norms, activations and attention were measured at.
  const report::Projection p = projected(inputs_of_text("name: t\nmachine: wse2\nmodel: gpt2-small\nbatch_tokens: 65536\n"));
  const std::set<std::string> different(p.notes.begin(), p.notes.end());
  CHECK(different.size() == p.notes.size());
  int norms = 0;
  for (const std::string& note : p.notes) {
    INFO(note);
    CHECK(note.front() != ',');
    norms += note.rfind("norm, forward: ", 0) == 0 ? 1 : 0;
  }
  CHECK(norms == 1);
}

TEST_CASE("useful FLOPs are six for each weight and token, and attention") {
  const report::Projection p = projected(inputs_of_text(kRun));
  const models::Transformer m = *models::load_transformer("cerebras-gpt-1.3b", {});
  double weights = static_cast<double>(m.vocabulary * m.width);  // the tied head
  for (const models::Tensor& t : m.tensors) weights += t.role == models::Role::kMatmul ? static_cast<double>(t.parameters()) : 0;
  const double attention = 3 * 2 * 2 * m.mean_context(2048) * static_cast<double>(m.width) * static_cast<double>(m.layers);
  for (const report::Figure& f : p.figures) {
    if (f.key == "step_flops") CHECK(f.quantity.value == Approx((6 * weights + attention) * 262144).epsilon(1e-9));
  }
}

TEST_CASE("the answer moves the right way") {
  const double base = projected(inputs_of_text(kRun)).answer.step_time.value;
  auto with = [&](const std::string& line) { return projected(inputs_of_text(kRun + line)).answer.step_time.value; };
  CHECK(with("systems: 4\n") < base * 0.35);
  CHECK(with("density: 0.25\n") < base);
  CHECK(with("sequence: 1024\n") < base);  // less attention
  CHECK(with("recompute: always\n") > base * 0.99);
  CHECK(projected(inputs_of_text("name: t\nmachine: wse3\nmodel: cerebras-gpt-1.3b\nbatch_tokens: 262144\n")).answer.step_time.value < base);
  CHECK(projected(inputs_of_text("name: t\nmachine: wse2\nmodel: cerebras-gpt-2.7b\nbatch_tokens: 262144\n")).answer.step_time.value > base * 1.5);
}

TEST_CASE("a slower clock costs what it must, and the utilisation does not know it") {
  const report::Projection fast = projected(inputs_of_text(kRun));
  cluster::ProjectionInputs slow_inputs = inputs_of_text(kRun);
  slow_inputs.run.machine.clock_hz.value = 0.85e9;
  const report::Projection slow = projected(slow_inputs);
  CHECK(slow.answer.step_time.value > fast.answer.step_time.value * 1.1);
  CHECK(slow.answer.step_time.value < fast.answer.step_time.value * 1.1 / 0.85 * 1.001);
  CHECK(*fast.answer.step_time.high > slow.answer.step_time.value * 0.999);
}

TEST_CASE("a slow link or a slow optimiser is named") {
  cluster::ProjectionInputs inputs = inputs_of_text(kRun);
  inputs.run.cluster.swarmx_link_bits_per_s.value = 1e10;
  CHECK(projected(inputs).answer.limit == "SwarmX");
  inputs = inputs_of_text(kRun);
  inputs.run.cluster.memoryx_link_bits_per_s.value = 1e10;
  CHECK(projected(inputs).answer.limit == "MemoryX");
  inputs = inputs_of_text("name: t\nmachine: wse2\nmodel: cerebras-gpt-1.3b\nbatch_tokens: 2048\n");
  inputs.run.cluster.memoryx_dram_bytes_per_s.value = 1e9;
  CHECK(projected(inputs).answer.limit == "optimiser");
}

TEST_CASE("twice the residual error of the processing element's pass widens the interval in proportion") {
  cluster::ProjectionInputs inputs = inputs_of_text(kRun);
  const report::Projection before = projected(inputs);
  for (extrapolate::OperatorFit& fit : inputs.calibration.fits) {
    fit.bound.cycles *= 2;
    fit.bound.each *= 2;
    fit.bound.share *= 2;
  }
  const report::Projection after = projected(inputs);
  auto reach = [](const report::Projection& p) {
    double sum = 0;
    for (const report::TornadoEntry& t : p.tornado) sum += t.key.rfind("residual.", 0) == 0 ? t.step_at_high_s - p.answer.step_time.value : 0;
    return sum;
  };
  CHECK(reach(before) > 0);
  CHECK(reach(after) == Approx(2 * reach(before)).epsilon(0.05));
}

TEST_CASE("one cycle more for a lane group shows in the step as its share says") {
  cluster::ProjectionInputs inputs = inputs_of_text(kRun);
  const report::Projection before = projected(inputs);
  for (extrapolate::OperatorFit& fit : inputs.calibration.fits) fit.coefficients[0] *= 1.1;
  const report::Projection after = projected(inputs);
  double share = 0;
  for (const report::OperatorRow& r : before.operators) {
    for (const report::CostTerm& t : r.terms) share += t.name == "lane groups" && r.name == "stream_matmul" ? t.cycles / r.cycles.value * r.share : 0;
  }
  CHECK(share > 0.2);
  CHECK(after.answer.step_time.value / before.answer.step_time.value - 1 > 0.05 * share);
  CHECK(after.answer.step_time.value / before.answer.step_time.value - 1 < 0.13);
}

TEST_CASE("what cannot be is refused with its place and its numbers") {
  CHECK(refused("name: t\nmachine: wse2\nsystems: 200\nmodel: cerebras-gpt-1.3b\nbatch_tokens: 204800\n").find("run.yaml:5:15: error: a batch of 204800 tokens (100 sequences of 2048) cannot be split over 200 systems") !=
        std::string::npos);
  CHECK(refused("name: t\nmachine: wse2\nmodel: cerebras-gpt-1.3b\nbatch_tokens: 5000\n").find("run.yaml:4:15: error: a batch of 5000 tokens is not a whole number of sequences of 2048") != std::string::npos);
  CHECK(refused("name: t\nmachine: wse2\nmodel: gpt-1t\nbatch_tokens: 2048\n").find("run.yaml:3:8: error: model 'gpt-1t' needs 18.14 TB of MemoryX") != std::string::npos);
  CHECK(refused(kRun + "density: 0\n").find("run.yaml:5:10: error: 'density'") != std::string::npos);
  CHECK(refused(kRun + "density: 1.5\n").find("run.yaml:5:10: error: 'density'") != std::string::npos);
  CHECK(refused(kRun + "density: .nan\n").find("run.yaml:5:10: error:") != std::string::npos);
  CHECK(refused(kRun + "training_tokens: .inf\n").find("run.yaml:5:18: error:") != std::string::npos);
  CHECK(refused(kRun + "systems: 0\n").find("run.yaml:5:10: error: 'systems'") != std::string::npos);
  CHECK(refused(kRun + "systems: 4096\n").find("run.yaml:5:10: error: 'systems'") != std::string::npos);
  CHECK(refused(kRun + "sequence: 4096\n").find("run.yaml:5:11: error: a sequence of 4096 tokens is longer than the 2048 positions") != std::string::npos);
  CHECK(refused("name: t\nmachine: wse2\nmodel: cerebras-gpt-1.3b\nbatch_tokens: 0\n").find("run.yaml:4:15: error: 'batch_tokens'") != std::string::npos);
  CHECK(refused("name: t\nmachine: wse2\nmodel: cerebras-gpt-1.3b\nbatch_tokens: 99999999999999999999\n").find("run.yaml:4:15: error:") != std::string::npos);
  CHECK(refused(kRun + "recompute: never\nclock_low_hz: 2e9\n").find("'clock_low_hz' is above 'clock_high_hz'") != std::string::npos);
  CHECK(refused("name: t\nmachine: nano\nmodel: cerebras-gpt-1.3b\nbatch_tokens: 2048\n").find("the calibration is of another tile") != std::string::npos);
}

TEST_CASE("sizes without an end are answered or refused at once") {
  const report::Projection p = projected(inputs_of_text("name: t\nmachine: wse2\nmodel: cerebras-gpt-13b\nbatch_tokens: 9007199254740992\n"));
  CHECK(p.memory.micro_batches > INT32_MAX);
  CHECK(p.memory.used_bytes <= p.memory.capacity_bytes);
  cluster::ProjectionInputs deep = inputs_of_text(kRun);
  deep.model.layers = 1000000000000;
  const config::Result<report::Projection> none = cluster::project(deep);
  REQUIRE(!none.ok());
  CHECK(none.errors()[0].message.find("1,000,000,000,000 layers, more than the 65,536") != std::string::npos);
}

TEST_CASE("activations that do not fit are refused, or computed again and said") {
  const std::string big = "name: t\nmachine: wse2\nmodel: cerebras-gpt-13b\nbatch_tokens: 131072\n";
  const report::Projection p = projected(inputs_of_text(big));
  CHECK(p.memory.used_bytes <= p.memory.capacity_bytes);
  CHECK(p.memory.micro_batches > 1);
  CHECK(p.memory.choice == "accumulate");
  CHECK(p.memory.reason.find("bytes a tile of") != std::string::npos);
  cluster::ProjectionInputs narrow = inputs_of_text(big + "recompute: never\n");
  narrow.run.machine.sram_bytes.value = 8192;
  const config::Result<report::Projection> none = cluster::project(narrow);
  REQUIRE_FALSE(none.ok());
  CHECK(config::render(none.errors()).find("one sequence of 2048 tokens does not fit on a wafer of wse2") != std::string::npos);
  CHECK(config::render(none.errors()).find("allow recomputation") != std::string::npos);
}

TEST_CASE("the fullest of many columns is between the mean and all") {
  CHECK(models::expected_fullest(16, 1, 750) == 16);
  CHECK(models::expected_fullest(1, 0.5, 1e9) == Approx(1));
  CHECK(models::expected_fullest(1, 0.5, 1) == Approx(0.5));
  CHECK(models::expected_fullest(2, 0.5, 2) == Approx(2 * (1 - 9.0 / 16) + 1 * (9.0 / 16 - 1.0 / 16)));
  const double many = models::expected_fullest(100, 0.2, 750);
  CHECK(many > 30);
  CHECK(many < 37);
  CHECK(models::expected_fullest(100000, 0.3, 750) == Approx(30000).epsilon(0.02));
  CHECK(models::expected_fullest(100000, 0.3, 750) > 30000);
}

TEST_CASE("sparsity never costs time, and never gains more than the weights left out") {
  const report::Projection p = projected(inputs_of_text(kRun));
  REQUIRE(p.sparsity.size() > 8);
  double last = 0;
  for (const report::SparsityPoint& s : p.sparsity) {
    INFO(s.density);
    CHECK(s.speedup.value >= last * 0.999);
    CHECK(s.speedup.value <= 1 / s.density + 1e-9);
    last = s.speedup.value;
  }
  CHECK_FALSE(p.sparsity_knee.empty());
}

TEST_CASE("a decimal comma changes nothing") {
  const cluster::ProjectionInputs inputs = inputs_of_text(kRun);
  const report::Projection p = projected(inputs);
  const std::string json = report::projection_json(p);
  const std::string text = report::projection_text(p);
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaNumbers));
  const char* c_locale = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // where the system has it
  const report::Projection again = projected(inputs_of_text(kRun));
  const std::string json_again = report::projection_json(again);
  const std::string text_again = report::projection_text(again);
  std::setlocale(LC_NUMERIC, "C");
  std::locale::global(before);
  INFO((c_locale == nullptr ? "no de_DE here" : c_locale));
  CHECK(json_again == json);
  CHECK(text_again == text);
}

TEST_CASE("the terminal summary has at most 80 columns") {
  const std::string text = report::projection_text(projected(inputs_of_text(kRun)));
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) CHECK(end - begin <= 80);
}

TEST_CASE("a comparison says which differences are beyond the uncertainty") {
  const report::Projection a = projected(inputs_of_text(kRun));
  const report::ProjectionComparison same = report::compare_projections(a, a);
  for (const report::DifferenceRow& r : same.figures) CHECK_FALSE(r.beyond);
  const report::Projection b = projected(inputs_of_text(kRun + "systems: 16\n"));
  const report::ProjectionComparison other = report::compare_projections(a, b);
  CHECK(other.figures.at(0).beyond);
  CHECK(other.figures.at(0).ratio < 0.3);
}

TEST_CASE("a damaged calibration is a located error") {
  const test::TemporaryFolder folder;
  const std::string good = test::read_file(std::filesystem::path(WL_SOURCE_DIR) / "configs" / "calibration" / "wse2.json");
  auto error = [&](std::string text) {
    const config::Result<extrapolate::Calibration> read = extrapolate::read_calibration(folder.write("c.json", std::move(text)));
    return read.ok() ? std::string() : config::render(read.errors());
  };
  auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK(error(good).empty());
  CHECK(error(replaced("waferloom-calibration-3", "waferloom-calibration-9")).find("c.json:2:") != std::string::npos);
  CHECK(error(replaced("\"held_out_error\": ", "\"held_out_error\": -")).find("'held_out_error' must lie between") != std::string::npos);
  CHECK(error(replaced("\"operator\": \"delta\"", "\"operator\": \"forward\"")).find("the operator 'forward' is there twice") != std::string::npos);
  CHECK(error(replaced("\"operator\": \"delta\"", "\"operator\": \"dela\"")).find("no operator 'dela' is known here") != std::string::npos);
  CHECK(error(replaced("\"name\": \"outputs\"", "\"name\": \"inputs\"")).find("these are not the terms of 'forward'") != std::string::npos);
  CHECK(error(replaced("\"samples\": ", "\"samples\": 1, \"x\": ")).find("1 array does not determine") != std::string::npos);
  CHECK(error(replaced("\"cycles\": ", "\"cycles\": 1e999, \"x\": ")).find("c.json:") != std::string::npos);
  CHECK(error(replaced("\"rank\": ", "\"rank\": 99999999999999999999, \"x\": ")).find("c.json:") != std::string::npos);
  CHECK(error(replaced("\"rank\": ", "\"rank\": NaN, \"x\": ")).find("NaN and infinity") != std::string::npos);
  CHECK(error(good.substr(0, good.size() / 2)).find("the file ends inside a value") != std::string::npos);
}
