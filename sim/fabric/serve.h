#pragma once
// What the ranks beside rank 0 do: they take rectangles of its fabrics and evaluate them until it ends the run.
#include <string>

#include "sim/fabric/transport.h"

namespace waferloom::fabric {

// Returns when rank 0 says that the run is over, with "" or why that was not orderly.
std::string serve(Transport* transport);

// Rank 0, at its end: lets the others go. Does nothing if a rank has been lost.
void end_service(Transport* transport);

}  // namespace waferloom::fabric
