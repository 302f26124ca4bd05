// write_samples FOLDER: writes the pages that the browser test opens.
#include <cstdio>
#include <filesystem>

#include "host/report/files.h"
#include "host/report/html.h"
#include "host/report/kernel_page.h"
#include "host/report/projection_page.h"
#include "testbenches/host/page/projection_samples.h"
#include "testbenches/host/page/run_samples.h"

using namespace waferloom;

namespace {

int failures = 0;

void write(const std::filesystem::path& folder, const std::string& name, const std::string& text) {
  const config::Status status = report::write_whole_file(folder / (name + ".html"), text);
  if (status) return;
  std::fputs(config::render(status.errors()).c_str(), stderr);
  ++failures;
}

report::KernelPage kernels() {
  using report::Origin;
  report::KernelPage k;
  k.run = "collectives-wse2";
  k.rows = {{"chain of 512, 1 word", "chain_reduce", "wse2", 512, 1, 1, "", 3075, Origin::kMeasured, {}, {}, 3072, 3090, "within", "arXiv 2404.15888", ""},
            {"ring of 64, 256 words", "ring_allreduce", "wse2", 64, 1, 256, "", 1302, Origin::kMeasured, {}, {}, 1195, 1380, "within", "arXiv 2404.15888", ""},
            {"tree of 512", "tree_reduce", "wse2", 512, 1, 256, "", 4090, Origin::kMeasured, {}, {}, 3100, 3600, "missed", "arXiv 2404.15888", "two levels share a link"},
            {"broadcast <750>", "broadcast", "wse2", 750, 994, 256, "", 2002, Origin::kExtrapolated, 1950, 2050, 1162, {}, "reported", "a lower bound", ""},
            {"product", "gemv", "wse2", 600, 600, 0, "4096x4096", 4265, Origin::kMeasured, {}, {}, 4087, 4339, "within", "OSDI 2025", ""},
            {"stalled", "broadcast", "wse2", 8, 8, 4, "", {}, Origin::kMeasured, {}, {}, 40, 40, "wrong", "", "did not finish in 10,000 cycles"}};
  k.made_by = {{"RTL of the router", "0123abcd"}};
  k.reproduce = {"waferloom run configs/runs/collectives-wse2.yaml"};
  k.resolved_yaml = "name: collectives-wse2\n";
  return k;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const report::Manifest manifest = test::sample_manifest();
  write(folder, "run", report::report_html(test::digits_report(), manifest));
  write(folder, "run-long", report::report_html(test::digits_report(20, 100), manifest));
  write(folder, "run-two-systems", report::report_html(test::two_systems_report(), manifest));
  write(folder, "run-comparison", report::run_comparison_html(test::compared_runs(test::digits_report(8, 18))));
  write(folder, "run-comparison-same", report::run_comparison_html(test::compared_runs(test::digits_report())));
  write(folder, "run-comparison-hostile", report::run_comparison_html(test::compared_runs(test::hostile_report())));
  write(folder, "run-comparison-empty", report::run_comparison_html(report::RunComparison{}));
  write(folder, "run-empty", report::report_html(report::RunReport{}, report::Manifest{}));
  write(folder, "run-broken-off", report::report_html(test::broken_off_report(), manifest));
  write(folder, "run-hostile", report::report_html(test::hostile_report(), manifest));
  write(folder, "projection", report::projection_html(test::gpt3_projection()));
  write(folder, "projection-empty", report::projection_html(report::Projection{}));
  write(folder, "projection-hostile", report::projection_html(test::hostile_projection()));
  write(folder, "comparison", report::comparison_html(test::compared()));
  write(folder, "comparison-empty", report::comparison_html(report::ProjectionComparison{}));
  write(folder, "kernels", report::kernel_html(kernels()));
  write(folder, "kernels-empty", report::kernel_html({}));
  return failures == 0 ? 0 : 4;
}
