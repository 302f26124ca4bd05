#include "host/report/run_report.h"

namespace waferloom::report {
namespace {

std::int64_t sum(const std::vector<Share>& shares) {
  std::int64_t total = 0;
  for (const Share& share : shares) total += share.cycles;
  return total;
}

// Cycles of all units of this kind: units x cycles, system by system where there are several.
std::int64_t unit_cycles(const UnitCauses& unit, std::int64_t cycles, const std::vector<SystemRow>& systems) {
  if (systems.empty()) return unit.units * cycles;
  std::int64_t all = 0;
  for (const SystemRow& system : systems) {
    for (const UnitCauses& own : system.units) all += own.unit == unit.unit ? own.units * system.cycles : 0;
  }
  return all;
}

void check_units(const std::vector<UnitCauses>& units, std::int64_t cycles, const std::vector<SystemRow>& systems, const std::string& where,
                 std::vector<std::string>& faults) {
  for (const UnitCauses& unit : units) {
    const std::int64_t have = sum(unit.causes);
    const std::int64_t want = unit_cycles(unit, cycles, systems);
    if (have != want)
      faults.push_back(where + ": causes of " + std::to_string(unit.units) + " " + unit.unit + " sum to " +
                       std::to_string(have) + " cycles, not to " + std::to_string(want));
    for (const Share& share : unit.causes) {
      if (share.cycles < 0) faults.push_back(where + ": cause '" + share.name + "' of " + unit.unit + " is negative");
    }
  }
}

void check_systems(const std::vector<SystemRow>& systems, std::int64_t in, std::int64_t out, const std::string& where, std::vector<std::string>& faults) {
  if (systems.empty()) return;
  for (const SystemRow& system : systems) {
    const std::string who = where + ", system " + std::to_string(system.system);
    const std::int64_t phases = sum(system.phases);
    if (!system.phases.empty() && phases != system.cycles)
      faults.push_back(who + ": phases sum to " + std::to_string(phases) + " cycles, not to " + std::to_string(system.cycles));
    check_units(system.units, system.cycles, {}, who, faults);
    in -= system.wavelets_in;
    out -= system.wavelets_out;
  }
  if (in != 0 || out != 0) faults.push_back(where + ": the wavelets of its systems do not add up to those of the whole");
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
    check_units(step.units, step.cycles, step.systems, where, faults);
    check_systems(step.systems, step.wavelets_in, step.wavelets_out, where, faults);
  }
  check_units(report.units, report.cycles, report.system_rows, "whole run", faults);
  check_systems(report.system_rows, report.edge_wavelets_in, report.edge_wavelets_out, "whole run", faults);
  if (report.status == "finished" && report.wavelets_sent != report.wavelets_received) {
    faults.push_back("whole run: " + std::to_string(report.wavelets_sent) + " wavelets sent, " +
                     std::to_string(report.wavelets_received) + " received");
  }
  return faults;
}

}  // namespace waferloom::report
