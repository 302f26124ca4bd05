// The folder that a run leaves behind:
//   resolved.yaml          the whole configuration, defaults filled in
//   metrics.json           every number; metrics.csv per step, epochs.csv per epoch
//   weights.safetensors    fp32 master weights and biases
//   report.html            the same for people, self-contained
//   trace/                 with --trace: what was seen inside (docs/user/seeing-inside.md)
//   checkpoints/           of runs that were interrupted or long (sim/checkpoint/folder.h)
//   manifest.json          version, tools, seed, hashes, wall clock; written last: a folder without it is not finished
// Each file is whole or absent. One run at a time writes into a folder.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/config/diagnostic.h"
#include "host/report/manifest.h"
#include "host/report/run_report.h"
#include "host/report/safetensors.h"

namespace waferloom::report {

class ResultFolder {
 public:
  // Makes the folder and proves that it can be written to. Removes nothing: an earlier result stays until write_results replaces it. Refuses a path that is a
  // file and a folder that holds other files and no result of this program: neither a manifest.json of its schema nor the mark of claim(). From here until the
  // last copy of the ResultFolder is gone the folder is locked (flock on the folder itself, which leaves nothing behind, whatever ends the process): a second
  // open, of this process or another, is refused. On a file system that knows no such locks there is none.
  static config::Result<ResultFolder> open(const std::filesystem::path& path);

  // Whether an earlier result is in it (and has not been replaced yet).
  bool holds_result() const;

  // Marks the folder as one in which a result is being made, so that a run that is killed leaves a folder that the next one may use. The manifest takes the
  // mark's place. write_set does it by itself; who puts something else in first (a trace) does it before.
  config::Status claim() const;

  // Adds one file. `name` has no slash.
  config::Status write(const std::string& name, const std::string& bytes) const;

  // Writes a whole result: an earlier one ends and the files that its manifest lists are removed; then the files, the manifest (which then lists them) last.
  config::Status write_set(const std::vector<std::pair<std::string, std::string>>& files, const RunReport& report, Manifest manifest) const;

  // Writes all of a training run.
  config::Status write_results(const RunReport& report, const std::string& resolved_yaml, const TensorFile& weights,
                               Manifest manifest) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  struct Lock;
  ResultFolder(std::filesystem::path path, std::shared_ptr<const Lock> lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  std::shared_ptr<const Lock> lock_;
};

}  // namespace waferloom::report
