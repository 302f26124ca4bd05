// The tensors of each architecture, under the names that its published checkpoints use.
#pragma once

#include <string>

#include "host/models/transformer.h"

namespace waferloom::models {

// What a config.json may say about biases, beyond what the architecture implies.
struct TensorOptions {
  bool attention_bias = false;  // llama, mistral, mixtral, gemma: biases of q, k, v and o
  bool mlp_bias = false;        // llama
  std::int64_t token_types = 2; // bert
  enum class BertHead { kMaskedLanguage, kPretraining, kNone } bert_head = BertHead::kMaskedLanguage;
};

// Properties that follow from the architecture: norms, gates, positions, causality.
void set_architecture(Transformer& model);

// Fills tensors, parameters and active_parameters. Returns "" or what does not fit in 64 bits. Requires sizes of at least 1.
std::string list_tensors(Transformer& model, const TensorOptions& options);

}  // namespace waferloom::models
