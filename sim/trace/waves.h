#pragma once
// Every port and named signal of the units of a grid (window.h) as waves: one file, a scope per tile, below it `router` and `pe` with the modules of the
// RTL. Time is the wafer cycle: at time t stands what the units show in cycle t. A traced twin shows all signals of the RTL, a plain build its ports,
// registers and what it keeps beside them. Memories are left out.
// Threads: one. Errors: open() returns the reason.
#include <cstdint>
#include <string>
#include <vector>

#include "sim/trace/fst_writer.h"
#include "sim/trace/window.h"

namespace waferloom::trace {

class Waves {
 public:
  std::string open(const std::string& path, const TileGrid& grid);
  // The grid is settled and stands before edge `cycle`. Cycles ascend.
  void show(const TileGrid& grid, uint64_t cycle);
  FstWriter& file() { return file_; }
  size_t signals() const { return count_; }

 private:
  struct Item {  // one element of one signal of a kind of unit
    uint32_t offset = 0;
    uint32_t bytes = 0;
    uint32_t width = 0;
    uint32_t shadow = 0;  // where its last value is kept
  };
  struct Unit {
    fabric::UnitKind kind = fabric::UnitKind::kRouter;
    uint32_t tile = 0;
    std::vector<FstWriter::Signal> signals;  // by item
    std::vector<uint8_t> shadow;
  };
  void declare(const TileGrid& grid, Unit* unit);

  FstWriter file_;
  std::vector<Item> items_[2];  // by kind
  std::vector<Unit> units_;
  bool first_ = true;
  size_t count_ = 0;
};

}  // namespace waferloom::trace
