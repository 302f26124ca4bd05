#pragma once
// A mesh of router plug-ins with modelled processing elements at the ramps: what every router bench drives.
//
// Two phases per cycle: first every input word is copied from the neighbour's output word, then every router gets one
// rising edge. Elements obey the link protocol of docs/developer/contracts.md: a wavelet of colour c is launched only in
// a cycle in which the router's ready[c] is high, never in the cycle after a control wavelet of c; what arrives is taken.
// One thread. A mesh owns its arena.
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "testbenches/lib/bench.h"

namespace waferloom::router {

constexpr unsigned kNorth = 0, kEast = 1, kSouth = 2, kWest = 3, kRamp = 4, kPorts = 5, kColours = 24;
constexpr uint64_t kValid = 1ull << 38, kControl = 1ull << 37;

inline uint64_t wavelet(unsigned colour, uint32_t data) { return kValid | uint64_t{colour} << 32 | data; }
// command: 0 none, 1 advance, 2 reset
inline uint64_t control(unsigned colour, unsigned command, unsigned task = 0, unsigned argument = 0) {
  return wavelet(colour, task | command << 6 | argument << 16) | kControl;
}
inline unsigned colour_of(uint64_t word) { return static_cast<unsigned>(word >> 32) & 31; }
inline unsigned opposite(unsigned direction) { return (direction + 2) % 4; }
constexpr uint32_t bit(unsigned direction) { return 1u << direction; }
// The configuration word of one switch position.
constexpr uint32_t route(uint32_t receive, uint32_t transmit) { return receive | transmit << 5; }

struct MeshOptions {
  unsigned width = 1, height = 1;
  unsigned hop = 1, ramp_extra = 0, depth = 0;  // depth 0: 3 for hop 1, 4 for hop 2
  uint32_t reset = WL_RESET_RANDOM;
  bool skip = false;  // do not evaluate a router that was quiet and whose inputs did not change
};

// One modelled element. `stall` is called once a cycle and gives the ready word for the next one.
struct Element {
  std::array<std::deque<uint64_t>, kColours> to_send;
  std::vector<std::pair<uint64_t, uint64_t>> received;  // cycle in which the ramp register held it, word
  std::function<uint32_t()> ready_next;                 // empty: always ready
  std::function<bool()> may_send;                       // empty: always
  uint64_t sent = 0;
  // Registers at the boundary.
  uint64_t word = 0;
  uint32_t ready = 0xffffff;
  unsigned turn = 0;  // round robin between colours
};

class Mesh {
 public:
  explicit Mesh(const MeshOptions& options);
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  unsigned size() const { return options_.width * options_.height; }
  unsigned at(unsigned x, unsigned y) const { return y * options_.width + x; }
  // -1 if there is none.
  int neighbour(unsigned node, unsigned direction) const;
  Element& element(unsigned node) { return elements_[node]; }

  // Queued; one write a cycle and router goes out from the next cycle on.
  void configure(unsigned node, unsigned colour, unsigned word, uint32_t data);
  void set_route(unsigned node, unsigned colour, uint32_t receive, uint32_t transmit) {
    configure(node, colour, 0, route(receive, transmit));
  }
  // Runs until every queued configuration write is in effect.
  void finish_configuration();

  void cycle();
  void cycles(uint64_t n) {
    while (n-- > 0) cycle();
  }
  uint64_t now() const { return now_; }

  uint64_t output(unsigned node, unsigned port) const { return get(node, out_[port]); }
  uint32_t ready_to(unsigned node, unsigned port) const { return static_cast<uint32_t>(get(node, ready_out_[port])); }
  bool quiet(unsigned node) const { return get(node, quiet_) != 0; }
  uint32_t trap(unsigned node) const { return static_cast<uint32_t>(get(node, trap_)); }
  bool all_quiet() const;
  uint64_t class_count(unsigned node, unsigned cls);  // skipped cycles included
  uint64_t link_count(unsigned node, unsigned port);
  uint64_t evaluations() const { return evaluations_; }
  // Hash of every boundary signal of every router: outputs, ready words, trap.
  uint64_t boundary_hash() const;
  // Nothing stored anywhere: every element sent all, every router is quiet and in class idle.
  bool drained() const;
  // Words that a link at the mesh's edge carries in (edges are open unless set here); held for one cycle.
  void drive(unsigned node, unsigned port, uint64_t word);
  void set_edge(unsigned node, uint32_t edges) { put(node, edge_, edges); }
  // Ready on an open edge link; 0 at start.
  void set_edge_ready(unsigned node, unsigned port, uint32_t ready) { edge_ready_[node * 4 + port] = ready; }

 private:
  struct Handle {
    uint32_t offset = 0, bytes = 8;
    bool wide = false;
  };
  Handle find(const std::string& name) const;
  Handle find_register(const std::string& name) const;
  uint64_t get(unsigned node, Handle h) const { return plugin::load_value(state_[node] + h.offset, h.bytes); }
  void put(unsigned node, Handle h, uint64_t value) { plugin::store_value(state_[node] + h.offset, h.bytes, value); }
  void step_element(unsigned node);

  MeshOptions options_;
  plugin::Unit unit_;
  const WlUnitApi* api_ = nullptr;
  WlArena* arena_ = nullptr;
  std::vector<char*> state_;
  std::vector<Element> elements_;
  std::vector<std::deque<uint64_t>> writes_;
  std::vector<uint64_t> driven_;       // node * 4 + direction
  std::vector<uint32_t> edge_ready_;
  std::vector<char> must_evaluate_;
  std::array<Handle, kPorts> in_, out_, ready_in_, ready_out_;
  Handle edge_, cfg_, quiet_, class_, trap_, reset_, class_count_, link_count_;
  std::vector<uint32_t> list_, changed_;
  uint64_t now_ = 0, evaluations_ = 0;
};

}  // namespace waferloom::router
