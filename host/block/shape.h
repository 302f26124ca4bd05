// A transformer block on a rectangle of tiles, as firmware/kernels/24-transformer-block lays it out: features over columns, tokens over rows, a head on
// neighbouring columns, a sequence on neighbouring rows. All counts divide evenly; `refuse` says what does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace waferloom::block {

// exp(x) = 2^(kLog2E x): tiles have the latter.
constexpr double kLog2E = 1.4426950408889634;

struct Shape {
  int width = 2;      // columns of tiles, at least two
  int height = 1;     // rows of tiles
  int tokens = 4;     // of all sequences
  int features = 4;   // the model's width
  int hidden = 8;     // of the feed-forward layer
  int heads = 1;      // `width` is a multiple
  int sequences = 1;  // of equal length; `height` is a multiple
  bool causal = true; // no key after its query
  float epsilon = 1e-5F;  // added to the variance
  int lanes = 4;      // of the machine
  int sram_bytes = 49152;
  int window_bytes = 0;

  int tile_tokens() const { return tokens / height; }
  int tile_features() const { return features / width; }
  int tile_hidden() const { return hidden / width; }
  int head_columns() const { return width / heads; }
  int head_features() const { return features / heads; }
  int sequence_rows() const { return height / sequences; }
  int sequence_tokens() const { return tokens / sequences; }
  double score_scale() const;  // 1 / sqrt(head_features)
};

// What a shape cannot be: the quantity that should change, a sentence, a hint.
struct Refusal {
  std::string key;
  std::string message;
  std::string hint;
};
std::optional<Refusal> refuse(const Shape& shape);

// The four matrix products. Outputs are in the order in which the machine makes them, ascending owners; for queries, keys and values a column's queries come
// first, then its keys, then its values.
enum Layer { kQueriesKeysValues = 0, kProjection = 1, kFirst = 2, kSecond = 3 };
constexpr int kLayers = 4;
const char* layer_name(int layer);
int layer_inputs(const Shape& shape, int layer);
int layer_outputs(const Shape& shape, int layer);
// Which of queries (0), keys (1), values (2) output `o` of the first layer is, and which feature of it.
struct Part {
  int part = 0;
  int feature = 0;
};
Part part_of(const Shape& shape, int o);

// Parameters as the wire carries them.
struct Parameters {
  struct Matrix {
    std::vector<std::uint16_t> weights;  // binary16, [outputs][inputs]
    std::vector<std::uint16_t> bias;     // binary16, [outputs]
  };
  Matrix layers[kLayers];
  std::vector<float> gain[2], bias[2];   // of the norms before attention and before the feed-forward layer
};

// What the block is given: its input, and the gradient of its output. binary16, [tokens][features].
struct Inputs {
  std::vector<std::uint16_t> input;
  std::vector<std::uint16_t> output_delta;
};

// Random ones: hashes of (seed, domain, index). Weights have the deviation 1 / sqrt(inputs).
Parameters random_parameters(const Shape& shape, std::uint64_t seed);
Inputs random_inputs(const Shape& shape, std::uint64_t seed);

}  // namespace waferloom::block
