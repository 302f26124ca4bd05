// The block on verilated tiles, held against the golden fabric and the reference: what a kernel run reports.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/block/run.h"

namespace waferloom::block {

// Largest deviation of a whole pass from the reference that is accepted, as a share of the tensor's root mean square: many roundings of 2^-11.
constexpr double kMostRelative = 0x1p-8;

struct CheckedRun {
  Shape shape;
  std::string problem;             // "" or what kept a pass from its end
  PassResult pass;                 // of the verilated tiles
  std::uint64_t compared = 0;      // values, against the golden fabric's bits
  std::uint64_t different = 0;
  std::string first_difference;    // "queries[3]: 0x3c00, expected 0x3c01"
  std::map<std::string, Error> errors;

  std::uint64_t cycles() const;    // all phases
  bool within() const;             // every element within its phase's bound, every tensor within kMostRelative
};

// With random parameters and inputs of that seed.
CheckedRun run_checked(const Program& program, std::uint64_t seed, const RtlOptions& options);

// For the terminal, at most 80 columns: cycles of each phase with what it is made of; tensors with their errors.
std::string phase_table(const CheckedRun& run);
std::string error_table(const CheckedRun& run);
// Both as JSON, schema waferloom-block-1.
std::string checked_run_json(const CheckedRun& run, const std::string& name, std::uint64_t seed);

}  // namespace waferloom::block
