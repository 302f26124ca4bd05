// waferloom compare A B: two result folders of `report`, or, with --run RUN.yaml, the same projection on two machines or on two RTL trees.
#include <chrono>
#include <filesystem>
#include <ostream>

#include "host/cli/projection_source.h"
#include "host/report/projection_reader.h"

namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

class CompareCommand : public Command {
 public:
  std::string name() const override { return "compare"; }
  std::string summary() const override { return "two machines, RTL trees or reports side by side: what differs, and whether that is certain"; }

  void declare(CLI::App& app) override {
    app.add_option("a", a_, "a machine by name or file, a folder of RTL, or a result folder")->required()->type_name("A");
    app.add_option("b", b_, "the other")->required()->type_name("B");
    app.add_option("--run", run_, "the projection that machines or RTL trees are put to")->type_name("RUN.yaml");
    app.add_option("-o,--output", output_, "the result folder (default: out/compare-A-B)")->type_name("DIR");
  }

  int run(Context& context) override {
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
        context.err << "waferloom: error: '" << *sides[i] << "' holds no projection.json\n  hint: name two result folders of `waferloom report`, or give --run to compare machines or RTL trees\n";
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
    const std::string folder = output_.empty() ? "out/compare-" + label(a_) + "-" + label(b_) : output_;
    const int written = write_comparison(context, comparison, folder, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (written == kDone) context.out << "\nReport: " << folder << "\n";
    return written;
  }

 private:
  static std::string label(const std::string& side) {
    const fs::path path = fs::path(side).lexically_normal();
    const std::string name = path.has_filename() ? path.stem().string() : path.parent_path().filename().string();
    return name.empty() ? "x" : name;
  }

  std::string a_;
  std::string b_;
  std::string run_;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace waferloom::cli
