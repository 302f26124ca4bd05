// A run's numbers for programs: metrics.json (everything), metrics.csv (a line per step), epochs.csv (a line per
// epoch). Schema: configs/schemas/metrics.schema.json. Numbers that are not finite are written as the texts "NaN",
// "Infinity" and "-Infinity", in JSON and CSV alike.
#pragma once

#include <string>

#include "host/report/run_report.h"

namespace waferloom::report {

std::string metrics_json(const RunReport& report);
std::string metrics_csv(const RunReport& report);
std::string epochs_csv(const RunReport& report);

}  // namespace waferloom::report
