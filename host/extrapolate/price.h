// What a run's `extrapolate:` rows ask: the matrix passes of layers on the whole user rectangle of the machine, priced from a calibration of its tile.
#pragma once

#include "host/config/run.h"
#include "host/extrapolate/calibration.h"
#include "host/report/run_report.h"

namespace waferloom::extrapolate {

// `run`: machine, model and accumulation format. What the planner cannot lay out at that size is refused in the row itself; what leaves the measured sizes is noted there and
// widens the interval in proportion. Requires a calibration of the machine's tile.
report::ExtrapolationRow price_extrapolation(const config::Run& run, const Calibration& calibration, const config::Extrapolation& wanted);

}  // namespace waferloom::extrapolate
