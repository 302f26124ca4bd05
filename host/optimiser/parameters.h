// The master copy of a network's parameters in binary32, with the optimiser's state beside each tensor. MemoryX owns one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/config/run.h"
#include "host/optimiser/sgd.h"

namespace waferloom::optimiser {

struct LayerParameters {
  std::string name;
  int inputs = 0;
  int outputs = 0;
  SgdState weights;  // [outputs][inputs]
  SgdState bias;     // [outputs], or empty
};

struct Parameters {
  std::vector<LayerParameters> layers;
};

// Starting values from the seed: weights as model.initialisation says, biases zero. A value is a function of (seed, layer, index) alone.
//   He uniform: U(-b, b), b = sqrt(6 / inputs); He normal: N(0, 2 / inputs); Xavier uniform: b = sqrt(6 / (inputs + outputs)).
Parameters initial_parameters(const config::Model& model, std::uint64_t seed);

// The project's random numbers: a hash of (seed, domain, index), never of thread, rank or order.
std::uint64_t hash_random(std::uint64_t seed, std::uint64_t domain, std::uint64_t index);

}  // namespace waferloom::optimiser
