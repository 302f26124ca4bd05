#include "host/models/tensors.h"

namespace waferloom::models {
namespace {

using config::Architecture;

// Adds tensors and counts them in 64 bits, or remembers which one does not fit.
class List {
 public:
  explicit List(Transformer& model) : model_(model) {}

  // A weight of `count` copies; shape as stored (Conv1D of GPT-2: inputs first).
  void matmul(const std::string& name, std::int64_t inputs, std::int64_t outputs, std::int64_t count, Role role = Role::kMatmul, bool inputs_first = false) {
    Tensor t{name, inputs_first ? std::vector<std::int64_t>{inputs, outputs} : std::vector<std::int64_t>{outputs, inputs}, count, role, inputs, outputs};
    add(std::move(t));
  }
  void table(const std::string& name, std::int64_t rows, Role role) { add({name, {rows, model_.width}, 1, role, 0, 0}); }
  void vector(const std::string& name, std::int64_t size, std::int64_t count, Role role) { add({name, {size}, count, role, 0, 0}); }
  void norm(const std::string& name, std::int64_t count) {
    vector(name + ".weight", model_.width, count, Role::kNorm);
    if (model_.norm == Norm::kLayer) vector(name + ".bias", model_.width, count, Role::kNorm);
  }

  std::string error;

 private:
  void add(Tensor t) {
    if (!error.empty()) return;
    std::int64_t each = 1;
    bool over = false;
    for (std::int64_t size : t.shape) over = over || __builtin_mul_overflow(each, size, &each);
    std::int64_t all = 0;
    over = over || __builtin_mul_overflow(each, t.count, &all) || __builtin_add_overflow(model_.parameters, all, &model_.parameters);
    if (over) {
      error = "the parameters of tensor '" + t.name + "' do not fit in 64 bits";
      return;
    }
    const bool unused = t.role == Role::kExpert && model_.experts > 1;
    model_.active_parameters += unused ? all / model_.experts * model_.experts_per_token : all;
    model_.tensors.push_back(std::move(t));
  }

  Transformer& model_;
};

void gpt2(Transformer& m, List& list) {
  const std::int64_t d = m.width;
  list.table("transformer.wte.weight", m.vocabulary, Role::kEmbedding);
  list.table("transformer.wpe.weight", m.positions, Role::kPosition);
  list.norm("transformer.h.*.ln_1", m.layers);
  list.matmul("transformer.h.*.attn.c_attn.weight", d, 3 * d, m.layers, Role::kMatmul, true);
  list.vector("transformer.h.*.attn.c_attn.bias", 3 * d, m.layers, Role::kBias);
  list.matmul("transformer.h.*.attn.c_proj.weight", d, d, m.layers, Role::kMatmul, true);
  list.vector("transformer.h.*.attn.c_proj.bias", d, m.layers, Role::kBias);
  list.norm("transformer.h.*.ln_2", m.layers);
  list.matmul("transformer.h.*.mlp.c_fc.weight", d, m.feed_forward, m.layers, Role::kMatmul, true);
  list.vector("transformer.h.*.mlp.c_fc.bias", m.feed_forward, m.layers, Role::kBias);
  list.matmul("transformer.h.*.mlp.c_proj.weight", m.feed_forward, d, m.layers, Role::kMatmul, true);
  list.vector("transformer.h.*.mlp.c_proj.bias", d, m.layers, Role::kBias);
  list.norm("transformer.ln_f", 1);
  if (!m.tied) list.matmul("lm_head.weight", d, m.vocabulary, 1, Role::kHead);
}

void gpt_neox(Transformer& m, List& list) {
  const std::int64_t d = m.width;
  const std::string block = "gpt_neox.layers.*.";
  list.table("gpt_neox.embed_in.weight", m.vocabulary, Role::kEmbedding);
  list.norm(block + "input_layernorm", m.layers);
  list.norm(block + "post_attention_layernorm", m.layers);
  list.matmul(block + "attention.query_key_value.weight", d, 3 * d, m.layers);
  list.vector(block + "attention.query_key_value.bias", 3 * d, m.layers, Role::kBias);
  list.matmul(block + "attention.dense.weight", d, d, m.layers);
  list.vector(block + "attention.dense.bias", d, m.layers, Role::kBias);
  list.matmul(block + "mlp.dense_h_to_4h.weight", d, m.feed_forward, m.layers);
  list.vector(block + "mlp.dense_h_to_4h.bias", m.feed_forward, m.layers, Role::kBias);
  list.matmul(block + "mlp.dense_4h_to_h.weight", m.feed_forward, d, m.layers);
  list.vector(block + "mlp.dense_4h_to_h.bias", d, m.layers, Role::kBias);
  list.norm("gpt_neox.final_layer_norm", 1);
  if (!m.tied) list.matmul("embed_out.weight", d, m.vocabulary, 1, Role::kHead);
}

// llama and its relatives: mistral, mixtral, qwen2, gemma.
void llama(Transformer& m, List& list, const TensorOptions& options) {
  const std::int64_t d = m.width;
  const std::int64_t q = m.heads * m.head_width;
  const std::int64_t kv = m.key_value_heads * m.head_width;
  const std::string block = "model.layers.*.";
  const bool qwen = m.architecture == Architecture::kQwen2;
  list.table("model.embed_tokens.weight", m.vocabulary, Role::kEmbedding);
  const struct {
    const char* name;
    std::int64_t inputs, outputs;
    bool bias;
  } projections[] = {{"q_proj", d, q, qwen || options.attention_bias},
                     {"k_proj", d, kv, qwen || options.attention_bias},
                     {"v_proj", d, kv, qwen || options.attention_bias},
                     {"o_proj", q, d, options.attention_bias}};
  for (const auto& p : projections) {
    list.matmul(block + "self_attn." + p.name + ".weight", p.inputs, p.outputs, m.layers);
    if (p.bias) list.vector(block + "self_attn." + p.name + ".bias", p.outputs, m.layers, Role::kBias);
  }
  if (m.experts > 1) {
    const std::int64_t copies = m.layers * m.experts;
    const std::string expert = block + "block_sparse_moe.experts.*.";
    list.matmul(block + "block_sparse_moe.gate.weight", d, m.experts, m.layers);
    list.matmul(expert + "w1.weight", d, m.feed_forward, copies, Role::kExpert);
    list.matmul(expert + "w3.weight", d, m.feed_forward, copies, Role::kExpert);
    list.matmul(expert + "w2.weight", m.feed_forward, d, copies, Role::kExpert);
  } else {
    for (const char* name : {"gate_proj", "up_proj"}) {
      list.matmul(block + "mlp." + name + ".weight", d, m.feed_forward, m.layers);
      if (options.mlp_bias) list.vector(block + "mlp." + name + ".bias", m.feed_forward, m.layers, Role::kBias);
    }
    list.matmul(block + "mlp.down_proj.weight", m.feed_forward, d, m.layers);
    if (options.mlp_bias) list.vector(block + "mlp.down_proj.bias", d, m.layers, Role::kBias);
  }
  list.norm(block + "input_layernorm", m.layers);
  list.norm(block + "post_attention_layernorm", m.layers);
  list.norm("model.norm", 1);
  if (!m.tied) list.matmul("lm_head.weight", d, m.vocabulary, 1, Role::kHead);
}

void bert(Transformer& m, List& list, const TensorOptions& options) {
  const std::int64_t d = m.width;
  const std::string block = "bert.encoder.layer.*.";
  list.table("bert.embeddings.word_embeddings.weight", m.vocabulary, Role::kEmbedding);
  list.table("bert.embeddings.position_embeddings.weight", m.positions, Role::kPosition);
  list.table("bert.embeddings.token_type_embeddings.weight", options.token_types, Role::kPosition);
  list.norm("bert.embeddings.LayerNorm", 1);
  for (const char* name : {"query", "key", "value"}) {
    list.matmul(block + "attention.self." + name + ".weight", d, d, m.layers);
    list.vector(block + "attention.self." + name + ".bias", d, m.layers, Role::kBias);
  }
  list.matmul(block + "attention.output.dense.weight", d, d, m.layers);
  list.vector(block + "attention.output.dense.bias", d, m.layers, Role::kBias);
  list.norm(block + "attention.output.LayerNorm", m.layers);
  list.matmul(block + "intermediate.dense.weight", d, m.feed_forward, m.layers);
  list.vector(block + "intermediate.dense.bias", m.feed_forward, m.layers, Role::kBias);
  list.matmul(block + "output.dense.weight", m.feed_forward, d, m.layers);
  list.vector(block + "output.dense.bias", d, m.layers, Role::kBias);
  list.norm(block + "output.LayerNorm", m.layers);
  using Head = TensorOptions::BertHead;
  if (options.bert_head != Head::kMaskedLanguage) {
    list.matmul("bert.pooler.dense.weight", d, d, 1);
    list.vector("bert.pooler.dense.bias", d, 1, Role::kBias);
  }
  if (options.bert_head != Head::kNone) {
    list.matmul("cls.predictions.transform.dense.weight", d, d, 1);
    list.vector("cls.predictions.transform.dense.bias", d, 1, Role::kBias);
    list.norm("cls.predictions.transform.LayerNorm", 1);
    list.vector("cls.predictions.bias", m.vocabulary, 1, Role::kBias);
    if (!m.tied) list.matmul("cls.predictions.decoder.weight", d, m.vocabulary, 1, Role::kHead);
  }
  if (options.bert_head == Head::kPretraining) {
    list.matmul("cls.seq_relationship.weight", d, 2, 1);
    list.vector("cls.seq_relationship.bias", 2, 1, Role::kBias);
  }
}

}  // namespace

std::int64_t Tensor::each() const {
  std::int64_t product = 1;
  for (std::int64_t size : shape) product *= size;
  return product;
}

void set_architecture(Transformer& m) {
  const bool llama_like = m.architecture == Architecture::kLlama || m.architecture == Architecture::kMistral || m.architecture == Architecture::kMixtral ||
                          m.architecture == Architecture::kQwen2 || m.architecture == Architecture::kGemma;
  m.norm = llama_like ? Norm::kRms : Norm::kLayer;
  m.gated = llama_like;
  m.rotary = llama_like || m.architecture == Architecture::kGptNeox;
  m.causal = m.architecture != Architecture::kBert;
  m.norms_per_layer = 2;
}

std::string list_tensors(Transformer& m, const TensorOptions& options) {
  m.tensors.clear();
  m.parameters = 0;
  m.active_parameters = 0;
  // Products that sizes are made of, before anything is multiplied unchecked.
  std::int64_t product = 0;
  for (const auto& [a, b] : {std::pair(m.heads, m.head_width), std::pair(m.layers, m.experts), std::pair(std::int64_t{3}, m.width)}) {
    if (__builtin_mul_overflow(a, b, &product)) return "the sizes of the model do not fit in 64 bits";
  }
  List list(m);
  switch (m.architecture) {
    case Architecture::kGpt2: gpt2(m, list); break;
    case Architecture::kGptNeox: gpt_neox(m, list); break;
    case Architecture::kBert: bert(m, list, options); break;
    case Architecture::kLlama:
    case Architecture::kMistral:
    case Architecture::kMixtral:
    case Architecture::kQwen2:
    case Architecture::kGemma: llama(m, list, options); break;
  }
  return list.error;
}

}  // namespace waferloom::models
