// What a side of `compare` is: looked at before anything is opened, built or run.
#pragma once

#include <string>

#include "host/config/diagnostic.h"

namespace waferloom::cli {

enum class SideKind {
  kTrainingResult,    // a folder of `run`
  kProjectionResult,  // a folder of `report`
  kMachine,           // a name or a file
  kRtl                // a folder with SystemVerilog
};

// What `side` names, as a person wrote it; or why it can be neither: a name that no machine has, a file that is none, a folder without result and RTL.
config::Result<SideKind> kind_of_side(const std::string& side);

// A result, which needs no run.
bool is_result(SideKind kind);

}  // namespace waferloom::cli
