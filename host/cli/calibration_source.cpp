#include "host/cli/calibration_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>
#include <thread>

#include "host/cli/built_units.h"
#include "host/config/resolver.h"
#include "host/systemc/first_audit.h"
#include "host/systemc/units.h"

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

std::string with_newline(const std::string& text) { return text.empty() || text.back() == '\n' ? text : text + "\n"; }

}  // namespace

int default_jobs() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

std::string calibration_progress_text(const extrapolate::CalibrationProgress& p) {
  std::string text = fmt::format("calibrating: {} of {} arrays, {:.0f} %", p.done, p.all, 100 * p.share);
  if (p.seconds_left < 0 || p.done == p.all) return text;
  const int seconds = static_cast<int>(std::lround(std::min(p.seconds_left, 1e6)));
  return text + (seconds >= 60 ? fmt::format(", {} min {:02} s left", seconds / 60, seconds % 60) : fmt::format(", {} s left", seconds));
}

std::string CalibrationUnits::open(const plugin::Unit** router, const plugin::Unit** pe) {
  systemc::UnitChoice choice;
  choice.rtl_root = wish_.rtl;
  progress_.show("building wl_router and wl_pe (once for each change of the RTL)");
  const OpenedUnits opened = open_units(context_, {{&router_, systemc::router_spec(wish_.machine, choice)}, {&pe_, systemc::pe_spec(wish_.machine, choice)}});
  code_ = opened.code;
  if (code_ != kDone) return opened.error.empty() ? "interrupted" : opened.error;
  config::Run run;
  run.machine = wish_.machine;
  run.accumulate = wish_.accumulate;
  progress_.show("auditing what is skipped (once for each change of the RTL)");
  const systemc::FirstAudit audit = systemc::audit_new_units(run, router_, pe_, {}, [this] { return context_.stop_signal.load() != 0; });
  if (!audit.error.empty()) {
    code_ = kCheckFailed;
    return "the audit of this RTL failed: " + audit.error;
  }
  *router = &router_;
  *pe = &pe_;
  return {};
}

int calibration_failed(Context& context, const CalibrationWish& wish, const CalibrationUnits& units, const extrapolate::CalibrationOutcome& outcome) {
  using extrapolate::CalibrationFault;
  if (context.stop_signal.load() != 0) return interrupted_code(context);
  switch (outcome.fault) {
    case CalibrationFault::kNone: return kDone;
    case CalibrationFault::kInterrupted: return interrupted_code(context);
    case CalibrationFault::kStore: return fail(context, outcome.store_errors);
    case CalibrationFault::kRefused:
      context.err << wish.about << ": error: this machine cannot be calibrated: " << with_newline(outcome.error) << "  hint: the training program needs 12 colours and some 10 KiB of SRAM\n";
      return kUsage;
    case CalibrationFault::kUnits:
      context.err << wish.about << ": error: " << with_newline(outcome.error);
      return units.code();
    case CalibrationFault::kFailed: context.err << wish.about << ": error: calibration: " << with_newline(outcome.error); return kCheckFailed;
  }
  return kCheckFailed;
}

int find_calibration(Context& context, Progress& progress, const CalibrationWish& wish, FoundCalibration* found) {
  std::string error;
  const extrapolate::CalibrationKey key = extrapolate::calibration_key(wish.machine, wish.accumulate, wish.rtl, &error);
  if (!error.empty()) {
    context.err << wish.about << ": error: the RTL cannot be calibrated\n" << with_newline(error);
    return kUsage;
  }
  if (wish.file) {
    config::Result<extrapolate::Calibration> read = extrapolate::read_calibration(*wish.file);
    if (!read) return fail(context, read.errors());
    if (read->key != key) {
      return fail(context, error_at(wish.where, fmt::format("'{}' is a calibration of another RTL: {}", *wish.file, difference(read->key, key)),
                                    "remove `calibration` to have this RTL measured, or name the one that belongs to it"));
    }
    found->calibration = std::move(read).value();
    found->from = *wish.file;
    return kDone;
  }
  if (find_in(config::default_configs_dir() / "calibration", key, &found->calibration)) {
    found->from = "shipped";
    return kDone;
  }

  auto warn = [&](const config::Diagnostics& errors) {
    progress.clear();
    for (config::Diagnostic d : errors) {
      d.severity = config::Severity::kWarning;
      context.err << config::render(d);
    }
  };
  // A store that cannot be used costs the next report the same wait, nothing else.
  config::Result<std::unique_ptr<extrapolate::Store>> store = extrapolate::Store::open(extrapolate::Store::default_file(), extrapolate::StoreAccess::kReadWrite);
  if (!store) warn(store.errors());
  CalibrationUnits units(context, progress, wish);
  extrapolate::CalibrationRequest request;
  request.machine = wish.machine;
  request.accumulate = wish.accumulate;
  request.key = key;
  request.units = [&](const plugin::Unit** router, const plugin::Unit** pe) { return units.open(router, pe); };
  request.store = store ? store->get() : nullptr;
  request.jobs = default_jobs();
  request.progress = [&](const extrapolate::CalibrationProgress& p) {
    progress.show(calibration_progress_text(p));
    return context.stop_signal.load() == 0;
  };
  extrapolate::CalibrationOutcome outcome = extrapolate::calibrate(request, true);
  progress.clear();
  if (outcome.fault != extrapolate::CalibrationFault::kNone) return calibration_failed(context, wish, units, outcome);
  if (store) warn(outcome.store_errors);
  found->calibration = std::move(outcome.calibration);
  found->from = outcome.measured > 0 ? "measured now" : "store";
  found->seconds = outcome.measured > 0 ? outcome.seconds : 0;
  return kDone;
}

}  // namespace waferloom::cli
