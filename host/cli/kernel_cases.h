// The cases of a kernel run before any of them runs: every one is laid out, so that a mistake in the last does not cost the time of the others.
#pragma once

#include <map>
#include <string>

#include "host/config/diagnostic.h"
#include "host/config/kernel_run.h"
#include "host/plan/kernel.h"

namespace waferloom::cli {

struct LaidOutCases {
  std::map<std::string, plan::Kernel> folders;  // by case: those of the user's own
  std::string firmware_hash;                    // of all that the tiles of all cases load
};

// Puts the sizes of folders into their cases. Fails with why the first case that cannot be laid out cannot.
config::Result<LaidOutCases> lay_out_cases(config::KernelRun* run);

}  // namespace waferloom::cli
