// From a machine's parameters to the units that are built for it: the one place where configuration names meet RTL parameter names.
#pragma once

#include <string>

#include "host/config/machine.h"
#include "sim/plugin/builder.h"

namespace waferloom::systemc {

struct UnitChoice {
  std::string rtl_root;  // another RTL tree; empty: the project's
  plugin::View view = plugin::View::kFast;
  bool trace = false;
};

plugin::UnitSpec router_spec(const config::Machine& machine, const UnitChoice& choice);
plugin::UnitSpec pe_spec(const config::Machine& machine, const UnitChoice& choice);

}  // namespace waferloom::systemc
