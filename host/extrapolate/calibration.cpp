#include "host/extrapolate/calibration.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/config/json_document.h"

namespace waferloom::extrapolate {
namespace {

using nlohmann::ordered_json;

constexpr const char* kSchema = "waferloom-calibration-3";
constexpr double kHuge = 1e18;

void read_fit(const config::JsonNode& node, const config::SourceText& sources, config::Diagnostics& errors, Calibration& calibration) {
  config::JsonReader r(node, "a fit", sources, errors);
  OperatorFit fit;
  fit.name = r.text("operator");
  const OperatorModel* model = find_operator(fit.name);
  if (model == nullptr) {
    r.fail("operator", "no operator '" + fit.name + "' is known here", "calibrate again");
    return;
  }
  if (calibration.find(fit.name) != nullptr) r.fail("operator", "the operator '" + fit.name + "' is there twice");
  std::vector<std::string> terms;
  for (const config::JsonNode& term : r.array("terms")) {
    config::JsonReader t(term, "a term", sources, errors);
    terms.push_back(t.text("name"));
    fit.coefficients.push_back(t.real("cycles", 0, kHuge));
  }
  if (terms != model->terms) r.fail("terms", "these are not the terms of '" + fit.name + "' that this program knows", "calibrate again");
  fit.bound.cycles = r.real("bound_cycles", 0, kHuge);
  fit.bound.each = r.real("bound_each", 0, kHuge);
  fit.bound.share = r.real("bound_share", 0, kHuge);
  fit.worst_error = r.real("worst_error", 0, kHuge);
  fit.left_out_error = r.real("left_out_error", 0, kHuge);
  fit.held_out_error = r.real("held_out_error", 0, kHuge);
  fit.held_out_median = r.real("held_out_median", 0, kHuge);
  fit.condition = r.real("condition", 1, kHuge);
  fit.rank = static_cast<int>(r.integer("rank", 1, 1000));
  fit.samples = static_cast<int>(r.integer("samples", 1, 1'000'000));
  if (fit.samples <= fit.rank) {
    r.fail("samples", std::to_string(fit.samples) + (fit.samples == 1 ? " array does" : " arrays do") + " not determine " + std::to_string(fit.rank) + " coefficients and their error", "calibrate again");
  }
  fit.judged = static_cast<int>(r.integer("judged", 0, 1'000'000));
  fit.most_items = r.real("most_items", 1, kHuge);
  fit.most_tokens = r.real("most_tokens", 1, kHuge);
  fit.most_features = r.real("most_features", 1, kHuge);
  fit.ahead = static_cast<int>(r.integer("outputs_ahead", 0, 1000));
  calibration.fits.push_back(std::move(fit));
}

}  // namespace

double OperatorFit::coefficient(const std::string& term) const {
  const OperatorModel* model = find_operator(name);
  for (std::size_t t = 0; model != nullptr && t < coefficients.size(); ++t) {
    if (model->terms[t] == term) return coefficients[t];
  }
  return 0;
}

const OperatorFit* Calibration::find(const std::string& name) const {
  for (const OperatorFit& fit : fits) {
    if (fit.name == name) return &fit;
  }
  return nullptr;
}

Prediction predict_operator(const Calibration& calibration, const OperatorFit& fit, const OperatorSize& wanted) {
  const OperatorModel& model = *find_operator(fit.name);
  OperatorSize size = wanted;
  if (fit.ahead > 0) size.ahead = fit.ahead;
  const std::vector<double> counts = model.count(size, calibration.lanes);
  Prediction p;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    const double cycles = counts[t] * fit.coefficients[t];
    p.cycles += cycles;
    if (cycles > 0) p.terms.emplace_back(model.terms[t], cycles);
  }
  // Whichever of its two paces is slower. Outputs that all fit into the queues wait for no turn.
  const OperatorFit* tall = fit.name == "gradient" ? calibration.find("gradient in tall arrays") : nullptr;
  if (tall != nullptr && size.outputs > tall->ahead) {
    Prediction other = predict_operator(calibration, *tall, size);
    if (other.cycles > p.cycles) return other;
  }
  p.beyond = std::max({1.0, size.items / fit.most_items, size.tokens / fit.most_tokens, size.features / fit.most_features});
  const double slack = fit.slack(p.cycles, size.outputs) * p.beyond;
  p.low = std::max(0.0, p.cycles - slack);
  p.high = p.cycles + slack;
  if (size.placed) return p;
  // Nobody has laid the tile out: rows may lie anywhere in the banks.
  for (std::size_t pairs = 0; pairs < size.apart.size(); ++pairs) {
    OperatorSize placed = size;
    placed.apart.fill(0);
    placed.apart[pairs] = 1;
    const double cycles = predict(fit.coefficients, model.count(placed, calibration.lanes));
    p.low = std::min(p.low, std::max(0.0, cycles - slack));
    p.high = std::max(p.high, cycles + slack);
  }
  return p;
}

std::string calibration_json(const Calibration& c) {
  ordered_json out;
  out["schema"] = kSchema;
  out["machine"] = c.machine;
  out["key"] = {{"router", c.key.router_hash}, {"pe", c.key.pe_hash}, {"firmware", c.key.firmware_hash}, {"accumulate", c.key.accumulate}};
  out["lanes"] = c.lanes;
  out["window_bytes"] = c.window_bytes;
  out["fits"] = ordered_json::array();
  for (const OperatorFit& fit : c.fits) {
    ordered_json terms = ordered_json::array();
    for (std::size_t t = 0; t < fit.coefficients.size(); ++t) terms.push_back({{"name", find_operator(fit.name)->terms[t]}, {"cycles", fit.coefficients[t]}});
    out["fits"].push_back({{"operator", fit.name},
                           {"terms", std::move(terms)},
                           {"bound_cycles", fit.bound.cycles},
                           {"bound_each", fit.bound.each},
                           {"bound_share", fit.bound.share},
                           {"worst_error", fit.worst_error},
                           {"left_out_error", fit.left_out_error},
                           {"held_out_error", fit.held_out_error},
                           {"held_out_median", fit.held_out_median},
                           {"condition", fit.condition},
                           {"rank", fit.rank},
                           {"samples", fit.samples},
                           {"judged", fit.judged},
                           {"most_items", fit.most_items},
                           {"most_tokens", fit.most_tokens},
                           {"most_features", fit.most_features},
                           {"outputs_ahead", fit.ahead}});
  }
  out["shapes"] = ordered_json::array();
  for (const report::MeasuredShape& s : c.shapes) {
    out["shapes"].push_back({{"label", s.label}, {"operator", s.pass}, {"width", s.width}, {"height", s.height}, {"held_out", s.held_out}, {"measured_cycles", s.measured_cycles},
                             {"predicted_cycles", s.predicted_cycles}});
  }
  out["heat_maps"] = ordered_json::array();
  for (const report::HeatMap& m : c.heat_maps) {
    out["heat_maps"].push_back({{"title", m.title}, {"unit", m.unit}, {"width", m.width}, {"height", m.height}, {"values", m.values}});
  }
  return out.dump(1) + "\n";
}

config::Result<Calibration> read_calibration(const std::filesystem::path& file) {
  config::Result<std::string> text = config::read_text_file(file);
  if (!text) return text.errors();
  config::SourceText sources;
  config::Result<config::JsonNode> parsed = config::parse_json(file.string(), *text, sources);
  if (!parsed) return parsed.errors();
  config::Diagnostics errors;
  config::JsonReader r(*parsed, "a calibration", sources, errors);
  const std::string schema = r.text("schema");
  if (!errors.empty()) return errors;
  if (schema != kSchema) r.fail("schema", "this is not a calibration of this version: '" + schema + "', expected '" + kSchema + "'", "calibrate again");
  if (!errors.empty()) return errors;
  Calibration c;
  c.machine = r.text("machine");
  if (const config::JsonNode* key = r.at("key")) {
    config::JsonReader k(*key, "a key", sources, errors);
    c.key = {k.text("router"), k.text("pe"), k.text("firmware"), k.text("accumulate")};
  } else {
    r.fail("key", "missing key 'key' in a calibration");
  }
  c.lanes = static_cast<int>(r.integer("lanes", 1, 1024));
  c.window_bytes = static_cast<int>(r.integer("window_bytes", 0, 1 << 20));
  for (const config::JsonNode& node : r.array("fits")) read_fit(node, sources, errors, c);
  for (const char* pass : {"forward", "delta", "gradient"}) {
    if (errors.empty() && c.find(pass) == nullptr) r.fail("fits", std::string("there is no fit of the operator '") + pass + "'", "calibrate again");
  }
  for (const config::JsonNode& node : r.array("shapes")) {
    config::JsonReader s(node, "a shape", sources, errors);
    report::MeasuredShape shape;
    shape.label = s.text("label");
    shape.pass = s.text("operator");
    shape.width = static_cast<int>(s.integer("width", 1, 4096));
    shape.height = static_cast<int>(s.integer("height", 1, 4096));
    shape.held_out = s.boolean("held_out", false);
    shape.measured_cycles = s.real("measured_cycles", 1, kHuge);
    shape.predicted_cycles = s.real("predicted_cycles", 0, kHuge);
    shape.error = shape.measured_cycles > 0 ? shape.predicted_cycles / shape.measured_cycles - 1 : 0;
    c.shapes.push_back(std::move(shape));
  }
  for (const config::JsonNode& node : r.array("heat_maps")) {
    config::JsonReader m(node, "a map", sources, errors);
    report::HeatMap map;
    map.title = m.text("title");
    map.unit = m.text("unit");
    map.width = static_cast<int>(m.integer("width", 1, 4096));
    map.height = static_cast<int>(m.integer("height", 1, 4096));
    for (const config::JsonNode& value : m.array("values")) map.values.push_back(value.real);
    if (map.values.size() != static_cast<std::size_t>(map.width) * static_cast<std::size_t>(map.height)) m.fail("values", "expected width x height values");
    c.heat_maps.push_back(std::move(map));
  }
  if (!errors.empty()) return errors;
  return c;
}

}  // namespace waferloom::extrapolate
