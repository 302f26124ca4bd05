#pragma once
// Whole-wafer cases, shared by the benchmark and the test of that size. All throw std::runtime_error with the message.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/bench/workloads.h"

namespace waferloom::bench {

struct WaferCase {
  std::uint32_t width = 757, height = 996;
};

struct Phase {
  std::string name;
  double seconds;  // of the thread's processor time
};

struct FloodResult {
  std::uint64_t cycles = 0;
  std::uint64_t evaluations = 0;  // of units, both kinds
  double seconds = 0;
};

double thread_seconds();

// Every tile has the program testbenches/bench/flood.wl (one of four images by its place: corner, first row, first column, inside), routes of
// three colours, and has booted and come to rest.
std::unique_ptr<fabric::Fabric> idle_wafer(const Units& units, const WaferCase& wafer, std::vector<Phase>* phases);
// On an idle_wafer: `words` words from a host port at the north-west corner to every tile; each PE adds its place and stores them. Checks every word.
FloodResult flood_tiles(fabric::Fabric& fabric, unsigned words);
// Routers without PEs: words go along the first row and down every column; each router's ramp takes a copy; every ramp's count is checked.
FloodResult flood_routers(const Units& units, const WaferCase& wafer, unsigned words);

// On an idle_wafer: host ports at the north of every column, numbered by column; colour 0 leads down each column to its last tile.
void column_traffic_routes(fabric::Fabric& fabric);
// On an idle_wafer of at least 2 rows and 2 * squares columns: words that circle for ever, each on four tiles of the first two rows.
void circling_words(fabric::Fabric& fabric, unsigned squares);

}  // namespace waferloom::bench
