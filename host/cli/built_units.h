// The units that a command simulates with, built where the cache does not have them: the one place that says why one cannot be built.
#pragma once

#include <string>
#include <vector>

#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "sim/plugin/unit.h"

namespace waferloom::cli {

struct UnitWish {
  plugin::Unit* unit;  // filled
  plugin::UnitSpec spec;
};

struct OpenedUnits {
  int code = kDone;   // kUsage: the RTL does not build; kInputOutput: the cache of built units cannot be used; or the code of a signal
  std::string error;  // without "FILE: error: "; ends with a newline and has its hint; empty when done or interrupted
};

// Opens them one after the other, up to the first that fails. A signal ends a build at once. `what`: what the units are to the user, in front of their names
// ("the traced twin of ").
OpenedUnits open_units(const Context& context, std::vector<UnitWish> wishes, const std::string& what = {});

// The same; clears the progress line and says on context.err what went wrong, about `about`. Returns an ExitCode.
int open_units_or_say(const Context& context, Progress& progress, const std::string& about, std::vector<UnitWish> wishes, const std::string& what = {});

}  // namespace waferloom::cli
