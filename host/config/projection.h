// A projection: machine, cluster, model and batch, for `waferloom report`. Filled by the resolver from configs/runs/*.yaml that name a model and `batch_tokens` and no data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/config/cluster.h"
#include "host/config/diagnostic.h"
#include "host/config/machine.h"
#include "host/config/run.h"

namespace waferloom::config {

enum class UpdateRule { kAdam, kSgd };        // sgd has momentum
enum class Recompute { kAuto, kAlways, kNever };
const char* to_string(UpdateRule rule);
const char* to_string(Recompute recompute);

struct ProjectionRun {
  std::string name;
  std::string description;
  Machine machine;
  Cluster cluster;  // systems replaced by the run's own, if it gives one
  std::string model;  // a name in configs/models, or a file
  SourceLocation model_where;
  std::int64_t batch_tokens = 1;
  SourceLocation batch_where;
  std::optional<std::int64_t> sequence;
  SourceLocation sequence_where;
  std::optional<double> training_tokens;
  double tokens_per_parameter = 20;
  UpdateRule optimiser = UpdateRule::kAdam;
  Accumulate accumulate = Accumulate::kFp32;
  double density = 1;
  Recompute recompute = Recompute::kAuto;
  SourceLocation recompute_where;
  std::optional<double> price_per_system_hour;
  std::string currency;
  double clock_low_hz = 0;
  double clock_high_hz = 0;
  std::optional<std::string> calibration;  // a file; else the one that ships, or the cache, or measured now
  SourceLocation calibration_where;
  std::string outputs;
};

// Another accelerator, for comparison only: configs/accelerators/*.yaml.
struct AcceleratorFigures {
  std::string name;
  std::string description;
  Sourced<double> peak_fp16_flops_per_s;
  Sourced<double> memory_bytes_per_s;
  Sourced<double> memory_bytes;
  Sourced<double> power_w;
  Sourced<double> utilisation;
};

}  // namespace waferloom::config
