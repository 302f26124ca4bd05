#pragma once
// The composed fabric: width x height tiles, each a router and (if the array has them) a PE, verilated separately and
// evaluated only while they can change. Bit-identical to one monolithic model of the same RTL, whatever the order of
// evaluation, because every output of a unit is a register.
//
// A cycle has two phases. Evaluate: every active unit takes one rising edge on inputs that nobody writes meanwhile.
// Commit: outputs that changed are copied into the neighbours' inputs, and those neighbours become active. A unit whose
// quiet_o is high and whose inputs do not change leaves the active list; the cycles that it misses are credited to the
// counter of class_o when it is evaluated or read again. Cost follows activity, not the size of the array.
//
// Ownership: the fabric owns the instances and keeps the plug-ins loaded. Threads: one thread drives a fabric; different
// fabrics are independent. References and states handed out are valid until the next step.
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

enum class Direction : uint8_t { kNorth, kEast, kSouth, kWest, kRamp };
enum class UnitKind : uint8_t { kRouter, kPe };

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
};

struct Region {
  uint32_t x = 0, y = 0, width = 1, height = 1;
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

class Audit;

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
  const std::vector<Trap>& traps() const { return traps_; }
  const std::string& error() const { return error_; }
  uint64_t last_active_cycle() const { return last_active_; }
  const Activity& activity() const { return activity_; }
  // Called after each evaluated cycle, with cycle() already advanced. Skipped-over idle cycles are not reported.
  void set_observer(std::function<void(const Fabric&)> observer) { observer_ = std::move(observer); }

  // Called at the start of each evaluated cycle, before its edge, with every input of that edge in place. May read the fabric and credit counters.
  void set_before_step(std::function<void(const Fabric&)> hook) { before_step_ = std::move(hook); }

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

  // For checkpoints and tools: the instances themselves. credit_all() first makes counters exact.
  void credit_all();
  const plugin::Unit& unit(UnitKind kind) const { return kind == UnitKind::kRouter ? options_.router : options_.pe; }
  WlArena* arena(UnitKind kind) const { return side(kind).arena; }
  bool has_pe() const { return options_.pe.loaded(); }
  // After states were written from outside: everything is recomputed, copied to the neighbours and evaluated.
  std::string resume_at(uint64_t cycle);
  // Saves or loads all that is not in the units: cycle, ports, counts, traps, who is due (sim/checkpoint/fabric_state.h does the units). Loading comes
  // after resume_at().
  void transfer(checkpoint::Archive& archive);

 private:
  friend class Audit;
  // Where a changed output goes.
  struct Wire {
    bool used = false;
    bool to_pe = false;        // destination side
    uint32_t from = 0;         // offset in the source's state
    uint32_t to = 0;           // offset in the destination's state
    uint8_t bytes = 0;
    uint8_t direction = 0;     // neighbour; ramp for the other unit of the tile
  };
  // All units of one kind.
  struct Side {
    UnitKind kind = UnitKind::kRouter;
    const WlUnitApi* api = nullptr;
    WlArena* arena = nullptr;
    char* base = nullptr;
    uint64_t stride = 0;
    std::vector<char*> scattered;  // states of a traced twin, which are not contiguous
    Wire wires[32];               // by bit of the change mask
    uint32_t trap_bit = 32;
    uint32_t trap_offset = 0;
    uint32_t class_offset = 0;
    uint32_t reset_offset = 0;
    std::vector<uint32_t> active;  // to be evaluated in the coming cycle
    std::vector<uint8_t> marked;   // in `active`
    std::vector<uint32_t> batch;   // being evaluated
    std::vector<uint32_t> changed;
    char* state(uint32_t tile) const { return stride != 0 ? base + stride * tile : scattered[tile]; }
  };

  explicit Fabric(const FabricOptions& options);
  std::string start();
  std::string connect(Side* s);
  std::string reset_units();
  Side& side(UnitKind kind) { return kind == UnitKind::kRouter ? router_ : pe_; }
  const Side& side(UnitKind kind) const { return kind == UnitKind::kRouter ? router_ : pe_; }
  void wake(Side* s, uint32_t tile) {
    if (s->marked[tile]) return;
    s->marked[tile] = 1;
    s->active.push_back(tile);
  }
  void order(std::vector<uint32_t>* list) const;
  bool evaluate(Side* s);
  bool advance();
  void commit(Side* s);
  void push(const Side& s, uint32_t tile, uint32_t mask);
  void note_trap(const Side& s, uint32_t tile);
  std::string configure(const Region& region, uint64_t word);
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
  std::vector<Trap> traps_;
  std::string error_;
  Activity activity_;
  uint64_t cycle_ = 0;
  uint64_t last_active_ = 0;
  int64_t step_to_[4] = {};  // tile number of the neighbour, relative
  // Offsets of the router's ports by direction.
  uint32_t link_out_[5] = {}, ready_out_[5] = {}, link_in_[5] = {}, ready_in_[5] = {};
  uint32_t edge_offset_ = 0, config_offset_ = 0;
};

}  // namespace waferloom::fabric
