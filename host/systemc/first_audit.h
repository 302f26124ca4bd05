// Once for each new RTL: a training step on a small array with every skipped unit evaluated too and compared, so that an edit cannot silently falsify the quiet flags.
#pragma once

#include <functional>
#include <string>

#include "host/config/run.h"
#include "sim/plugin/unit.h"

namespace waferloom::systemc {

struct FirstAudit {
  bool interrupted = false;  // `interrupted` said so: not audited, no error
  std::string error;    // empty, or the first violation: unit, tile, cycle, register; or what stopped the step
  bool ran = false;     // false: these units have passed before (a marker in the cache, by their hashes)
};

// `interrupted` is asked several times a second.
// `cache`: the folder of the markers, as in UnitSpec; empty: the default. A marker that cannot be written only means that the audit runs again.
FirstAudit audit_new_units(const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe, const std::string& cache = {},
                           const std::function<bool()>& interrupted = {});

}  // namespace waferloom::systemc
