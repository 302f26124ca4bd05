#include "host/cli/compare_side.h"

#include <filesystem>

#include "host/cli/run_setup.h"
#include "host/config/resolver.h"
#include "host/report/metrics_reader.h"

namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostEntries = 20000;  // of a folder that are looked at: a tree of RTL has some hundred

bool holds_rtl(const fs::path& folder) {
  std::error_code code;
  int seen = 0;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, code), end; !code && it != end && seen < kMostEntries; it.increment(code), ++seen) {
    if (it->path().extension() == ".sv") return true;
  }
  return false;
}

}  // namespace

bool is_result(SideKind kind) { return kind == SideKind::kTrainingResult || kind == SideKind::kProjectionResult; }

config::Result<SideKind> kind_of_side(const std::string& side) {
  const char* const sides = "a side is a result folder of `waferloom run` or `waferloom report`, a machine by name or file, or a folder of RTL";
  std::error_code code;
  const fs::path path(side);
  if (fs::is_directory(path, code)) {
    if (report::holds_training_result(path)) return SideKind::kTrainingResult;
    if (fs::exists(path / "projection.json", code)) return SideKind::kProjectionResult;
    if (fs::exists(path / "kernels.json", code)) return error_in("waferloom", "'" + side + "' is the result of a kernel run; training runs and projections can be compared", sides);
    if (holds_rtl(path)) return SideKind::kRtl;
    return error_in("waferloom", "the folder '" + side + "' holds no result (metrics.json, projection.json) and no RTL", sides);
  }
  const std::string ending = path.extension().string();
  if (fs::exists(path, code) && ((ending != ".yaml" && ending != ".yml") || config::kind_of_file(path) != config::FileKind::kMachine)) {
    return error_in("waferloom", "the file '" + side + "' is not a machine", std::string(sides) + "; a run goes behind --run");
  }
  config::Result<config::Resolved<config::Machine>> machine = config::resolve_machine(side);
  if (machine) return SideKind::kMachine;
  return machine.errors();
}

}  // namespace waferloom::cli
