// The report page of a projection, and of two compared: HTML files that need nothing from elsewhere. Same data, same bytes; no dates, no random names.
#pragma once

#include <string>

#include "host/report/projection.h"

namespace waferloom::report {

std::string projection_html(const Projection& projection);

// A against B: what differs, and whether by more than the uncertainty of both.
std::string comparison_html(const ProjectionComparison& comparison);

}  // namespace waferloom::report
