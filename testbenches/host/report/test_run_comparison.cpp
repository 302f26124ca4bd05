// Training results read back and compared: nothing is lost on the way, equal is equal to the last bit, a difference of one cycle is seen and called exact, intervals are judged by overlap.
#include "host/report/run_comparison.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/report/metrics.h"
#include "host/report/result_folder.h"
#include "testbenches/host/report/sample_report.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom::report;
namespace config = waferloom::config;
using waferloom::test::sample_manifest;
using waferloom::test::sample_report;
using waferloom::test::TemporaryFolder;

namespace {

const char* const kResolved = "name: sample\nmachine:\n  name: wse2\n  lanes: 4\noptimiser:\n  learning_rate: 0.1\nlayers:\n  - outputs: 32\n  - outputs: 10\n";

StoredRun stored(const RunReport& report, const std::string& resolved = kResolved) {
  const TemporaryFolder folder;
  const auto opened = ResultFolder::open(folder.path() / "result");
  REQUIRE(opened.ok());
  REQUIRE(opened->write_results(report, resolved, waferloom::test::sample_weights(), sample_manifest()).ok());
  auto read = read_training_result(folder.path() / "result");
  if (!read) FAIL(config::render(read.errors()));
  return std::move(read).value();
}

RunReport with_layers() {
  RunReport r = sample_report();
  for (StepRow& s : r.steps) s.phases = {{"load", 100}, {"hidden.forward", 300}, {"logits.forward", 200}, {"hidden.gradient", s.cycles - 600}};
  return r;
}

const RunDifference& row(const RunComparison& c, const std::string& group, const std::string& label) {
  for (const DifferenceGroup& g : c.groups) {
    if (g.key != group) continue;
    for (const RunDifference& d : g.rows) {
      if (d.label == label) return d;
    }
  }
  FAIL("no row '" << label << "' in " << group);
  throw 0;
}

// The folder with one file changed by `edit`; the errors of reading it, rendered.
std::string errors_after(const std::string& file, const std::string& from, const std::string& to) {
  const TemporaryFolder folder;
  const auto opened = ResultFolder::open(folder.path() / "result");
  REQUIRE(opened->write_results(with_layers(), kResolved, waferloom::test::sample_weights(), sample_manifest()).ok());
  const auto path = folder.path() / "result" / file;
  if (from.empty()) {
    std::filesystem::remove(path);
  } else {
    std::ifstream in(path);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    std::ofstream(path) << text;
  }
  const auto read = read_training_result(folder.path() / "result");
  if (read) return "read";
  return (read.errors().front().fault == config::Fault::kInputOutput ? "4 " : "2 ") + config::render(read.errors());
}

}  // namespace

TEST_CASE("what is read back gives the same tables", "[compare]") {
  const RunReport r = with_layers();
  const StoredRun s = stored(r);
  CHECK(epochs_csv(s.report) == epochs_csv(r));
  CHECK(s.report.cycles == r.cycles);
  CHECK(s.report.units.size() == r.units.size());
  CHECK(std::isnan(s.report.steps[3].loss));
  CHECK(s.manifest.units[0].hash == "0123abcd");
  CHECK(s.resolved_yaml == kResolved);
}

TEST_CASE("a run against itself is the same in everything", "[compare]") {
  const RunComparison c = compare_runs(stored(with_layers()), stored(with_layers()));
  CHECK(c.count(Certainty::kSame) > 25);
  CHECK(c.count(Certainty::kExact) == 0);
  CHECK(c.count(Certainty::kBeyond) == 0);
  CHECK(c.settings.empty());
  CHECK(run_comparison_text(c).find("are the same.") != std::string::npos);
}

TEST_CASE("one cycle more is an exact difference, by phase, layer and run", "[compare]") {
  RunReport b = with_layers();
  b.cycles += 1;
  b.steps[0].cycles += 3;
  b.steps[0].phases[1].cycles += 3;
  b.units[0].causes[0].cycles += 7;
  const RunComparison c = compare_runs(stored(with_layers()), stored(b));
  CHECK(row(c, "cycles", "cycles of the run").certainty == Certainty::kExact);
  CHECK(row(c, "cycles", "cycles of the run").difference() == 1);
  CHECK(row(c, "phases", "hidden.forward").difference() == 1);  // three training steps
  CHECK(row(c, "layers", "hidden").difference() == 1);
  CHECK(row(c, "layers", "logits").certainty == Certainty::kSame);
  CHECK(row(c, "phases", "load").certainty == Certainty::kSame);
  CHECK(row(c, "pe", "axpy").difference() == 7);
  CHECK(row(c, "pe", "waiting").certainty == Certainty::kSame);
  CHECK(row(c, "learnt", "test accuracy").certainty == Certainty::kSame);
  CHECK(row(c, "layers", "hidden").a.value == Approx(300 + (1000 + 1001 + 1002 - 1800) / 3.0));
}

TEST_CASE("counts beyond 2^53 are compared digit by digit", "[compare]") {
  RunReport a = with_layers();
  RunReport b = with_layers();
  a.macs = 9007199254740992;
  b.macs = 9007199254740993;
  CHECK(row(compare_runs(stored(a), stored(b)), "cycles", "multiply-accumulates").certainty == Certainty::kExact);
}

TEST_CASE("a phase that one side lacks is there with zero", "[compare]") {
  RunReport b = with_layers();
  for (StepRow& s : b.steps) s.phases.push_back({"extra.delta", 5});
  const RunComparison c = compare_runs(stored(with_layers()), stored(b));
  CHECK(row(c, "layers", "extra").a.value == 0);
  CHECK(row(c, "layers", "extra").b.value == Approx(5));
}

TEST_CASE("extrapolations are judged by their intervals", "[compare]") {
  RunReport near = with_layers();
  near.extrapolations[0].figures[0].second.value = 4.6e6;
  RunReport far = with_layers();
  far.extrapolations[0].figures[0].second = {9e6, "cycles", Origin::kExtrapolated, "fit", 8.5e6, 9.5e6};
  CHECK(row(compare_runs(stored(with_layers()), stored(near)), "extrapolation", "dense-12288: step").certainty == Certainty::kWithin);
  CHECK(row(compare_runs(stored(with_layers()), stored(far)), "extrapolation", "dense-12288: step").certainty == Certainty::kBeyond);
}

TEST_CASE("settings that differ are named by their place", "[compare]") {
  const RunComparison c = compare_runs(stored(with_layers()), stored(with_layers(), "name: sample\nmachine:\n  name: wse3\n  lanes: 8\nlayers:\n  - outputs: 32\n  - outputs: 11\n"));
  std::map<std::string, std::pair<std::string, std::string>> all;
  for (const SettingDifference& s : c.settings) all[s.key] = {s.a, s.b};
  CHECK(all.size() == 4);
  CHECK(all["machine.lanes"] == std::pair<std::string, std::string>("4", "8"));
  CHECK(all["layers[1].outputs"] == std::pair<std::string, std::string>("10", "11"));
  CHECK(all["optimiser.learning_rate"] == std::pair<std::string, std::string>("0.1", ""));
}

TEST_CASE("text fits 80 columns, JSON and CSV hold every row", "[compare]") {
  RunReport b = with_layers();
  b.epochs.back().test_accuracy = 0.6;
  RunComparison c = compare_runs(stored(with_layers()), stored(b));
  c.a = "a/very/long/name/of/a/folder/with/results";
  std::istringstream lines(run_comparison_text(c));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
  const auto json = nlohmann::json::parse(run_comparison_json(c));
  CHECK(json["schema"] == "waferloom-run-comparison-1");
  CHECK(json["differences"]["exact"] == 1);
  std::size_t rows = 0;
  for (const DifferenceGroup& g : c.groups) rows += g.rows.size();
  const std::string csv = run_comparison_csv(c);
  CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) == rows + 1);
  CHECK(csv.find("learnt,test accuracy,%,55.00000000000001,60.0,") != std::string::npos);
  CHECK(run_comparison_html(c).find("What was learnt") != std::string::npos);
}

TEST_CASE("results that cannot be read are located errors", "[compare]") {
  CHECK(errors_after("manifest.json", "", "").find("4 ") == 0);
  CHECK(errors_after("manifest.json", "", "").find("holds no finished result") != std::string::npos);
  CHECK(errors_after("metrics.json", "waferloom-metrics-1", "waferloom-metrics-9").find("metrics.json:") != std::string::npos);
  const std::string mistyped = errors_after("metrics.json", "\"lanes\": 4", "\"lanes\": \"four\"");
  CHECK(mistyped.find("metrics.json:") != std::string::npos);
  CHECK(mistyped.find("lanes") != std::string::npos);
  CHECK(errors_after("metrics.json", "\"steps\": [", "\"stairs\": [").find("steps") != std::string::npos);
  CHECK(errors_after("metrics.json", "{", "").find("metrics.json:") != std::string::npos);
  CHECK(errors_after("manifest.json", "\"firmware_hash\"", "\"hardware_hash\"").find("firmware_hash") != std::string::npos);
  CHECK(errors_after("resolved.yaml", "", "").find("4 ") == 0);
}
