// The shape of a transformer as a file states it: configs/models/*.yaml of that kind. host/models turns it, or a Hugging Face config.json, into tensors.
// Filled by the resolver; counts are at least 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace waferloom::config {

// The order of the schema's choices.
enum class Architecture { kGpt2, kGptNeox, kLlama, kMistral, kMixtral, kQwen2, kGemma, kBert };
const char* to_string(Architecture architecture);

struct Transformer {
  std::string name;
  std::string description;
  std::string source;  // who publishes the shape
  Architecture architecture = Architecture::kGpt2;
  std::int64_t layers = 1;
  std::int64_t width = 1;
  std::int64_t heads = 1;
  std::optional<std::int64_t> key_value_heads;  // absent: as many as heads
  std::optional<std::int64_t> head_width;       // absent: width / heads
  std::int64_t feed_forward = 1;
  std::int64_t vocabulary = 1;
  std::int64_t positions = 1;  // longest sequence
  std::int64_t experts = 1;
  std::int64_t experts_per_token = 1;
  std::optional<std::int64_t> sliding_window;
  std::optional<bool> tied_embeddings;  // absent: as the architecture has it
  std::optional<std::int64_t> parameters;  // published count, checked
};

}  // namespace waferloom::config
