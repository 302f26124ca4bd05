// Reads a training run's result folder back: metrics.json, the hashes of manifest.json, resolved.yaml. Strict: another schema, a mistyped or missing member is a located error.
#pragma once

#include <filesystem>
#include <string>

#include "host/config/diagnostic.h"
#include "host/report/manifest.h"
#include "host/report/run_report.h"

namespace waferloom::report {

struct StoredRun {
  RunReport report;       // without heat maps, parameters and causes of single steps
  Manifest manifest;      // units, firmware
  std::string version;    // of the program that wrote it
  std::string commit;
  std::string resolved_yaml;
};

// Whether the folder has a metrics.json: the result of a training run, finished or not.
bool holds_training_result(const std::filesystem::path& folder);

// Requires nothing. A folder without a manifest.json is an unfinished result: an input/output error that says so.
config::Result<StoredRun> read_training_result(const std::filesystem::path& folder);

}  // namespace waferloom::report
