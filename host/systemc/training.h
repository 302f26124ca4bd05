// A training run on one or more wafers: MemoryX, SwarmX, and for each Wafer an input server and a system, elaborated and simulated. All wafers have the same plan; each takes its share of
// the rows of every step (schedule.h), SwarmX adds what they give.
//
// SystemC elaborates once per process: at most one Training may be made in a process (a second one is refused). Scenarios run in child processes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/config/dataset.h"
#include "host/config/run.h"
#include "host/optimiser/parameters.h"
#include "host/plan/collector.h"
#include "host/plan/plan.h"
#include "host/systemc/memoryx.h"
#include "host/systemc/schedule.h"
#include "host/systemc/system.h"

namespace waferloom::systemc {

// Everything known about a finished step.
struct StepRecord {
  StepSpec spec;
  double loss = 0;
  int wrong = 0;
  double loss_scale = 1;
  bool skipped = false;
  std::string not_finite;
  std::vector<StepCycles> cycles;  // of each system
};

struct TrainingHooks {
  std::function<void(const StepRecord&)> on_step;               // at the end of each step, in order
  std::function<void(const StepOutcome&)> on_outcome;           // with gradients and parameters, before on_step; may be empty
  std::function<bool()> interrupted = [] { return false; };     // polled every few cycles
  // Asked after each step (the steps finished so far) and once per quantum (0): whether to call on_checkpoint soon. Empty: never, but for an interrupt.
  std::function<bool(std::int64_t)> wants_checkpoint;
  // The simulation stands between two instants: `state` has everything but the wafer's tiles. Also called when the run is interrupted. Whether and when it is
  // called never changes a result.
  std::function<void(const std::string& state)> on_checkpoint;
};

// Of one system, over the whole run.
struct SystemTotals {
  std::int64_t cycles = 0;
  WaferCounters counters;
  std::uint64_t edge_words_in = 0;  // copies of words that entered
  std::uint64_t edge_words_out = 0;
};

struct TrainingResult {
  Ending ending = Ending::kFault;
  std::string message;  // for a person: what went wrong, who waits; empty when done
  std::int64_t cycles = 0;  // of the system that ran longest
  std::vector<SystemTotals> systems;
  optimiser::Parameters parameters;
};

struct TrainingOptions {
  std::int64_t quantum = 0;  // cycles; 0: as long as allowed. Never changes a result.
  // What on_checkpoint was given, of the same run; the wafer's tiles have been loaded too. Empty: from the beginning.
  std::string resume;
};

// Runs all steps of the schedule (from where `options.resume` stands), or fewer when it ends early. One wafer for each system of run.cluster, all made from
// `plan`. References are used during the call only.
TrainingResult train(const config::Run& run, const config::Dataset& data, const plan::Plan& plan, const Schedule& schedule, const std::vector<Wafer*>& wafers,
                     const TrainingHooks& hooks, const TrainingOptions& options = {});

}  // namespace waferloom::systemc
