#pragma once
// Finds out that a fabric will go on for ever: its tiles work, nothing passes the edge, and their whole state comes back to what it was.
//
// Tiles without words from outside follow from their state alone, but for reads of time and of counters. So the state (registers but counters, memories) is looked at
// now and then, and kept at looks 1, 2, 4, ... (Brent). When it is like the kept one, every cycle is looked at: if the same states follow each other twice, in the
// same order, nothing in between has read the time or a counter, as what was read would stand in a register for a cycle at least; then they follow for ever.
// So a pause, however long, that counts or waits for a time is never taken for a livelock. What is missed: circles longer than a close look may take, circles that
// write changing words to memory, and arrays so large or so idle that a look would cost more than it is worth: a limit of cycles ends those.
//
// Deterministic: when is looked depends on the fabric's own cycles and evaluations only. Threads: between runs of the fabric.
#include <cstdint>
#include <vector>

#include "sim/fabric/fabric.h"

namespace waferloom::fabric {

class Recurrence {
 public:
  // The fabric outlives it. Over several ranks a look brings all tiles to this one, and looks at the words of their memories.
  explicit Recurrence(const Fabric* fabric);

  // The cycle in which it wants to be asked next: run no further.
  std::uint64_t next() const { return next_; }
  // To be asked after every run. True: the fabric goes round for ever, in `period` cycles.
  bool look();
  std::uint64_t period() const { return period_; }

 private:
  struct Range {
    std::uint32_t offset, bytes;
  };
  struct State {
    std::uint64_t registers = 0, memory = 0, words = 0;
    bool operator==(const State& o) const { return registers == o.registers && memory == o.memory && words == o.words; }
  };
  State now() const;
  std::uint64_t words_of(std::uint32_t tile) const;
  std::uint64_t evaluations() const { return fabric_.activity().router_evaluations + fabric_.activity().pe_evaluations; }
  bool look_closely(const State& state);
  void wait_for_next();
  void give_up();

  const Fabric& fabric_;
  std::vector<Range> ranges_[2];     // of a unit's state, by kind: registers, without counters
  std::uint64_t begin_, next_;       // cycles
  std::uint64_t looked_ = 0;         // evaluations at the last look
  std::uint64_t looks_ = 0, keep_ = 1;  // the look at which the next state is kept: beyond 1 there is one
  State kept_;
  std::vector<State> states_;        // of a close look, cycle by cycle; empty: none is under way
  std::uint64_t candidate_ = 0;      // period that it has found; 0: none yet
  std::uint64_t worth_;              // evaluations of each tile until the next look
  std::uint64_t period_ = 0;
};

}  // namespace waferloom::fabric
