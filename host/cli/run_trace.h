// --trace of a run: from the words on the command line to the folder `trace` in the result folder. Words are checked before anything is written or built.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "host/report/run_report.h"
#include "sim/fabric/fabric.h"
#include "sim/trace/session.h"

namespace waferloom::cli {

class RunTrace {
 public:
  void declare(CLI::App& app);
  bool wanted() const { return !words_.empty(); }

  // The words end where the options go on; a file name behind them is taken for one. Returns that, or "".
  std::string take_file();
  // Takes the words case=NAME and repetition=K out, which choose what of a kernel run is traced: the first repetition of the first case if not given.
  struct Choice {
    std::string name;             // empty: not given
    std::uint64_t repetition = 1;
    std::string fault, hint;      // of a word that makes no sense
  };
  Choice take_choice();
  // Each returns kDone, or prints why not and returns the exit code.
  // After the run's file has been read: `cycles_at_most` 0 or more cycles than which it never has.
  int check(Context& context, std::uint32_t width, std::uint32_t height, std::int64_t cycles_at_most);
  // Builds or loads the traced twins of the run's units, router and PE.
  int open_units(Context& context, Progress& progress, std::array<plugin::UnitSpec, 2> specs);
  // The fabric has been loaded and stands before its first cycle, or where it goes on. The names hold until finish().
  int start(Context& context, fabric::Fabric& fabric, const std::string& result_folder, const fabric::TaskNames& task_names);
  // Writes into the fabric from outside go through here once the trace has started (TraceSession::write).
  std::string write(const std::function<std::string()>& change) { return session_ == nullptr ? change() : session_->write(change); }
  // The run has ended, however. Puts the folder in its place. kUsage if the run ended before the first cycle to be traced: then nothing was written.
  int finish(Context& context);

 private:
  int tell(Context& context, const trace::TraceResult& result);

  std::vector<std::string> words_;
  trace::TraceOptions options_;
  plugin::Unit router_, pe_;
  std::unique_ptr<trace::TraceSession> session_;
};

// For the report: utilisation, stalls, link load of the whole run, in percent.
std::vector<report::HeatMap> heat_maps_of(const trace::CounterMap& counters);

}  // namespace waferloom::cli
