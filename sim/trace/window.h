#pragma once
// A rectangle of a running fabric on its own: its state at a moment, what its border sees from then on, and a grid of tiles that continues from
// there. Bit-exact, because every output of a unit is a register: the rest of the fabric acts on the window only through the inputs of its border.
//
//   WindowState   registers and memories of the window's units, by name, and where the window lies
//   TileGrid      units of any build of the same RTL (a traced twin too) that take such a state over and go on cycle by cycle
//   Recording     a state, the border's inputs in every cycle, and the state at the end
//   replay        a recording run again on a grid; replay_whole: in one monolithic model of the window (rtl/array/wl_array.sv)
//
// A cycle is numbered as in the fabric: cycle c ends with edge c, and inputs of cycle c are what edge c sees.
// Threads: one. Errors are texts: a register that the other build lacks, a model that stops.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/fabric/fabric.h"

namespace waferloom::trace {

// Registers and memories of one kind of unit, the same names for every tile.
struct UnitStates {
  std::vector<std::string> names;
  std::vector<uint32_t> bytes;                            // of each register, all its elements
  std::vector<std::vector<uint8_t>> registers;            // by tile: one after the other
  std::vector<std::string> memories;
  std::vector<std::vector<std::vector<uint64_t>>> words;  // by tile, memory, word
};

struct WindowState {
  fabric::Region region;
  uint32_t array_width = 0, array_height = 0;
  uint64_t cycle = 0;           // the next edge
  std::vector<uint8_t> edges;   // edge_i of the routers, by tile of the window
  UnitStates router, pe;        // pe: empty if the array has none
};

// Credits the counters of the window's units up to now; else the fabric is only read. Requires a region inside the fabric.
WindowState take_state(const fabric::Fabric& fabric, const fabric::Region& region);

// A link that leads out of the window, in order of tile and direction.
struct BorderLink {
  uint32_t tile = 0;  // of the window, y * width + x
  unsigned direction = 0;
};
std::vector<BorderLink> border_links(const fabric::Region& region);

struct BorderInput {
  uint64_t word = 0;   // link word that the router sees
  uint32_t ready = 0;  // and the receiver's ready
  bool operator==(const BorderInput& o) const { return word == o.word && ready == o.ready; }
};
BorderInput border_input(const fabric::Fabric& fabric, const fabric::Region& region, const BorderLink& link);

class TileGrid {
 public:
  // Null and *error on failure. The units are taken by value: they keep their libraries loaded.
  static std::unique_ptr<TileGrid> create(const plugin::Unit& router, const plugin::Unit& pe, const WindowState& state, std::string* error);
  ~TileGrid();
  TileGrid(const TileGrid&) = delete;
  TileGrid& operator=(const TileGrid&) = delete;

  const std::vector<BorderLink>& links() const { return links_; }
  void set_input(size_t link, const BorderInput& input);
  // Copies what the neighbours drive, so that inputs() of every unit are those of the coming edge.
  void settle();
  // Takes over registers and memories once more: of the same window, written from outside since. "" or what this build lacks.
  std::string take_over(const WindowState& state);
  // Edge `cycle` for every unit; edges between the last one and this are taken as idle ones (they are credited). settle() comes first.
  std::string step(uint64_t cycle);
  // First difference from a state of the same window: "wl_pe (3,4) u_fetch.pc_q", or "". Counters up to `cycle` of the state.
  std::string difference(const WindowState& state);

  uint32_t tiles() const { return region_.width * region_.height; }
  const fabric::Region& region() const { return region_; }
  bool has_pe() const { return units_[1].loaded(); }
  const plugin::Unit& unit(fabric::UnitKind kind) const { return units_[static_cast<unsigned>(kind)]; }
  WlArena* arena(fabric::UnitKind kind) const { return arenas_[static_cast<unsigned>(kind)]; }
  const char* state(fabric::UnitKind kind, uint32_t tile) const { return static_cast<const char*>(unit(kind).api().state(arena(kind), tile)); }

 private:
  struct Copy {  // one input of one unit
    const char* from;
    char* to;
    uint32_t bytes;
  };
  TileGrid() = default;
  std::string load(const UnitStates& states, fabric::UnitKind kind);
  std::string connect(const WindowState& state);

  fabric::Region region_;
  plugin::Unit units_[2];  // by UnitKind
  WlArena* arenas_[2] = {nullptr, nullptr};
  std::vector<BorderLink> links_;
  std::vector<std::pair<char*, char*>> inputs_;  // by link: where word and ready go
  std::vector<Copy> copies_;
  std::vector<uint32_t> all_, changed_;
};

struct Recording {
  struct Change {
    uint64_t cycle = 0;
    uint32_t link = 0;
    BorderInput input;
  };
  WindowState begin, end;
  std::vector<Change> changes;  // in order of cycle; from begin.cycle to before end.cycle
};

// Records while the fabric runs: before() is to be called at the start of every evaluated cycle (Fabric::set_before_step). The fabric must hold
// still in a cycle >= begin when recording starts, and nothing may be written into it from outside until finish().
class Recorder {
 public:
  Recorder(const fabric::Fabric& fabric, const fabric::Region& region);
  void before(const fabric::Fabric& fabric);
  Recording finish(const fabric::Fabric& fabric);

 private:
  Recording recording_;
  std::vector<BorderLink> links_;
  std::vector<BorderInput> last_;
};

// Runs a recording again; "" if every register and memory word is as recorded at the end.
std::string replay(const Recording& recording, const plugin::Unit& router, const plugin::Unit& pe);

// The same in one model of the whole window: `array` is rtl/array/wl_array.sv of the window's Width and Height.
std::string replay_whole(const Recording& recording, const plugin::Unit& array);

}  // namespace waferloom::trace
