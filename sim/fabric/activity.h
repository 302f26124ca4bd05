#pragma once
// What keeps a fabric busy that makes no progress: which units stay active, which tasks start, and whether wavelets circle on a closed route.
// Runs the fabric on while it looks: for a run that has ended anyway.
// Threads: the fabric's own. Errors: a fabric that stops by itself while it is watched (trap, rest) says so.
#include <cstdint>
#include <string>
#include <vector>

#include "sim/fabric/waits_for.h"

namespace waferloom::fabric {

struct TaskStarts {
  unsigned task = 0;
  uint64_t starts = 0;
};

struct BusyTile {
  uint32_t x = 0, y = 0;
  uint64_t pe_cycles = 0;      // evaluated with something to do
  uint64_t router_cycles = 0;  // took or sent a wavelet
  std::vector<TaskStarts> tasks;
};

struct ActivityReport {
  uint64_t cycles = 0;              // watched
  uint64_t busy_pes = 0, busy_routers = 0;
  uint64_t edge_words = 0;          // in and out of host ports
  std::vector<BusyTile> tiles;      // the busiest, at most `tiles_at_most`
  std::vector<std::string> circles; // "colour 3: (0,0) east -> (1,0) south -> ..."
  Stop ended = Stop::kCycle;        // kCycle: still going
  std::string text(const TaskNames& names = {}) const;
};

// Runs `cycles` more cycles twice: to find who is busy, then to look at the busiest closely.
ActivityReport watch_activity(Fabric* fabric, uint64_t cycles, size_t tiles_at_most = 8);

}  // namespace waferloom::fabric
