// What a training run needs before anything is built or simulated: the resolved file, its data and its plan. `run` and `check` share it, so that `check`
// refuses what `run` would refuse, with the same words.
#pragma once

#include <string>

#include "host/config/dataset.h"
#include "host/config/diagnostic.h"
#include "host/config/run.h"
#include "host/plan/plan.h"

namespace waferloom::cli {

struct RunSetup {
  config::Run run;
  std::string resolved;  // the whole configuration as canonical YAML
  config::Dataset data;
  plan::Plan plan;  // of each system
};

// `machine`: another machine than the file's, by name or file; empty: the file's own. Fails where the file does not resolve, the data cannot be loaded, the
// simulator lacks what the file asks for, or the network does not fit the tiles.
config::Result<RunSetup> set_up_run(const std::string& file, const std::string& machine);

// An error about a file as a whole.
config::Diagnostic error_in(const std::string& file, std::string message, std::string hint = {});

}  // namespace waferloom::cli
