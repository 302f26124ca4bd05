// The tables of what only projections use: transformers, projections, accelerators.
#include "host/config/schema.h"
#include "host/config/schema_fields.h"

namespace waferloom::config {
namespace {

using namespace fields;

constexpr double kMaxCount = 1e9;

Section make_transformer() {
  Section s;
  s.title = "a transformer";
  s.folder = "models";
  s.fields = {
      name("the model"),
      description(),
      text(FieldType::kText, "source", "who publishes the shape", "\"\""),
      choice("architecture", {"gpt2", "gpt_neox", "llama", "mistral", "mixtral", "qwen2", "gemma", "bert"}, "norms, biases, gates, positions and tied embeddings follow from it"),
      integer("layers", 1, kMaxCount, "blocks"),
      integer("width", 1, kMaxCount, "hidden features"),
      integer("heads", 1, kMaxCount, "of attention"),
      optional(integer("key_value_heads", 1, kMaxCount, "grouped-query attention; as many as heads if not given")),
      optional(integer("head_width", 1, kMaxCount, "features of a head; width / heads if not given")),
      integer("feed_forward", 1, kMaxCount, "features inside the MLP"),
      integer("vocabulary", 1, kMaxCount, "rows of the embedding"),
      integer("positions", 1, kMaxCount, "longest sequence, tokens"),
      integer("experts", 1, 65536, "MLPs of a block", "1"),
      integer("experts_per_token", 1, 65536, "of them that one token uses", "1"),
      optional(integer("sliding_window", 1, kMaxCount, "tokens that attention looks back")),
      optional(text(FieldType::kBoolean, "tied_embeddings", "whether input and output embedding are one tensor")),
      optional(integer("parameters", 1, kMaxExact, "published count; another count is an error")),
  };
  return s;
}

Section make_accelerator() {
  Section s;
  s.title = "an accelerator";
  s.folder = "accelerators";
  s.fields = {
      name("it"),
      description(),
      sourced(above(real("peak_fp16_flops_per_s", 0, 1e21, "dense, with tensor units"))),
      sourced(above(real("memory_bytes_per_s", 0, 1e18, "memory bandwidth"))),
      sourced(above(real("memory_bytes", 0, 1e15, "memory"))),
      sourced(above(real("power_w", 0, 1e9, "of one"))),
      sourced(above(real("utilisation", 0, 1, "share of the peak that training reaches"))),
  };
  return s;
}

Section make_projection() {
  Section s;
  s.title = "a projection";
  s.folder = "runs";
  s.fields = {
      name("the projection"),
      description(),
      machine(),
      cluster(),
      optional(integer("systems", 1, 2048, "wafers; those of the cluster if not given")),
      text(FieldType::kText, "model", "a transformer by name, its file, or a Hugging Face config.json"),
      integer("batch_tokens", 1, kMaxExact, "tokens in a step of the whole cluster: whole sequences"),
      optional(integer("sequence", 1, kMaxCount, "tokens in a sequence; the model's longest if not given, or the batch if that is shorter")),
      optional(above(real("training_tokens", 0, 1e18, "tokens of the whole training; tokens_per_parameter x parameters if not given"))),
      above(real("tokens_per_parameter", 0, 1e9, "20 is compute-optimal by arXiv 2203.15556", "20")),
      choice("optimiser", {"adam", "sgd"}, "what MemoryX applies; sgd has momentum", "adam"),
      accumulate(),
      density(),
      choice("recompute", {"auto", "always", "never"}, "whether blocks are computed again on the way back", "auto"),
      optional(above(real("price_per_system_hour", 0, 1e9, "gives the cost of the training"))),
      text(FieldType::kName, "currency", "of the price", "USD"),
      above(real("clock_low_hz", 0, 1e11, "lower end of the clock's interval", "0.85e9")),
      above(real("clock_high_hz", 0, 1e11, "upper end of it", "1.1e9")),
      optional(text(FieldType::kText, "calibration", "a calibration file; the shipped one, or a fresh one, if not given")),
      outputs(),
  };
  return s;
}

}  // namespace

const Section& transformer_section() {
  static const Section s = make_transformer();
  return s;
}
const Section& accelerator_section() {
  static const Section s = make_accelerator();
  return s;
}
const Section& projection_section() {
  static const Section s = make_projection();
  return s;
}

}  // namespace waferloom::config
