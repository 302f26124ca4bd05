#pragma once
// Host ports: where words enter and leave the wafer's edge (or, in an array without PEs, a router's ramp).
//
// A port behaves as a neighbour would (docs/developer/contracts.md, section 1): its link word and its ready word are
// registers, it obeys the router's ready per colour, leaves out a colour after a control wavelet, and takes what was
// launched on a stale ready. Words of one colour keep their order; colours of one port are served round robin.
// All ports share a budget of words per cycle in each direction; what has no budget waits, in turn.
//
// Phases, per cycle: evaluate (reads router outputs of this cycle), then commit (writes router inputs for the next).
// Only ports that can do something are looked at. Threads: the engine's own thread only.
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace waferloom::checkpoint {
class Archive;
}

namespace waferloom::fabric {

inline constexpr uint64_t kValidBit = 1ull << 38;
inline constexpr uint64_t kControlBit = 1ull << 37;
inline constexpr uint32_t kAllColours = 0xffffffu;
inline constexpr unsigned kColours = 24;
inline unsigned colour_of(uint64_t word) { return static_cast<unsigned>(word >> 32) & 31u; }

using PortId = uint32_t;

struct ReceivedWord {
  uint64_t cycle = 0;  // in which the host has it (after the budget)
  uint64_t word = 0;   // 39-bit link word

  void transfer(checkpoint::Archive& archive);
};

// Words per cycle as an exact fraction; zero words means no limit.
struct Rate {
  uint32_t words = 0;
  uint32_t cycles = 1;
};

// Where a port touches its router.
struct PortWires {
  const uint64_t* link_out = nullptr;   // router's link word towards the host
  const uint32_t* ready_out = nullptr;  // router's ready word to the host
  uint64_t* link_in = nullptr;
  uint32_t* ready_in = nullptr;
  uint32_t tile = 0;
};

class Budget {
 public:
  explicit Budget(Rate rate) : rate_(rate) {}
  // Takes one word of cycle `cycle`, if there is one left.
  bool take(uint64_t cycle);
  void transfer(checkpoint::Archive& archive);

 private:
  void refill(uint64_t cycle);
  Rate rate_;
  uint64_t cycle_ = 0;
  uint64_t level_ = 0;  // in units of 1 / rate.cycles words
  bool started_ = false;
};

class HostPorts {
 public:
  HostPorts(Rate in, Rate out, unsigned hop);

  PortId add(const PortWires& wires);
  size_t size() const { return ports_.size(); }

  // Queues a word for the first cycle >= not_before. `free`: a copy that the edge makes itself; it takes no budget.
  void send(PortId port, uint64_t word, uint64_t not_before, bool free);
  // Words not yet on the link.
  uint64_t pending(PortId port) const { return ports_[port].pending; }
  uint64_t pending_total() const { return pending_total_; }
  // Oldest word that has arrived at the host; false if none.
  bool receive(PortId port, ReceivedWord* word);
  size_t received(PortId port) const { return ports_[port].delivered.size(); }
  // The port stops taking words while this many lie unread at the host; 0: no limit.
  void set_capacity(PortId port, uint64_t words);
  uint64_t sent_count(PortId port) const { return ports_[port].sent; }
  uint64_t received_count(PortId port) const { return ports_[port].taken; }
  uint64_t sent_total() const { return sent_total_; }
  uint64_t received_total() const { return received_total_; }

  // The router's outputs towards this port have changed.
  void touch(PortId port) { activate(port); }
  void evaluate(uint64_t cycle);
  // Writes what evaluate decided; calls changed(tile) for each router whose inputs differ from before.
  void commit(const std::function<void(uint32_t)>& changed);

  // True if some port must be looked at in the coming cycle.
  bool busy() const { return !active_.empty(); }
  // First cycle in which a word that waits for its time may go; UINT64_MAX if none waits.
  uint64_t next_time() const { return timed_.empty() ? UINT64_MAX : timed_.top().first; }
  // Words that the host has not taken although the wafer offers them, or cannot send: for deadlock reports.
  uint32_t blocked_colours(PortId port) const;
  // Saves or loads everything; the ports must have been attached as they were. After loading the routers' inputs are as the ports drive them.
  void transfer(checkpoint::Archive& archive);

 private:
  struct Item {
    uint64_t word;
    uint64_t not_before;
    bool free;
    void transfer(checkpoint::Archive& archive);
  };
  struct Port {
    PortWires wires;
    std::deque<Item> queue[kColours];
    uint32_t waiting = 0;  // colours with something queued
    uint32_t last_colour = kColours - 1;
    uint32_t held_colours = 0;  // left out after a control wavelet
    uint64_t held_until = 0;
    uint64_t pending = 0;
    uint64_t link = 0;
    uint32_t ready = kAllColours;
    uint64_t next_link = 0;
    uint32_t next_ready = kAllColours;
    std::deque<uint64_t> arrived;  // taken from the link, no budget yet
    std::deque<ReceivedWord> delivered;
    uint64_t capacity = 0;
    uint64_t sent = 0;
    uint64_t taken = 0;
    uint64_t timed = UINT64_MAX;  // entry of this port in timed_
    bool active = false;
    void transfer(checkpoint::Archive& archive);
  };
  void activate(PortId port);
  bool send_side(PortId id, Port* port, uint64_t cycle);
  bool receive_side(PortId id, Port* port, uint64_t cycle);

  Budget in_, out_;
  unsigned hold_cycles_;
  std::vector<Port> ports_;
  std::vector<PortId> active_, evaluated_;
  std::priority_queue<std::pair<uint64_t, PortId>, std::vector<std::pair<uint64_t, PortId>>, std::greater<>> timed_;
  PortId in_turn_ = 0, out_turn_ = 0;  // who is first to take of each budget
  uint64_t pending_total_ = 0, sent_total_ = 0, received_total_ = 0;
};

}  // namespace waferloom::fabric
