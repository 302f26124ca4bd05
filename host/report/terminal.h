// The report on a terminal: ASCII, at most 80 columns, one table after the other.
#pragma once

#include <string>
#include <vector>

#include "host/report/run_report.h"

namespace waferloom::report {

// Columns are as wide as their widest cell; the first is left-aligned, the others right-aligned. A table that would be
// wider than 80 columns has its widest columns cut. Ends with a newline.
std::string text_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);

std::string terminal_report(const RunReport& report);

}  // namespace waferloom::report
