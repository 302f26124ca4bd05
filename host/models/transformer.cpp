#include "host/models/transformer.h"

#include <algorithm>

#include "host/models/hugging_face.h"
#include "host/models/tensors.h"

namespace waferloom::models {
namespace {

namespace fs = std::filesystem;
using config::Architecture;

config::Diagnostic error_at(const config::SourceLocation& where, std::string message, std::string hint = {}) {
  config::Diagnostic diagnostic;
  diagnostic.where = where;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

bool looks_like_path(const std::string& text) {
  const std::string extension = fs::path(text).extension().string();
  return text.find('/') != std::string::npos || extension == ".yaml" || extension == ".json";
}

// The files of configs/models that hold a shape, under either form.
std::vector<std::string> names(const config::ResolveOptions& options) {
  std::vector<std::string> all = config::list_names(config::FileKind::kTransformer, options);
  std::error_code code;
  const fs::path folder = (options.configs.empty() ? config::default_configs_dir() : options.configs) / "models";
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    if (it->path().extension() == ".json") all.push_back(it->path().stem().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

double Transformer::mean_context(std::int64_t sequence) const {
  const double s = static_cast<double>(sequence);
  if (!causal) return s;
  if (!sliding_window || *sliding_window >= sequence) return (s + 1) / 2;
  const double w = static_cast<double>(*sliding_window);
  return (w * (w + 1) / 2 + (s - w) * w) / s;
}

const std::vector<std::string>& known_architectures() {
  static const std::vector<std::string> all = {"bert", "gemma", "gpt2", "gpt_neox", "llama", "mistral", "mixtral", "qwen2"};
  return all;
}

config::Result<Transformer> make_transformer(const config::Transformer& shape, const config::SourceLocation& where) {
  Transformer m;
  m.name = shape.name;
  m.description = shape.description;
  m.source = shape.source;
  m.architecture = shape.architecture;
  m.layers = shape.layers;
  m.width = shape.width;
  m.heads = shape.heads;
  m.key_value_heads = shape.key_value_heads.value_or(shape.heads);
  m.head_width = shape.head_width.value_or(shape.width / std::max<std::int64_t>(shape.heads, 1));
  m.feed_forward = shape.feed_forward;
  m.vocabulary = shape.vocabulary;
  m.positions = shape.positions;
  m.experts = shape.experts;
  m.experts_per_token = shape.experts_per_token;
  m.sliding_window = shape.sliding_window;
  const Architecture a = shape.architecture;
  const bool fused = a == Architecture::kGpt2 || a == Architecture::kGptNeox || a == Architecture::kBert;
  if (fused && (m.key_value_heads != m.heads || m.head_width * m.heads != m.width)) {
    return error_at(where, std::string("architecture '") + config::to_string(a) + "' has as many key-value heads as heads, and heads that fill the width", "use 'llama' for other shapes");
  }
  if (fused && m.experts > 1) return error_at(where, std::string("architecture '") + config::to_string(a) + "' has no experts", "use 'mixtral'");
  m.tied = shape.tied_embeddings.value_or(a == Architecture::kGpt2 || a == Architecture::kBert || a == Architecture::kGemma);
  set_architecture(m);
  const std::string over = list_tensors(m, {});
  if (!over.empty()) return error_at(where, over, "no machine holds such a model: check the sizes");
  if (shape.parameters && *shape.parameters != m.parameters) {
    return error_at(where, "model '" + m.name + "' has " + std::to_string(m.parameters) + " parameters, not " + std::to_string(*shape.parameters),
                    "correct the sizes or 'parameters'");
  }
  return m;
}

config::Result<Transformer> load_transformer(const std::string& name_or_file, const config::SourceLocation& where, const config::ResolveOptions& options) {
  fs::path file = name_or_file;
  if (!looks_like_path(name_or_file)) {
    const fs::path folder = (options.configs.empty() ? config::default_configs_dir() : options.configs) / "models";
    std::error_code code;
    file = folder / (name_or_file + ".yaml");
    if (!fs::exists(file, code)) file = folder / (name_or_file + ".json");
    const std::vector<std::string> known = names(options);
    if (!fs::exists(file, code) || std::find(known.begin(), known.end(), name_or_file) == known.end()) {
      const std::string guess = config::nearest(name_or_file, known);
      std::string all;
      for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
      const bool other = fs::exists(file, code);
      return error_at(where, other ? "model '" + name_or_file + "' is not a transformer: it is trained by `waferloom run`" : "no model is called '" + name_or_file + "'",
                      (guess.empty() || other ? "" : "did you mean '" + guess + "'? ") + ("known: " + all));
    }
  }
  if (file.extension() == ".json") return read_hugging_face(file);
  const config::Result<config::Resolved<config::Transformer>> shape = config::resolve_transformer(file.string().find('/') == std::string::npos ? "./" + file.string() : file.string(), options);
  if (!shape) return shape.errors();
  config::SourceLocation place;
  place.file = file.string();
  return make_transformer(shape->value, place);
}

}  // namespace waferloom::models
