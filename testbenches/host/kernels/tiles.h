// The units of a machine, built once for all cases of a test, with the cycles that an empty kernel takes.
#pragma once

#include <map>
#include <string>

#include "host/config/resolver.h"
#include "host/kernels/kernel_machine.h"
#include "host/systemc/units.h"
#include "testbenches/lib/catch.h"

namespace waferloom::test {

inline const kernels::MachineOptions& machine(const std::string& name, config::Machine* parameters) {
  struct Built {
    config::Machine machine;
    kernels::MachineOptions options;
  };
  static std::map<std::string, Built> built;
  const auto [entry, fresh] = built.try_emplace(name);
  if (fresh) {
    const auto resolved = config::resolve_machine(name);
    REQUIRE(resolved.ok());
    Built& b = entry->second;
    b.machine = resolved->value;
    b.options.hop = static_cast<unsigned>(b.machine.hop_cycles.value);
    b.options.limit_cycles = 1000000;
    const std::string error = b.options.router.open(systemc::router_spec(b.machine, {})) + b.options.pe.open(systemc::pe_spec(b.machine, {}));
    REQUIRE(error == "");
    REQUIRE(kernels::measure_empty(b.machine, &b.options) == "");
    REQUIRE((b.options.empty_cycles >= 1 && b.options.empty_cycles <= 4));
  }
  *parameters = entry->second.machine;
  return entry->second.options;
}

}  // namespace waferloom::test
