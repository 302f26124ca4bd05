// A training run from its files to its result folder: builds the units, simulates, extrapolates, writes. One object per run.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "host/cli/run_checkpoint.h"
#include "host/cli/run_setup.h"
#include "host/cli/run_trace.h"
#include "host/report/result_folder.h"
#include "sim/plugin/unit.h"

namespace waferloom::cli {

// The command line of a run. None of it changes what is learnt.
struct RunOptions {
  std::string file;
  std::string output;   // the result folder; empty: as the file says
  std::string machine;  // another machine; empty: the file's own
  std::string rtl;      // another RTL tree; empty: the project's
  std::string views = "fast";
  std::string resume;  // a result folder, a folder of checkpoints or one of them; empty: from the beginning
  std::int64_t quantum = 0;  // cycles; 0: as long as allowed
  bool audit = false;
  bool no_skip = false;
  bool no_extrapolate = false;
  unsigned threads = 1;
};

class TrainingRun {
 public:
  // `trace`: what was asked for behind --trace; must outlive the run.
  TrainingRun(const RunOptions& options, RunTrace& trace, Context& context);

  // Returns an ExitCode; says on context.err what went wrong.
  int run();

 private:
  plugin::UnitSpec spec_of(bool pe) const;
  int open_checkpoint();
  int open_units();
  int simulate();
  int extrapolate();
  int finish(int code);
  bool stopped() const { return context_.stop_signal.load() != 0; }
  int interrupted();
  void say_checkpoint(const std::string& error);

  const RunOptions options_;
  RunTrace& trace_;
  int traced_ = kDone;  // what became of the trace
  Context& context_;
  Progress progress_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  RunSetup setup_;
  plugin::Unit router_;
  plugin::Unit pe_;
  report::RunReport report_;
  report::TensorFile weights_;
  std::optional<report::ResultFolder> folder_;
  checkpoint::Identity identity_;
  checkpoint::Opened from_;  // with a reader: what the run goes on from
};

}  // namespace waferloom::cli
