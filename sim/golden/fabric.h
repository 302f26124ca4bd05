// Functional simulation of width x height tiles: golden PEs and golden routers, no time. Whatever can happen happens, in any legal
// order, until nothing can: results that a program's flow control determines are those of the hardware, bit for bit. For running whole
// programs as a reference and for developing kernels: a program that cannot go on is reported with who waits for what.
//
// Ownership: the fabric owns its tiles. Threads: one drives a fabric; different fabrics are independent.
// Errors: the user's are returned as text, "" if there was none. Traps of the program end run() and are listed.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/golden/pe.h"
#include "sim/golden/program.h"
#include "sim/golden/router.h"

namespace waferloom::golden {

using PortId = uint32_t;

struct FabricOptions {
  uint32_t width = 1;
  uint32_t height = 1;
  PeParameters pe;
  uint32_t router_depth = 3;
  // 0: tiles run in turn, each as far as it can. Else tiles, contexts and the length of their turns are drawn from this seed.
  uint64_t shuffle_seed = 0;
  bool record_pushes = false;  // keep every wavelet that a PE sends (pushes())
};

enum class Halt : uint8_t {
  kIdle,      // nothing can move, nothing waits
  kDeadlock,  // nothing can move, and something waits: see waiting()
  kTrap,
  kBudget,    // as many steps as allowed were done
};

struct FabricTrap {
  uint32_t x = 0, y = 0;
  bool router = false;
  uint32_t cause = 0;
  uint16_t pc = 0;       // PE
  uint32_t colour = 0;   // router
  uint32_t port = 0;     // router
  std::string text() const;
};

struct Waiting {
  uint32_t x = 0, y = 0;
  std::string text;  // who waits for what
};

class Fabric {
 public:
  explicit Fabric(const FabricOptions& options);

  uint32_t width() const { return options_.width; }
  uint32_t height() const { return options_.height; }
  Pe& pe(uint32_t x, uint32_t y) { return tile(x, y).pe; }
  const Pe& pe(uint32_t x, uint32_t y) const { return tiles_[y * options_.width + x].pe; }
  const Router& router(uint32_t x, uint32_t y) const { return tiles_[y * options_.width + x].router; }

  // ---- host ports: where wavelets enter and leave the array ----
  std::string attach_port(uint32_t x, uint32_t y, spec::Direction direction, PortId* port);
  // Queues a link word. Colours do not hold each other up.
  void send(PortId port, uint64_t word);
  bool receive(PortId port, uint64_t* word);
  size_t received(PortId port) const { return ports_[port].out.size(); }
  size_t pending(PortId port) const;

  // ---- loading ----
  std::string set_route(const Region& region, uint32_t colour, uint32_t position, uint32_t receive, uint32_t transmit);
  std::string set_switch(const Region& region, uint32_t colour, uint32_t position, uint32_t last, bool ring);
  std::string load(const Region& region, const Program& program);
  // Sets the activated flag of the boot task.
  std::string boot(const Region& region);

  // ---- running ----
  // A step is an element, a scalar instruction, a task start or a wavelet's hop.
  Halt run(uint64_t steps = UINT64_MAX);
  uint64_t steps() const { return steps_; }
  const std::vector<FabricTrap>& traps() const { return traps_; }
  std::vector<Waiting> waiting(size_t at_most = 64) const;
  uint64_t events(Event e) const;  // sum over the PEs
  const std::vector<Wavelet>& pushes(uint32_t x, uint32_t y, int queue) const {
    return tiles_[y * options_.width + x].pushes[static_cast<size_t>(queue)];
  }

 private:
  struct Tile {
    Pe pe;
    Router router;
    int32_t ports[4] = {-1, -1, -1, -1};
    uint8_t turn = 0;  // output queue served first
    bool queued = false;
    std::vector<Wavelet> pushes[kOutputQueues];
  };
  struct Port {
    uint32_t tile = 0;
    spec::Direction direction = spec::Direction::kNorth;
    std::deque<Wavelet> in[spec::kColours + 8];  // by colour, reserved ones too
    std::deque<uint64_t> out;
  };
  Tile& tile(uint32_t x, uint32_t y) { return tiles_[y * options_.width + x]; }
  std::string check(const Region& region) const;
  template <typename F>
  void each(const Region& region, F&& body) {
    for (uint32_t y = region.y; y < region.y + region.height; ++y) {
      for (uint32_t x = region.x; x < region.x + region.width; ++x) body(y * options_.width + x);
    }
  }
  int32_t neighbour(uint32_t index, spec::Direction d) const;
  void wake(uint32_t index);
  void wake_around(uint32_t index);
  uint32_t next_tile();
  uint32_t draw(uint32_t bound);
  void process(uint32_t index);
  bool run_pe(uint32_t index);
  bool run_context(Pe& pe, int context);
  bool send_outputs(uint32_t index);
  bool move_router(uint32_t index);
  bool feed_ports(uint32_t index);
  bool hand_over(uint32_t index, const Wavelet& w, spec::Direction d);
  void note_traps(uint32_t index);
  void describe_pe(uint32_t index, std::vector<Waiting>* all) const;
  void describe_router(uint32_t index, std::vector<Waiting>* all) const;
  bool something_waits() const;

  FabricOptions options_;
  std::vector<Tile> tiles_;
  std::vector<Port> ports_;
  std::vector<uint32_t> work_;   // tiles that may be able to do something
  size_t work_head_ = 0;
  std::vector<FabricTrap> traps_;
  uint64_t steps_ = 0;
  uint64_t limit_ = 0;
  uint64_t random_ = 0;
};

}  // namespace waferloom::golden
