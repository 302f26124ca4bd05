// Runs a kernel folder on the golden functional fabric.
#pragma once

#include <string>
#include <vector>

#include "host/plan/kernel.h"

namespace waferloom::testing {

struct KernelRun {
  std::vector<std::string> problems;  // empty: everything is as expected
  std::vector<std::vector<std::uint64_t>> edge;
};

// `shuffle_seed`: see golden::FabricOptions.
KernelRun run_kernel(const plan::Kernel& kernel, std::uint64_t shuffle_seed = 0);

}  // namespace waferloom::testing
