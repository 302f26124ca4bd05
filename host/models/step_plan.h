// A training step of a transformer on one wafer: its operators in order, what a tile holds, and how often the batch is cut.
//
// Features lie over x, tokens over y, as in the plans that run on RTL. A batch that does not fit in SRAM is computed again block by block on the way back, or cut into
// micro-batches whose gradients MemoryX adds up; the plan says which and why. What fits in no way is refused with the numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/config/projection.h"
#include "host/models/cost_model.h"
#include "host/models/transformer.h"

namespace waferloom::models {

// One operator in the order of the step, of one layer.
struct StepTask {
  std::size_t op = 0;     // index into StepPlan::operators
  int layer = -1;         // -1: embedding, head
  std::int64_t repeats = 1;  // experts
};

struct StepPlan {
  std::vector<StepOperator> operators;  // distinct ones
  std::vector<Price> prices;            // of each
  std::vector<std::int64_t> counts;     // in one micro-batch
  std::vector<StepTask> tasks;          // of one micro-batch, in order: embedding, blocks, head, loss, head back, blocks back, embedding back
  std::int64_t sequence = 1;
  std::int64_t sequences = 1;           // of one system in a step
  std::int64_t micro_sequences = 1;     // of one micro-batch
  std::int64_t micro_batches = 1;
  double tokens_per_pe = 4;             // padded
  bool recompute = false;
  std::int64_t segment = 1;             // blocks between two kept inputs, when recomputed
  report::MemoryUse memory;
  double wafer_cycles = 0;              // of one micro-batch, sum over tasks
  double flops = 0;                     // useful ones of a micro-batch, recomputation not counted

  double tokens() const { return static_cast<double>(micro_sequences) * static_cast<double>(sequence); }  // of a micro-batch
};

struct StepRequest {
  const Transformer* model = nullptr;
  const config::Machine* machine = nullptr;
  config::Accumulate accumulate = config::Accumulate::kFp32;
  std::int64_t sequence = 1;
  std::int64_t sequences = 1;  // of the system, at least 1
  double density = 1;
  config::Recompute recompute = config::Recompute::kAuto;
  double code_bytes = 4096;    // that the program, its tables and records take in a tile
  std::int64_t micro_batches = 0;  // 0: chosen; else the cut that an earlier plan of the same request chose
};

struct StepOutcome {
  std::string refusal;  // empty, or why there is no plan, with the numbers
  std::string hint;
  StepPlan plan;
};

StepOutcome plan_step(const StepRequest& request, const CostModel& cost);

}  // namespace waferloom::models
