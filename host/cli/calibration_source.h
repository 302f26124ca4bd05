// Where a projection's calibration comes from: a file that the run names, one that ships (configs/calibration), one kept in the cache, or measured now.
// Only one whose RTL, microcode and accumulation format are those of the machine is taken.
#pragma once

#include <string>

#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "host/config/projection.h"
#include "host/extrapolate/calibration.h"

namespace waferloom::cli {

struct FoundCalibration {
  extrapolate::Calibration calibration;
  std::string from;    // "shipped", "cache", "measured now", or the file
  double seconds = 0;  // that measuring took now
};

// An exit code; kDone: *found is filled. `rtl`: another RTL tree, or empty. `file` is what errors that have no place of their own are about.
int find_calibration(Context& context, Progress& progress, const config::ProjectionRun& run, const std::string& file, const std::string& rtl, FoundCalibration* found);

}  // namespace waferloom::cli
