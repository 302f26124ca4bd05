// One layer with zeros on verilated tiles: what unstructured sparsity of weights and of activations is worth there, beside what the cost model says.
//
// Weights: a zero is not sent, so a column works on the non-zeros that its features have for an output, and the row's reduction waits for the fullest column, but for what the two
// partial buffers let a column run ahead. Where between the even share and the fullest column that lies is measured here: cycles of dense layers are a straight line over
// weights per column, which turns the cycles of a sparse one into the weights per column that a dense one would have.
// Activations: weights are streamed, activations lie still. A zero activation is multiplied like any other, so zeros of single tokens save nothing. Only a feature that is zero for
// every token of the batch could be left out, by not sending its weights.
// Thread-safe; no global state.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/config/run.h"
#include "host/plan/collector.h"
#include "sim/plugin/unit.h"

namespace waferloom::models {

struct LayerCase {
  int width = 4;
  int height = 4;
  int inputs_per_column = 16;
  int outputs = 16;
  int tokens_per_pe = 8;
  int io_words_per_cycle = 0;  // 0: so many that the edge is not what is measured
  std::uint64_t seed = 1;
};

// By pass: forward, delta, gradient.
struct WeightRun {
  std::string error;
  double density = 1;          // share that was not zero
  double even[2] = {0, 0};     // forward, delta: non-zeros of a column for one output, mean over columns and outputs
  double fullest[2] = {0, 0};  // the same of the fullest column of each output, mean over outputs
  std::int64_t cycles[3] = {0, 0, 0};
};

using Interrupted = std::function<bool()>;

// All three passes of a layer whose weights are zero with probability 1 - density, each weight by itself.
WeightRun run_sparse_weights(const LayerCase& layer, double density, const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe, const Interrupted& interrupted = {});

// Cycles of a pass of dense layers as a line over weights per column and output.
struct DenseLine {
  std::string error;
  double start[2] = {0, 0};  // forward, delta
  double slope[2] = {0, 0};
  // Weights per column that a dense layer of those cycles would have.
  double items(int pass, double cycles) const { return (cycles - start[pass]) / slope[pass]; }
};

// From two dense layers like `layer`: one with its sizes, one with half of the features (forward) or outputs (delta) on each column.
DenseLine dense_line(const LayerCase& layer, const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe, const Interrupted& interrupted = {});

// How many of the tokens' features are zero, and what the machine is told of it.
struct ActivationCase {
  double active = 1;        // share of a token's activations that is not zero, each drawn by itself
  double dead = 0;          // share of the features that are zero for every token
  bool leave_out = false;   // the weights of features that are zero for the whole batch are not sent
};

struct ActivationRun {
  std::string error;
  double active = 1;        // share of all activations that was not zero
  double union_active = 1;  // share of the features with a non-zero for at least one token of the batch
  std::int64_t cycles = 0;  // of the forward pass
  plan::StepResult result;  // of the step: losses and gradients
};

ActivationRun run_sparse_activations(const LayerCase& layer, const ActivationCase& activations, const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe,
                                     const Interrupted& interrupted = {});

}  // namespace waferloom::models
