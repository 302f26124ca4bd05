// `compare` of training runs: two result folders as they are, or one run on two RTL trees or machines, run first.
#pragma once

#include <string>

#include "host/cli/command.h"
#include "host/cli/compare_side.h"

namespace waferloom::cli {

// Compares the results in the two folders and writes text, page, JSON and CSV into `output`. `a`, `b`: what the user called them. An exit code; prints errors itself.
int compare_result_folders(Context& context, const std::string& a, const std::string& b, const std::string& folder_a, const std::string& folder_b, const std::string& output);

// Trains `run` on both sides (machines or RTL trees), one after the other, into `output`/a and `output`/b, then compares. The exit code of the first run
// that fails ends it; what can be known before is refused before the first.
int compare_training(Context& context, const std::string& a, SideKind kind_a, const std::string& b, SideKind kind_b, const std::string& run, unsigned threads, const std::string& output);

}  // namespace waferloom::cli
