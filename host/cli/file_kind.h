// A file that is given to a command which has no use for its kind.
#pragma once

#include <optional>
#include <string>

#include "host/config/diagnostic.h"

namespace waferloom::cli {

// An error that names the command for the file, if it is clearly of another kind than those wanted: `runs`, training and kernel runs, or else projections. Nothing
// for a file of that kind and for one that cannot be told: resolving it says what it lacks.
std::optional<config::Diagnostic> other_kind(const std::string& file, bool runs);

}  // namespace waferloom::cli
