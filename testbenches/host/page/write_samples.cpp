// write_samples FOLDER: writes the pages that the browser test opens.
#include <cstdio>
#include <filesystem>

#include "host/report/files.h"
#include "host/report/html.h"
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

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const report::Manifest manifest = test::sample_manifest();
  write(folder, "run", report::report_html(test::digits_report(), manifest));
  write(folder, "run-long", report::report_html(test::digits_report(20, 100), manifest));
  write(folder, "run-empty", report::report_html(report::RunReport{}, report::Manifest{}));
  write(folder, "run-broken-off", report::report_html(test::broken_off_report(), manifest));
  write(folder, "run-hostile", report::report_html(test::hostile_report(), manifest));
  write(folder, "projection", report::projection_html(test::gpt3_projection()));
  write(folder, "projection-empty", report::projection_html(report::Projection{}));
  write(folder, "projection-hostile", report::projection_html(test::hostile_projection()));
  write(folder, "comparison", report::comparison_html(test::compared()));
  write(folder, "comparison-empty", report::comparison_html(report::ProjectionComparison{}));
  return failures == 0 ? 0 : 4;
}
