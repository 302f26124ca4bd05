// waferloom run RUN.yaml: trains on verilated tiles and leaves a result folder.
#include <ostream>

#include "host/cli/command.h"
#include "host/cli/file_kind.h"
#include "host/cli/kernel_run.h"
#include "host/cli/run_trace.h"
#include "host/cli/training_run.h"
#include "host/config/resolver.h"

namespace waferloom::cli {
namespace {

class RunCommand : public Command {
 public:
  std::string name() const override { return "run"; }
  std::string summary() const override { return "train on verilated tiles and write a result folder with a report"; }

  void declare(CLI::App& app) override {
    app.add_option("file", options_.file, "the run (needed)")->type_name("RUN.yaml")->check(not_empty());
    app.add_option("-o,--output", options_.output, "the result folder (default: `outputs` of the run)")->type_name("DIR")->check(not_empty());
    app.add_option("--machine", options_.machine, "another machine, by name or file")->type_name("M")->check(not_empty());
    app.add_option("--rtl", options_.rtl, "another RTL tree")->type_name("DIR")->check(not_empty())->check(CLI::ExistingDirectory);
    app.add_option("--views", options_.views, "views of SRAM and arithmetic: fast calls or all logic")->check(CLI::IsMember({"fast", "rtl"}));
    app.add_option("--resume", options_.resume, "go on from a checkpoint: a result folder, a folder of checkpoints or one of them")->type_name("DIR")->check(not_empty());
    app.add_option("--quantum", options_.quantum, "cycles the wafer runs between looks at the host; never changes a result")->type_name("CYCLES")->check(cycles());
    app.add_option("--threads", options_.threads, "threads that share the wafer; never changes a result")->type_name("N")->check(CLI::Range(1, 128));
    trace_.declare(app);
    app.add_flag("--audit-skip", options_.audit, "evaluate skipped units too and compare (slow)");
    app.add_flag("--no-skip", options_.no_skip, "evaluate every unit in every cycle");
    app.add_flag("--no-extrapolate", options_.no_extrapolate, "leave out the calibration and the extrapolation");
  }

  int run(Context& context) override {
    if (options_.file.empty()) options_.file = trace_.take_file();
    if (options_.file.empty()) {
      context.err << "waferloom: error: file is required\n  hint: see 'waferloom run --help'\n";
      return kUsage;
    }
    if (const std::optional<config::Diagnostic> other = other_kind(options_.file, true)) return fail(context, {*other});
    if (!config::is_kernel_run(options_.file)) return TrainingRun(options_, trace_, context).run();
    KernelRunOptions kernels;
    kernels.file = options_.file;
    kernels.output = options_.output;
    kernels.machine = options_.machine;
    kernels.rtl = options_.rtl;
    kernels.resume = options_.resume;
    kernels.rtl_views = options_.views == "rtl";
    kernels.no_skip = options_.no_skip;
    kernels.audit = options_.audit;
    kernels.threads = options_.threads;
    return run_kernels(context, kernels, trace_);
  }

 private:
  RunOptions options_;
  RunTrace trace_;
};

}  // namespace

std::unique_ptr<Command> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace waferloom::cli
