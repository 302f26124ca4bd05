// One point of a projection: a model, a machine, a cluster and constants become a step time. What the answer, its uncertainty and every curve are made of.
// Pure; a point for GPT-3 175B costs a few milliseconds.
#pragma once

#include <string>

#include "host/cluster/analytic.h"
#include "host/config/projection.h"
#include "host/extrapolate/calibration.h"
#include "host/models/step_plan.h"

namespace waferloom::cluster {

// Everything that a point depends on. References must outlive it.
struct Point {
  const models::Transformer* model = nullptr;
  const extrapolate::Calibration* calibration = nullptr;
  config::Machine machine;
  config::Cluster cluster;
  config::Accumulate accumulate = config::Accumulate::kFp32;
  config::UpdateRule optimiser = config::UpdateRule::kAdam;
  config::Recompute recompute = config::Recompute::kAuto;
  models::CostKnobs knobs;
  std::int64_t sequence = 1;
  std::int64_t sequences = 1;  // of the whole cluster
  double density = 1;
  double code_bytes = 4096;
  std::int64_t micro_batches = 0;  // 0: chosen

  std::int64_t sequences_of_one() const { return (sequences + cluster.systems.value - 1) / cluster.systems.value; }
};

struct Evaluation {
  std::string refusal;  // empty, or why there is no step
  std::string hint;
  models::StepPlan plan;
  Fabric fabric;
  StepTasks tasks;
  StepTiming timing;
  std::string limit;  // one of report::limit_names()
  double update_bytes_per_s = 0;  // that MemoryX's memory gives the optimiser
};

// `keep`: whether the timing's lists are filled.
Evaluation evaluate(const Point& point, bool keep);

// What limits a step of that timing.
std::string limit_of(const models::StepPlan& plan, const Fabric& fabric, const StepTiming& timing, double clock_hz);

// Bytes that MemoryX holds for the model, and for one stored weight.
double memoryx_bytes_per_parameter(config::UpdateRule rule);
double memoryx_bytes(const models::Transformer& model, config::UpdateRule rule, double density);

}  // namespace waferloom::cluster
