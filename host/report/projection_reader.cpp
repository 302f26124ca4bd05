#include "host/report/projection_reader.h"

#include "host/config/json_document.h"

namespace waferloom::report {
namespace {

constexpr double kHuge = 1e300;

class ProjectionReading {
 public:
  ProjectionReading(const config::SourceText& sources, config::Diagnostics& errors) : sources_(sources), errors_(errors) {}

  config::JsonReader object(const config::JsonNode& node, const char* title) { return {node, title, sources_, errors_}; }

  Quantity quantity(const config::JsonNode& node) {
    config::JsonReader r = object(node, "a quantity");
    Quantity q;
    q.value = r.real("value", -kHuge, kHuge);
    q.unit = r.text("unit");
    q.source = r.text("source");
    const std::string word = r.text("origin");
    bool known = false;
    for (Origin origin : {Origin::kMeasured, Origin::kFitted, Origin::kExtrapolated, Origin::kPublished, Origin::kAssumed}) {
      if (word != to_string(origin)) continue;
      q.origin = origin;
      known = true;
    }
    if (!known) r.fail("origin", "unknown origin '" + word + "'");
    if (r.has("low")) q.low = r.real("low", -kHuge, kHuge);
    if (r.has("high")) q.high = r.real("high", -kHuge, kHuge);
    return q;
  }

  Quantity member(config::JsonReader& r, const char* key) {
    const config::JsonNode* node = r.at(key);
    if (node != nullptr) return quantity(*node);
    r.fail(key, std::string("missing key '") + key + "'");
    return {};
  }

  std::vector<ScalingPoint> points(config::JsonReader& r, const char* key) {
    std::vector<ScalingPoint> all;
    for (const config::JsonNode& node : r.array(key)) {
      config::JsonReader p = object(node, "a point");
      ScalingPoint point;
      point.systems = static_cast<int>(p.integer("systems", 1, 1 << 20));
      point.batch_tokens = p.real("batch_tokens", 0, kHuge);
      point.step_time = member(p, "step_time");
      point.tokens_per_s = member(p, "tokens_per_s");
      point.efficiency = p.real("efficiency", 0, kHuge);
      point.limit = p.text("limit");
      point.refused = p.text("refused");
      all.push_back(std::move(point));
    }
    return all;
  }

 private:
  const config::SourceText& sources_;
  config::Diagnostics& errors_;
};

}  // namespace

config::Result<Projection> read_projection(const std::filesystem::path& file) {
  const config::Result<std::string> text = config::read_text_file(file, std::size_t{256} << 20U);
  if (!text) return text.errors();
  config::SourceText sources;
  const config::Result<config::JsonNode> parsed = config::parse_json(file.string(), *text, sources);
  if (!parsed) return parsed.errors();
  config::Diagnostics errors;
  ProjectionReading reading(sources, errors);
  config::JsonReader r = reading.object(*parsed, "a projection");
  const std::string schema = r.text("schema");
  if (errors.empty() && schema != "waferloom-projection-1") r.fail("schema", "this is not a projection of this version: '" + schema + "'");
  if (!errors.empty()) return errors;
  Projection p;
  p.name = r.text("name");
  p.description = r.text("description");
  p.machine = r.text("machine");
  p.cluster = r.text("cluster");
  p.wafer_width = static_cast<int>(r.integer("wafer_width", 1, 1 << 20));
  p.wafer_height = static_cast<int>(r.integer("wafer_height", 1, 1 << 20));
  p.systems = static_cast<int>(r.integer("systems", 1, 1 << 20));
  p.batch_tokens = r.real("batch_tokens", 0, kHuge);
  p.training_tokens = r.real("training_tokens", 0, kHuge);
  p.density = r.real("density", 0, 1);
  p.step_s = r.real("step_s", 0, kHuge);
  if (const config::JsonNode* node = r.at("answer")) {
    config::JsonReader a = reading.object(*node, "an answer");
    p.answer.step_time = reading.member(a, "step_time");
    p.answer.tokens_per_s = reading.member(a, "tokens_per_s");
    p.answer.days_to_train = reading.member(a, "days_to_train");
    p.answer.mfu = reading.member(a, "mfu");
    p.answer.limit = a.text("limit");
    p.answer.sentence = a.text("sentence");
  } else {
    r.fail("answer", "missing key 'answer' in a projection");
  }
  if (const config::JsonNode* node = r.at("model")) {
    config::JsonReader m = reading.object(*node, "a model");
    p.model.name = m.text("name");
    p.model.architecture = m.text("architecture");
    p.model.parameters = m.integer("parameters", 1, INT64_MAX);
  }
  for (const config::JsonNode& node : r.array("figures")) {
    config::JsonReader f = reading.object(node, "a figure");
    const std::string key = f.text("key");
    const std::string label = f.text("label");
    p.figures.push_back({key, label, reading.quantity(node)});
  }
  for (const config::JsonNode& node : r.array("operators")) {
    config::JsonReader o = reading.object(node, "an operator");
    OperatorRow row;
    row.layer = o.text("layer");
    row.tensor = o.text("tensor");
    row.name = o.text("name");
    row.pass = o.text("pass");
    row.count = o.integer("count", 0, INT64_MAX);
    row.cycles = reading.member(o, "cycles");
    row.total_cycles = o.real("total_cycles", 0, kHuge);
    row.share = o.real("share", 0, 1.000001);
    row.limit = o.text("limit");
    p.operators.push_back(std::move(row));
  }
  p.weak_scaling = reading.points(r, "weak_scaling");
  p.strong_scaling = reading.points(r, "strong_scaling");
  if (!errors.empty()) return errors;
  return p;
}

}  // namespace waferloom::report
