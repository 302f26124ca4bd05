// The plan of a training program: a network laid out on a rectangle of processing elements.
//
// One plan, two readers. The co-simulation executes it: program images for the tiles, the words that enter at the edge (edge_stream.h) and what comes out
// of it (collector.h). The cost model prices its graph of typed operators. A plan is immutable once made and may be shared between threads.
//
// Layout: features are split over columns (Split, ascending), tokens over rows. A tile holds, per layer, a slab [local input features + one row of
// ones][tokens_padded] of binary16; the row of ones is 1 for real tokens and 0 for padding, carries the bias and masks what padding would add.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "host/config/run.h"
#include "host/plan/geometry.h"

namespace waferloom::plan {

// y = activation(W x + b).
struct LinearSpec {
  std::string name;
  int inputs = 0;
  int outputs = 0;
  bool bias = true;
  bool relu = false;
  // The gradient is wanted only where a weight is stored (a pruned layer): index streams enter at the edge instead of the tiles counting.
  bool stored_only = false;
};

// Any number (at least one) of linear layers, each taking what the one before gives; the last one feeds softmax cross-entropy.
struct NetworkSpec {
  std::vector<LinearSpec> layers;

  int inputs() const { return layers.front().inputs; }
  int classes() const { return layers.back().outputs; }
};

NetworkSpec network_of(const config::Model& model);

// What the planner must know about the machine and the array.
struct Target {
  int width = 1;   // columns
  int height = 1;  // rows
  int lanes = 4;
  int sram_bytes = 49152;
  int window_bytes = 0;
  int colours = 24;
  config::Accumulate accumulate = config::Accumulate::kFp32;
};

Target target_of(const config::Run& run);

// --- the graph that the cost model prices ---

enum class OperatorKind { kStreamMatmul, kAxisReduce, kMulticast, kRotate, kExchange, kElementwise, kIo };
enum class WeightSource { kNone, kMemoryX, kSram, kNeighbour };
enum class Axis { kNone, kX, kY };
// What one operator does, beyond its kind.
enum class Flavour { kNone, kAxpy, kDot, kRing, kChain, kBroadcast, kLoad, kStore, kRelu, kReluGradient, kSoftmaxCrossEntropy };

// Sizes are those of the busiest tile. An operator runs `repeats` times (once per output of a layer), each on `elements` elements per tile.
struct Operator {
  int id = 0;
  std::string name;  // "layer0.forward.matmul": unique in the plan
  OperatorKind kind = OperatorKind::kElementwise;
  Flavour flavour = Flavour::kNone;
  WeightSource weights = WeightSource::kNone;
  Axis axis = Axis::kNone;
  Rect where;
  std::int64_t repeats = 1;
  std::int64_t elements = 0;            // per tile and repeat: tokens of an AXPY or a reduction, results of a chain
  std::int64_t weights_per_repeat = 0;  // per tile, dense; 0 when no weight stream takes part
  int tokens = 0;                       // tokens per tile, padded
  std::int64_t edge_words_in = 0;       // of the whole operator, dense weights, controls counted once
  std::int64_t edge_words_out = 0;
  std::vector<int> after;               // ids of the operators whose results it needs
};

// --- what the co-simulation executes ---

// A phase is one stretch of the edge schedule: it starts with a control wavelet that names the phase's record in the tiles.
enum class PhaseKind { kLoad, kForward, kLoss, kGradient, kDelta };

struct Phase {
  PhaseKind kind = PhaseKind::kLoad;
  int layer = -1;                // kForward, kGradient, kDelta; else -1
  std::string name;              // "load", "layer0.forward", "loss", "layer1.gradient", "layer1.delta", ...
  std::uint16_t record = 0;      // address in every tile of the record that starts it
  std::uint16_t finish = 0;      // address of the record that ends it; 0: none
  std::vector<int> operators;    // ids
};

enum class StepKind { kTrain, kEvaluate };  // kEvaluate: load, forward passes and loss only

struct Symbol {
  std::string name;
  std::uint16_t address = 0;
  std::uint32_t bytes = 0;
};

// The first bytes of a tile's SRAM, from address 0; the rest starts as zero.
struct Image {
  std::string name;  // "column class . row class": for listings
  std::vector<std::uint8_t> bytes;
};

struct Plan {
  NetworkSpec network;
  Target target;
  int batch = 1;
  int tokens_per_row = 1;   // real tokens of the fullest row
  int tokens_padded = 4;    // per tile: a multiple of four
  Split tokens;             // batch over rows
  std::vector<Split> features;  // features[0]: inputs of layer 0 over columns; features[l + 1]: outputs of layer l

  std::vector<Operator> operators;
  std::vector<Phase> train_step;     // in order
  std::vector<Phase> evaluate_step;  // in order

  std::vector<Image> images;               // the few distinct ones
  std::vector<std::uint16_t> image_index;  // [y * width + x]
  std::vector<Symbol> symbols;             // the same in every tile
  std::vector<std::string> task_names;     // by task id: the label of its entry in the microcode, or ""
  std::uint32_t sram_needed = 0;           // bytes of SRAM that a tile uses
  std::uint32_t window_needed = 0;

  const std::vector<Phase>& step(StepKind kind) const { return kind == StepKind::kTrain ? train_step : evaluate_step; }
  const Image& image(int x, int y) const { return images[image_index[static_cast<std::size_t>(y) * target.width + x]]; }
  // Requires that the symbol exists.
  std::uint16_t address(const std::string& symbol) const;

  // A bound on the cycles from reset until every tile has configured its router and waits. No word may enter at the edge before.
  std::uint64_t boot_cycles = 0;

  // Words that leave the north edge of this column in one step: losses (column 0), then gradients in the order of the phases. Of a layer whose
  // gradient is wanted at stored weights only, all weights count (count_phases in edge_stream.h knows which are stored).
  std::int64_t words_out(StepKind kind, int column) const;
};

// The folder firmware/runtime of the source tree that this was built from.
std::filesystem::path default_firmware();

// Why a network is not laid out.
struct Refusal {
  std::string message;  // a sentence with the numbers: needed, available, which tile
  std::string hint;     // what to change
  std::uint64_t needed_bytes = 0;
  std::uint64_t available_bytes = 0;
  int x = -1;  // the tile that overflows first
  int y = -1;
};

// Lays the network out and builds the images from the microcode in `firmware` (the folder firmware/runtime). Requires a network with consecutive layer
// sizes, target sizes and a batch of at least 1 (assertions). Refuses what does not fit in SRAM, in an index field or in the machine's colours, and
// microcode that does not assemble (the message then holds the assembler's located errors).
std::variant<Plan, Refusal> make_plan(const NetworkSpec& network, const Target& target, int batch,
                                      const std::filesystem::path& firmware = default_firmware());

const char* to_string(OperatorKind kind);
const char* to_string(WeightSource source);
const char* to_string(Flavour flavour);
const char* to_string(PhaseKind kind);

}  // namespace waferloom::plan
