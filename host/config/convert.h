// From bound values to the typed structures, and the checks that involve more than one value. Errors go to
// loader.fail(). Requires: bind() reported no error.
#pragma once

#include "host/config/bind.h"
#include "host/config/run.h"

namespace waferloom::config {

Machine to_machine(const Value& value, Loader& loader);
Model to_model(const Value& value, Loader& loader);
Cluster to_cluster(const Value& value, Loader& loader);

// Looks for the data file and rewrites value's data.file such that the canonical text finds it from anywhere.
Run to_run(Value& value, Loader& loader);

}  // namespace waferloom::config
