// Cases `transformer_block` of a kernel run: laid out and checked by host/block, reported like the other kernels and with a table for each case.
#pragma once

#include <optional>
#include <string>

#include "host/config/kernel_run.h"
#include "host/kernels/kernel_machine.h"

namespace waferloom::cli {

// Why the case cannot be laid out, where it stands in the file. Else *images gets the bytes of the programs, for the firmware's hash.
std::optional<config::Diagnostic> refuse_block(const config::KernelCase& c, std::string* images);

struct BlockCase {
  kernels::Measurement measurement;  // cycles of all phases; words: values compared with the golden fabric's
  std::string tables;                // phases with their cycles, tensors with their errors
  std::string json;
};

// Requires a case that is not refused. A tensor beyond its bounds is a fault of the measurement.
BlockCase run_block(const config::KernelCase& c, std::uint64_t repetition, const kernels::MachineOptions& options);

}  // namespace waferloom::cli
