// The report for people: one HTML file that needs nothing from elsewhere (page/ has its parts), light or dark as the
// reader's system is. Same report, same bytes.
#pragma once

#include <string>

#include "host/report/manifest.h"
#include "host/report/run_report.h"

namespace waferloom::report {

std::string report_html(const RunReport& report, const Manifest& manifest);

}  // namespace waferloom::report
