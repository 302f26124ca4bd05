// What the collectives must give: the same additions in the same order, on the host.
#pragma once

#include <functional>

#include "host/kernels/collectives.h"

namespace waferloom::kernels {

// Sum of the vectors of one line (0 is the root), in the order of an algorithm. The vectors may be used up.
using LineSum = std::function<Words(std::vector<Words>& line, config::Precision precision)>;

// From the far end to the root: ((v[n-1] + v[n-2]) + ...) + v[0].
Words chain_sum(std::vector<Words>& line, config::Precision precision);

// Nearest first. Single binary32 values go into `lanes` / 2 accumulators in turn, which a tree joins.
Words star_sum(std::vector<Words>& line, config::Precision precision, int lanes);
// In rounds: tile i takes the sum of tile i + 2**r.
Words tree_sum(std::vector<Words>& line, config::Precision precision);
// Chains within groups, then over the groups' first tiles.
Words two_phase_sum(std::vector<Words>& line, config::Precision precision, std::uint32_t group);

// Sum over a rectangle: along x in each row, then along y over the rows' sums.
Words rectangle_sum(const config::KernelCase& wanted, std::uint64_t seed, const LineSum& sum);

// Completes a layout whose tiles start with random vectors: the sum in tile (0, 0) ...
LayoutOutcome finish_reduce(LayoutBuilder& builder, const config::KernelCase& wanted, std::uint64_t seed, const LineSum& sum);
// ... or one vector in every tile.
LayoutOutcome finish_everywhere(LayoutBuilder& builder, const config::KernelCase& wanted, std::uint64_t seed, std::function<Words()> vector);

}  // namespace waferloom::kernels
