// One forward and backward pass of the block on a machine, and how far it is from the double-precision reference.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "host/block/machine.h"
#include "host/block/program.h"
#include "host/block/reference.h"

namespace waferloom::block {

struct PassResult {
  std::string problem;                 // "" or the phase and what went wrong in it
  Ended ended = Ended::kRest;          // how the last phase ended; kRest with a problem: results that nobody expects, or that are missing
  TensorBits tensors;
  std::vector<std::uint64_t> cycles;   // by phase
  std::vector<std::uint64_t> words;    // by phase: that entered at the edge
};

// `change`: may alter a word before it enters (number: of the pass).
using Change = std::function<void(std::uint64_t number, plan::EdgeWord& word)>;
// The tiles' memory gets input and output gradient before they boot: in a network the layers around the block leave them there.
PassResult run_pass(Machine& machine, const Program& program, const Parameters& parameters, const Inputs& inputs, const Change& change = {});

// Cycles of some phases alone, by their numbers, on tiles whose slabs hold zeros: no time depends on a value but a streamed weight's being zero. "" or what went wrong.
std::string time_phases(Machine& machine, const Program& program, const std::vector<std::size_t>& which, std::vector<std::uint64_t>* cycles);

// How far a tensor is from the reference.
struct Error {
  double of_bound = 0;  // of the phase that made it, given what that phase had: |machine - reference| as a share of the element's bound, at its worst
  double relative = 0;  // of the whole pass: root of the squared errors' sum over that of the values
  double largest = 0;   // of the whole pass: |machine - reference| at its worst
};
// By tensor. Requires a pass without a problem.
std::map<std::string, Error> errors_of(const PassResult& pass, const Shape& shape, const Parameters& parameters, const Inputs& inputs);

}  // namespace waferloom::block
