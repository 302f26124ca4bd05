// A kernel run's results as the rows of its page.
#pragma once

#include <string>
#include <vector>

#include "host/kernels/results.h"
#include "host/report/kernel_page.h"
#include "host/report/manifest.h"

namespace waferloom::cli {

// `file`: as the user named it; `yaml`: resolved.
report::KernelPage kernel_page(const config::KernelRun& run, const std::vector<kernels::CaseResult>& results, const std::string& file, const std::string& yaml, const report::Manifest& manifest);

}  // namespace waferloom::cli
