#include "host/report/result_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/report/files.h"
#include "host/report/html.h"
#include "host/report/metrics.h"

namespace waferloom::report {

// The descriptor that holds the folder's lock.
struct ResultFolder::Lock {
  explicit Lock(int opened) : descriptor(opened) {}
  ~Lock() { ::close(descriptor); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  const int descriptor;
};

namespace {

namespace fs = std::filesystem;

// Says that a result is being written: from before its first file until its manifest is there. Lists, a line each, the files that the result has or will have
// and those of the one before it, so that a run that is killed between them leaves no file that nobody knows.
constexpr const char* kUnfinished = ".partial-unfinished";
constexpr const char* kProbe = ".partial-probe";
constexpr const char* kMarkBegins = "waferloom";

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Whether a file in an otherwise foreign folder can only be what a killed run left before it had put in its mark.
bool is_of_the_first_steps(const std::string& name) {
  return name == kProbe || is_temporary_of(name, kProbe) || is_temporary_of(name, kUnfinished);
}

// The files of the result that is there, whole or not: what its manifest and the mark list.
std::vector<std::string> listed_files(const fs::path& folder) {
  std::vector<std::string> names;
  const nlohmann::json manifest = nlohmann::json::parse(read_text(folder / "manifest.json"), nullptr, false);
  if (manifest.is_object() && manifest.contains("files") && manifest["files"].is_array()) {
    for (const nlohmann::json& name : manifest["files"]) {
      if (name.is_string()) names.push_back(name.get<std::string>());
    }
  }
  std::istringstream mark(read_text(folder / kUnfinished));
  std::string line;
  if (!std::getline(mark, line) || line != kMarkBegins) return names;
  while (std::getline(mark, line)) {
    if (std::find(names.begin(), names.end(), line) == names.end()) names.push_back(line);
  }
  return names;
}

config::Status write_mark(const fs::path& folder, const std::vector<std::string>& names) {
  std::string text = std::string(kMarkBegins) + "\n";
  for (const std::string& name : names) text += name + "\n";
  return write_whole_file(folder / kUnfinished, text);
}

// Whether manifest.json is one that this program wrote.
bool has_our_manifest(const fs::path& folder) {
  return read_text(folder / "manifest.json").find("\"waferloom-manifest-") != std::string::npos;
}

// "checkpoint-NUMBER.wlc", or what it is called until it is whole.
bool is_checkpoint(std::string name) {
  const std::string begins = "checkpoint-", ends = ".wlc";
  if (is_temporary(name)) name = name.substr(1, name.rfind(ends) == std::string::npos ? std::string::npos : name.rfind(ends) + ends.size() - 1);
  if (name.size() <= begins.size() + ends.size() || name.compare(0, begins.size(), begins) != 0) return false;
  const std::size_t digits = name.find_first_not_of("0123456789", begins.size());
  return digits != begins.size() && digits != std::string::npos && name.compare(digits, std::string::npos, ends) == 0;
}

// A folder `checkpoints` that holds nothing but checkpoints, whole or left by a write that was cut off.
bool is_checkpoints(const fs::path& folder) {
  std::error_code error;
  if (folder.filename() != "checkpoints" || !fs::is_directory(folder, error)) return false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!is_checkpoint(entry.path().filename().string())) return false;
  }
  return !error;
}

// Whether everything in the folder is what a run of ours leaves that was killed before its mark was there, or its checkpoints.
bool only_leftovers(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!is_of_the_first_steps(entry.path().filename().string()) && !is_checkpoints(entry.path())) return false;
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

  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return file_fault(path, std::string("the result folder cannot be read: ") + std::strerror(errno), "choose another folder with -o");
  auto lock = std::make_shared<const Lock>(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return file_fault(path, "another run of waferloom is writing into this folder", "wait until it has ended, or choose another folder with -o");

  // A manifest of ours makes the folder ours; so does the mark of a result that was cut off, and so does an empty one. Without them, files of our names may be
  // somebody else's.
  if (!has_our_manifest(path) && !fs::exists(path / kUnfinished, error) && !only_leftovers(path))
    return file_fault(path, "the folder holds other files and no result of a run",
                      "choose an empty or a new folder with -o");

  ResultFolder folder(path, std::move(lock));
  const config::Status probe = folder.write(kProbe, "");
  if (!probe) return probe.errors();
  fs::remove(path / kProbe, error);
  return folder;
}

bool ResultFolder::holds_result() const { return has_our_manifest(path_); }

config::Status ResultFolder::claim() const { return write_mark(path_, listed_files(path_)); }

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
  // An earlier result ends here, its manifest first, then what it lists: until the new one is written the folder is unfinished, and the mark knows the files of
  // both.
  std::error_code error;
  const std::vector<std::string> before = listed_files(path_);
  std::vector<std::string> both = before;
  for (const auto& [name, bytes] : files) {
    if (std::find(both.begin(), both.end(), name) == both.end()) both.push_back(name);
  }
  const config::Status claimed = write_mark(path_, both);
  if (!claimed) return claimed;
  fs::remove(path_ / "manifest.json", error);
  if (error) return file_fault(path_ / "manifest.json", "an earlier result cannot be removed: " + error.message());
  for (const std::string& name : before) {
    // A list that somebody edited names nothing outside of the folder, and no folder in it.
    const fs::path file = path_ / name;
    if (name.empty() || name.find('/') != std::string::npos || fs::is_directory(fs::symlink_status(file, error))) continue;
    fs::remove(file, error);
    if (error) return file_fault(file, "an earlier result cannot be removed: " + error.message());
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
    if (is_temporary(entry.path().filename().string())) fs::remove(entry.path(), error);
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
