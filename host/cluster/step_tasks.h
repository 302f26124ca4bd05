// The step of a cluster at tensor granularity, in seconds: what the two step models (analytic.h, simulate.h) run.
//
// A task is one operator on the wafer. It may wait for a stream of weights (bytes down), may send gradients (bytes up), and the last micro-batch's gradients of a tensor let
// MemoryX update it. Order is the wafer's order; every system runs the same tasks on its own rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/config/cluster.h"
#include "host/models/step_plan.h"

namespace waferloom::cluster {

struct Task {
  std::string label;
  std::string pass;
  int layer = -1;
  double wafer_s = 0;       // on the wafer, edge included
  double down_bytes = 0;    // weights and index words
  double up_bytes = 0;      // gradients
  int tensor = -1;          // whose weights come down, or whose gradients go up; -1: none
  double update_s = 0;      // of MemoryX, once the gradients are there; accumulation or the optimiser
  bool update = false;      // the optimiser has run after it: the tensor's next stream may start
};

// Rates and latencies of what stands around the wafers.
struct Fabric {
  double memoryx_bytes_per_s = 1;  // MemoryX to SwarmX
  double swarmx_bytes_per_s = 1;   // to and from one system, each direction
  double latency_s = 0;            // MemoryX to the wafer's edge, all levels of the tree; the same back
  double prefetch_bytes = 0;
  int levels = 1;                  // of the tree
};

struct StepTasks {
  std::vector<Task> tasks;  // of the micro-batches that are modelled
  int tensors = 0;
  std::int64_t micro_batches = 1;    // of the step
  std::int64_t modelled = 1;         // min(micro_batches, 3): the rest repeats the last one
  std::size_t tasks_per_batch = 0;
};

struct UpdateCost {
  double seconds_per_parameter = 0;             // optimiser step, MemoryX memory traffic
  double seconds_per_accumulated_parameter = 0; // gradients of a further micro-batch
};

Fabric fabric_of(const config::Cluster& cluster, int systems);
StepTasks make_tasks(const models::StepPlan& plan, double clock_hz, const UpdateCost& update, std::int64_t modelled_batches);

// One thing a resource did. Seconds from the begin of the steady step's first task on the wafer.
struct Busy {
  double begin = 0;
  double end = 0;
  std::size_t task = 0;
};

struct StepTiming {
  double step_s = 0;  // of a steady step, all micro-batches
  // Of the modelled micro-batches of one steady step, in task order.
  std::vector<Busy> down;    // MemoryX sends, SwarmX passes on
  std::vector<Busy> wafer;
  std::vector<Busy> up;
  std::vector<Busy> update;
  double batch_s = 0;        // a further micro-batch
  double modelled_s = 0;     // of the step that the lists show
  double wafer_busy_s = 0;   // sum of wafer_s of the whole step
  double down_busy_s = 0;
  double up_busy_s = 0;
  double update_busy_s = 0;
  double wait_weights_s = 0; // the wafer stood still for weights that were on their way, modelled micro-batches
  double wait_update_s = 0;  // the same, because MemoryX had not updated them yet
};

// Share of each resource that a step cannot be shorter than, and the sum that it cannot be longer than.
struct StepBounds {
  double lower_s = 0;
  double upper_s = 0;
};
StepBounds bounds_of(const StepTasks& tasks, const Fabric& fabric);

}  // namespace waferloom::cluster
