// Parses a command line and runs one command. Separate from main() so that tests can call it with their own streams.
#pragma once

#include <string>
#include <vector>

#include "host/cli/command.h"

namespace waferloom::cli {

// `arguments` without the program's name. Returns the exit code; prints usage errors (with a suggestion for a misspelt
// word) to context.err and help to context.out.
int run_application(const std::vector<std::string>& arguments, Context& context);

}  // namespace waferloom::cli
