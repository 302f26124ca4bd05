#include "host/cli/kernel_rows.h"

#include <cmath>
#include <utility>

namespace waferloom::cli {

report::KernelPage kernel_page(const config::KernelRun& run, const std::vector<kernels::CaseResult>& results, const std::string& file, const std::string& yaml, const report::Manifest& manifest) {
  report::KernelPage page;
  page.run = run.name;
  page.description = run.description;
  for (const kernels::CaseResult& result : results) {
    const config::KernelCase& c = *result.wanted;
    report::KernelRow row;
    row.name = c.name;
    row.kernel = config::to_string(c.kernel);
    row.machine = c.machine.name;
    row.width = c.width;
    row.height = c.height;
    row.words = c.words;
    if (c.words == 0) row.size = config::size_text(c);
    if (result.finished()) row.cycles = static_cast<double>(result.cycles());
    if (c.expected) {
      row.expected_least = c.expected->least;
      if (!std::isinf(c.expected->most)) row.expected_most = c.expected->most;
      row.source = c.expected->source;
    }
    row.verdict = kernels::to_string(result.verdict());
    if (!result.judged && c.expected) row.note = "expected of another machine";
    page.rows.push_back(std::move(row));
  }
  for (const auto& unit : manifest.units) page.made_by.emplace_back("RTL of the " + unit.unit + ", " + unit.views + " view", unit.hash);
  page.reproduce = {"waferloom run " + file};
  page.resolved_yaml = yaml;
  return page;
}

}  // namespace waferloom::cli
