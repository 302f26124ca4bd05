#include "sim/plugin/cache.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace waferloom::plugin {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLimitMiB = 2048;
constexpr std::uint64_t kMostMiB = std::uint64_t{1} << 40;  // its bytes fit in 64 bits

struct Library {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

// What killed processes left behind: their number is in the name.
void sweep_scratch(const std::string& cache) {
  std::error_code code;
  std::vector<fs::path> stale;
  for (fs::directory_iterator it(cache, code), end; !code && it != end; it.increment(code)) {
    const std::string name = it->path().filename().string();
    if (name.compare(0, 6, "build-") != 0) continue;
    const pid_t owner = static_cast<pid_t>(std::strtol(name.c_str() + 6, nullptr, 10));
    // A process of another container is not to be seen here: the hour protects it.
    std::error_code gone;
    const auto written = fs::last_write_time(it->path(), gone);
    if (gone || fs::file_time_type::clock::now() - written <= std::chrono::hours(1)) continue;
    if (owner <= 0 || (kill(owner, 0) != 0 && errno == ESRCH)) stale.push_back(it->path());
  }
  for (const fs::path& path : stale) fs::remove_all(path, code);
}

}  // namespace

std::uint64_t cache_limit_bytes(std::string* error) {
  const char* given = std::getenv("WAFERLOOM_CACHE_MIB");
  const std::string text = given == nullptr ? "" : given;
  if (text.empty()) return kLimitMiB * kMiB;
  const bool digits = text.size() <= 13 && text.find_first_not_of("0123456789") == std::string::npos;
  const std::uint64_t mib = digits ? std::strtoull(text.c_str(), nullptr, 10) : 0;
  if (mib >= 1 && mib <= kMostMiB) return mib * kMiB;
  *error = "WAFERLOOM_CACHE_MIB is '" + text + "', not a whole number of MiB from 1 on";
  return kLimitMiB * kMiB;
}

void mark_used(const std::string& library_path) { utimensat(AT_FDCWD, library_path.c_str(), nullptr, 0); }

int prune_cache(const std::string& cache, std::uint64_t limit_bytes, std::chrono::seconds protect) {
  sweep_scratch(cache);
  std::vector<Library> libraries;
  std::uint64_t all = 0;
  std::error_code code;
  for (fs::directory_iterator it(cache, code), end; !code && it != end; it.increment(code)) {
    if (it->path().extension() != ".so") continue;
    std::error_code gone;  // another process prunes too
    const std::uint64_t bytes = fs::file_size(it->path(), gone);
    if (gone) continue;
    const auto used = fs::last_write_time(it->path(), gone);
    if (gone) continue;
    libraries.push_back({it->path(), bytes, used});
    all += bytes;
  }
  std::sort(libraries.begin(), libraries.end(), [](const Library& a, const Library& b) { return a.used != b.used ? a.used < b.used : a.path < b.path; });
  const auto now = fs::file_time_type::clock::now();
  int removed = 0;
  for (const Library& library : libraries) {
    if (all <= limit_bytes || now - library.used < protect) break;
    std::error_code failed;
    if (fs::remove(library.path, failed) && !failed) ++removed;
    if (!failed) all -= library.bytes;
  }
  return removed;
}

}  // namespace waferloom::plugin
