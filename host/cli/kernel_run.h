// `waferloom run FILE` for run files with the key `kernels`: each case on verilated tiles, a table, a result folder.
#pragma once

#include <optional>
#include <string>

#include "host/cli/command.h"
#include "host/config/kernel_run.h"

namespace waferloom::cli {

struct KernelRunOptions {
  std::string file;
  std::string output;   // empty: as the file says
  std::string machine;  // empty: as the file says
  std::string rtl;
  bool rtl_views = false;
  bool no_skip = false;
  bool audit = false;
  unsigned threads = 1;
};

// Why the first case that cannot be laid out cannot: every one is laid out before the first runs, so that a mistake in the last does not cost the time of the others.
std::optional<config::Diagnostic> refuse_cases(const config::KernelRun& run);

// Returns an ExitCode: kCheckFailed if a value is wrong, a tile trapped or a tolerance is missed; kWatchdog for a deadlock or a cycle limit.
int run_kernels(Context& context, const KernelRunOptions& options);

}  // namespace waferloom::cli
