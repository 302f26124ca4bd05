// What `report` and `compare` share: from a run file or a line of options to a projection, calibration included.
#pragma once

#include <filesystem>
#include <string>

#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "host/cluster/project.h"
#include "host/report/projection.h"

namespace waferloom::cli {

// What the command line says beside the run file. Empty: as the file has it.
struct ProjectionOptions {
  std::string machine;
  std::string rtl;          // another RTL tree
  std::string model;        // without a run file
  std::string systems;      // without a run file
  std::string batch_tokens; // without a run file: "4M" is 4 x 1024 x 1024
  std::string cluster;      // without a run file
};

// An exit code; kDone: *projection is filled. Prints errors itself. `file` is empty when the options say everything.
int make_projection(Context& context, Progress& progress, const std::string& file, const ProjectionOptions& options, report::Projection* projection, std::string* outputs);

// Writes projection.json, the tables, the page and the manifest.
int write_projection(Context& context, const report::Projection& projection, const std::string& folder, double seconds);
int write_comparison(Context& context, const report::ProjectionComparison& comparison, const std::string& folder, double seconds);

}  // namespace waferloom::cli
