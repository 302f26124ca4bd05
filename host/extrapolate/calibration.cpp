#include "host/extrapolate/calibration.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/config/json_document.h"
#include "sim/plugin/sha256.h"

namespace waferloom::extrapolate {
namespace {

using nlohmann::ordered_json;

constexpr const char* kSchema = "waferloom-calibration-1";
constexpr double kHuge = 1e18;
constexpr config::Pass kPasses[] = {config::Pass::kForward, config::Pass::kDelta, config::Pass::kGradient};

void read_fit(const config::JsonNode& node, config::Pass pass, std::size_t terms, const config::SourceText& sources, config::Diagnostics& errors, PassFit& fit) {
  config::JsonReader r(node, "a fit", sources, errors);
  fit.pass = pass;
  if (r.text("pass") != config::to_string(pass)) r.fail("pass", std::string("expected the fit of the ") + config::to_string(pass) + " pass here");
  for (const config::JsonNode& value : r.array("coefficients")) {
    if (value.kind != config::JsonNode::Kind::kReal && value.kind != config::JsonNode::Kind::kInteger) {
      errors.push_back(config::located(sources, value.where, "a coefficient must be a number"));
    } else if (value.real < 0) {
      errors.push_back(config::located(sources, value.where, "a coefficient must not be negative"));
    }
    fit.coefficients.push_back(value.real);
  }
  if (fit.coefficients.size() != terms) r.fail("coefficients", "expected " + std::to_string(terms) + " coefficients, one for each term");
  fit.worst_error = r.real("worst_error", 0, kHuge);
  fit.held_out_error = r.real("held_out_error", 0, kHuge);
  fit.condition = r.real("condition", 0, kHuge);
  fit.rank = static_cast<int>(r.integer("rank", 0, 1000));
}

}  // namespace

std::string calibration_json(const Calibration& c) {
  ordered_json out;
  out["schema"] = kSchema;
  out["machine"] = c.machine;
  out["key"] = {{"router", c.key.router_hash}, {"pe", c.key.pe_hash}, {"firmware", c.key.firmware_hash}, {"accumulate", c.key.accumulate}};
  out["lanes"] = c.lanes;
  out["window_bytes"] = c.window_bytes;
  out["most_items"] = c.most_items;
  out["most_tokens"] = c.most_tokens;
  out["seconds"] = std::round(c.seconds * 10) / 10;
  out["terms"] = c.terms;
  out["fits"] = ordered_json::array();
  for (const PassFit& fit : c.fits) {
    out["fits"].push_back({{"pass", config::to_string(fit.pass)},
                           {"coefficients", fit.coefficients},
                           {"worst_error", fit.worst_error},
                           {"held_out_error", fit.held_out_error},
                           {"condition", fit.condition},
                           {"rank", fit.rank}});
  }
  out["shapes"] = ordered_json::array();
  for (const report::MeasuredShape& s : c.shapes) {
    out["shapes"].push_back({{"label", s.label}, {"pass", s.pass}, {"width", s.width}, {"height", s.height}, {"held_out", s.held_out}, {"measured_cycles", s.measured_cycles},
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
  c.most_items = r.real("most_items", 1, kHuge);
  c.most_tokens = r.real("most_tokens", 1, kHuge);
  c.seconds = r.real("seconds", 0, kHuge);
  for (const config::JsonNode& name : r.array("terms")) c.terms.push_back(name.text);
  const std::vector<config::JsonNode>& fits = r.array("fits");
  if (fits.size() != std::size(kPasses)) {
    r.fail("fits", "expected three fits: forward, delta, gradient");
  } else {
    for (std::size_t i = 0; i < fits.size(); ++i) {
      c.fits.emplace_back();
      read_fit(fits[i], kPasses[i], c.terms.size(), sources, errors, c.fits.back());
    }
  }
  for (const config::JsonNode& node : r.array("shapes")) {
    config::JsonReader s(node, "a shape", sources, errors);
    report::MeasuredShape shape;
    shape.label = s.text("label");
    shape.pass = s.text("pass");
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

std::string firmware_hash(const std::filesystem::path& folder, std::string* error) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    if (it->path().extension() == ".wl") files.push_back(it->path());
  }
  if (code || files.empty()) {
    *error = "no microcode in " + folder.string();
    return {};
  }
  std::sort(files.begin(), files.end());
  plugin::Sha256 hash;
  for (const fs::path& file : files) {
    const config::Result<std::string> text = config::read_text_file(file);
    if (!text) {
      *error = config::render(text.errors());
      return {};
    }
    hash.field(file.filename().string());
    hash.field(*text);
  }
  return hash.hex();
}

}  // namespace waferloom::extrapolate
