// Who made a result: manifest.json. Schema: configs/schemas/manifest.schema.json. Everything that depends on the clock
// on the wall stands under "wall_clock"; two runs with the same seed differ nowhere else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/report/run_report.h"

namespace waferloom::report {

// One kind of RTL unit, by the content it was built from.
struct UnitHash {
  std::string unit;   // "pe", "router"
  std::string views;  // "fast" or "rtl"
  std::string hash;
};

struct Manifest {
  std::vector<std::pair<std::string, std::string>>
      tools;  // beyond report::tool_versions(): {"verilator", "5.006"}, ...
  std::vector<UnitHash> units;
  std::string firmware_hash;
  std::vector<std::string> files;  // of the result folder; filled by the writer
};

std::string manifest_json(const RunReport& report, const Manifest& manifest);

}  // namespace waferloom::report
