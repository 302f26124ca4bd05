// waferloom report RUN.yaml: projects a model on wafers that are far too many to simulate, from what small verilated arrays were measured to do.
#include <chrono>
#include <ostream>

#include "host/cli/file_kind.h"
#include "host/cli/projection_source.h"

namespace waferloom::cli {
namespace {

class ReportCommand : public Command {
 public:
  std::string name() const override { return "report"; }
  std::string summary() const override { return "project the training of a model on wafers: step time, where it goes, how sure"; }

  void declare(CLI::App& app) override {
    app.add_option("file", file_, "a projection: machine, cluster, model, batch_tokens")->type_name("RUN.yaml")->check(not_empty());
    app.add_option("-o,--output", output_, "the result folder (default: `outputs` of the run)")->type_name("DIR")->check(not_empty());
    app.add_option("--machine", options_.machine, "another machine, by name or file (without a run: wse3)")->type_name("M")->check(not_empty());
    app.add_option("--rtl", options_.rtl, "another RTL tree")->type_name("DIR")->check(CLI::ExistingDirectory);
    app.add_option("--model", options_.model, "without a run: a transformer by name, its file, or a Hugging Face config.json")->type_name("MODEL")->check(not_empty());
    app.add_option("--systems", options_.systems, "without a run: wafers (default 1)")->type_name("N")->check(not_empty());
    app.add_option("--batch-tokens", options_.batch_tokens, "without a run: tokens in a step, 4M is 4 x 1024 x 1024 (default 1M)")->type_name("N")->check(not_empty());
    app.add_option("--cluster", options_.cluster, "without a run: a cluster by name or file (default memoryx-1200tb)")->type_name("C")->check(not_empty());
  }

  int run(Context& context) override {
    const auto begin = std::chrono::steady_clock::now();
    const bool from_options = !options_.model.empty() || !options_.systems.empty() || !options_.batch_tokens.empty() || !options_.cluster.empty();
    if (file_.empty() && options_.model.empty()) {
      context.err << "waferloom: error: nothing to project\n  hint: name a run file, or give --model; see 'waferloom report --help'\n";
      return kUsage;
    }
    if (!file_.empty() && from_options) {
      context.err << "waferloom: error: --model, --systems, --batch-tokens and --cluster stand in place of a run file, not beside it\n  hint: change the file, or leave it out\n";
      return kUsage;
    }
    if (!file_.empty()) {
      if (const std::optional<config::Diagnostic> other = other_kind(file_, false)) return fail(context, {*other});
    }
    Progress progress(context);
    report::Projection projection;
    OutputFolder output{output_, std::nullopt};
    int code = make_projection(context, progress, file_, options_, &projection, &output);
    if (code != kDone) return code;
    context.out << report::projection_text(projection);
    code = write_projection(context, projection, output, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (code == kDone) context.out << "\nReport: " << output.path << "\n";
    return code;
  }

 private:
  std::string file_;
  std::string output_;
  ProjectionOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace waferloom::cli
