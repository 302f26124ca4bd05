// The block in double precision, written from its formulas and not from the program. Two uses.
//
// From the inputs alone: what every tensor should be. The machine's deviation is then a whole pass's rounding, held as a norm.
//
// Phase by phase: each tensor from what the machine itself had when it made it, with a bound on the deviation of each element. The bound follows the machine's
// numbers: slabs and gradients round to binary16 (2^-11 relative, 2^-25 absolute), everything within a phase is binary32 (2^-24 for each operation, n 2^-24
// of the sum of magnitudes for n additions in any order), special functions are within one unit in the last place, weights of attention round to binary16
// before they multiply. It holds if nothing overflows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/block/shape.h"
#include "sim/checkpoint/archive.h"

namespace waferloom::block {

// Values of a tensor as the machine has them: binary16 in the low half (activations and their gradients, [tokens][features]), or binary32 (gradients of
// parameters, in the order of the parameters; of the norms' gain and bias by feature).
struct Bits {
  bool single = false;
  std::vector<std::uint32_t> values;
  double value(std::size_t i) const;
  void transfer(checkpoint::Archive& archive) { archive(single, values); }
  bool operator==(const Bits& other) const { return single == other.single && values == other.values; }
};
using TensorBits = std::map<std::string, Bits>;

struct Tensor {
  std::vector<double> value;
  std::vector<double> bound;  // with `machine` only; else it means nothing
};

// Tensors by name: slabs of program.h, gradients as "LAYER.weight", "LAYER.bias", "NORM.gain", "NORM.bias". With `machine` (every tensor of a pass): phase by phase.
std::map<std::string, Tensor> reference_pass(const Shape& shape, const Parameters& parameters, const Inputs& inputs, const TensorBits* machine = nullptr);

}  // namespace waferloom::block
