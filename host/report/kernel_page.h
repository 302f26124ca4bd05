// The report page of a kernel run: cases that ran on verilated tiles, their cycles beside what was expected of them. Same data, same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/report/run_report.h"

namespace waferloom::report {

struct KernelRow {
  std::string name;
  std::string kernel;     // "chain_reduce", "gemv", ...
  std::string machine;
  int width = 0;          // tiles
  int height = 0;
  std::int64_t words = 0; // of each tile's vector
  std::string size;       // of a kernel that has no such vector: "4096x4096"
  std::optional<double> cycles;    // absent: the case did not finish
  Origin origin = Origin::kMeasured;
  std::optional<double> low;       // interval, if the cycles are extrapolated
  std::optional<double> high;
  std::optional<double> expected_least;
  std::optional<double> expected_most;   // absent with `expected_least` present: a lower bound only
  std::string verdict;    // "within", "missed", "reported", "wrong"; "trap", "deadlock", "cycle limit", "failed": it did not finish
  std::string source;     // of the expectation
  std::string note;       // what went wrong, or what a reader must know
};

struct KernelPage {
  std::string run;
  std::string description;
  std::vector<KernelRow> rows;
  std::vector<HeatMap> heat_maps;
  std::vector<std::pair<std::string, std::string>> made_by;  // "RTL of the router" and its hash, ...
  std::vector<std::string> reproduce;                        // commands
  std::string resolved_yaml;
};

std::string kernel_html(const KernelPage& kernels);

}  // namespace waferloom::report
