#include "host/report/run_report.h"

namespace waferloom::report {
namespace {

std::int64_t sum(const std::vector<Share>& shares) {
  std::int64_t total = 0;
  for (const Share& share : shares) total += share.cycles;
  return total;
}

void check_units(const std::vector<UnitCauses>& units, std::int64_t cycles, const std::string& where,
                 std::vector<std::string>& faults) {
  for (const UnitCauses& unit : units) {
    const std::int64_t have = sum(unit.causes);
    const std::int64_t want = unit.units * cycles;
    if (have != want)
      faults.push_back(where + ": causes of " + std::to_string(unit.units) + " " + unit.unit + " sum to " +
                       std::to_string(have) + " cycles, not to " + std::to_string(want));
    for (const Share& share : unit.causes) {
      if (share.cycles < 0) faults.push_back(where + ": cause '" + share.name + "' of " + unit.unit + " is negative");
    }
  }
}

}  // namespace

std::vector<std::string> check_report(const RunReport& report) {
  std::vector<std::string> faults;
  for (const StepRow& step : report.steps) {
    const std::string where = "step " + std::to_string(step.step);
    const std::int64_t phases = sum(step.phases);
    if (!step.phases.empty() && phases != step.cycles)
      faults.push_back(where + ": phases sum to " + std::to_string(phases) + " cycles, not to " +
                       std::to_string(step.cycles));
    check_units(step.units, step.cycles, where, faults);
  }
  check_units(report.units, report.cycles, "whole run", faults);
  if (report.status == "finished" && report.wavelets_sent != report.wavelets_received) {
    faults.push_back("whole run: " + std::to_string(report.wavelets_sent) + " wavelets sent, " +
                     std::to_string(report.wavelets_received) + " received");
  }
  return faults;
}

}  // namespace waferloom::report
