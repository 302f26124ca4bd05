#pragma once
// The composed fabric: width x height tiles, each a router and (if the array has them) a PE, verilated separately and
// evaluated only while they can change. Bit-identical to one monolithic model of the same RTL, whatever the order of
// evaluation, because every output of a unit is a register.
//
// A cycle has two phases. Evaluate: every active unit takes one rising edge on inputs that nobody writes meanwhile.
// Commit: outputs that changed are copied into the neighbours' inputs, and those neighbours become active. A unit whose
// quiet_o is high and whose inputs do not change is not due; the cycles that it misses are credited to the
// counter of class_o when it is evaluated or read again. Cost follows activity, not the size of the array.
//
// Due units are bits, row by row in the order of their states in memory. The two phases run interleaved: a row is committed when
// the rows on both sides of it have been evaluated, so a state comes from memory once a cycle. With several threads each has a
// rectangle of tiles (a band of rows, or of columns if there are few rows), balanced by measured activity; words for another
// rectangle wait until all have finished the cycle. Results do not depend on the number of threads. The array may also be spread over several
// processes (spread.h); results do not depend on that either.
//
// Ownership: the fabric owns the instances and keeps the plug-ins loaded. Threads: one thread drives a fabric (which may have
// helpers of its own, FabricOptions::threads); observers run in that thread; different fabrics are independent. References and states handed out are valid until the next step.
// Errors: the user's (an edge port inside the wafer, a model that stops on an assertion) are returned as text.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/fabric/ports.h"
#include "sim/plugin/unit.h"

namespace waferloom::fabric {

class Transport;

enum class Direction : uint8_t { kNorth, kEast, kSouth, kWest, kRamp };
enum class UnitKind : uint8_t { kRouter, kPe };
inline unsigned index_of(UnitKind kind) { return static_cast<unsigned>(kind); }

// The direction from which a neighbour sees what is sent in `direction`; the ramp is its own.
inline unsigned opposite(unsigned direction) { return direction == 4 ? 4 : direction ^ 2u; }

struct FabricOptions {
  uint32_t width = 1;
  uint32_t height = 1;
  plugin::Unit router;
  plugin::Unit pe;  // not loaded: routers only, whose ramps can be host ports
  unsigned hop = 1;
  bool skip = true;           // false: every unit is evaluated in every cycle
  bool audit = false;         // evaluates skipped units too and compares (see AuditReport)
  uint64_t shuffle_seed = 0;  // not 0: units are evaluated in an order that this seed draws anew each cycle
  uint32_t reset_value = WL_RESET_ZERO;  // of registers before reset
  uint64_t seed = 1;
  Rate edge_in;  // all host ports together
  Rate edge_out;
  unsigned threads = 1;  // at most; a cycle with little to do is done by one. Not with shuffle_seed
  // A cycle with fewer units due than this is done by one thread.
  uint64_t parallel_units = 256;
  // Other processes that share the array; null: none. Must outlive the fabric. Not with shuffle_seed or audit, which one process does alone.
  Transport* ranks = nullptr;
};

struct Region {
  uint32_t x = 0, y = 0, width = 1, height = 1;
};

// A switch position of a colour: masks of directions (bit d).
struct Route {
  unsigned colour = 0;
  unsigned position = 0;
  unsigned receive = 0;
  unsigned transmit = 0;
};

struct Trap {
  uint32_t x = 0, y = 0;
  UnitKind unit = UnitKind::kRouter;
  uint64_t cycle = 0;       // first cycle in which the trap word is visible
  unsigned cause = 0;       // of the unit's own list
  unsigned colour = 0;      // router
  unsigned port = 0;        // router
  unsigned program_counter = 0;  // PE

  void transfer(checkpoint::Archive& archive);
};

// What a cycle-by-cycle audit found. Unit-cycles, both kinds of unit together.
struct AuditReport {
  uint64_t unit_cycles = 0;
  uint64_t evaluated = 0;  // would have been evaluated without the audit
  uint64_t changed = 0;    // evaluated, and a register or SRAM word changed; counters aside
  uint64_t violations = 0;  // skipped, but something would have changed, or a wrong class was credited
  std::string first_violation;  // unit, tile, cycle, register
};

enum class Stop : uint8_t {
  kCycle,     // the cycle asked for was reached
  kIdle,      // nothing can move any more and nothing waits
  kDeadlock,  // nothing can move any more, and somebody holds or wants to send a wavelet, or waits for one
  kTrap,      // at least one unit trapped in the cycle just done
  kFault      // the model itself failed: see error()
};

struct WaitingTile {
  uint32_t x = 0, y = 0;
  uint32_t stored_colours = 0;  // colours that the router holds wavelets of
  uint32_t host_colours = 0;    // colours that a host port cannot send into this tile
  bool pe_waits = false;
  unsigned pe_class = 0;
};

struct Activity {
  uint64_t router_evaluations = 0;
  uint64_t pe_evaluations = 0;

  void transfer(checkpoint::Archive& archive);
};

// What a spread fabric has done so far.
struct SpreadStatistics {
  uint64_t windows = 0;    // of cycles between two agreements
  uint64_t exchanges = 0;  // windows that ended with changed boundaries
  uint64_t words = 0;      // sent by this rank
  uint64_t cuts = 0;       // how often the array was handed out
  uint64_t busy_ns = 0;    // evaluating
  uint64_t waiting_ns = 0; // for others
};

class Audit;
class Crew;
class Spread;

class Fabric {
 public:
  // Null and *error on failure (plug-in without the ports of its contract, no memory). Resets every unit; cycle is 0.
  static std::unique_ptr<Fabric> create(const FabricOptions& options, std::string* error);
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  uint32_t width() const { return options_.width; }
  uint32_t height() const { return options_.height; }
  uint32_t tiles() const { return options_.width * options_.height; }
  uint64_t cycle() const { return cycle_; }  // edges since reset
  const FabricOptions& options() const { return options_; }

  // ---- Host ports (ports.h). A tile's direction must lead out of the wafer, or be the ramp of an array without PEs.
  // Returns false and *error otherwise, or if the port exists.
  bool attach_port(uint32_t x, uint32_t y, Direction direction, PortId* port, std::string* error);
  // The port there, if there is one.
  bool find_port(uint32_t x, uint32_t y, Direction direction, PortId* port) const;
  // Calls body(tile, direction, port) for each port, in order of the ports.
  void each_port(const std::function<void(uint32_t, Direction, PortId)>& body) const;
  HostPorts& ports() { return *ports_; }
  const HostPorts& ports() const { return *ports_; }

  // ---- Loading, between steps. Each returns "" or what was wrong.
  // Writes a switch position of a colour: masks of directions (bit d). Takes no wafer time. Routers must hold no wavelet
  // of that moment on a link.
  std::string set_route(const Region& region, unsigned colour, unsigned position, unsigned receive, unsigned transmit);
  // Several at once: a router is visited once for all of them. Later ones win.
  std::string set_routes(const Region& region, const std::vector<Route>& routes);
  // Word 4 of the colour: current position, last position, ring.
  std::string set_switch(const Region& region, unsigned colour, unsigned position, unsigned last, bool ring);
  // Writes a named register (at most 64 bits an element) and wakes the unit.
  std::string set_register(const Region& region, UnitKind kind, const std::string& name, uint64_t value, uint32_t element = 0);
  // Shared program image: `count` words of the memory from `first` on every tile of the region.
  std::string load_image(const Region& region, const std::string& memory, uint32_t first, const std::vector<uint64_t>& words);
  std::string set_memory(uint32_t x, uint32_t y, const std::string& memory, uint32_t word, uint64_t value);

  // ---- Running.
  // One cycle. Returns kCycle, kTrap or kFault.
  Stop step();
  // Runs until cycle() == until, a trap, or until nothing can move any more. With `through_idle` time then jumps to `until`
  // (or to the next word that waits for its time): the result is the same as if every cycle had been evaluated.
  Stop run(uint64_t until, bool through_idle = false);
  bool can_move() const;
  // kIdle or kDeadlock, for a fabric that cannot move.
  Stop stuck_kind() const;
  // Tiles that wait for something; who waits for whom: waits_for.h.
  std::vector<WaitingTile> waiting(size_t at_most = 64) const;
  // In order of cycle, tile, router before PE.
  const std::vector<Trap>& traps() const { return traps_; }
  const std::string& error() const { return error_; }
  uint64_t last_active_cycle() const { return last_active_; }
  const Activity& activity() const { return activity_; }
  // Cycles that several threads shared, so far.
  uint64_t parallel_cycles() const { return parallel_cycles_; }
  // Called after each evaluated cycle, with cycle() already advanced. Skipped-over idle cycles are not reported.
  void set_observer(std::function<void(const Fabric&)> observer) { observer_ = std::move(observer); }

  // Called at the start of each evaluated cycle from `from` on up to the first behind `to`, before its edge, with every input of that edge in place. May read the
  // fabric and credit counters. Brings all tiles here each time if other processes have some.
  void set_before_step(std::function<void(const Fabric&)> hook, uint64_t from = 0, uint64_t to = UINT64_MAX) {
    before_step_ = std::move(hook);
    hook_from_ = from;
    hook_to_ = to;
  }

  // ---- Reading. All reads see counters up to date.
  uint64_t link(uint32_t x, uint32_t y, Direction d) const;   // word that the router drives
  uint32_t ready(uint32_t x, uint32_t y, Direction d) const;  // ready that the router drives
  uint64_t port_word(uint32_t x, uint32_t y, Direction d) const;   // link word that the router sees
  uint32_t port_ready(uint32_t x, uint32_t y, Direction d) const;  // ready that the router sees
  unsigned edge_mask(uint32_t x, uint32_t y) const;  // edge_i of the router: bit d set where nothing is attached
  uint64_t get_register(UnitKind kind, uint32_t x, uint32_t y, const std::string& name, uint32_t element = 0);
  uint64_t get_output(UnitKind kind, uint32_t x, uint32_t y, const std::string& name) const;
  uint64_t get_memory(uint32_t x, uint32_t y, const std::string& memory, uint32_t word) const;
  uint64_t private_bytes() const;
  // Sum over all units of class_cnt_q, by class.
  std::vector<uint64_t> class_totals(UnitKind kind);
  // Digest of every named register (and memory, if asked for) of every unit; the same for any build of the same RTL.
  uint64_t digest(bool with_memory = true);
  const AuditReport& audit_report() const;

  // For tools that read through arena(): brings here what other processes have (with the memories, or without). Free if there are none, or nothing ran since.
  void collect(bool memory = true) const;
  // The same for those that write through arena().
  void take_over();
  // Null if no other process takes part.
  const SpreadStatistics* spread_statistics() const;

  // For checkpoints and tools: the instances themselves. credit_all() first makes counters exact.
  void credit_all();
  const plugin::Unit& unit(UnitKind kind) const { return kind == UnitKind::kRouter ? options_.router : options_.pe; }
  WlArena* arena(UnitKind kind) const { return side(kind).arena; }
  bool has_pe() const { return options_.pe.loaded(); }
  // Whether the unit will be evaluated in the coming cycle. Between steps.
  bool active(UnitKind kind, uint32_t tile) const {
    const uint32_t x = tile % options_.width, y = tile / options_.width;
    return ((side(kind).due[y * row_words_ + (x >> 6)] >> (x & 63)) & 1) != 0;
  }
  void set_active(UnitKind kind, uint32_t tile, bool active);
  // After states were written from outside: everything is recomputed, copied to the neighbours and evaluated.
  std::string resume_at(uint64_t cycle);
  // Saves or loads all that is not in the units: cycle, ports, counts, traps, who is due (sim/checkpoint/fabric_state.h does the units). Loading comes
  // after resume_at().
  void transfer(checkpoint::Archive& archive);

 private:
  friend class Audit;
  friend class Spread;
  // Where a changed output goes.
  struct Wire {
    uint32_t bits = 0;         // of change masks
    bool to_pe = false;        // destination side
    uint8_t bytes = 0;
    uint8_t direction = 0;     // neighbour; ramp for the other unit of the tile
    uint32_t from = 0;         // offset in the source's state
    uint32_t to = 0;           // offset in the destination's state
  };
  // All units of one kind.
  struct Side {
    UnitKind kind = UnitKind::kRouter;
    const WlUnitApi* api = nullptr;
    WlArena* arena = nullptr;
    char* base = nullptr;
    uint64_t stride = 0;
    std::vector<char*> scattered;  // states of a traced twin, which are not contiguous
    std::vector<Wire> wires;      // router: link and ready of each direction in turn; PE: link, ready, configuration
    uint32_t wired = 0;           // bits of change masks that have a wire
    uint32_t trap_bits = 0;
    bool far = false;             // more bytes of states than a cache near the processor holds
    uint32_t trap_offset = 0;
    uint32_t class_offset = 0;
    uint32_t reset_offset = 0;
    std::vector<uint64_t> due;    // to be evaluated in the coming cycle: a bit per tile, row_words_ words a row
    char* state(uint32_t tile) const { return stride != 0 ? base + stride * tile : scattered[tile]; }
  };
  // Units of one row, or of several that have few, that are evaluated in this cycle, by kind, in order of their tiles.
  struct Row {
    uint32_t y = 0;  // the last
    uint32_t count[2] = {0, 0};
    std::vector<uint32_t> tiles[2];
    std::vector<uint32_t> changed[2];
  };
  // An output for a tile of another part; of a rank's rectangle, an output over its edge: then `tile` is where it comes from.
  struct Crossing {
    uint32_t tile;
    uint32_t offset;  // in the router's state
    uint64_t value;
    uint8_t bytes;
    uint8_t direction;
  };
  // A rectangle of tiles that one thread evaluates; its columns begin at a multiple of 64. What only its thread writes during a cycle.
  struct alignas(64) Part {
    uint32_t x0 = 0, x1 = 0, y0 = 0, y1 = 0;
    std::vector<uint8_t> rows;   // by y - y0: a unit of the row may be due; 8 zeros behind
    uint64_t due[2] = {0, 0};    // how many are, by kind
    Row row[3];
    std::vector<Crossing> crossings, leaving;
    std::vector<PortId> touched;
    std::vector<std::pair<uint32_t, UnitKind>> trapped;
    std::string error;
  };

  explicit Fabric(const FabricOptions& options);
  std::string start();
  std::string connect(Side* s);
  std::string reset_units();
  void start_at(uint64_t cycle);
  Side& side(UnitKind kind) { return kind == UnitKind::kRouter ? router_ : pe_; }
  const Side& side(UnitKind kind) const { return kind == UnitKind::kRouter ? router_ : pe_; }
  // cycle.cpp, commit.cpp: one cycle.
  void wake(Side* s, uint32_t tile);
  bool mark(Part* part, Side* s, uint32_t x, uint32_t y) {
    uint64_t& word = s->due[y * row_words_ + (x >> 6)];
    const uint64_t bit = uint64_t{1} << (x & 63);
    if (word & bit) return false;
    word |= bit;
    part->rows[y - part->y0] = 1;
    ++part->due[static_cast<unsigned>(s->kind)];
    return true;
  }
  bool hooked() const { return before_step_ && cycle_ >= hook_from_; }
  void call_hook();
  void mark_all();
  Part& part_of(uint32_t x, uint32_t y) { return parts_[part_of_row_[y] + part_of_column_[x >> 6]]; }
  uint64_t due(UnitKind kind) const;
  void collect_due(const Side& s, std::vector<uint32_t>* tiles) const;
  void run_part(Part* part);
  bool extract(Part* part, uint32_t from, Row* row);
  bool evaluate(Part* part, Row* row);
  void commit(Part* part, const Row& row);
  void commit_routers(Part* part, const Row& row);
  void commit_pes(Part* part, const Row& row);
  void commit_scattered(Part* part, Side* s, const Row& row);
  void carry(Part* part, const Side& s, const Wire& wire, uint32_t tile, uint32_t x, uint32_t y);
  void mark_word(Part* part, Side* s, uint32_t y, uint32_t w, uint64_t bits) {
    uint64_t& word = s->due[y * row_words_ + w];
    const uint64_t fresh = bits & ~word;
    if (fresh == 0) return;
    word |= fresh;
    part->rows[y - part->y0] = 1;
    part->due[static_cast<unsigned>(s->kind)] += static_cast<uint64_t>(__builtin_popcountll(fresh));
  }
  void touch_port(Part* part, uint32_t tile, const Wire& wire, const char* from);
  bool run_shuffled();
  void divide(bool by_activity);
  void make_crew();
  Stop advance();
  bool rests() const;
  bool looks(uint32_t tile, uint32_t host_colours, const WlRegister* fill, WaitingTile* waiting) const;
  void push(const Side& s, uint32_t tile, uint32_t mask);
  void note_trap(const Side& s, uint32_t tile);
  bool reset_by_copy(Side* s, std::string* error);
  void write_static_inputs();
  std::string configure(const Region& region, const std::vector<uint64_t>& words);
  std::string check_region(const Region& region) const;
  uint32_t tile_of(uint32_t x, uint32_t y) const { return y * options_.width + x; }
  template <typename F>
  void each(const Region& region, F&& body) const {
    for (uint32_t y = region.y; y < region.y + region.height; ++y) {
      for (uint32_t x = region.x; x < region.x + region.width; ++x) body(tile_of(x, y));
    }
  }

  FabricOptions options_;
  Side router_, pe_;
  std::unique_ptr<HostPorts> ports_;
  std::unordered_map<uint64_t, PortId> port_at_;  // key: tile * 5 + direction
  std::vector<uint8_t> border_;                   // per tile: directions without a neighbour
  std::unique_ptr<Audit> audit_;
  std::function<void(const Fabric&)> observer_, before_step_;
  uint64_t hook_from_ = 0, hook_to_ = UINT64_MAX;  // cycles of before_step_
  std::vector<Trap> traps_;
  std::string error_;
  Activity activity_;
  uint32_t row_words_ = 0;  // words of Side::due per row
  std::vector<Part> parts_;
  std::vector<uint8_t> part_of_row_, part_of_column_;  // the part is the sum; a column here is 64 tiles wide
  std::vector<uint64_t> work_;                         // measured, per row (or column, if the parts are columns)
  uint64_t until_divide_ = 0;                          // parallel cycles until the parts are drawn anew
  uint64_t parallel_cycles_ = 0;
  std::unique_ptr<Crew> crew_;
  uint32_t home_width_ = 0, home_height_ = 0;  // what this process evaluates, from (0, 0) on
  std::unique_ptr<Spread> spread_;
  bool is_share_ = false;  // a rectangle of another process's array
  uint64_t cycle_ = 0;
  uint64_t last_active_ = 0;
  int64_t step_to_[4] = {};  // tile number of the neighbour, relative
  // Offsets of the router's ports by direction.
  uint32_t link_out_[5] = {}, ready_out_[5] = {}, link_in_[5] = {}, ready_in_[5] = {};
  uint32_t edge_offset_ = 0, config_offset_ = 0;
};

}  // namespace waferloom::fabric
