#include "host/extrapolate/measurements.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "host/report/files.h"
#include "sim/plugin/builder.h"

namespace waferloom::extrapolate {
namespace {

std::filesystem::path file_of(const std::string& name) { return std::filesystem::path(plugin::default_cache_directory()) / "measured" / name; }

}  // namespace

bool recall(const std::string& name, std::size_t size, std::vector<std::int64_t>* counts) {
  std::ifstream file(file_of(name));
  std::vector<std::int64_t> found(size);
  for (std::int64_t& count : found) {
    if (!(file >> count) || count < 0) return false;
  }
  std::string end;
  if (!(file >> end) || end != "end") return false;
  *counts = std::move(found);
  return true;
}

void remember(const std::string& name, const std::vector<std::int64_t>& counts) {
  const std::filesystem::path file = file_of(name);
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  std::string text;
  for (const std::int64_t count : counts) text += std::to_string(count) + " ";
  report::write_whole_file(file, text + "end\n");
}

}  // namespace waferloom::extrapolate
