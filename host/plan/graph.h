// The plan's graph of typed operators, which the cost model prices.
#pragma once

#include "host/plan/plan.h"

namespace waferloom::plan {

// Fills plan.operators and the operator lists of both steps' phases. Requires everything else but the images.
void make_graph(Plan& plan);

}  // namespace waferloom::plan
