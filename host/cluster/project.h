// The projection of a model on a cluster of wafers: from inputs that were all read and checked to everything that a report shows.
//
// The answer is the step that SystemC simulates at the nominal constants; its interval, the tornado and every curve come from the analytic step (evaluate.h), which a test
// and each report hold against the simulation. Bounds add linearly: fits of the three passes, assumed operators, assumed constants, the clock.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/cluster/evaluate.h"
#include "host/config/projection.h"
#include "host/report/projection.h"

namespace waferloom::cluster {

struct ProjectionInputs {
  config::ProjectionRun run;
  models::Transformer model;
  extrapolate::Calibration calibration;
  std::string calibration_from;    // "shipped", "cache", "measured now", or a file
  double calibration_seconds = 0;  // that measuring took now
  double code_bytes = 4096;        // of a tile: program, tables, records
  std::vector<config::AcceleratorFigures> accelerators;
  std::string resolved_yaml;
  std::vector<std::string> reproduce;
  std::function<bool()> interrupted;  // asked all the while; true ends it. Empty: never

  bool stopped() const { return interrupted && interrupted(); }
};

// A projection, or why there is none: located where the run file says what is refused; "interrupted" if that is so.
config::Result<report::Projection> project(const ProjectionInputs& inputs);

// What is wrong with a run before anything is measured: a batch of no whole sequences or of fewer than the systems, a sequence longer than the model's positions, a model that
// MemoryX cannot hold. Empty when all is well.
config::Diagnostics check_request(const config::ProjectionRun& run, const models::Transformer& model);

// ---- Parts of it, for the other files of this folder.

// The nominal point of the inputs; refuses what check_request refuses, and calibrations of another tile.
config::Result<Point> nominal_point(const ProjectionInputs& inputs);

// One constant whose interval the uncertainty walks.
struct Knob {
  report::TornadoEntry entry;  // without the step times
  void (*set)(Point& point, double value) = nullptr;
};
// `some_assumed`: whether a price is, so that what only those depend on counts.
std::vector<Knob> knobs_of(const ProjectionInputs& inputs, const Point& nominal, bool some_assumed);

void add_assumptions(const ProjectionInputs& inputs, const Point& nominal, const std::vector<Knob>& knobs, report::Projection& projection);
void add_operators(const Point& nominal, const Evaluation& evaluation, report::Projection& projection);
void add_timeline(const Evaluation& evaluation, const StepTiming& timing, report::Projection& projection);
void add_curves(const ProjectionInputs& inputs, const Point& nominal, report::Projection& projection);
void add_accelerators(const ProjectionInputs& inputs, double flops_per_token, double tokens_per_s, double memory_bytes, report::Projection& projection);
void add_calibration(const ProjectionInputs& inputs, report::Projection& projection);

}  // namespace waferloom::cluster
