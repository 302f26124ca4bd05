// The numbers that measured kernels work on, and their sums as a tile computes them: bit patterns, one 32-bit word per wavelet (one binary32, or two packed
// binary16, the first in the low half). Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "host/config/kernel_run.h"

namespace waferloom::kernels {

using Words = std::vector<std::uint32_t>;

// Word `index` of tile (x, y): a hash of (seed, domain, index), finite, magnitude below 2, with a full mantissa so that each addition rounds.
std::uint32_t random_word(std::uint64_t seed, std::uint32_t x, std::uint32_t y, std::uint32_t index, config::Precision precision);
Words random_vector(std::uint64_t seed, std::uint32_t x, std::uint32_t y, std::uint32_t words, config::Precision precision);

// a + b, rounded once per element. `add_to`: each word of `sum`.
std::uint32_t add_word(std::uint32_t a, std::uint32_t b, config::Precision precision);
void add_to(Words& sum, const Words& other, config::Precision precision);

}  // namespace waferloom::kernels
