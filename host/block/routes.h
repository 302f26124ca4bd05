// Routes and queue bindings of the block's program for one tile.
#pragma once

#include <vector>

#include "host/block/shape.h"
#include "host/plan/routes.h"

namespace waferloom::block {

// Colours of the rotation along a sequence's rows (firmware/transformer/attention.wl): even to odd rows, odd to even rows, the last row back to the first.
constexpr int kRotateA = 12, kRotateB = 13, kRotateC = 14;

// As the boot code stores them. Weights, the ring, the multicasts and column chains are those of the training program; row chains and their broadcast
// stay within a head; keys and values rotate within a sequence, on the queue that a load would use.
std::vector<plan::BootStore> boot_stores(const Shape& shape, int x, int y);

}  // namespace waferloom::block
