// `waferloom run FILE` for run files with the key `kernels`: each case on verilated tiles, a table, a result folder.
#pragma once

#include <optional>
#include <string>

#include "host/cli/command.h"
#include "host/cli/run_trace.h"

namespace waferloom::cli {

struct KernelRunOptions {
  std::string file;
  std::string output;   // empty: as the file says
  std::string machine;  // empty: as the file says
  std::string rtl;
  std::string resume;   // a result folder, a folder of checkpoints or one of them; empty: from the beginning
  bool rtl_views = false;
  bool no_skip = false;
  bool audit = false;
  unsigned threads = 1;
};

// `trace`: what was asked for behind --trace. Returns an ExitCode: kCheckFailed if a value is wrong, a tile trapped or a tolerance is missed; kWatchdog for a deadlock or a cycle limit.
int run_kernels(Context& context, const KernelRunOptions& options, RunTrace& trace);

}  // namespace waferloom::cli
