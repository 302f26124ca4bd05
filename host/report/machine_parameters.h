// A machine's numbers, each with its origin, for the last table of a report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/config/machine.h"
#include "host/report/run_report.h"

namespace waferloom::report {

std::vector<std::pair<std::string, Quantity>> machine_parameters(const config::Machine& machine);

}  // namespace waferloom::report
