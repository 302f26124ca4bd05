// waferloom run RUN.yaml: trains on verilated tiles and leaves a result folder.
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <optional>
#include <ostream>

#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "host/cli/run_collector.h"
#include "host/config/dataset.h"
#include "host/config/resolver.h"
#include "host/extrapolate/calibrate.h"
#include "host/report/result_folder.h"
#include "host/report/terminal.h"
#include "host/systemc/fabric_wafer.h"
#include "host/systemc/first_audit.h"
#include "host/systemc/training.h"
#include "host/systemc/units.h"
#include "sim/plugin/sha256.h"
#include "sim/plugin/unit.h"

namespace waferloom::cli {
namespace {

config::Diagnostics plain_error(const std::string& file, std::string message, std::string hint = {}) {
  config::Diagnostic diagnostic;
  diagnostic.where.file = file;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return {diagnostic};
}

report::TensorFile weights_of(const optimiser::Parameters& parameters, const config::Run& run) {
  report::TensorFile file;
  file.metadata = {{"format", "pt"}, {"model", run.model.name}, {"seed", std::to_string(run.seed)}};
  for (const optimiser::LayerParameters& layer : parameters.layers) {
    file.tensors.push_back(report::f32_tensor(layer.name + ".weight", {layer.outputs, layer.inputs}, layer.weights.master));
    if (!layer.bias.master.empty()) file.tensors.push_back(report::f32_tensor(layer.name + ".bias", {layer.outputs}, layer.bias.master));
  }
  return file;
}

// Of every program image that the plan loads.
std::string firmware_hash(const plan::Plan& plan) {
  std::string bytes;
  for (const plan::Image& image : plan.images) bytes.append(image.bytes.begin(), image.bytes.end());
  return plugin::sha256_hex(bytes);
}

// What the resolver lets through and this program cannot run. Empty message: nothing.
std::pair<std::string, std::string> unsupported(const config::Run& run, const config::Dataset& data) {
  if (run.cluster.systems.value != 1) {
    return {fmt::format("the cluster has {} systems; a run simulates one", run.cluster.systems.value), "set `systems: 1` in the cluster"};
  }
  const int depth = run.machine.router_queue_depth.value;
  if (depth != run.machine.hop_cycles.value + 2) {
    return {fmt::format("router_queue_depth is {}; a router with hop_cycles {} needs {}", depth, run.machine.hop_cycles.value, run.machine.hop_cycles.value + 2),
            "set router_queue_depth to hop_cycles + 2"};
  }
  if (run.machine.ramp_cycles.value > depth) {
    return {fmt::format("ramp_cycles is {}; a router queue of {} words allows at most {}", run.machine.ramp_cycles.value, depth, depth), "lower ramp_cycles"};
  }
  const std::int64_t rows = std::int64_t{run.epochs} * (data.train.rows() + data.test.rows());
  if (rows > 100'000'000) {
    return {fmt::format("{} epochs of {} rows are {} rows: more than a run plans ahead (100000000)", run.epochs, data.train.rows() + data.test.rows(), rows),
            "fewer epochs"};
  }
  return {};
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

class RunCommand : public Command {
 public:
  std::string name() const override { return "run"; }
  std::string summary() const override { return "train on verilated tiles and write a result folder with a report"; }

  void declare(CLI::App& app) override {
    app.add_option("file", file_, "the run")->required()->type_name("RUN.yaml");
    app.add_option("-o,--output", output_, "the result folder (default: `outputs` of the run)")->type_name("DIR");
    app.add_option("--machine", machine_, "another machine, by name or file")->type_name("M");
    app.add_option("--rtl", rtl_, "another RTL tree")->type_name("DIR")->check(CLI::ExistingDirectory);
    app.add_option("--views", views_, "views of SRAM and arithmetic: fast calls or all logic")->check(CLI::IsMember({"fast", "rtl"}));
    app.add_option("--quantum", quantum_, "cycles the wafer runs between looks at the host; never changes a result")->check(CLI::PositiveNumber);
    app.add_flag("--audit-skip", audit_, "evaluate skipped units too and compare (slow)");
    app.add_flag("--no-skip", no_skip_, "evaluate every unit in every cycle");
    app.add_flag("--no-extrapolate", no_extrapolate_, "leave out the calibration and the extrapolation");
  }

  int run(Context& context) override;

 private:
  int open_units(Context& context, Progress& progress);
  int simulate(Context& context, Progress& progress);
  int extrapolate(Context& context, Progress& progress);
  int finish(Context& context, int code);

  std::string file_;
  std::string output_;
  std::string machine_;
  std::string rtl_;
  std::string views_ = "fast";
  std::int64_t quantum_ = 0;
  bool audit_ = false;
  bool no_skip_ = false;
  bool no_extrapolate_ = false;

  config::Run run_;
  std::string resolved_;
  config::Dataset data_;
  plan::Plan plan_;
  plugin::Unit router_;
  plugin::Unit pe_;
  report::RunReport report_;
  report::TensorFile weights_;
  std::optional<report::ResultFolder> folder_;
  std::chrono::steady_clock::time_point begin_;
};

int RunCommand::open_units(Context& context, Progress& progress) {
  systemc::UnitChoice choice;
  choice.rtl_root = rtl_;
  choice.view = views_ == "rtl" ? plugin::View::kRtl : plugin::View::kFast;
  progress.show("building wl_router and wl_pe (once for each change of the RTL)");
  const plugin::UnitSpec specs[] = {systemc::router_spec(run_.machine, choice), systemc::pe_spec(run_.machine, choice)};
  plugin::Unit* units[] = {&router_, &pe_};
  for (int i = 0; i < 2; ++i) {
    const std::string error = units[i]->open(specs[i]);
    if (error.empty()) continue;
    progress.clear();
    context.err << file_ << ": error: " << specs[i].top << " cannot be built\n" << error << (error.back() == '\n' ? "" : "\n");
    return kUsage;
  }
  if (context.stop_signal.load() != 0) return interrupted_code(context);
  if (no_skip_ || audit_) return kDone;  // the run itself does not trust the flags
  progress.show("auditing the new units: are their quiet flags exact?");
  const systemc::FirstAudit audit = systemc::audit_new_units(run_, router_, pe_);
  progress.clear();
  if (!audit.error.empty()) {
    context.err << file_ << ": error: audit of the new RTL on a small array: " << audit.error << "\nhint: --no-skip runs without trusting quiet_o; --audit-skip compares a whole run\n";
    return kCheckFailed;
  }
  return kDone;
}

int RunCommand::simulate(Context& context, Progress& progress) {
  systemc::FabricWaferOptions options;
  options.router = router_;
  options.pe = pe_;
  options.hop = static_cast<unsigned>(run_.machine.hop_cycles.value);
  options.io_words_per_cycle = static_cast<std::uint32_t>(run_.io_words_per_cycle);
  options.skip = !no_skip_;
  options.audit = audit_;
  options.seed = run_.seed;
  std::string error;
  const std::unique_ptr<systemc::FabricWafer> wafer = systemc::FabricWafer::create(options, plan_, &error);
  if (wafer == nullptr) return fail(context, plain_error(file_, error));
  report_.status = "failed";

  const systemc::Schedule schedule = systemc::make_schedule(run_, data_);
  RunCollector collector(run_, plan_, report_);
  std::string diverged;
  systemc::TrainingHooks hooks;
  hooks.on_step = [&](const systemc::StepRecord& record) {
    collector.add(record);
    progress.show(collector.progress(schedule.steps.size()));
  };
  hooks.on_outcome = [&](const systemc::StepOutcome& outcome) {
    if (outcome.stop) diverged = fmt::format("step {}: {}; {}", outcome.step, outcome.not_finite, wafer->most_saturated());
  };
  hooks.interrupted = [&] { return context.stop_signal.load() != 0; };
  const systemc::TrainingResult result = systemc::train(run_, data_, plan_, schedule, *wafer, hooks, {quantum_});
  progress.clear();
  collector.finish(result);
  weights_ = weights_of(result.parameters, run_);
  report_.views = views_;
  if (audit_) {
    const fabric::AuditReport& audit = wafer->fabric().audit_report();
    context.err << fmt::format("audit: {} unit-cycles, {} evaluated, {} changed something, {} violations\n", audit.unit_cycles, audit.evaluated, audit.changed,
                               audit.violations);
    if (audit.violations != 0) {
      context.err << file_ << ": error: skipping is not exact: " << audit.first_violation << "\n";
      return kCheckFailed;
    }
  }
  if (!diverged.empty()) {
    report_.status = "diverged";
    context.err << file_ << ": error: training diverged at " << diverged << "\n";
    return kCheckFailed;
  }
  switch (result.ending) {
    case systemc::Ending::kDone: report_.status = "finished"; return kDone;
    case systemc::Ending::kInterrupted: report_.status = "interrupted"; return interrupted_code(context);
    case systemc::Ending::kDeadlock:
    case systemc::Ending::kLivelock:
    case systemc::Ending::kCycleLimit: report_.status = "stopped"; break;
    default: report_.status = "failed"; break;
  }
  const bool watchdog = result.ending == systemc::Ending::kDeadlock || result.ending == systemc::Ending::kLivelock || result.ending == systemc::Ending::kCycleLimit;
  context.err << file_ << ": error: " << (watchdog ? "the wafer does not move on: " : "the wafer stopped: ") << result.message;
  return watchdog ? kWatchdog : kCheckFailed;
}

int RunCommand::extrapolate(Context& context, Progress& progress) {
  if (no_extrapolate_ || run_.extrapolate.empty()) return kDone;
  extrapolate::Calibrator calibrator(run_, router_, pe_);
  const std::string error = calibrator.measure([&](int done, int all) {
    progress.show(fmt::format("calibrating: {} of {} small arrays measured", done, all));
    return context.stop_signal.load() == 0;
  });
  progress.clear();
  if (context.stop_signal.load() != 0) {
    report_.status = "interrupted";
    return interrupted_code(context);
  }
  if (!error.empty()) {
    report_.status = "failed";
    context.err << file_ << ": error: calibration: " << error << "\n";
    return kCheckFailed;
  }
  for (const config::Extrapolation& wanted : run_.extrapolate) report_.extrapolations.push_back(calibrator.price(wanted));
  return kDone;
}

int RunCommand::finish(Context& context, int code) {
  report_.wall.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  report_.wall.simulated_cycles_per_s = report_.wall.seconds > 0 ? static_cast<double>(report_.cycles) / report_.wall.seconds : 0;
  if (code == kDone) {
    for (const std::string& fault : report::check_report(report_)) {
      context.err << file_ << ": error: " << fault << "\n";
      code = kCheckFailed;
    }
  }
  // The terminal first: if the folder cannot be written, the figures are not lost.
  context.out << report::terminal_report(report_);
  report::Manifest manifest;
  manifest.firmware_hash = firmware_hash(plan_);
  manifest.tools = {{"verilator", pe_.api().tool}, {"tools", plugin::tool_version()}};
  manifest.units = {{"router", router_.api().view, router_.api().source_hash}, {"pe", pe_.api().view, pe_.api().source_hash}};
  const config::Status written = folder_->write_results(report_, resolved_, weights_, manifest);
  if (!written) return fail(context, written.errors());
  context.out << "\nReport: " << (folder_->path() / "report.html").string() << "\n";
  return code;
}

int RunCommand::run(Context& context) {
  begin_ = std::chrono::steady_clock::now();
  report_.wall.started = utc_now();
  Progress progress(context);
  const config::Result<config::Resolved<config::Run>> resolved = machine_.empty() ? config::resolve_run(file_) : config::resolve_run_on(file_, machine_);
  if (!resolved) return fail(context, resolved.errors());
  run_ = resolved->value;
  resolved_ = resolved->yaml;
  if (output_.empty()) output_ = run_.outputs;
  config::Result<config::Dataset> data = config::load_dataset(run_.data, run_.model.inputs, run_.model.outputs());
  if (!data) return fail(context, data.errors());
  data_ = std::move(data).value();
  const auto [refused, hint] = unsupported(run_, data_);
  if (!refused.empty()) return fail(context, plain_error(file_, refused, hint));
  std::variant<plan::Plan, plan::Refusal> planned = plan::make_plan(plan::network_of(run_.model), plan::target_of(run_), run_.batch);
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&planned)) return fail(context, plain_error(file_, refusal->message, refusal->hint));
  plan_ = std::move(std::get<plan::Plan>(planned));
  // A folder that cannot be written to is found before the work, not after.
  config::Result<report::ResultFolder> folder = report::ResultFolder::open(output_);
  if (!folder) return fail(context, folder.errors());
  folder_ = std::move(folder).value();

  int code = open_units(context, progress);
  if (code != kDone) return code;
  code = simulate(context, progress);
  if (report_.status.empty()) return code;  // nothing ran
  if (code == kDone) code = extrapolate(context, progress);
  return finish(context, code);
}

}  // namespace

std::unique_ptr<Command> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace waferloom::cli
