#include "host/report/result_folder.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "host/report/files.h"
#include "host/report/html.h"
#include "host/report/metrics.h"

namespace waferloom::report {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 10> kFiles{"resolved.yaml", "metrics.json",  "metrics.csv",  "epochs.csv", "weights.safetensors",
                                            "report.html",   "manifest.json", "kernels.json", "kernels.csv", "block.json"};

bool is_ours(const std::string& name) {
  return std::find(kFiles.begin(), kFiles.end(), name) != kFiles.end() || name == "trace" || name.find(".partial-") != std::string::npos;
}

// Says that a result is being written: from before its first file until its manifest is there.
constexpr const char* kUnfinished = ".partial-unfinished";

// Whether manifest.json is one that this program wrote.
bool has_our_manifest(const fs::path& folder) {
  std::ifstream file(folder / "manifest.json", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return text.find("\"waferloom-manifest-") != std::string::npos;
}

// A folder `checkpoints` that holds nothing but checkpoints, whole or left by a write that was cut off.
bool is_checkpoints(const fs::path& folder) {
  std::error_code error;
  if (folder.filename() != "checkpoints" || !fs::is_directory(folder, error)) return false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.find("checkpoint-") > 1) return false;
  }
  return !error;
}

// Whether all files are partial ones, left by a write that was cut off, or checkpoints of a run that was.
bool only_partial(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().find(".partial-") == std::string::npos && !is_checkpoints(entry.path())) return false;
  }
  return !error;
}

}  // namespace

config::Result<ResultFolder> ResultFolder::open(const fs::path& path) {
  std::error_code error;
  if (path.empty()) return file_fault(path, "the result folder has no name");
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_directory(status))
    return file_fault(path, "is a file, not a folder", "choose another folder with -o");
  fs::create_directories(path, error);
  if (error)
    return file_fault(path, "the result folder cannot be made: " + error.message(), "choose another folder with -o");

  bool foreign = false;
  bool other = false;
  fs::directory_iterator it(path, error);
  if (error)
    return file_fault(path, "the result folder cannot be read: " + error.message(), "choose another folder with -o");
  for (const fs::directory_iterator end; it != end; it.increment(error)) {
    if (error) return file_fault(path, "the result folder cannot be read: " + error.message());
    other = true;
    if (!is_ours(it->path().filename().string()) && !is_checkpoints(it->path())) foreign = true;
  }
  // A manifest of ours makes the folder ours; so does the mark of a result that was cut off, and so does an empty one. Without them, files of our names may be
  // somebody else's.
  if (other && !has_our_manifest(path) && !fs::exists(path / kUnfinished, error) && (foreign || !only_partial(path)))
    return file_fault(path, "the folder holds other files and no result of a run",
                      "choose an empty or a new folder with -o");

  ResultFolder folder(path);
  const config::Status probe = folder.write(".partial-probe", "");
  if (!probe) return probe.errors();
  fs::remove(path / ".partial-probe", error);
  return folder;
}

bool ResultFolder::holds_result() const { return has_our_manifest(path_); }

config::Status ResultFolder::claim() const { return write(kUnfinished, "waferloom\n"); }

config::Status ResultFolder::write(const std::string& name, const std::string& bytes) const {
  return write_whole_file(path_ / name, bytes);
}

config::Status ResultFolder::write_results(const RunReport& report, const std::string& resolved_yaml,
                                           const TensorFile& weights, Manifest manifest) const {
  return write_set({
      {"resolved.yaml", resolved_yaml},
      {"metrics.json", metrics_json(report)},
      {"metrics.csv", metrics_csv(report)},
      {"epochs.csv", epochs_csv(report)},
      {"weights.safetensors", encode_safetensors(weights)},
      {"report.html", report_html(report, manifest)},
  }, report, manifest);
}

config::Status ResultFolder::write_set(const std::vector<std::pair<std::string, std::string>>& files, const RunReport& report, Manifest manifest) const {
  // An earlier result ends here, its manifest first: until the new one is written the folder is unfinished.
  std::error_code error;
  const config::Status claimed = claim();
  if (!claimed) return claimed;
  fs::remove(path_ / "manifest.json", error);
  if (error) return file_fault(path_ / "manifest.json", "an earlier result cannot be removed: " + error.message());
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".partial-") != std::string::npos && name != kUnfinished) fs::remove(entry.path(), error);
  }
  manifest.files.clear();
  for (const auto& [name, bytes] : files) {
    const config::Status status = write(name, bytes);
    if (!status) return status;
    manifest.files.emplace_back(name);
  }
  const config::Status written = write("manifest.json", manifest_json(report, manifest));
  if (written) fs::remove(path_ / kUnfinished, error);
  return written;
}

}  // namespace waferloom::report
