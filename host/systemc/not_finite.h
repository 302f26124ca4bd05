// Where a training step stopped being finite: looks into the tiles' memories along the way that data take through the network.
#pragma once

#include <string>

#include "host/plan/plan.h"
#include "host/systemc/fabric_wafer.h"

namespace waferloom::systemc {

// Of a step that has just ended and that no later step has overwritten yet (its outcome, training.h). `rows`: real tokens of the step. A sentence that names the
// first tile, in the order inputs, hidden activations layer by layer, outputs, output gradients last layer first, whose memory holds a value that is not finite,
// with layer, feature and row of the batch; of one tensor the first in ascending row, then feature. If no tile holds one, the tile that has counted the most
// overflows.
std::string first_not_finite(FabricWafer& wafer, const plan::Plan& plan, int rows);

}  // namespace waferloom::systemc
