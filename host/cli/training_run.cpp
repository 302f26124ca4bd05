#include "host/cli/training_run.h"

#include <fmt/format.h>

#include <ostream>

#include "host/cli/built_units.h"
#include "host/cli/calibration_source.h"
#include "host/cli/run_collector.h"
#include "host/config/resolver.h"
#include "host/extrapolate/price.h"
#include "host/report/terminal.h"
#include "host/report/wall_time.h"
#include "host/systemc/fabric_wafer.h"
#include "host/systemc/first_audit.h"
#include "host/systemc/not_finite.h"
#include "host/systemc/training.h"
#include "host/systemc/units.h"

namespace waferloom::cli {
namespace {

report::TensorFile weights_of(const optimiser::Parameters& parameters, const config::Run& run) {
  report::TensorFile file;
  file.metadata = {{"format", "pt"}, {"model", run.model.name}, {"seed", std::to_string(run.seed)}};
  for (const optimiser::LayerParameters& layer : parameters.layers) {
    file.tensors.push_back(report::f32_tensor(layer.name + ".weight", {layer.outputs, layer.inputs}, layer.weights.master));
    if (!layer.bias.master.empty()) file.tensors.push_back(report::f32_tensor(layer.name + ".bias", {layer.outputs}, layer.bias.master));
  }
  return file;
}

}  // namespace

TrainingRun::TrainingRun(const RunOptions& options, RunTrace& trace, Context& context) : options_(options), trace_(trace), context_(context), progress_(context) {
  report_.wall.started = report::utc_now();
}

int TrainingRun::interrupted() {
  progress_.clear();
  return interrupted_code(context_);
}

plugin::UnitSpec TrainingRun::spec_of(bool pe) const {
  systemc::UnitChoice choice;
  choice.rtl_root = options_.rtl;
  choice.view = options_.views == "rtl" ? plugin::View::kRtl : plugin::View::kFast;
  return pe ? systemc::pe_spec(setup_.run.machine, choice) : systemc::router_spec(setup_.run.machine, choice);
}

// Before anything is built or written: a checkpoint that does not fit leaves everything as it is.
int TrainingRun::open_checkpoint() {
  std::string hashes[2];
  for (const bool pe : {false, true}) {
    std::string error;
    hashes[pe ? 1 : 0] = plugin::unit_source_hash(spec_of(pe), &error);
    if (error.empty()) continue;
    context_.err << options_.file << ": error: " << error << "\n";
    return kUsage;
  }
  identity_ = identity_of(setup_, hashes[0], hashes[1], !options_.no_skip);
  if (options_.resume.empty()) return kDone;
  return open_newest_or_say(context_, options_.resume, identity_, &from_);
}

void TrainingRun::say_checkpoint(const std::string& error) {
  progress_.clear();
  context_.err << error << "\n  hint: free some space; the run goes on without this checkpoint\n";
}

int TrainingRun::open_units() {
  progress_.show("building wl_router and wl_pe (once for each change of the RTL)");
  int code = open_units_or_say(context_, progress_, options_.file, {{&router_, spec_of(false)}, {&pe_, spec_of(true)}});
  if (code != kDone) return code;
  if (trace_.wanted()) {
    progress_.show("building the traced twins (once for each change of the RTL)");
    code = trace_.open_units(context_, progress_, {spec_of(false), spec_of(true)});
    progress_.clear();
    if (code != kDone) return code;
  }
  if (options_.no_skip || options_.audit) return kDone;  // the run itself does not trust the flags
  progress_.show("auditing the new units: are their quiet flags exact?");
  const systemc::FirstAudit audit = systemc::audit_new_units(setup_.run, router_, pe_, {}, [this] { return stopped(); });
  progress_.clear();
  if (audit.interrupted) return interrupted();
  if (!audit.error.empty()) {
    context_.err << options_.file << ": error: audit of the new RTL on a small array: " << audit.error
                 << "\n  hint: --no-skip runs without trusting quiet_o; --audit-skip compares a whole run\n";
    return kCheckFailed;
  }
  return kDone;
}

int TrainingRun::simulate() {
  const config::Run& run = setup_.run;
  systemc::FabricWaferOptions options;
  options.router = router_;
  options.pe = pe_;
  options.hop = static_cast<unsigned>(run.machine.hop_cycles.value);
  options.io_words_per_cycle = static_cast<std::uint32_t>(run.io_words_per_cycle);
  options.skip = !options_.no_skip;
  options.audit = options_.audit;
  options.seed = run.seed;
  options.threads = options_.threads;
  options.ranks = context_.ranks;
  std::string error;
  Wafers wafers;
  std::vector<systemc::Wafer*> ports;
  const int systems = run.cluster.systems.value;
  for (int i = 0; i < systems; ++i) {
    wafers.push_back(systemc::FabricWafer::create(options, setup_.plan, &error));
    if (wafers.back() == nullptr) return fail(context_, {error_in(options_.file, error)});
    ports.push_back(wafers.back().get());
  }
  report_.status = "failed";

  const systemc::Schedule schedule = systemc::make_schedule(run, setup_.data);
  RunCollector collector(run, setup_.plan, report_);
  std::string diverged;
  systemc::TrainingHooks hooks;
  hooks.on_step = [&](const systemc::StepRecord& record) {
    collector.add(record);
    progress_.show(collector.progress(schedule.steps.size()));
  };
  hooks.on_outcome = [&](const systemc::StepOutcome& outcome) {
    if (!outcome.stop) return;
    const systemc::StepSpec& step = schedule.steps[static_cast<std::size_t>(outcome.step)];
    diverged = fmt::format("step {} (epoch {}): {}", outcome.step, step.epoch, outcome.not_finite);
    for (int i = 0; i < systems; ++i) {
      diverged += (systems > 1 ? fmt::format("; system {}: ", i) : "; ") + systemc::first_not_finite(*wafers[static_cast<std::size_t>(i)], setup_.plan, systemc::rows_of(step, i, systems).count);
    }
  };
  hooks.interrupted = [this] { return stopped(); };
  RunCheckpoints checkpoints(run.checkpoint, identity_, (folder_->path() / "checkpoints").string());
  std::string unsaved;  // why the last one could not be written
  hooks.wants_checkpoint = [&](std::int64_t finished) { return checkpoints.due(finished); };
  hooks.on_checkpoint = [&](const std::string& host) {
    unsaved = save_run(checkpoints, wafers, collector, host);
    if (!unsaved.empty() && !stopped()) say_checkpoint(unsaved);
  };
  systemc::TrainingOptions training;
  training.quantum = options_.quantum;
  if (from_.reader != nullptr) {
    const checkpoint::Fault fault = load_run(*from_.reader, wafers, collector, &training.resume);
    if (!fault.ok()) {
      report_.status.clear();
      context_.err << from_.where << ": error: " << fault.reason << "\n";
      return fault.kind == checkpoint::Fault::Kind::kUnreadable ? kInputOutput : kUsage;
    }
    from_.reader.reset();
    context_.err << "resumed from " << from_.where << ": step " << report_.steps.size() << " of " << schedule.steps.size() << ", cycle " << wafers.front()->cycle() << "\n";
  }
  if (trace_.wanted() && !folder_->holds_result()) {  // a result that is there says as much
    const config::Status claimed = folder_->claim();
    if (!claimed) return fail(context_, claimed.errors());
  }
  const auto names = [this](std::uint32_t /*x*/, std::uint32_t /*y*/, unsigned task) { return task < setup_.plan.task_names.size() ? setup_.plan.task_names[task] : std::string(); };
  if (const int code = trace_.start(context_, wafers.front()->fabric(), folder_->path().string(), names); code != kDone) {
    report_.status.clear();
    return code;
  }
  const systemc::TrainingResult result = systemc::train(run, setup_.data, setup_.plan, schedule, ports, hooks, training);
  progress_.clear();
  traced_ = trace_.finish(context_);
  collector.finish(result);
  for (int i = 0; i < systems; ++i) {
    for (report::HeatMap& map : heat_maps_of(wafers[static_cast<std::size_t>(i)]->counter_map())) {
      if (systems > 1) map.title += fmt::format(", system {}", i);
      report_.heat_maps.push_back(std::move(map));
    }
  }
  weights_ = weights_of(result.parameters, run);
  report_.views = options_.views;
  if (context_.ranks != nullptr && !context_.ranks->fault().empty()) {
    for (const auto& wafer : wafers) {
      if (wafer->fabric().error().empty()) continue;
      context_.err << options_.file << ": error: " << wafer->fabric().error() << "\n";
      break;
    }
    if (checkpoints.newest().empty() && options_.resume.empty()) {
      context_.err << "  hint: no checkpoint had been written yet; `checkpoint:` says how often that is done\n";
    } else {
      context_.err << "  hint: the same command with --resume " << folder_->path().string() << " goes on from the newest checkpoint, with any number of ranks\n";
    }
    return kInputOutput;
  }
  if (options_.audit) {
    for (const auto& wafer : wafers) {
      const fabric::AuditReport& audit = wafer->fabric().audit_report();
      context_.err << fmt::format("audit: {} unit-cycles, {} evaluated, {} changed something, {} violations\n", audit.unit_cycles, audit.evaluated, audit.changed,
                                  audit.violations);
      if (audit.violations != 0) {
        context_.err << options_.file << ": error: skipping is not exact: " << audit.first_violation << "\n";
        return kCheckFailed;
      }
    }
  }
  if (!diverged.empty()) {
    report_.status = "diverged";
    context_.err << options_.file << ": error: training diverged at " << diverged << "\n";
    return kCheckFailed;
  }
  switch (result.ending) {
    case systemc::Ending::kDone: report_.status = "finished"; return kDone;
    case systemc::Ending::kInterrupted:
      report_.status = "interrupted";
      if (!unsaved.empty()) {
        context_.err << unsaved << "\n  hint: free some space; the state of the run is lost\n";
        return kInputOutput;
      }
      context_.err << "checkpoint: " << checkpoints.newest() << "\n  hint: the same command with --resume " << folder_->path().string() << " goes on from here\n";
      return interrupted_code(context_);
    case systemc::Ending::kDeadlock:
    case systemc::Ending::kLivelock:
    case systemc::Ending::kCycleLimit: report_.status = "stopped"; break;
    default: report_.status = "failed"; break;
  }
  const bool watchdog = report_.status == "stopped";
  context_.err << options_.file << ": error: " << (watchdog ? "the wafer does not move on: " : "the wafer stopped: ") << result.message;
  return watchdog ? kWatchdog : kCheckFailed;
}

int TrainingRun::extrapolate() {
  if (options_.no_extrapolate || setup_.run.extrapolate.empty()) return kDone;
  CalibrationWish wish;
  wish.machine = setup_.run.machine;
  wish.accumulate = setup_.run.accumulate;
  wish.rtl = options_.rtl;
  wish.about = options_.file;
  FoundCalibration found;
  const int code = find_calibration(context_, progress_, wish, &found);
  progress_.clear();
  if (stopped()) {
    report_.status = "interrupted";
    return interrupted_code(context_);
  }
  if (code != kDone) {
    report_.status = "failed";
    return code;
  }
  for (const config::Extrapolation& wanted : setup_.run.extrapolate) report_.extrapolations.push_back(extrapolate::price_extrapolation(setup_.run, found.calibration, wanted));
  return kDone;
}

int TrainingRun::finish(int code) {
  report_.wall.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  report_.wall.simulated_cycles_per_s = report_.wall.seconds > 0 ? static_cast<double>(report_.cycles) / report_.wall.seconds : 0;
  if (code == kDone) {
    for (const std::string& fault : report::check_report(report_)) {
      context_.err << options_.file << ": error: " << fault << "\n";
      code = kCheckFailed;
    }
  }
  // The terminal first: if the folder cannot be written, the figures are not lost.
  context_.out << report::terminal_report(report_);
  report::Manifest manifest;
  manifest.firmware_hash = firmware_hash(setup_.plan);
  manifest.tools = {{"verilator", pe_.api().tool}, {"tools", plugin::tool_version()}};
  manifest.units = {{"router", router_.api().view, router_.api().source_hash}, {"pe", pe_.api().view, pe_.api().source_hash}};
  const config::Status written = folder_->write_results(report_, setup_.resolved, weights_, manifest);
  if (!written) return fail(context_, written.errors());
  context_.out << "\nReport: " << (folder_->path() / "report.html").string() << "\n";
  return code;
}

int TrainingRun::run() {
  config::Result<RunSetup> setup = set_up_run(options_.file, options_.machine);
  if (!setup) return fail(context_, setup.errors());
  setup_ = std::move(setup).value();
  const plan::Target& target = setup_.plan.target;
  const int tiles = target.width * target.height;
  if (context_.ranks != nullptr && tiles < static_cast<int>(context_.ranks->size())) {
    return fail(context_, {config::error_at_key(options_.file, "array", fmt::format("{} ranks cannot share an array of {} tiles", context_.ranks->size(), tiles),
                                        fmt::format("mpirun -n {} or fewer", tiles))});
  }
  int code = trace_.check(context_, static_cast<std::uint32_t>(target.width), static_cast<std::uint32_t>(target.height), setup_.run.limits.cycles);
  if (code != kDone) return code;
  code = open_checkpoint();
  if (code != kDone) return code;
  // A folder that cannot be written to is found before the work, not after. A run that goes on writes where it did before.
  std::string output = options_.output;
  if (output.empty() && !options_.resume.empty()) output = result_folder_of(options_.resume);
  if (output.empty()) output = setup_.run.outputs;
  config::Result<report::ResultFolder> folder = report::ResultFolder::open(output);
  if (!folder) return fail(context_, folder.errors());
  folder_ = std::move(folder).value();

  code = open_units();
  if (code != kDone) return code;
  code = simulate();
  if (report_.status.empty()) return code;  // nothing ran
  if (traced_ == kUsage && folder_->holds_result()) {
    context_.out << report::terminal_report(report_);
    context_.err << "waferloom: note: the results in " << folder_->path().string() << " stay as they were\n";
    return traced_;
  }
  if (code == kDone) code = extrapolate();
  code = finish(code);
  return code == kDone ? traced_ : code;
}

}  // namespace waferloom::cli
