#include "host/report/metrics_reader.h"

#include <cmath>
#include <limits>

#include "host/config/json_document.h"
#include "host/report/files.h"

namespace waferloom::report {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kLargest = std::size_t{1} << 30U;

class MetricsReading {
 public:
  MetricsReading(const config::SourceText& sources, config::Diagnostics& errors) : sources_(sources), errors_(errors) {}

  config::JsonReader object(const config::JsonNode& node, const char* title) { return {node, title, sources_, errors_}; }

  // A number, or the text that stands for one that is not finite.
  double number(config::JsonReader& r, const char* key) {
    const config::JsonNode* node = r.at(key);
    if (node != nullptr && node->kind == config::JsonNode::Kind::kString) {
      if (node->text == "NaN") return std::numeric_limits<double>::quiet_NaN();
      if (node->text == "Infinity") return std::numeric_limits<double>::infinity();
      if (node->text == "-Infinity") return -std::numeric_limits<double>::infinity();
    }
    return r.real(key, -std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
  }

  std::vector<Share> shares(config::JsonReader& r, const char* key) {
    std::vector<Share> all;
    for (const config::JsonNode& node : r.array(key)) {
      config::JsonReader s = object(node, "a share");
      const std::string name = s.text("name");
      all.push_back({name, s.integer("cycles", 0, kMost)});
    }
    return all;
  }

  std::vector<UnitCauses> units(config::JsonReader& r) {
    std::vector<UnitCauses> all;
    for (const config::JsonNode& node : r.array("units")) {
      config::JsonReader u = object(node, "a unit");
      UnitCauses unit;
      unit.unit = u.text("unit");
      unit.units = u.integer("units", 0, kMost);
      unit.causes = shares(u, "causes");
      all.push_back(std::move(unit));
    }
    return all;
  }

  std::vector<std::pair<std::string, Quantity>> quantities(config::JsonReader& r, const char* key) {
    std::vector<std::pair<std::string, Quantity>> all;
    for (const config::JsonNode& node : r.array(key)) {
      config::JsonReader q = object(node, "a quantity");
      Quantity quantity;
      const std::string name = q.text("name");
      quantity.value = number(q, "value");
      quantity.unit = q.text("unit");
      quantity.source = q.text("source");
      quantity.origin = Origin::kExtrapolated;
      if (q.has("low")) quantity.low = number(q, "low");
      if (q.has("high")) quantity.high = number(q, "high");
      all.emplace_back(name, quantity);
    }
    return all;
  }

  void totals(config::JsonReader& r, RunReport& report) {
    const config::JsonNode* node = r.at("totals");
    if (node == nullptr) {
      r.fail("totals", "missing key 'totals' in metrics");
      return;
    }
    config::JsonReader t = object(*node, "totals");
    report.cycles = t.integer("cycles", 0, kMost);
    report.macs = t.integer("macs", 0, kMost);
    report.lane_slots = t.integer("lane_slots", 0, kMost);
    report.lane_utilisation = number(t, "lane_utilisation");
    report.wavelets_sent = t.integer("wavelets_sent", 0, kMost);
    report.wavelets_received = t.integer("wavelets_received", 0, kMost);
    report.edge_wavelets_in = t.integer("edge_wavelets_in", 0, kMost);
    report.edge_wavelets_out = t.integer("edge_wavelets_out", 0, kMost);
    report.evaluated_units = t.integer("evaluated_units", 0, kMost);
    report.skipped_units = t.integer("skipped_units", 0, kMost);
    report.units = units(t);
  }

  void epochs(config::JsonReader& r, RunReport& report) {
    for (const config::JsonNode& node : r.array("epochs")) {
      config::JsonReader e = object(node, "an epoch");
      EpochRow row;
      row.epoch = static_cast<int>(e.integer("epoch", 1, 1 << 30));
      row.steps = e.integer("steps", 0, kMost);
      row.skipped_steps = e.integer("skipped_steps", 0, kMost);
      row.saturations = e.integer("saturations", 0, kMost);
      row.cycles = e.integer("cycles", 0, kMost);
      row.train_loss = number(e, "train_loss");
      row.train_accuracy = number(e, "train_accuracy");
      row.tested = e.has("test_loss");
      if (row.tested) {
        row.test_loss = number(e, "test_loss");
        row.test_accuracy = number(e, "test_accuracy");
      }
      report.epochs.push_back(row);
    }
  }

  void steps(config::JsonReader& r, RunReport& report) {
    for (const config::JsonNode& node : r.array("steps")) {
      config::JsonReader s = object(node, "a step");
      StepRow row;
      row.step = s.integer("step", 0, kMost);
      row.epoch = static_cast<int>(s.integer("epoch", 1, 1 << 30));
      row.kind = s.text("kind");
      row.loss = number(s, "loss");
      row.skipped = s.boolean("skipped", false);
      row.saturations = s.integer("saturations", 0, kMost);
      row.cycles = s.integer("cycles", 0, kMost);
      row.wavelets_in = s.integer("wavelets_in", 0, kMost);
      row.wavelets_out = s.integer("wavelets_out", 0, kMost);
      row.phases = shares(s, "phases");
      report.steps.push_back(std::move(row));
    }
  }

  void extrapolations(config::JsonReader& r, RunReport& report) {
    for (const config::JsonNode& node : r.array("extrapolations")) {
      config::JsonReader x = object(node, "an extrapolation");
      ExtrapolationRow row;
      row.name = x.text("name");
      row.machine = x.text("machine");
      row.bound = x.text("bound");
      row.figures = quantities(x, "figures");
      report.extrapolations.push_back(std::move(row));
    }
  }

 private:
  const config::SourceText& sources_;
  config::Diagnostics& errors_;
};

config::Result<config::JsonNode> parsed(const fs::path& file, config::SourceText& sources) {
  const config::Result<std::string> text = config::read_text_file(file, kLargest);
  if (!text) return text.errors();
  return config::parse_json(file.string(), *text, sources);
}

}  // namespace

bool holds_training_result(const fs::path& folder) {
  std::error_code code;
  return fs::exists(folder / "metrics.json", code);
}

config::Result<StoredRun> read_training_result(const fs::path& folder) {
  std::error_code code;
  if (!fs::exists(folder / "manifest.json", code)) {
    return file_fault(folder, "holds no finished result: manifest.json, which is written last, is missing", "let the run end, or resume it");
  }
  config::SourceText sources;
  config::Diagnostics errors;
  MetricsReading reading(sources, errors);
  const config::Result<config::JsonNode> metrics = parsed(folder / "metrics.json", sources);
  if (!metrics) return metrics.errors();
  config::JsonReader r = reading.object(*metrics, "metrics");
  const std::string schema = r.text("schema");
  if (errors.empty() && schema != "waferloom-metrics-1") r.fail("schema", "these are not metrics of this version: '" + schema + "'");
  if (!errors.empty()) return errors;
  StoredRun run;
  RunReport& report = run.report;
  report.run = r.text("run");
  report.machine = r.text("machine");
  report.model = r.text("model");
  if (const config::JsonNode* array = r.at("array")) {
    config::JsonReader a = reading.object(*array, "an array");
    report.width = static_cast<int>(a.integer("width", 1, 1 << 20));
    report.height = static_cast<int>(a.integer("height", 1, 1 << 20));
  } else {
    r.fail("array", "missing key 'array' in metrics");
  }
  report.lanes = static_cast<int>(r.integer("lanes", 1, 1 << 20));
  report.systems = static_cast<int>(r.integer("systems", 1, 1 << 20, 1));
  report.seed = static_cast<std::uint64_t>(r.integer("seed", 0, kMost));
  report.views = r.text("views");
  report.status = r.text("status");
  reading.totals(r, report);
  reading.epochs(r, report);
  reading.steps(r, report);
  reading.extrapolations(r, report);

  const config::Result<config::JsonNode> manifest = parsed(folder / "manifest.json", sources);
  if (!manifest) return manifest.errors();
  config::JsonReader m = reading.object(*manifest, "a manifest");
  run.version = m.text("version");
  run.commit = m.text("commit");
  run.manifest.firmware_hash = m.text("firmware_hash");
  for (const config::JsonNode& node : m.array("units")) {
    config::JsonReader u = reading.object(node, "a unit");
    UnitHash unit;
    unit.unit = u.text("unit");
    unit.views = u.text("views");
    unit.hash = u.text("hash");
    run.manifest.units.push_back(std::move(unit));
  }
  if (!errors.empty()) return errors;
  config::Result<std::string> resolved = config::read_text_file(folder / "resolved.yaml");
  if (!resolved) return resolved.errors();
  run.resolved_yaml = std::move(resolved).value();
  return run;
}

}  // namespace waferloom::report
