#include "host/systemc/first_audit.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "host/systemc/small_step.h"

namespace waferloom::systemc {
namespace {

constexpr std::int64_t kCycleLimit = 1'000'000;

// Sizes that do not divide, a bias, a ReLU, zero weights: everything that a tile does.
SmallStepSpec audited() {
  SmallStepSpec spec;
  spec.width = 3;
  spec.height = 2;
  spec.inputs = 9;
  spec.hidden = 7;
  spec.outputs = 4;
  spec.batch = 6;
  spec.bias = spec.relu = spec.zeros = true;
  spec.io_words_per_cycle = 2;
  return spec;
}

std::string audit_step(const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe, const std::function<bool()>& interrupted) {
  SmallStep step;
  const std::string refused = step.prepare(audited(), run);
  if (!refused.empty()) return refused;
  fabric::AuditReport report;
  const DirectResult result = step.run(router, pe, kCycleLimit, interrupted, &report);
  if (report.violations != 0) return "skipping is not exact: " + report.first_violation;
  if (!result.error.empty()) return "the step does not end (a quiet_o that is high too early looks like this too): " + result.error;
  return {};
}

}  // namespace

FirstAudit audit_new_units(const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe, const std::string& cache,
                           const std::function<bool()>& interrupted) {
  namespace fs = std::filesystem;
  FirstAudit audit;
  const fs::path folder = fs::path(cache.empty() ? plugin::default_cache_directory() : cache) / "audited";
  const fs::path marker = folder / (std::string(router.api().source_hash) + "-" + pe.api().source_hash);
  std::error_code ignored;
  // A machine with too few colours for the training program has nothing to run it with; its benches hold the flags.
  if (run.machine.colours.value < 12 || fs::exists(marker, ignored)) return audit;
  audit.ran = true;
  audit.error = audit_step(run, router, pe, interrupted);
  if (interrupted && interrupted()) {
    audit.interrupted = true;
    audit.error.clear();
    return audit;
  }
  if (!audit.error.empty()) return audit;
  fs::create_directories(folder, ignored);
  std::ofstream(marker) << "passed\n";
  return audit;
}

}  // namespace waferloom::systemc
