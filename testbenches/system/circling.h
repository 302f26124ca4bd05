#pragma once
// Programs that go round for ever, and the search for that.
#include <algorithm>
#include <cstdint>

#include "sim/fabric/recurrence.h"
#include "testbenches/system/programs.h"

namespace waferloom::test {

// Two tasks that start each other.
inline const char* const kPingPong = R"(
        .task 24, boot
        .task 3, ping
        .task 4, pong
boot:   act  r0, 3
        yield
ping:   act  r0, 4
        yield
pong:   act  r0, 3
        yield
)";

// Counts in memory while it goes round.
inline const char* const kCounting = R"(
        .task 24, boot
        .task 3, ping
boot:   act  r0, 3
        yield
ping:   lw   r4, room(r0)
        addi r4, r4, 1
        sw   r4, room(r0)
        li   r4, 0
        act  r0, 3
        yield
        .align 8
room:   .word 0
)";

// In how many cycles the fabric was seen to go round within so many; 0: it was not.
inline uint64_t seen_to_circle(Fabric* f, uint64_t cycles) {
  fabric::Recurrence circle(f);
  const uint64_t until = f->cycle() + cycles;
  while (f->cycle() < until && f->run(std::min(until, circle.next())) == fabric::Stop::kCycle) {
    if (circle.look()) return circle.period();
  }
  return 0;
}

}  // namespace waferloom::test
