// From small arrays to the wafer: measures the passes of a dense layer on verilated tiles, fits a few coefficients that mean something, and prices layers on the
// whole user rectangle of the machine.
//
// A pass over one layer is a loop over its outputs; per output a tile of the fullest column handles `items` weights over `tokens` tokens. Its cycles are
//   groups x (outputs x items x ceil(2 tokens / S))    lane groups, S/2 products a cycle with fp32 accumulation
//   memory groups x the same                           what a group costs more when the two accumulators do not fit in the window
//   + weights x (outputs x items)                      between two weights
//   + reduction x (outputs x tokens)                   partial sums that pass through a tile (gradient: half of it, the multicast)
//   + output x outputs                                 control task, launches
//   + column x width + row x height + start            fill and drain
// and not less than the edge takes for its words. Sizes per tile are interpolated, only width, height and counts extrapolated. Bounds are the largest relative error on
// arrays that the fit never saw, added up linearly.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/config/run.h"
#include "host/extrapolate/calibration.h"
#include "host/extrapolate/fit.h"
#include "host/report/run_report.h"
#include "sim/plugin/unit.h"

namespace waferloom::extrapolate {

// One array and one layer on it.
struct Shape {
  int width = 1;
  int height = 1;
  int inputs_per_column = 1;
  int outputs = 1;
  int tokens_per_pe = 4;
};

// What one pass of one shape is made of.
struct PassSize {
  config::Pass pass = config::Pass::kForward;
  double width = 1;
  double height = 1;
  double outputs = 1;  // the loop: outputs (forward, gradient) or inputs (delta)
  double items = 1;    // weights of the fullest column for one of them
  double tokens = 4;   // of one tile
  bool in_memory = false;  // accumulators lie in SRAM although the machine has a window (never in the gradient pass, which has none)
};

// Whether two accumulators of that many tokens do not fit in the machine's window.
bool accumulators_in_memory(int window_bytes, double tokens, config::Accumulate accumulate, config::Pass pass);

// The terms of the cost model, in the order of term_names().
std::vector<double> terms_of(const PassSize& size, int lanes);
const std::vector<std::string>& term_names();

// What a calibration of that machine is keyed by: the synthesisable sources of both units with their parameters (fast views never change a cycle), the microcode, the
// accumulation format. `rtl_root`: another RTL tree, or empty. *error says what could not be read.
CalibrationKey calibration_key(const config::Machine& machine, config::Accumulate accumulate, const std::string& rtl_root, std::string* error);

class Calibrator {
 public:
  // Units as the run uses them. References must outlive the object.
  Calibrator(const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe);

  // Runs every array of the sweep that these units, this firmware and this planner have not run before (measurements.h). `progress(done, all)` says whether to go on. Returns "" or what failed.
  std::string measure(const std::function<bool(int, int)>& progress);

  // What was measured and fitted, under that key. Requires a successful measure().
  Calibration calibration(const CalibrationKey& key) const;

  // Requires a successful measure().
  report::ExtrapolationRow price(const config::Extrapolation& wanted) const;

  // Largest relative error of a pass on the arrays that its fit did not see.
  double held_out_error(config::Pass pass) const { return held_out_[static_cast<std::size_t>(pass)]; }
  const Fit& fit(config::Pass pass) const { return fits_[static_cast<std::size_t>(pass)]; }

 private:
  struct Measured {
    Shape shape;
    double cycles[3] = {};     // by pass
    report::HeatMap busy;      // busy cycles of each tile over the whole step
  };
  std::string measure_shape(const Shape& shape, bool with_map, const std::function<bool()>& interrupted, Measured* measured) const;
  PassSize size_of(const Shape& shape, config::Pass pass) const;
  std::string fit_all(const std::vector<Measured>& seen, const std::vector<Measured>& unseen);
  void keep_shape(const Sample& sample, const Measured& measured, config::Pass pass, double predicted, bool held_out);

  const config::Run& run_;
  const plugin::Unit& router_;
  const plugin::Unit& pe_;
  Fit fits_[3];
  double held_out_[3] = {};
  std::vector<report::MeasuredShape> shapes_;
  std::vector<report::HeatMap> heat_maps_;
  double seconds_ = 0;
};

}  // namespace waferloom::extrapolate
