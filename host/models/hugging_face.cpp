#include "host/models/hugging_face.h"

#include "host/config/json_document.h"
#include "host/models/tensors.h"

namespace waferloom::models {
namespace {

using config::Architecture;
using config::JsonReader;

constexpr std::int64_t kMost = 1'000'000'000'000;  // of a single size; products are checked in 64 bits

// The keys that one family spells in its own way.
struct Keys {
  const char* layers = "num_hidden_layers";
  const char* width = "hidden_size";
  const char* heads = "num_attention_heads";
  const char* feed_forward = "intermediate_size";
  const char* positions = "max_position_embeddings";
};

std::optional<Architecture> architecture_of(const std::string& type) {
  for (int i = 0; i <= static_cast<int>(Architecture::kBert); ++i) {
    if (type == config::to_string(static_cast<Architecture>(i))) return static_cast<Architecture>(i);
  }
  return std::nullopt;
}

std::string listed() {
  std::string all;
  for (const std::string& name : known_architectures()) all += (all.empty() ? "" : ", ") + name;
  return all;
}

void read_gpt2(JsonReader& r, Transformer& m) {
  m.feed_forward = r.integer("n_inner", 1, kMost, 4 * m.width);
  m.key_value_heads = m.heads;
  m.tied = r.boolean("tie_word_embeddings", true);
}

void read_llama_like(JsonReader& r, Transformer& m, TensorOptions& options) {
  m.key_value_heads = r.integer("num_key_value_heads", 1, kMost, m.heads);
  const bool gemma = m.architecture == Architecture::kGemma;
  if (r.has("head_dim") || gemma) m.head_width = r.integer("head_dim", 1, kMost, 256);
  m.tied = r.boolean("tie_word_embeddings", gemma);
  options.attention_bias = r.boolean("attention_bias", false);
  options.mlp_bias = r.boolean("mlp_bias", false);
  if (m.architecture == Architecture::kMixtral) {
    m.experts = r.integer("num_local_experts", 1, 65536, 8);
    m.experts_per_token = r.integer("num_experts_per_tok", 1, 65536, 2);
  }
  const bool windowed = m.architecture != Architecture::kQwen2 || r.boolean("use_sliding_window", false);
  if (r.has("sliding_window") && windowed) m.sliding_window = r.integer("sliding_window", 1, kMost);
  if (m.heads % m.key_value_heads != 0) r.fail("num_key_value_heads", std::to_string(m.key_value_heads) + " key-value heads do not divide " + std::to_string(m.heads) + " heads");
  if (m.experts_per_token > m.experts) r.fail("num_experts_per_tok", std::to_string(m.experts_per_token) + " experts per token of " + std::to_string(m.experts));
}

void read_bert(JsonReader& r, Transformer& m, TensorOptions& options) {
  m.key_value_heads = m.heads;
  m.tied = r.boolean("tie_word_embeddings", true);
  options.token_types = r.integer("type_vocab_size", 1, kMost, 2);
  if (!r.has("architectures")) return;
  for (const config::JsonNode& node : r.array("architectures")) {
    if (node.text == "BertModel") options.bert_head = TensorOptions::BertHead::kNone;
    if (node.text == "BertForPreTraining") options.bert_head = TensorOptions::BertHead::kPretraining;
  }
}

}  // namespace

config::Result<Transformer> parse_hugging_face(const std::string& file, const std::string& text) {
  config::SourceText sources;
  config::Result<config::JsonNode> parsed = config::parse_json(file, text, sources);
  if (!parsed) return parsed.errors();
  config::Diagnostics errors;
  JsonReader r(*parsed, "a model's config.json", sources, errors);
  if (!errors.empty()) return errors;
  Transformer m;
  const std::string type = r.text("model_type");
  if (!errors.empty()) {
    errors[0].hint = "known architectures: " + listed();
    return errors;
  }
  const std::optional<Architecture> architecture = architecture_of(type);
  if (!architecture) {
    const std::string guess = config::nearest(type, known_architectures());
    r.fail("model_type", "unknown architecture '" + type + "'", (guess.empty() ? "" : "did you mean '" + guess + "'? ") + ("known architectures: " + listed()));
    return errors;
  }
  m.architecture = *architecture;
  Keys keys;
  if (m.architecture == Architecture::kGpt2) keys = {"n_layer", "n_embd", "n_head", "n_inner", r.has("n_positions") ? "n_positions" : "n_ctx"};
  m.layers = r.integer(keys.layers, 1, kMost);
  m.width = r.integer(keys.width, 1, kMost);
  m.heads = r.integer(keys.heads, 1, kMost);
  m.vocabulary = r.integer("vocab_size", 1, kMost);
  m.positions = r.integer(keys.positions, 1, kMost);
  if (m.architecture != Architecture::kGpt2) m.feed_forward = r.integer(keys.feed_forward, 1, kMost);
  if (!errors.empty()) return errors;
  const bool own_head_width = r.has("head_dim") || m.architecture == Architecture::kGemma;
  if (m.width % m.heads != 0 && !own_head_width) {
    r.fail(keys.heads, std::to_string(m.heads) + " heads do not divide a width of " + std::to_string(m.width));
    return errors;
  }
  m.head_width = m.width / m.heads;
  TensorOptions options;
  switch (m.architecture) {
    case Architecture::kGpt2: read_gpt2(r, m); break;
    case Architecture::kGptNeox:
      m.key_value_heads = m.heads;
      m.tied = r.boolean("tie_word_embeddings", false);
      break;
    case Architecture::kBert: read_bert(r, m, options); break;
    default: read_llama_like(r, m, options); break;
  }
  if (!errors.empty()) return errors;
  const std::filesystem::path path(file);
  m.name = r.text("_name_or_path", "");
  const std::size_t slash = m.name.find_last_of('/');
  if (slash != std::string::npos) m.name = m.name.substr(slash + 1);
  if (m.name.empty()) m.name = path.stem() == "config" && path.has_parent_path() && !path.parent_path().filename().empty() ? path.parent_path().filename().string() : path.stem().string();
  m.source = file;
  set_architecture(m);
  const std::string over = list_tensors(m, options);
  if (!over.empty()) {
    r.fail(keys.layers, over, "no machine holds such a model: check the sizes");
    return errors;
  }
  return m;
}

config::Result<Transformer> read_hugging_face(const std::filesystem::path& file) {
  const config::Result<std::string> text = config::read_text_file(file);
  if (!text) return text.errors();
  return parse_hugging_face(file.string(), *text);
}

}  // namespace waferloom::models
