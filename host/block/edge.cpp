// What enters and leaves at the north edge, phase by phase.
#include <cassert>

#include "host/block/program.h"
#include "host/plan/protocol.h"
#include "sim/generated/packet.h"
#include "sim/macros/arith.h"

namespace waferloom::block {
namespace {

using plan::EdgeWord;

EdgeWord to_all(std::uint32_t task, std::uint32_t argument) {
  return {plan::kEveryColumn, spec::link_word(spec::control_payload(task, spec::Command::kNone, argument), plan::kWeights, true)};
}

EdgeWord to_column(int column, std::uint32_t data) { return {static_cast<std::uint16_t>(column), spec::link_word(data, plan::kWeights)}; }

// Gains of each column's features, then (forward) their biases.
void norm_words(const Shape& shape, const std::vector<float>& gain, const std::vector<float>* bias, std::vector<EdgeWord>& words) {
  const int f = shape.tile_features();
  for (const std::vector<float>* values : {&gain, bias}) {
    if (values == nullptr) continue;
    for (int j = 0; j < f; ++j) {
      for (int x = 0; x < shape.width; ++x) words.push_back(to_column(x, macros::to_bits((*values)[static_cast<std::size_t>(x * f + j)])));
    }
  }
}

// Per output its weights, the first of every column, then the second, ...; then the control wavelet that ends it. `transposed`: outputs are the layer's
// inputs; no bias.
void product_words(const Shape& shape, const Parameters::Matrix& matrix, int layer, bool transposed, std::vector<EdgeWord>& words) {
  const int inputs = layer_inputs(shape, layer), outputs = layer_outputs(shape, layer);
  const int from = transposed ? outputs : inputs, to = transposed ? inputs : outputs;
  const int from_rows = from / shape.width, to_rows = to / shape.width;
  const std::uint32_t row_bytes = 2 * static_cast<std::uint32_t>(shape.tile_tokens());
  const auto send = [&](int column, std::uint16_t weight, int row) {
    if ((weight & 0x7fffu) != 0) words.push_back(to_column(column, spec::weight_payload(weight, static_cast<std::uint32_t>(row) * row_bytes)));
  };
  for (int o = 0; o < to; ++o) {
    const int owner = o / to_rows;
    for (int k = 0; k < from_rows; ++k) {
      for (int x = 0; x < shape.width; ++x) {
        const int i = x * from_rows + k;
        send(x, matrix.weights[static_cast<std::size_t>(transposed ? i * inputs + o : o * inputs + i)], k);
      }
    }
    if (!transposed) send(owner, matrix.bias[static_cast<std::size_t>(o)], from_rows);
    words.push_back(to_all(o % 2 == 0 ? plan::kTaskOutputA : plan::kTaskOutputB, static_cast<std::uint32_t>(owner)));
  }
}

}  // namespace

std::vector<EdgeWord> phase_words(const Program& program, std::size_t number, const Parameters& parameters) {
  const Shape& shape = program.shape;
  const Phase phase = phases()[number];
  const auto index = static_cast<std::size_t>(phase.layer);
  std::vector<EdgeWord> words = {to_all(plan::kTaskPhase, program.records[number])};
  switch (phase.kind) {
    case PhaseKind::kNorm: norm_words(shape, parameters.gain[index], &parameters.bias[index], words); break;
    case PhaseKind::kNormGradient: norm_words(shape, parameters.gain[index], nullptr, words); break;
    case PhaseKind::kProduct: product_words(shape, parameters.layers[index], phase.layer, phase.transposed, words); break;
    case PhaseKind::kGradient: {
      const int outputs = layer_outputs(shape, phase.layer);
      for (int o = 0; o < outputs; ++o) {
        words.push_back(to_all(o % 2 == 0 ? plan::kTaskGradientA : plan::kTaskGradientB, static_cast<std::uint32_t>(o / (outputs / shape.width))));
      }
      break;
    }
    case PhaseKind::kAttention:
    case PhaseKind::kElementwise: break;
  }
  return words;
}

std::vector<std::vector<Place>> phase_results(const Program& program, std::size_t number) {
  const Shape& shape = program.shape;
  const Phase phase = phases()[number];
  std::vector<std::vector<Place>> places(static_cast<std::size_t>(shape.width));
  if (phase.kind == PhaseKind::kNormGradient) {
    const int f = shape.tile_features();
    const std::string which = phase.layer == 0 ? "attention_norm" : "hidden_norm";
    for (int x = 0; x < shape.width; ++x) {
      for (const char* what : {".gain", ".bias"}) {
        for (int j = 0; j < f; ++j) places[static_cast<std::size_t>(x)].push_back({which + what, static_cast<std::size_t>(x * f + j)});
      }
    }
  }
  if (phase.kind == PhaseKind::kGradient) {
    const int inputs = layer_inputs(shape, phase.layer), outputs = layer_outputs(shape, phase.layer), rows = inputs / shape.width;
    const std::string name = layer_name(phase.layer);
    for (int o = 0; o < outputs; ++o) {
      for (int x = 0; x < shape.width; ++x) {
        for (int k = 0; k < rows; ++k) places[static_cast<std::size_t>(x)].push_back({name + ".weight", static_cast<std::size_t>(o * inputs + x * rows + k)});
        if (o / (outputs / shape.width) == x) places[static_cast<std::size_t>(x)].push_back({name + ".bias", static_cast<std::size_t>(o)});
      }
    }
  }
  return places;
}

}  // namespace waferloom::block
