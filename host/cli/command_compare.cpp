// waferloom compare A B: two result folders of `run` or of `report`, or, with --run RUN.yaml, the same training run or projection on two machines or on two RTL trees.
#include <chrono>
#include <filesystem>
#include <optional>
#include <ostream>

#include "host/cli/compare_side.h"
#include "host/cli/file_kind.h"
#include "host/cli/projection_source.h"
#include "host/cli/run_compare.h"
#include "host/cli/run_setup.h"
#include "host/config/run_kind.h"
#include "host/report/projection_reader.h"

namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

class CompareCommand : public Command {
 public:
  std::string name() const override { return "compare"; }
  std::string summary() const override { return "two machines, RTL trees or results side by side: what differs, and whether that is certain"; }

  void declare(CLI::App& app) override {
    app.add_option("a", a_, "a machine by name or file, a folder of RTL, or a result folder")->required()->type_name("A")->check(not_empty());
    app.add_option("b", b_, "the other")->required()->type_name("B")->check(not_empty());
    app.add_option("--run", run_, "the training run or projection that machines or RTL trees are put to")->type_name("RUN.yaml")->check(not_empty());
    app.add_option("--threads", threads_, "threads of each training run; never changes a result")->type_name("N")->check(CLI::Range(1, 128));
    app.add_option("-o,--output", output_, "the result folder (default: out/compare-A-B)")->type_name("DIR")->check(not_empty());
  }

  int run(Context& context) override {
    const std::string folder = output_.empty() ? "out/compare-" + label(a_) + "-" + label(b_) : output_;
    // What is wrong with either side or the run is said before a folder is opened or a cycle simulated.
    config::Diagnostics errors;
    SideKind kinds[2] = {};
    for (int i = 0; i < 2; ++i) {
      const config::Result<SideKind> kind = kind_of_side(i == 0 ? a_ : b_);
      if (kind) kinds[i] = *kind;
      else errors.insert(errors.end(), kind.errors().begin(), kind.errors().end());
    }
    if (!errors.empty()) return fail(context, errors);
    for (const std::string* side : {&a_, &b_}) {
      std::error_code code;
      if (fs::equivalent(*side, folder, code)) return fail(context, {error_in("waferloom", "the comparison cannot take the place of '" + *side + "', which it compares", "choose another folder with -o")});
    }
    if (const std::optional<config::Diagnostic> wrong = mismatch(kinds)) return fail(context, {*wrong});
    if (run_.empty()) return kinds[0] == SideKind::kTrainingResult ? compare_result_folders(context, a_, b_, a_, b_, folder) : compare_projections(context, kinds, folder);
    const std::optional<config::FileKind> of_run = config::run_kind(run_);
    if (of_run == config::FileKind::kRun) {
      if (!is_result(kinds[0]) && !is_result(kinds[1])) return compare_training(context, a_, kinds[0], b_, kinds[1], run_, threads_, folder);
      return fail(context, {error_in("waferloom", "'" + (is_result(kinds[0]) ? a_ : b_) + "' is a result of a projection, the run is a training run", "name a projection behind --run, or two machines or RTL trees")});
    }
    if (of_run == config::FileKind::kKernelRun) return fail(context, {error_in(run_, "this is a kernel run; training runs and projections can be compared", "waferloom run " + run_)});
    if (const std::optional<config::Diagnostic> other = other_kind(run_, false)) return fail(context, {*other});
    return compare_projections(context, kinds, folder);
  }

 private:
  // Sides that do not go together.
  std::optional<config::Diagnostic> mismatch(const SideKind (&kinds)[2]) const {
    for (int i = 0; i < 2; ++i) {
      const std::string& side = i == 0 ? a_ : b_;
      const std::string& other = i == 0 ? b_ : a_;
      if (kinds[i] == SideKind::kTrainingResult && kinds[1 - i] == SideKind::kProjectionResult) {
        return error_in("waferloom", "'" + side + "' is the result of a training run, '" + other + "' that of a projection", "name two result folders of `waferloom run` or of `waferloom report`");
      }
      if (kinds[i] == SideKind::kTrainingResult && !is_result(kinds[1 - i])) {
        return error_in("waferloom", "'" + side + "' is a training result, '" + other + "' is none", "name two result folders of `waferloom run`");
      }
      if (kinds[i] == SideKind::kTrainingResult && !run_.empty()) {
        return error_in("waferloom", "'" + side + "' is a training result, which needs no run", "leave out --run, or name machines or RTL trees");
      }
      if (!is_result(kinds[i]) && run_.empty()) {
        return error_in("waferloom", "'" + side + "' is " + (kinds[i] == SideKind::kMachine ? "a machine" : "a folder of RTL") + "; what is it to do?",
                        "name a training run or a projection: --run RUN.yaml");
      }
    }
    return std::nullopt;
  }

  int compare_projections(Context& context, const SideKind (&kinds)[2], const std::string& folder) {
    const auto begin = std::chrono::steady_clock::now();
    Progress progress(context);
    report::Projection projections[2];
    OutputFolder output{folder, std::nullopt};
    const std::string* sides[] = {&a_, &b_};
    for (int i = 0; i < 2; ++i) {
      ProjectionOptions options;
      if (kinds[i] == SideKind::kProjectionResult) {
        config::Result<report::Projection> read = report::read_projection(fs::path(*sides[i]) / "projection.json");
        if (!read) return fail(context, read.errors());
        projections[i] = std::move(read).value();
        continue;
      }
      (kinds[i] == SideKind::kRtl ? options.rtl : options.machine) = *sides[i];
      const int made = make_projection(context, progress, run_, options, &projections[i], &output);
      if (made != kDone) return made;
    }
    report::ProjectionComparison comparison = report::compare_projections(std::move(projections[0]), std::move(projections[1]));
    comparison.a = a_ + ": " + comparison.a;
    comparison.b = b_ + ": " + comparison.b;
    if (const int code = open_output(context, &output); code != kDone) return code;
    context.out << report::comparison_text(comparison);
    const int written = write_comparison(context, comparison, output, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
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
