// Two training runs side by side: what they learnt, what it cost and where, layer by layer, and what of their configuration differs.
//
// What a run measures follows from its configuration, its RTL and its seed alone, to the last bit: a difference of measured figures is exact, however small. Figures of the
// extrapolation have intervals: a difference is beyond them when they do not overlap. Wall-clock times are not compared.
#pragma once

#include <string>
#include <vector>

#include "host/report/metrics_reader.h"

namespace waferloom::report {

// What a difference means.
enum class Certainty {
  kSame,    // measured, equal to the last bit
  kExact,   // measured, and different
  kWithin,  // the intervals overlap
  kBeyond,  // they do not
};
const char* to_string(Certainty certainty);  // "same", "exact", "within", "beyond"

struct RunDifference {
  std::string label;
  Quantity a;
  Quantity b;
  Certainty certainty = Certainty::kSame;

  double difference() const { return b.value - a.value; }
};

struct DifferenceGroup {
  std::string key;    // "learnt", "cycles", "layers", "phases", "pe", "router", "extrapolation"
  std::string title;  // for people
  std::vector<RunDifference> rows;
};

// A key of the configuration, or a source, that differs. "" where one side does not have it.
struct SettingDifference {
  std::string key;  // "optimiser.learning_rate", "RTL of wl_pe"
  std::string a;
  std::string b;
};

struct RunComparison {
  std::string a;  // titles
  std::string b;
  StoredRun first;
  StoredRun second;
  std::vector<DifferenceGroup> groups;  // in this order; none is empty
  std::vector<SettingDifference> settings;

  std::size_t count(Certainty certainty) const;
};

RunComparison compare_runs(StoredRun a, StoredRun b);

// Schema waferloom-run-comparison-1; ends with a newline.
std::string run_comparison_json(const RunComparison& comparison);
// group,label,unit,a,b,difference,certainty
std::string run_comparison_csv(const RunComparison& comparison);
// For a terminal: ASCII, at most 80 columns.
std::string run_comparison_text(const RunComparison& comparison);
// A page like that of a run.
std::string run_comparison_html(const RunComparison& comparison);

}  // namespace waferloom::report
