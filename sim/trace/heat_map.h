#pragma once
// Counters of a fabric by place, and maps of them. A large array is cut into equal blocks of tiles (cells), so that tables and pictures stay small; the
// numbers of a map are those of the table.
// Threads: the fabric's own. Errors: none.
#include <cstdint>
#include <string>
#include <vector>

#include "sim/fabric/fabric.h"

namespace waferloom::trace {

// Sums over the tiles of a cell.
struct CounterCell {
  uint32_t x = 0, y = 0, width = 1, height = 1;  // in tiles
  std::vector<uint64_t> pe_classes;      // cycles, by class
  std::vector<uint64_t> pe_events;
  std::vector<uint64_t> router_classes;
  std::vector<uint64_t> links;           // wavelets driven, by direction
};

struct CounterMap {
  uint32_t array_width = 0, array_height = 0;
  uint32_t columns = 0, rows = 0;        // of cells
  uint64_t first_cycle = 0, cycles = 0;  // counted
  std::vector<CounterCell> cells;        // row by row
};

// Counters of all tiles up to now, since reset, in at most `side` cells per row and column. Credits every counter. With `back`: as they were that many
// cycles ago; no unit may have been evaluated since.
CounterMap count_tiles(fabric::Fabric* fabric, uint32_t side, uint64_t back = 0);
// What was counted between two readings with the same cells.
CounterMap difference(const CounterMap& before, const CounterMap& after);

// One line per cell: place, size, cycles, then every counter by name (pe_<class>, pe_<event>, router_<class>, link_<direction>).
std::string counters_csv(const CounterMap& map);

enum class HeatKind {
  kUtilisation,  // share of PE cycles in which work issued: axpy, dot, reduce, elementwise, scalar
  kStalls,       // share of PE cycles that waited: wait_bank, wait_hazard, wait_out, wait_in
  kLinkLoad,     // wavelets per cycle and link to a neighbour, of the four that a tile has
};
inline constexpr HeatKind kHeatKinds[] = {HeatKind::kUtilisation, HeatKind::kStalls, HeatKind::kLinkLoad};
const char* to_string(HeatKind kind);     // "utilisation", "stalls", "link load": also the map's title
const char* file_stem(HeatKind kind);     // "utilisation", "stalls", "link-load"
// 0 to 1.
double heat(const CounterMap& map, const CounterCell& cell, HeatKind kind);

// A picture without scripts or links; each cell carries its value as `data-value` and as a title that browsers show.
std::string heat_map_svg(const CounterMap& map, HeatKind kind);

}  // namespace waferloom::trace
