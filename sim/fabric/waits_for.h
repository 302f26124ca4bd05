#pragma once
// Who waits for whom in a fabric that does not move on: the graph from what holds or wants a wavelet to what it waits for, and in it the cycle
// of waiting, or the places where waiting ends (the causes). Each link is a sentence that names tile, port, colour, queue and task.
//
// Places: a router's queue of one colour; a PE's input and output queues, contexts (microthreads), main thread, tasks; a host port.
// A wait ends at a cause: a host that does not take or send, a route that leads past, a task that is blocked and that nothing under way unblocks,
// a queue that nobody reads, a main thread that has nothing to do or has halted.
//
// Cost: one look at every tile, then work by what waits. Ownership: refers to the fabric for the time of a call. Threads: the fabric's own.
// Errors: an RTL tree whose registers lack a name that is needed gives a report that says so instead of links.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/fabric/fabric.h"

namespace waferloom::fabric {

// The name of a task at a tile, or "" (then only its number is printed). May be empty.
using TaskNames = std::function<std::string(uint32_t x, uint32_t y, unsigned task)>;

// One wait: the sentence, and who waits in it.
struct Wait {
  uint32_t x = 0, y = 0;
  std::string sentence;
};

// A chain of waits that ends at a cause, which is its last sentence.
struct WaitChain {
  std::vector<Wait> waits;
  uint64_t places = 0;  // that wait for this cause, this chain's own among them
};

struct WaitReport {
  std::vector<Wait> cycle;        // the first waits for the second ... the last for the first; empty: no cycle
  std::vector<WaitChain> causes;  // the causes that most places wait for, with the longest chain of waits that leads there
  uint64_t places = 0;            // that wait, in all
  std::string trouble;            // why there is no report
  bool empty() const { return cycle.empty() && causes.empty() && trouble.empty(); }
  // For a person: one sentence per line, at most `lines` of each chain.
  std::string text(size_t lines = 16) const;
};

// What waits now. Meaningful if the fabric cannot move (Fabric::can_move); else what would wait if nothing else happened.
WaitReport waits_for(const Fabric& fabric, const TaskNames& names = {}, size_t causes_at_most = 3);

}  // namespace waferloom::fabric
