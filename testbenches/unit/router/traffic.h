#pragma once
// Random multicast trees, one per colour, and the scoreboard that follows them.
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "testbenches/unit/router/mesh.h"

namespace waferloom::router {

struct Tree {
  unsigned source = 0;
  std::vector<char> delivers;  // per node: the tree ends in this node's ramp
  unsigned destinations = 0;
};

class Traffic {
 public:
  // Lays one tree per colour over the mesh (written to its configuration) and prepares random generation.
  Traffic(Mesh* mesh, Random* random, unsigned colours = kColours);
  // Queues up to `count` wavelets of random colours at their sources; one in `control_every` is a control wavelet.
  void offer(unsigned count, unsigned control_every = 16);
  // Compares what the elements have received since the last call. "" or the first difference.
  std::string check();
  // "" or what is still owed once the mesh has drained.
  std::string finish();
  uint64_t offered() const { return offered_; }
  uint64_t delivered() const { return delivered_; }
  const Tree& tree(unsigned colour) const { return trees_[colour]; }

 private:
  Mesh* mesh_;
  Random* random_;
  unsigned colours_;
  std::vector<Tree> trees_;
  std::vector<uint32_t> sequence_;
  std::vector<std::array<std::deque<uint64_t>, kColours>> expected_;  // per node
  uint64_t offered_ = 0, delivered_ = 0;
};

// Stall patterns for elements: bursts of random length, so that queues fill and run dry.
void stall_randomly(Mesh* mesh, Random* random, unsigned ready_percent, unsigned send_percent);

}  // namespace waferloom::router
