#include <algorithm>
#include <filesystem>

#include "host/config/convert.h"
#include "host/config/section_reader.h"

namespace waferloom::config {
namespace {

namespace fs = std::filesystem;

// A file is relative to the file that names it; the canonical text names it from anywhere.
void find_file(Value& value) {
  const std::string& text = value.text;
  const bool is_path = text.find('/') != std::string::npos || fs::path(text).extension() == ".yaml" || fs::path(text).extension() == ".json";
  if (!is_path || fs::path(text).is_absolute()) return;
  const fs::path beside = (fs::path(value.where.file).parent_path() / text).lexically_normal();
  std::error_code error;
  const fs::path absolute = fs::weakly_canonical(beside, error);
  value.text = error ? beside.string() : absolute.string();
}

}  // namespace

Transformer to_transformer(const Value& value, Loader& loader) {
  const SectionReader r(value, transformer_section());
  Transformer t;
  t.name = r.text("name");
  t.description = r.text("description");
  t.source = r.text("source");
  t.architecture = r.choice<Architecture>("architecture");
  t.layers = r.wide("layers");
  t.width = r.wide("width");
  t.heads = r.wide("heads");
  t.key_value_heads = r.optional_wide("key_value_heads");
  t.head_width = r.optional_wide("head_width");
  t.feed_forward = r.wide("feed_forward");
  t.vocabulary = r.wide("vocabulary");
  t.positions = r.wide("positions");
  t.experts = r.wide("experts");
  t.experts_per_token = r.wide("experts_per_token");
  t.sliding_window = r.optional_wide("sliding_window");
  if (r.has("tied_embeddings")) t.tied_embeddings = r.boolean("tied_embeddings");
  t.parameters = r.optional_wide("parameters");
  if (!t.head_width && t.width % t.heads != 0) {
    loader.fail(blamed(loader, {&r.at("heads"), &r.at("width")}), std::to_string(t.heads) + " heads do not divide a width of " + std::to_string(t.width), "change one of them, or give 'head_width'");
  }
  if (t.key_value_heads && t.heads % *t.key_value_heads != 0) {
    loader.fail(blamed(loader, {&r.at("key_value_heads"), &r.at("heads")}), std::to_string(*t.key_value_heads) + " key-value heads do not divide " + std::to_string(t.heads) + " heads", {});
  }
  if (t.experts_per_token > t.experts) {
    loader.fail(blamed(loader, {&r.at("experts_per_token"), &r.at("experts")}), std::to_string(t.experts_per_token) + " experts per token of " + std::to_string(t.experts) + " experts", {});
  }
  return t;
}

AcceleratorFigures to_accelerator(const Value& value, Loader&) {
  const SectionReader r(value, accelerator_section());
  AcceleratorFigures a;
  a.name = r.text("name");
  a.description = r.text("description");
  a.peak_fp16_flops_per_s = r.sourced_real("peak_fp16_flops_per_s");
  a.memory_bytes_per_s = r.sourced_real("memory_bytes_per_s");
  a.memory_bytes = r.sourced_real("memory_bytes");
  a.power_w = r.sourced_real("power_w");
  a.utilisation = r.sourced_real("utilisation");
  return a;
}

ProjectionRun to_projection(Value& value, Loader& loader) {
  for (const char* key : {"model", "calibration"}) {
    Value& file = member(value, projection_section(), key);
    if (file.present) find_file(file);
  }
  const SectionReader r(value, projection_section());
  ProjectionRun run;
  run.name = r.text("name");
  run.description = r.text("description");
  run.machine = to_machine(r.at("machine"), loader);
  run.cluster = to_cluster(r.at("cluster"), loader);
  if (r.has("systems")) run.cluster.systems = {r.integer("systems"), "the projection"};
  run.model = r.text("model");
  run.model_where = r.at("model").where;
  run.batch_tokens = r.wide("batch_tokens");
  run.batch_where = r.at("batch_tokens").where;
  run.sequence = r.optional_wide("sequence");
  run.sequence_where = r.at("sequence").where;
  run.training_tokens = r.optional_plain("training_tokens");
  run.tokens_per_parameter = r.real("tokens_per_parameter");
  run.optimiser = r.choice<UpdateRule>("optimiser");
  run.accumulate = r.choice<Accumulate>("accumulate");
  run.density = r.real("density");
  run.recompute = r.choice<Recompute>("recompute");
  run.recompute_where = r.at("recompute").where;
  run.price_per_system_hour = r.optional_plain("price_per_system_hour");
  run.currency = r.text("currency");
  run.clock_low_hz = r.real("clock_low_hz");
  run.clock_high_hz = r.real("clock_high_hz");
  if (run.clock_low_hz > run.clock_high_hz) loader.fail(blamed(loader, {&r.at("clock_low_hz"), &r.at("clock_high_hz")}), "'clock_low_hz' is above 'clock_high_hz'", {});
  if (r.has("calibration")) run.calibration = r.text("calibration");
  run.calibration_where = r.at("calibration").where;
  run.outputs = r.has("outputs") ? r.text("outputs") : "out/" + run.name;
  if (r.has("outputs") && run.outputs.empty()) loader.fail(r.at("outputs").where, "'outputs' is empty", "name a folder");
  return run;
}

}  // namespace waferloom::config
