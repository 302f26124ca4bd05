#include "host/cli/run_compare.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

#include "host/cli/run_setup.h"
#include "host/cli/run_trace.h"
#include "host/cli/training_run.h"
#include "host/report/result_folder.h"
#include "host/report/run_comparison.h"
#include "host/report/wall_time.h"
#include "host/systemc/units.h"
#include "sim/plugin/builder.h"

namespace waferloom::cli {

namespace fs = std::filesystem;

namespace {

// Trains in a process of its own, because SystemC elaborates once, and returns the run's exit code. A signal that reaches this process is passed on.
int train_apart(Context& context, const RunOptions& options) {
  context.out.flush();
  context.err.flush();
  const pid_t child = fork();
  if (child < 0) {
    context.err << "waferloom: error: no process can be made for a training run\n";
    return kInputOutput;
  }
  if (child == 0) {
    RunTrace trace;
    const int code = TrainingRun(options, trace, context).run();
    context.out.flush();
    context.err.flush();
    _exit(code);
  }
  int passed = 0;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR) return kCheckFailed;
    const int signal = context.stop_signal.load();
    if (signal != 0 && passed == 0) kill(child, passed = signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  context.err << "waferloom: error: the training run was ended by signal " << WTERMSIG(status) << "\n";
  return kCheckFailed;
}

}  // namespace

namespace {

// `opened`: the folder for the comparison, if it is held already; else it is opened once both results are read.
int compare_results(Context& context, const std::string& a, const std::string& b, const std::string& folder_a, const std::string& folder_b, const std::string& output,
                    std::optional<report::ResultFolder> opened) {
  const auto begin = std::chrono::steady_clock::now();
  config::Result<report::StoredRun> first = report::read_training_result(folder_a);
  if (!first) return fail(context, first.errors());
  config::Result<report::StoredRun> second = report::read_training_result(folder_b);
  if (!second) return fail(context, second.errors());
  report::RunComparison comparison = report::compare_runs(std::move(first).value(), std::move(second).value());
  comparison.a = a;
  comparison.b = b;
  if (!opened) {
    config::Result<report::ResultFolder> folder = report::ResultFolder::open(output);
    if (!folder) return fail(context, folder.errors());
    opened = std::move(folder).value();
  }
  const std::string text = report::run_comparison_text(comparison);
  context.out << text;
  report::RunReport about;
  about.run = "compare-" + comparison.first.report.run;
  about.machine = comparison.first.report.machine;
  about.model = comparison.first.report.model;
  about.seed = comparison.first.report.seed;
  about.status = "finished";
  about.wall.started = report::utc_now();
  about.wall.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report::Manifest manifest;
  manifest.firmware_hash = comparison.first.manifest.firmware_hash;
  manifest.units = comparison.first.manifest.units;
  const config::Status written = opened->write_set({{"comparison.json", report::run_comparison_json(comparison)},
                                                    {"comparison.csv", report::run_comparison_csv(comparison)},
                                                    {"summary.txt", text},
                                                    {"report.html", report::run_comparison_html(comparison)}},
                                                   about, manifest);
  if (!written) return fail(context, written.errors());
  context.out << "\nReport: " << (opened->path() / "report.html").string() << "\n";
  return kDone;
}

}  // namespace

int compare_result_folders(Context& context, const std::string& a, const std::string& b, const std::string& folder_a, const std::string& folder_b, const std::string& output) {
  return compare_results(context, a, b, folder_a, folder_b, output, std::nullopt);
}

int compare_training(Context& context, const std::string& a, SideKind kind_a, const std::string& b, SideKind kind_b, const std::string& run, unsigned threads, const std::string& output) {
  const std::string* sides[] = {&a, &b};
  const SideKind kinds[] = {kind_a, kind_b};
  // Both must be able to run it, so that the second is not refused after the first has trained.
  for (int i = 0; i < 2; ++i) {
    const config::Result<RunSetup> setup = set_up_run(run, kinds[i] == SideKind::kMachine ? *sides[i] : "");
    if (!setup) return fail(context, setup.errors());
    if (kinds[i] != SideKind::kRtl) continue;
    systemc::UnitChoice choice;
    choice.rtl_root = *sides[i];
    for (const plugin::UnitSpec& spec : {systemc::router_spec(setup->run.machine, choice), systemc::pe_spec(setup->run.machine, choice)}) {
      std::string error;
      plugin::unit_source_hash(spec, &error);
      if (!error.empty()) return fail(context, {error_in(*sides[i], spec.top + " cannot be built: " + error, "a folder of RTL holds every module of the two units, wl_router and wl_pe")});
    }
  }
  // Then the folder of the comparison is proved; the two runs lie inside it.
  const config::Result<report::ResultFolder> opened = report::ResultFolder::open(output);
  if (!opened) return fail(context, opened.errors());
  const config::Status claimed = opened->claim();
  if (!claimed) return fail(context, claimed.errors());
  std::string folders[2];
  for (int i = 0; i < 2; ++i) {
    folders[i] = (fs::path(output) / (i == 0 ? "a" : "b")).string();
    RunOptions options;
    options.file = run;
    options.output = folders[i];
    options.no_extrapolate = true;
    options.threads = threads;
    (kinds[i] == SideKind::kRtl ? options.rtl : options.machine) = *sides[i];
    context.out << (i == 0 ? "A: " : "B: ") << *sides[i] << "\n";
    const int ran = train_apart(context, options);
    if (ran != kDone) return ran;
    context.out << "\n";
  }
  return compare_results(context, a, b, folders[0], folders[1], output, *opened);
}

}  // namespace waferloom::cli
