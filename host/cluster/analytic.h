// The step of a cluster as a recurrence over its tasks: what every sample of the uncertainty, every point of a scaling curve uses. Microseconds for thousands of tasks.
//
// Resources are served in task order: the link down (MemoryX and SwarmX at the slower rate, never further ahead of the wafer than the prefetch buffer holds), the wafer, the
// link up, the optimiser. A tensor's stream waits for its update in the step before. Steps are repeated until two follow each other at the same distance.
#pragma once

#include "host/cluster/step_tasks.h"

namespace waferloom::cluster {

// `keep`: whether the four lists of the last step are filled.
StepTiming analytic_step(const StepTasks& tasks, const Fabric& fabric, bool keep);

}  // namespace waferloom::cluster
