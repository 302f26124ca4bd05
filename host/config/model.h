// A network: layers in order, and the loss. Filled by the resolver from configs/models/*.yaml.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waferloom::config {

enum class LayerKind { kLinear };
enum class Activation { kNone, kRelu };
enum class Loss { kSoftmaxCrossEntropy };
enum class Initialisation { kHeUniform, kHeNormal, kXavierUniform };

// y = activation(W x + b). `inputs` is not written in the file: it is the model's inputs or the outputs of the layer
// before.
struct Layer {
  std::string name;  // unique within the model; default "layer<index>"
  LayerKind kind = LayerKind::kLinear;
  int inputs = 0;
  int outputs = 0;
  bool bias = true;
  Activation activation = Activation::kNone;

  std::int64_t weights() const { return std::int64_t{inputs} * outputs; }
  std::int64_t parameters() const { return weights() + (bias ? outputs : 0); }
};

struct Model {
  std::string name;
  int inputs = 0;
  std::vector<Layer> layers;  // at least one
  Loss loss = Loss::kSoftmaxCrossEntropy;
  Initialisation initialisation = Initialisation::kHeUniform;

  int outputs() const { return layers.back().outputs; }
  std::int64_t parameters() const {
    std::int64_t sum = 0;
    for (const Layer& layer : layers) sum += layer.parameters();
    return sum;
  }
};

const char* to_string(LayerKind kind);
const char* to_string(Activation activation);
const char* to_string(Loss loss);
const char* to_string(Initialisation initialisation);

}  // namespace waferloom::config
