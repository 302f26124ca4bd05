// Where a calibration comes from: a file that the run names, one that ships (configs/calibration), the store, or arrays that run now.
// Only one whose RTL, microcode and accumulation format are those of the machine is taken.
#pragma once

#include <optional>
#include <string>

#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "host/config/machine.h"
#include "host/extrapolate/calibrate.h"
#include "sim/plugin/unit.h"

namespace waferloom::cli {

struct CalibrationWish {
  config::Machine machine;
  config::Accumulate accumulate = config::Accumulate::kFp32;
  std::string rtl;                  // another RTL tree; empty: the project's
  std::optional<std::string> file;  // that a run names
  config::SourceLocation where;     // there
  std::string about;                // what errors that have no place of their own are about: a file, a machine
};

struct FoundCalibration {
  extrapolate::Calibration calibration;
  std::string from;    // "shipped", "store", "measured now", or the file
  double seconds = 0;  // that measuring took now
};

// An exit code; kDone: *found is filled. What cannot be kept in the store is a warning on err.
int find_calibration(Context& context, Progress& progress, const CalibrationWish& wish, FoundCalibration* found);

// For a calibration that is measured: builds or loads the units of the wish and, once for each new RTL, audits what is skipped. Must outlive the request.
class CalibrationUnits {
 public:
  CalibrationUnits(Context& context, Progress& progress, const CalibrationWish& wish) : context_(context), progress_(progress), wish_(wish) {}
  // As CalibrationRequest::units.
  std::string open(const plugin::Unit** router, const plugin::Unit** pe);
  // The exit code that a failed open stands for.
  int code() const { return code_; }

 private:
  Context& context_;
  Progress& progress_;
  const CalibrationWish& wish_;
  plugin::Unit router_;
  plugin::Unit pe_;
  int code_ = kDone;
};

// "calibrating: 12 of 74 arrays, 31 %, 1 min 40 s left"
std::string calibration_progress_text(const extrapolate::CalibrationProgress& progress);

// The exit code of a calibration that did not end well, after its error has been printed.
int calibration_failed(Context& context, const CalibrationWish& wish, const CalibrationUnits& units, const extrapolate::CalibrationOutcome& outcome);

// As many threads as the machine has cores.
int default_jobs();

}  // namespace waferloom::cli
