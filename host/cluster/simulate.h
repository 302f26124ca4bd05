// The same step in SystemC: MemoryX, the tree of SwarmX, systems and the optimiser as modules that pass messages of one tensor each. Independent of analytic.h, which it
// is held against.
//
// SystemC elaborates once per process, so the simulation runs in a child; nothing of it stays behind. Not to be called while other threads run or from a process that
// has a simulation of its own.
#pragma once

#include <functional>
#include <string>

#include "host/cluster/step_tasks.h"

namespace waferloom::cluster {

struct SimulatedStep {
  std::string error;  // empty, or why there is no result
  StepTiming timing;  // wafer, down, up, update of system 0 and of MemoryX; busy sums and waits are not filled
  std::uint64_t messages = 0;
};

// `leaves`: systems below the last node of the tree (they do the same; more of them cost time and change nothing). At least 1.
// `interrupted` is asked every tenth of a second; true ends the child. Empty: never.
SimulatedStep simulate_step(const StepTasks& tasks, const Fabric& fabric, int leaves, const std::function<bool()>& interrupted = {});

}  // namespace waferloom::cluster
