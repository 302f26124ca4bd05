// What `report` and `compare` share: from a run file or a line of options to a projection, calibration included.
#pragma once

#include <optional>
#include <string>

#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "host/cluster/project.h"
#include "host/report/projection.h"
#include "host/report/result_folder.h"

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

// Where results go. It is opened, and by that held against other runs, as soon as the request is known to be right: before anything is measured.
struct OutputFolder {
  std::string path;  // empty: the run's `outputs`, filled in by make_projection
  std::optional<report::ResultFolder> opened;
};

// Opens it, if that has not been done. Returns an exit code; prints errors itself.
int open_output(Context& context, OutputFolder* output);

// What `report` would refuse of a projection before it measures anything; nothing of a right one.
config::Diagnostics refuse_projection(const std::string& file);

// An exit code; kDone: *projection is filled and *output open. Prints errors itself. `file` is empty when the options say everything.
int make_projection(Context& context, Progress& progress, const std::string& file, const ProjectionOptions& options, report::Projection* projection, OutputFolder* output);

// Writes projection.json, the tables, the page and the manifest. Requires `output` to be open.
int write_projection(Context& context, const report::Projection& projection, const OutputFolder& output, double seconds);
int write_comparison(Context& context, const report::ProjectionComparison& comparison, const OutputFolder& output, double seconds);

}  // namespace waferloom::cli
