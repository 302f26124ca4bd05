// Turns what a training run does into the rows of its report.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/config/run.h"
#include "host/plan/plan.h"
#include "host/report/run_report.h"
#include "host/systemc/training.h"

namespace waferloom::cli {

class RunCollector {
 public:
  RunCollector(const config::Run& run, const plan::Plan& plan, report::RunReport& report);

  // In order of the steps.
  void add(const systemc::StepRecord& record);
  // After the last step; `result` has the totals.
  void finish(const systemc::TrainingResult& result);

  // Saves or loads everything that the report has so far.
  void transfer(checkpoint::Archive& archive);

  // One line for a terminal: where the run stands.
  std::string progress(std::size_t steps) const;

 private:
  report::UnitCauses causes(const char* unit, std::int64_t units, const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after) const;
  std::vector<report::UnitCauses> all_causes(const systemc::WaferCounters& before, const systemc::WaferCounters& after) const;
  report::SystemRow system_row(std::size_t system, const systemc::StepCycles& cycles, const std::vector<plan::Phase>& phases) const;
  void add_to_epoch(const systemc::StepRecord& record, const report::StepRow& row);

  const config::Run& run_;
  const plan::Plan& plan_;
  report::RunReport& report_;
  std::vector<systemc::WaferCounters> before_;  // of each system
  struct Sum {
    double loss = 0;
    std::int64_t wrong = 0;
    std::int64_t rows = 0;
    void transfer(checkpoint::Archive& archive) { archive(loss, wrong, rows); }
  };
  std::map<int, Sum> train_;  // by epoch
  std::map<int, Sum> test_;
};

}  // namespace waferloom::cli
