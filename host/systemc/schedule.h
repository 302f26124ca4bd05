// The steps of a run in order: which rows of which half of the data, and whether they train. Fixed before the run, so that the input server may run ahead.
#pragma once

#include <cstdint>
#include <vector>

#include "host/config/dataset.h"
#include "host/config/run.h"
#include "host/plan/edge_stream.h"

namespace waferloom::systemc {

struct StepSpec {
  plan::StepKind kind = plan::StepKind::kTrain;
  int epoch = 1;          // from 1
  bool held_out = false;  // rows of the test half
  std::vector<int> rows;  // 1 to batch of them
};

struct Schedule {
  std::vector<StepSpec> steps;
};

// Per epoch: the training rows, shuffled by hash(seed, epoch, row) if run.shuffle, in batches (the last partial one dropped or kept as run.partial_batch says); then one
// evaluation of the held-out rows. Requires a data set with at least one training row; a partial batch is kept when it is the only one.
Schedule make_schedule(const config::Run& run, const config::Dataset& data);

// Rows of a step that one of `systems` wafers takes: contiguous blocks in ascending order, the first ones larger by one where the rows do not divide.
struct Rows {
  int first = 0;
  int count = 0;  // 0 where a last, partial batch has fewer rows than there are systems
};
Rows rows_of(const StepSpec& step, int system, int systems);
// Of the system that takes most of a full batch: what its plan must hold.
int rows_per_system(const config::Run& run);

// These rows as the edge stream wants them. `samples` and `labels` own what the StepInputs points to.
struct StepBatch {
  std::vector<float> samples;
  std::vector<int> labels;
};
StepBatch gather(const StepSpec& step, const config::Dataset& data, const Rows& rows);

}  // namespace waferloom::systemc
