// From bound values to the typed structures, and the checks that involve more than one value. Errors go to
// loader.fail(). Requires: bind() reported no error.
#pragma once

#include "host/config/bind.h"
#include "host/config/kernel_run.h"
#include "host/config/projection.h"
#include "host/config/run.h"
#include "host/config/transformer.h"

namespace waferloom::config {

Machine to_machine(const Value& value, Loader& loader);
Model to_model(const Value& value, Loader& loader);
Cluster to_cluster(const Value& value, Loader& loader);
Transformer to_transformer(const Value& value, Loader& loader);
AcceleratorFigures to_accelerator(const Value& value, Loader& loader);

// Files that it names become absolute, so that the canonical text finds them from anywhere.
ProjectionRun to_projection(Value& value, Loader& loader);

// Looks for the data file and rewrites value's data.file such that the canonical text finds it from anywhere.
Run to_run(Value& value, Loader& loader);

KernelRun to_kernel_run(const Value& value, Loader& loader);  // kernel_convert.cpp

}  // namespace waferloom::config
