// A run: one machine, one model, one data set, how to train, what to report. Filled by the resolver from
// configs/runs/*.yaml. Everything is checked when it arrives here: sizes are positive, names exist, machine and array
// fit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/config/cluster.h"
#include "host/config/machine.h"
#include "host/config/model.h"

namespace waferloom::config {

struct Array {
  int width = 1;   // columns, x
  int height = 1;  // rows, y
};

// Rows of a comma-separated file: model.inputs values, then the label. The first `train_rows` rows train, the next
// `test_rows` are held out.
struct Data {
  std::string file;            // as the resolved file names it
  std::filesystem::path path;  // where it was found
  int train_rows = 0;
  int test_rows = 0;  // 0: all that remain
  double value_min = 0;
  double value_max = 0;
  double scale = 1;  // each value is multiplied by it
};

enum class OptimiserKind { kSgd };

// v = momentum v + (g + weight_decay w); w = w - learning_rate v. All in fp32.
struct Optimiser {
  OptimiserKind kind = OptimiserKind::kSgd;
  double learning_rate = 0;
  double momentum = 0;
  double weight_decay = 0;
};

enum class LossScaleMode { kStatic, kDynamic };

// The loss is multiplied by `initial` before the backward pass. Dynamic: a step whose gradients are not finite is
// skipped and the scale divided by `factor`; after `growth_interval_steps` good steps it is multiplied by `factor`. It
// stays within minimum and maximum.
struct LossScale {
  LossScaleMode mode = LossScaleMode::kStatic;
  double initial = 1;
  double factor = 2;
  int growth_interval_steps = 0;
  double minimum = 1;
  double maximum = 1;
};

// Weights (never biases) that MemoryX does not send: those whose magnitude is below `threshold`, and of each layer all but the share `kept` of largest
// magnitude. The master weights stay and go on learning, so a dropped weight may come back.
struct Pruning {
  double threshold = 0;
  double kept = 1;        // more than 0, at most 1
  int after_epoch = 0;    // dense until this epoch has ended

  bool active(int epoch) const { return epoch > after_epoch && (threshold > 0 || kept < 1); }
};

enum class Accumulate { kFp16, kFp32 };

enum class PartialBatch { kDrop, kKeep };

// What ends a run that does not end by itself.
struct Limits {
  std::int64_t cycles = 0;           // of the whole run; 0 = no limit
  std::int64_t cycles_per_step = 0;  // of one training step; 0 = no limit
  std::int64_t watchdog_cycles = 0;  // of a busy wafer that nothing leaves or enters: a livelock
};

// When a run saves its whole state. Never changes a result.
struct CheckpointRule {
  std::int64_t every_steps = 0;  // finished steps between two; 0: not by steps
  double every_seconds = 0;      // of wall-clock time; 0: not by time
  int keep = 2;                  // the newest files that stay
};

enum class ReportSection { kLoss, kCycles, kUtilisation, kWavelets, kExtrapolation };

enum class Workload { kNetwork, kDense };
enum class Pass { kForward, kDelta, kGradient };

// One row of the extrapolation to the whole user rectangle of the machine.
struct Extrapolation {
  std::string name;
  Workload workload = Workload::kDense;  // kNetwork: this run's network, sizes taken from the model
  int inputs = 0;                        // kDense only
  int outputs = 0;                       // kDense only
  int tokens_per_pe = 0;                 // rows of the batch that one tile holds
  double density = 1;                    // non-zero share of the weights
  std::vector<Pass> passes;
};

struct Run {
  std::string name;
  std::string description;
  Machine machine;
  Cluster cluster;
  Array array;
  int io_words_per_cycle =
      1;  // wavelets that may enter the array per cycle, all ports together; the same again may leave it
  Model model;
  Data data;
  int batch = 1;
  int epochs = 1;
  bool shuffle = true;
  PartialBatch partial_batch = PartialBatch::kDrop;
  Optimiser optimiser;
  LossScale loss_scale;
  Pruning pruning;
  Accumulate accumulate = Accumulate::kFp32;
  std::uint64_t seed = 1;  // 0 to 2^53
  Limits limits;
  CheckpointRule checkpoint;
  std::vector<ReportSection> report;
  std::vector<Extrapolation> extrapolate;
  std::string outputs;  // result folder, relative to the working directory; "-o" overrides it
};

const char* to_string(OptimiserKind kind);
const char* to_string(LossScaleMode mode);
const char* to_string(Accumulate accumulate);
const char* to_string(PartialBatch partial);
const char* to_string(ReportSection section);
const char* to_string(Workload workload);
const char* to_string(Pass pass);

}  // namespace waferloom::config
