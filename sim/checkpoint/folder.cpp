#include "sim/checkpoint/folder.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "sim/checkpoint/archive.h"

namespace waferloom::checkpoint {
namespace {

namespace fs = std::filesystem;

const std::string kPrefix = "checkpoint-";
const std::string kSuffix = ".wlc";

// The number in a checkpoint's name, or -1.
long number_of(const std::string& name) {
  if (name.size() <= kPrefix.size() + kSuffix.size() || name.size() > kPrefix.size() + kSuffix.size() + 12 || name.compare(0, kPrefix.size(), kPrefix) != 0 ||
      name.compare(name.size() - kSuffix.size(), kSuffix.size(), kSuffix) != 0) {
    return -1;
  }
  const std::string digits = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
  if (digits.find_first_not_of("0123456789") != std::string::npos) return -1;
  return std::strtol(digits.c_str(), nullptr, 10);
}

// The first line in which two texts differ; *line counts from 1.
std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b) {
  std::istringstream first(a), second(b);
  std::string left, right;
  for (;;) {
    const bool more_left = static_cast<bool>(std::getline(first, left));
    const bool more_right = static_cast<bool>(std::getline(second, right));
    if (!more_left && !more_right) return {};
    if (!more_left) left = "(nothing)";
    if (!more_right) right = "(nothing)";
    if (left == right) continue;
    const auto trimmed = [](const std::string& text) { return text.substr(std::min(text.find_first_not_of(' '), text.size())); };
    return {trimmed(left), trimmed(right)};
  }
}

}  // namespace

void save_identity(const Identity& identity, FileWriter& writer) {
  Archive archive;
  Identity copy = identity;
  archive(copy);
  writer.section("identity", archive.bytes());
}

Fault compare_identity(const Identity& here, FileReader& reader) {
  std::string bytes;
  const Fault fault = reader.read("identity", &bytes);
  if (!fault.ok()) return fault;
  Archive archive(bytes);
  Identity there;
  archive(there);
  if (!archive.complete()) return {Fault::Kind::kUnreadable, "is damaged: section identity has another size"};
  for (const auto& [name, value] : here) {
    const auto found = std::find_if(there.begin(), there.end(), [&, &name = name](const auto& entry) { return entry.first == name; });
    if (found == there.end()) return {Fault::Kind::kForeign, "does not say its " + name};
    if (found->second == value) continue;
    const auto [left, right] = first_difference(found->second, value);
    return {Fault::Kind::kForeign, "is of another " + name + ": '" + left + "' there, '" + right + "' here"};
  }
  return {};
}

std::vector<std::string> checkpoints_in(const std::string& folder) {
  std::vector<std::pair<long, std::string>> found;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    const long number = number_of(it->path().filename().string());
    if (number >= 0) found.emplace_back(number, it->path().string());
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> paths;
  for (auto& entry : found) paths.push_back(std::move(entry.second));
  return paths;
}

std::string Keeper::next(std::string* error) {
  std::error_code code;
  fs::create_directories(folder_, code);
  if (code) {
    *error = folder_ + ": cannot be made: " + code.message();
    return {};
  }
  const std::vector<std::string> present = checkpoints_in(folder_);
  const long number = present.empty() ? 1 : number_of(fs::path(present.front()).filename().string()) + 1;
  char name[64];
  std::snprintf(name, sizeof name, "%s%06ld%s", kPrefix.c_str(), number, kSuffix.c_str());
  return (fs::path(folder_) / name).string();
}

void Keeper::prune() {
  const std::vector<std::string> present = checkpoints_in(folder_);
  std::error_code code;
  for (std::size_t i = static_cast<std::size_t>(std::max(1, keep_)); i < present.size(); ++i) fs::remove(present[i], code);
  // What a killed process left half-written.
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, code)) {
    const std::string name = entry.path().filename().string();
    const std::size_t ends = name.find(".partial-");
    if (ends != std::string::npos && name[0] == '.' && number_of(name.substr(1, ends - 1)) >= 0) fs::remove(entry.path(), code);
  }
}

Opened open_newest(const std::string& place, const Identity& here) {
  Opened opened;
  opened.where = place;
  std::error_code code;
  const fs::file_status status = fs::status(place, code);
  if (!fs::exists(status)) {
    opened.fault = {Fault::Kind::kUnreadable, "cannot be read: " + (code ? code.message() : std::string("no such file or folder"))};
    return opened;
  }
  std::vector<std::string> candidates = {place};
  if (fs::is_directory(status)) {
    candidates = checkpoints_in(place);
    if (candidates.empty()) candidates = checkpoints_in((fs::path(place) / "checkpoints").string());
    if (candidates.empty()) {
      opened.fault = {Fault::Kind::kForeign, "holds no checkpoint (a file checkpoint-NNNNNN.wlc, there or in a folder 'checkpoints' in it)"};
      return opened;
    }
  }
  Fault first;
  for (const std::string& path : candidates) {
    auto reader = std::make_unique<FileReader>();
    Fault fault = reader->open(path);
    if (fault.ok()) fault = compare_identity(here, *reader);
    if (fault.ok()) {
      opened.reader = std::move(reader);
      opened.where = path;
      opened.fault = {};
      return opened;
    }
    if (first.ok()) {
      first = fault;
      opened.where = path;
    }
    if (fault.kind == Fault::Kind::kForeign) {
      first = fault;
      opened.where = path;
      break;
    }
    opened.passed_over.push_back(path + " " + fault.reason);
  }
  opened.fault = first;
  opened.passed_over.clear();
  return opened;
}

}  // namespace waferloom::checkpoint
