// waferloom compare A B: two result folders of `run` or of `report`, or, with --run RUN.yaml, the same training run or projection on two machines or on two RTL trees.
#include <chrono>
#include <filesystem>
#include <ostream>

#include "host/cli/projection_source.h"
#include "host/cli/run_compare.h"
#include "host/config/resolver.h"
#include "host/report/metrics_reader.h"
#include "host/report/projection_reader.h"

namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

class CompareCommand : public Command {
 public:
  std::string name() const override { return "compare"; }
  std::string summary() const override { return "two machines, RTL trees or results side by side: what differs, and whether that is certain"; }

  void declare(CLI::App& app) override {
    app.add_option("a", a_, "a machine by name or file, a folder of RTL, or a result folder")->required()->type_name("A");
    app.add_option("b", b_, "the other")->required()->type_name("B");
    app.add_option("--run", run_, "the training run or projection that machines or RTL trees are put to")->type_name("RUN.yaml");
    app.add_option("--threads", threads_, "threads of each training run; never changes a result")->type_name("N")->check(CLI::Range(1, 128));
    app.add_option("-o,--output", output_, "the result folder (default: out/compare-A-B)")->type_name("DIR");
  }

  int run(Context& context) override {
    const std::string folder = output_.empty() ? "out/compare-" + label(a_) + "-" + label(b_) : output_;
    if (run_.empty() && (report::holds_training_result(a_) || report::holds_training_result(b_))) {
      for (const std::string* side : {&a_, &b_}) {
        if (report::holds_training_result(*side)) continue;
        context.err << "waferloom: error: '" << *side << "' holds no metrics.json, the other side does\n  hint: a training result is compared with a training result: name two result folders of `waferloom run`\n";
        return kUsage;
      }
      return compare_result_folders(context, a_, b_, a_, b_, folder);
    }
    if (!run_.empty() && config::kind_of_file(run_) == config::FileKind::kRun) return compare_training(context, a_, b_, run_, threads_, folder);
    return compare_projections(context, folder);
  }

 private:
  int compare_projections(Context& context, const std::string& folder) {
    const auto begin = std::chrono::steady_clock::now();
    Progress progress(context);
    report::Projection projections[2];
    const std::string* sides[] = {&a_, &b_};
    for (int i = 0; i < 2; ++i) {
      ProjectionOptions options;
      std::error_code code;
      const fs::path stored = fs::path(*sides[i]) / "projection.json";
      if (fs::exists(stored, code)) {
        config::Result<report::Projection> read = report::read_projection(stored);
        if (!read) return fail(context, read.errors());
        projections[i] = std::move(read).value();
        continue;
      }
      if (run_.empty()) {
        context.err << "waferloom: error: '" << *sides[i] << "' holds no result: neither metrics.json nor projection.json\n  hint: name two result folders of `waferloom run` or of `waferloom report`, or give --run to compare machines or RTL trees\n";
        return kUsage;
      }
      // A folder is an RTL tree; anything else is a machine.
      (fs::is_directory(*sides[i], code) ? options.rtl : options.machine) = *sides[i];
      std::string outputs;
      const int made = make_projection(context, progress, run_, options, &projections[i], &outputs);
      if (made != kDone) return made;
    }
    report::ProjectionComparison comparison = report::compare_projections(std::move(projections[0]), std::move(projections[1]));
    comparison.a = a_ + ": " + comparison.a;
    comparison.b = b_ + ": " + comparison.b;
    context.out << report::comparison_text(comparison);
    const int written = write_comparison(context, comparison, folder, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (written == kDone) context.out << "\nReport: " << folder << "\n";
    return written;
  }

  static std::string label(const std::string& side) {
    const fs::path path = fs::path(side).lexically_normal();
    const std::string name = path.has_filename() ? path.stem().string() : path.parent_path().filename().string();
    return name.empty() ? "x" : name;
  }

  std::string a_;
  std::string b_;
  std::string run_;
  std::string output_;
  unsigned threads_ = 1;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace waferloom::cli
