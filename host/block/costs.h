// What the phases of attention, norms and activations cost, as counts of things that take cycles in the busiest tile: coefficients come from a fit of measured phases.
// Sizes per tile are to be interpolated, columns and steps extrapolated. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/block/machine.h"

namespace waferloom::block {

struct PhaseCost {
  const char* name;                 // "norm", "norm gradient", "activation", "activation gradient", "attention", "attention gradient"
  std::vector<std::size_t> phases;  // numbers of phases() that are one
  std::vector<std::string> terms;
  std::vector<double> (*count)(const Shape& shape);  // as many as terms, none negative
};

const std::vector<PhaseCost>& phase_costs();

}  // namespace waferloom::block
