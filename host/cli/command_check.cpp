// waferloom check FILE.yaml: validates a file and prints it fully resolved. Of a run, the data and the plan are looked at too, of kernels their layout, of a projection
// its model and batch: what `run` and `report` would refuse before they begin.
#include <ostream>

#include "host/cli/command.h"
#include "host/cli/kernel_cases.h"
#include "host/cli/projection_source.h"
#include "host/cli/run_setup.h"
#include "host/config/resolver.h"

namespace waferloom::cli {
namespace {

class CheckCommand : public Command {
 public:
  std::string name() const override { return "check"; }
  std::string summary() const override {
    return "validate a run, machine, model or cluster and print it fully resolved";
  }

  void declare(CLI::App& app) override {
    app.add_option("file", file_, "the YAML file")->required()->type_name("FILE")->check(not_empty());
    app.add_flag("-q,--quiet", quiet_, "print nothing when the file is right");
  }

  int run(Context& context) override {
    const config::Result<config::Checked> checked = config::check_file(file_);
    if (!checked) return fail(context, checked.errors());
    if (checked->kind == config::FileKind::kRun) {
      const config::Result<RunSetup> setup = set_up_run(file_, {});
      if (!setup) return fail(context, setup.errors());
    }
    if (checked->kind == config::FileKind::kKernelRun) {
      const config::Result<config::Resolved<config::KernelRun>> run = config::resolve_kernel_run(file_);
      if (!run) return fail(context, run.errors());
      config::KernelRun cases = run->value;
      const config::Result<LaidOutCases> laid_out = lay_out_cases(&cases);
      if (!laid_out) return fail(context, laid_out.errors());
    }
    if (checked->kind == config::FileKind::kProjection) {
      const config::Diagnostics refused = refuse_projection(file_);
      if (!refused.empty()) return fail(context, refused);
    }
    if (!quiet_) context.out << checked->yaml;
    return kDone;
  }

 private:
  std::string file_;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_check_command() { return std::make_unique<CheckCommand>(); }

}  // namespace waferloom::cli
