// wl_inq and wl_outq against queues of the standard library, random traffic on both sides.
//
// State space: bindings that come and go, a bound queue bound again while wavelets come and go, arrivals launched on ready of the cycle before (two land on stale ready), pops by both consumers, colours that
// share the ramp, control wavelets. Parameter space: depths 8, 6 and 4. Left out: rebinding a queue that holds wavelets to
// another colour (its wavelets stay, the PE's programs do not do it).
#include <deque>
#include <map>

#include "testbenches/lib/catch.h"
#include "testbenches/unit/pe/pe_bench.h"

using namespace waferloom;
using namespace waferloom::pe;

TEST_CASE("wl_inq: nothing lost, order kept, ready and heads as occupancy says") {
  for (uint32_t deep : {8u, 6u, 4u}) {
    for (uint32_t reset : kAllResets) {
      INFO("deep " << deep << " reset " << reset);
      Bench b("wl_inq", {{"Colours", "24"}, {"DepthA", std::to_string(deep)}, {"DepthB", "4"}}, reset);
      b.reset();
      Random random("pe inq");
      std::deque<uint64_t> queue[8];
      uint32_t bound[8] = {};  // 0x80 | task << 6 | colour
      const auto depth = [&](uint32_t q) { return q < 2 ? deep : 4u; };
      uint64_t in_flight = 0;
      uint32_t serial = 0, fullest = 0;
      for (uint64_t cycle = 0; cycle < scaled(20000); ++cycle) {
        // What the sender saw decides what is on the link now (in_flight, launched last cycle); it decides again.
        const uint32_t ready = static_cast<uint32_t>(b.get("ready_o"));
        for (uint32_t q = 0; q < 8; ++q) {
          if (!(bound[q] & 0x80)) continue;
          REQUIRE(((ready >> (bound[q] & 31)) & 1) == (queue[q].size() + 2 <= depth(q) ? 1u : 0u));
          fullest = std::max(fullest, static_cast<uint32_t>(queue[q].size()));
        }
        uint64_t next = 0;
        const uint32_t colour = static_cast<uint32_t>(random.below(24));
        bool has_queue = false;
        for (uint32_t q = 0; q < 8; ++q) has_queue = has_queue || ((bound[q] & 0x80) && (bound[q] & 31) == colour);
        if (has_queue && ((ready >> colour) & 1) && random.chance(7, 8)) next = data(colour, ++serial) | (random.chance(1, 6) ? 1ull << 37 : 0);
        // Pops.
        const uint32_t pop = static_cast<uint32_t>(random.below(8)), task_pop = static_cast<uint32_t>(random.below(8));
        const uint64_t rate = (cycle / 500) % 3;  // phases: filling, even, draining
        const bool pops = !queue[pop].empty() && random.chance(rate + 1, 3);
        const bool task_pops = !queue[task_pop].empty() && task_pop != pop && random.chance(rate, 3);
        b.set("pop_i", pops);
        b.set("pop_queue_i", pop);
        b.set("task_pop_i", task_pops);
        b.set("task_queue_i", task_pop);
        b.set("ramp_i", in_flight);
        // A binding of an empty queue, rarely, and not of a colour that is on its way; or again of the colour that the queue has, at any time.
        const uint32_t q = static_cast<uint32_t>(random.below(8));
        const bool keeps = (bound[q] & 0x80) && random.chance(1, 10);
        const bool rebinds = keeps || (in_flight == 0 && next == 0 && queue[q].empty() && random.chance(1, 10) && !pops && !task_pops);
        uint32_t value = static_cast<uint32_t>(random.below(24)) | (random.chance(1, 2) ? 0x40u : 0u) | (random.chance(3, 4) ? 0x80u : 0u);
        if (keeps) value = (bound[q] & 0x9fu) | (value & 0x40u);
        for (uint32_t o = 0; o < 8; ++o) if (o != q && (bound[o] & 0x80) && (bound[o] & 31) == (value & 31)) value &= 0x7fu;
        b.set("bind_we_i", rebinds);
        b.set("bind_queue_i", q);
        b.set("bind_value_i", (value & 31) | (value & 0xc0) >> 1);
        b.settle();
        if (!queue[pop].empty()) REQUIRE(b.get("head_o") == ((queue[pop].front() & 0xffffffff) | (queue[pop].front() >> 37 & 1) << 32));
        if (!queue[task_pop].empty()) REQUIRE((b.get("task_head_o") & 0xffffffff) == (queue[task_pop].front() & 0xffffffff));
        b.tick();
        if (pops) queue[pop].pop_front();
        if (task_pops) queue[task_pop].pop_front();
        if (in_flight != 0) {
          for (uint32_t o = 0; o < 8; ++o)
            if ((bound[o] & 0x80) && (bound[o] & 31) == ((in_flight >> 32) & 31)) queue[o].push_back(in_flight);
        }
        if (rebinds) bound[q] = value & 0xdfu;
        REQUIRE(b.get("quiet_o") == (pops || task_pops || rebinds || in_flight != 0 ? 0u : 1u));
        REQUIRE(b.get("overflow_o") == 0);
        REQUIRE(b.get("unbound_o") == 0);
        uint32_t nonempty = 0, control_heads = 0;
        for (uint32_t o = 0; o < 8; ++o) {
          if (queue[o].empty()) continue;
          nonempty |= 1u << o;
          const uint64_t head = queue[o].front();
          const bool is_control = (head >> 37) & 1;
          if (is_control) control_heads |= 1u << o;
          REQUIRE(((b.get("id_o") >> (6 * o)) & 63) == (is_control ? head & 63 : (head >> 32) & 31));
          REQUIRE(((b.get("bind_o") >> (8 * o)) & 0xff) == bound[o]);
        }
        REQUIRE(b.get("nonempty_o") == nonempty);
        REQUIRE(b.get("control_o") == control_heads);
        in_flight = next;
      }
      CHECK(fullest >= deep - 1);
    }
  }
}

TEST_CASE("wl_inq: an unbound colour, a sender that ignores ready, a frozen PE") {
  Bench b("wl_inq", {{"Colours", "24"}, {"DepthA", "6"}, {"DepthB", "4"}});
  b.reset();
  CHECK(b.get("ready_o") == 0xffffff);
  b.set("ramp_i", data(3, 1));
  b.tick();
  CHECK(b.get("unbound_o") == 1);
  b.set("ramp_i", 0);
  b.set("bind_we_i", 1);
  b.set("bind_queue_i", 2);
  b.set("bind_value_i", 0x43);
  b.tick();
  CHECK(b.get("unbound_o") == 0);
  b.set("bind_we_i", 0);
  for (int k = 0; k < 5; ++k) {
    b.set("ramp_i", data(3, static_cast<uint32_t>(k)));
    b.tick();
    CHECK(b.get("overflow_o") == (k == 4 ? 1u : 0u));
    CHECK(((b.get("ready_o") >> 3) & 1) == (k < 2 ? 1u : 0u));
  }
  b.set("ramp_i", 0);
  b.set("frozen_i", 1);
  b.tick();
  CHECK(b.get("ready_o") == 0);
}

TEST_CASE("wl_outq: order in each queue, no wavelet without ready, a hole behind control wavelets, fair") {
  for (uint32_t reset : kAllResets) {
    INFO("reset " << reset);
    Bench b("wl_outq", {{"Depth", "4"}}, reset);
    b.set("ramp_ready_i", 0);
    b.reset();
    Random random("pe outq");
    std::deque<uint64_t> queue[4];
    uint32_t taken[4] = {};            // stored or reserved
    std::deque<int> coming;            // reservations whose push comes two cycles later (-1: none)
    coming = {-1, -1};
    uint64_t last_control[32] = {}, sent = 0, starving[4] = {}, longest = 0;
    uint32_t serial = 0;
    for (uint64_t cycle = 1; cycle < scaled(30000); ++cycle) {
      const uint32_t room = static_cast<uint32_t>(b.get("room_o"));
      for (int q = 0; q < 4; ++q) REQUIRE(((room >> q) & 1) == (taken[q] < 4 ? 1u : 0u));
      const int q = static_cast<int>(random.below(4));
      const bool takes = ((room >> q) & 1) && random.chance(3, 4);
      b.set("take_i", takes);
      b.set("take_queue_i", static_cast<uint64_t>(q));
      const int push = coming.front();
      coming.pop_front();
      coming.push_back(takes ? q : -1);
      uint64_t word = 0;
      if (push >= 0) {
        // Each queue has two colours of its own.
        word = (uint64_t{random.chance(1, 5)} << 37) | ((2u * static_cast<uint64_t>(push) + random.below(2)) << 32) | ++serial;
      }
      b.set("push_i", push >= 0);
      b.set("push_queue_i", push >= 0 ? static_cast<uint64_t>(push) : 0);
      b.set("push_word_i", word);
      const uint32_t ready = (cycle / 300) % 2 ? 0xffffff : static_cast<uint32_t>(random.next() & random.next());
      b.set("ramp_ready_i", ready & 0xffffff);
      b.tick();
      if (push >= 0) queue[push].push_back(word);
      if (takes) ++taken[q];
      const uint64_t out = b.get("ramp_o");
      for (auto& s : starving) ++s;
      if (out >> 38) {
        const uint32_t colour = static_cast<uint32_t>(out >> 32) & 31;
        const size_t from = colour / 2;
        REQUIRE(((ready >> colour) & 1) == 1);
        REQUIRE(!queue[from].empty());
        REQUIRE(queue[from].front() == (out & ~(1ull << 38)));
        REQUIRE((last_control[colour] == 0 || cycle - last_control[colour] > 3));
        if ((out >> 37) & 1) last_control[colour] = cycle;
        queue[from].pop_front();
        --taken[from];
        starving[from] = 0;
        ++sent;
      }
      for (int k = 0; k < 4; ++k) {
        if (queue[k].empty() || ready != 0xffffff) starving[k] = 0;
        longest = std::max(longest, starving[k]);
      }
    }
    CHECK(sent > scaled(30000) / 2);
    CHECK(longest <= 12);  // four queues, holes of three cycles
  }
}
