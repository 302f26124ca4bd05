// The runs that measure what is no matrix product: norms, activations and attention, forward and backward, as the transformer block has them on its tiles (host/block).
//
// No time of these phases depends on a value, so each is run by itself on slabs of zeros. A machine whose tiles do not hold the block's arrays has no such operators, and a
// report says so.
#pragma once

#include <string>
#include <vector>

#include "host/extrapolate/sweep.h"

namespace waferloom::extrapolate {

// Tokens, features and hidden features are those of a tile.
struct BlockArray {
  int width = 2;
  int height = 1;
  int tokens = 4;
  int features = 2;
  int hidden = 4;
  int heads = 1;      // `width` is a multiple
  int sequences = 1;  // `height` is a multiple
  bool held_out = false;
};

// `run`: the machine. Refused: what the block's program cannot be laid out as.
MadeExperiment make_block_experiment(const BlockArray& array, const config::Run& run);

// Of the shipped calibrations: at most 64 tiles enter the fits, larger arrays judge them.
const std::vector<BlockArray>& block_arrays();

// The block's microcode, assembled for an array in which every role of a tile occurs. As 64 hexadecimal digits; empty where it does not fit.
std::string block_program_hash(const config::Machine& machine);

}  // namespace waferloom::extrapolate
