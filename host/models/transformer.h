// A transformer down to its last tensor: what a training plan streams, counted exactly.
//
// Made from a shape that a YAML file states (config::Transformer) or from a Hugging Face config.json as it comes (hugging_face.h). Immutable once made.
// Counts fit in 64 bits: a model whose counts do not is refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/config/diagnostic.h"
#include "host/config/resolver.h"
#include "host/config/transformer.h"

namespace waferloom::models {

enum class Norm { kLayer, kRms };

// What a tensor is to the plan.
enum class Role {
  kEmbedding,  // a table that tokens look up; streamed only if it is tied to the head
  kPosition,   // a table that positions look up
  kMatmul,     // a weight matrix of a block: streamed
  kExpert,     // the same, of one expert among several
  kHead,       // the output embedding: streamed
  kBias,
  kNorm,
};

struct Tensor {
  std::string name;                 // "model.layers.*.self_attn.q_proj.weight"; * stands for each layer, and for each expert
  std::vector<std::int64_t> shape;  // as the framework stores it
  std::int64_t count = 1;           // layers, times experts
  Role role = Role::kMatmul;
  std::int64_t inputs = 0;   // kMatmul, kExpert, kHead
  std::int64_t outputs = 0;  // the same
  std::int64_t each() const;
  std::int64_t parameters() const { return count * each(); }
};

struct Transformer {
  std::string name;
  std::string description;
  std::string source;
  config::Architecture architecture = config::Architecture::kGpt2;
  std::int64_t layers = 1;
  std::int64_t width = 1;
  std::int64_t heads = 1;
  std::int64_t key_value_heads = 1;
  std::int64_t head_width = 1;
  std::int64_t feed_forward = 1;
  std::int64_t vocabulary = 1;
  std::int64_t positions = 1;  // longest sequence
  std::int64_t experts = 1;
  std::int64_t experts_per_token = 1;
  std::optional<std::int64_t> sliding_window;
  bool tied = false;
  bool causal = true;
  bool gated = false;    // MLP: down(act(gate(x)) * up(x))
  bool rotary = false;
  Norm norm = Norm::kLayer;
  int norms_per_layer = 2;
  std::vector<Tensor> tensors;
  std::int64_t parameters = 0;         // of all tensors
  std::int64_t active_parameters = 0;  // that one token uses: experts that it does not use are left out

  // Tokens that one query looks at, on average over a sequence of that many tokens: half of it when causal, less with a window.
  double mean_context(std::int64_t sequence) const;
};

// Names of the architectures, as `model_type` and `architecture` spell them.
const std::vector<std::string>& known_architectures();

// Lists the tensors and counts. Errors are at `where`.
config::Result<Transformer> make_transformer(const config::Transformer& shape, const config::SourceLocation& where);

// A name in configs/models, a YAML file of that kind, or a Hugging Face config.json (any file that ends in .json). `where` is the place that names it.
config::Result<Transformer> load_transformer(const std::string& name_or_file, const config::SourceLocation& where, const config::ResolveOptions& options = {});

}  // namespace waferloom::models
