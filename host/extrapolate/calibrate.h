// From small arrays to coefficients: runs the sweep on verilated tiles, fits each operator (operators.h) and judges it on larger arrays that no fit saw.
//
// Measurements come from the store where it has them, from runs of the units where it has not; runs are shared between threads, and each is kept as soon as it has ended.
// The RTL is deterministic and every fit takes its samples in the order of the sweep: the result is the same for any number of threads, and for any history of the store.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/config/run.h"
#include "host/extrapolate/block_sweep.h"
#include "host/extrapolate/calibration.h"
#include "host/extrapolate/store.h"
#include "host/extrapolate/sweep.h"
#include "sim/plugin/unit.h"

namespace waferloom::extrapolate {

// What a calibration of that machine is keyed by: the synthesisable sources of both units with their parameters (fast views never change a cycle), the assembled microcode of the
// training program and of the transformer block, the accumulation format. `rtl_root`: another RTL tree, or empty. *error says what could not be read.
CalibrationKey calibration_key(const config::Machine& machine, config::Accumulate accumulate, const std::string& rtl_root, std::string* error);

struct CalibrationProgress {
  int done = 0;  // runs, those found in the store included
  int all = 0;
  double share = 0;         // of the work
  double seconds_left = 0;  // negative: not known yet
};

struct CalibrationRequest {
  config::Machine machine;
  config::Accumulate accumulate = config::Accumulate::kFp32;
  CalibrationKey key;
  // Builds or loads the units of that key, any view, and says which: called once, by the calling thread, and only if something has to be measured. "" or what failed.
  std::function<std::string(const plugin::Unit** router, const plugin::Unit** pe)> units;
  Store* store = nullptr;  // may be null: nothing is found, nothing kept
  int jobs = 1;            // threads, at least 1
  bool force = false;      // measure what the store has, too
  // Both empty: sweep_shapes(), and block_arrays() where the machine's tiles hold them.
  std::vector<StepShape> shapes;
  std::vector<BlockArray> blocks;
  // Called by the calling thread, several times a second while arrays run; false stops. May be empty.
  std::function<bool(const CalibrationProgress&)> progress;
};

enum class CalibrationFault {
  kNone,
  kInterrupted,
  kRefused,  // the planner does not lay the sweep out on this machine
  kUnits,    // the units cannot be had
  kFailed,   // a run, or a fit that its samples do not determine
  kStore,
};

struct CalibrationOutcome {
  CalibrationFault fault = CalibrationFault::kNone;
  std::string error;                 // kRefused, kUnits, kFailed
  config::Diagnostics store_errors;  // kStore; with kNone: why what was measured could not be kept (only if `keep_going`)
  Calibration calibration;        // kNone
  int measured = 0;               // runs made now
  int found = 0;                  // runs found in the store
  double seconds = 0;
};

// `keep_going`: a store that cannot be read or written does not stop the calibration.
CalibrationOutcome calibrate(const CalibrationRequest& request, bool keep_going);

// Fits and judges. "" or what was refused: samples that do not span an operator's terms, too few of them.
std::string fit_operators(const std::vector<OperatorSample>& seen, const std::vector<OperatorSample>& unseen, Calibration* calibration);

}  // namespace waferloom::extrapolate
