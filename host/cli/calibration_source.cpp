#include "host/cli/calibration_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "host/config/resolver.h"
#include "host/extrapolate/calibrate.h"
#include "host/plan/plan.h"
#include "host/report/files.h"
#include "host/systemc/units.h"
#include "sim/plugin/sha256.h"
#include "sim/plugin/unit.h"

namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

config::Diagnostics error_at(const config::SourceLocation& where, std::string message, std::string hint = {}) {
  config::Diagnostic d;
  d.where = where;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return {d};
}

std::string short_hash(const std::string& hash) { return hash.substr(0, 12); }

// The part of a key that differs, in words.
std::string difference(const extrapolate::CalibrationKey& has, const extrapolate::CalibrationKey& wanted) {
  if (has.router_hash != wanted.router_hash) return fmt::format("its router is {}, this one is {}", short_hash(has.router_hash), short_hash(wanted.router_hash));
  if (has.pe_hash != wanted.pe_hash) return fmt::format("its processing element is {}, this one is {}", short_hash(has.pe_hash), short_hash(wanted.pe_hash));
  if (has.firmware_hash != wanted.firmware_hash) return fmt::format("its microcode is {}, this one is {}", short_hash(has.firmware_hash), short_hash(wanted.firmware_hash));
  return fmt::format("it accumulates in {}, the run in {}", has.accumulate, wanted.accumulate);
}

// The first calibration of a folder with that key. A file that cannot be read is passed over: it is not the one.
bool find_in(const fs::path& folder, const extrapolate::CalibrationKey& key, extrapolate::Calibration* calibration) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    if (it->path().extension() == ".json") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    config::Result<extrapolate::Calibration> read = extrapolate::read_calibration(file);
    if (!read || read->key != key) continue;
    *calibration = std::move(read).value();
    return true;
  }
  return false;
}

fs::path cache_file(const extrapolate::CalibrationKey& key) {
  const std::string name = plugin::sha256_hex(key.router_hash + key.pe_hash + key.firmware_hash + key.accumulate);
  return fs::path(plugin::default_cache_directory()) / "calibration" / (name.substr(0, 32) + ".json");
}

}  // namespace

int find_calibration(Context& context, Progress& progress, const config::ProjectionRun& run, const std::string& file, const std::string& rtl, FoundCalibration* found) {
  systemc::UnitChoice choice;
  choice.rtl_root = rtl;
  std::string error;
  const extrapolate::CalibrationKey key = extrapolate::calibration_key(run.machine, run.accumulate, rtl, &error);
  if (!error.empty()) {
    context.err << file << ": error: the RTL cannot be read\n" << error << (error.back() == '\n' ? "" : "\n");
    return kUsage;
  }
  if (run.calibration) {
    config::Result<extrapolate::Calibration> read = extrapolate::read_calibration(*run.calibration);
    if (!read) return fail(context, read.errors());
    if (read->key != key) {
      return fail(context, error_at(run.calibration_where, fmt::format("'{}' is a calibration of another RTL: {}", *run.calibration, difference(read->key, key)),
                                    "remove `calibration` to have this RTL measured, or name the one that belongs to it"));
    }
    found->calibration = std::move(read).value();
    found->from = *run.calibration;
    return kDone;
  }
  if (find_in(config::default_configs_dir() / "calibration", key, &found->calibration)) {
    found->from = "shipped";
    return kDone;
  }
  const fs::path cached = cache_file(key);
  config::Result<extrapolate::Calibration> kept = extrapolate::read_calibration(cached);
  if (kept && kept->key == key) {
    found->calibration = std::move(kept).value();
    found->from = "cache";
    return kDone;
  }

  const plugin::UnitSpec router_spec = systemc::router_spec(run.machine, choice);
  const plugin::UnitSpec pe_spec = systemc::pe_spec(run.machine, choice);
  progress.show("building wl_router and wl_pe (once for each change of the RTL)");
  plugin::Unit router;
  plugin::Unit pe;
  for (const auto& [unit, spec] : {std::pair(&router, &router_spec), std::pair(&pe, &pe_spec)}) {
    const std::string failed = unit->open(*spec);
    if (failed.empty()) continue;
    progress.clear();
    context.err << file << ": error: " << spec->top << " cannot be built\n" << failed << (failed.back() == '\n' ? "" : "\n");
    return kUsage;
  }
  config::Run measured;
  measured.machine = run.machine;
  measured.accumulate = run.accumulate;
  extrapolate::Calibrator calibrator(measured, router, pe);
  error = calibrator.measure([&](int done, int all) {
    progress.show(fmt::format("calibrating: {} of {} small arrays measured", done, all));
    return context.stop_signal.load() == 0;
  });
  progress.clear();
  if (context.stop_signal.load() != 0) return interrupted_code(context);
  if (!error.empty()) {
    context.err << file << ": error: calibration: " << error << "\n";
    return kCheckFailed;
  }
  found->calibration = calibrator.calibration(key);
  found->from = "measured now";
  found->seconds = found->calibration.seconds;
  // A cache that cannot be written costs the next report the same wait, nothing else.
  std::error_code code;
  fs::create_directories(cached.parent_path(), code);
  if (!code) report::write_whole_file(cached, extrapolate::calibration_json(found->calibration));
  return kDone;
}

}  // namespace waferloom::cli
