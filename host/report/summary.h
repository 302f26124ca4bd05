// What both the HTML and the terminal report tell about cycles: sums over steps, in the order in which names first
// appear.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "host/report/run_report.h"

namespace waferloom::report {

struct PhaseSummary {
  std::string name;
  std::int64_t total = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
};

// The kinds of steps, in the order in which they first appear.
inline std::vector<std::string> step_kinds(const std::vector<StepRow>& steps) {
  std::vector<std::string> kinds;
  for (const StepRow& step : steps) {
    if (std::find(kinds.begin(), kinds.end(), step.kind) == kinds.end()) kinds.push_back(step.kind);
  }
  return kinds;
}

inline std::vector<StepRow> steps_of(const std::vector<StepRow>& steps, const std::string& kind) {
  std::vector<StepRow> some;
  for (const StepRow& step : steps) {
    if (step.kind == kind) some.push_back(step);
  }
  return some;
}

// Phases over all steps; a step without a phase counts as zero in it.
inline std::vector<PhaseSummary> phase_summary(const std::vector<StepRow>& steps) {
  std::vector<PhaseSummary> all;
  for (const StepRow& step : steps) {
    for (const Share& share : step.phases) {
      const bool known =
          std::any_of(all.begin(), all.end(), [&](const PhaseSummary& p) { return p.name == share.name; });
      if (!known) all.push_back({share.name, 0, INT64_MAX, 0});
    }
  }
  for (PhaseSummary& phase : all) {
    for (const StepRow& step : steps) {
      std::int64_t cycles = 0;
      for (const Share& share : step.phases) cycles += share.name == phase.name ? share.cycles : 0;
      phase.total += cycles;
      phase.least = std::min(phase.least, cycles);
      phase.most = std::max(phase.most, cycles);
    }
  }
  return all;
}

// Whether a table was asked for.
inline bool shows(const RunReport& report, const char* section) {
  return report.sections.empty() ||
         std::find(report.sections.begin(), report.sections.end(), section) != report.sections.end();
}

inline std::int64_t total_cycles(const UnitCauses& unit) {
  std::int64_t sum = 0;
  for (const Share& share : unit.causes) sum += share.cycles;
  return sum;
}

}  // namespace waferloom::report
