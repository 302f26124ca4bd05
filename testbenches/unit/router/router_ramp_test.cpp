// wl_router_ramp: the registers that a longer ramp adds, alone.
//
// State space: what is in each register of either direction: nothing, a data wavelet, a control wavelet; all reached by random words in every cycle.
// Parameter space: one, two and three registers; 24 and 8 colours; registers that start as 0, 1, random. Held: a word comes out exactly Extra cycles
// after it went in, in both directions, unchanged; busy_o in every cycle whose edge changes a register, and never when all is empty; control_o names
// the colours whose control wavelets will still be inside after the edge. Left out: flow control, which is the router's (router_traffic_test).
#include "testbenches/lib/catch.h"
#include "testbenches/unit/router/mesh.h"

using namespace waferloom;
using namespace waferloom::router;

namespace {

uint64_t random_word(Random* random, unsigned colours, unsigned percent) {
  if (random->below(100) >= percent) return 0;
  const unsigned colour = static_cast<unsigned>(random->below(colours));
  const uint32_t data = static_cast<uint32_t>(random->next());
  return random->chance(1, 3) ? (wavelet(colour, data) | kControl) : wavelet(colour, data);
}

}  // namespace

TEST_CASE("words pass both ways in Extra cycles; busy and control tell what is inside") {
  for (unsigned extra : {1u, 2u, 3u}) {
    for (unsigned colours : {24u, 8u}) {
      for (uint32_t reset : {WL_RESET_ZERO, WL_RESET_ONE, WL_RESET_RANDOM}) {
        CAPTURE(extra, colours, reset, bench_seed());
        Bench bench("wl_router_ramp", {{"Extra", std::to_string(extra)}, {"Colours", std::to_string(colours)}}, reset);
        bench.reset();
        auto in = bench.port("in_i"), out = bench.port("out_i");
        Random random("router_ramp");
        // inward, outward: what each register holds, the newest first.
        std::deque<uint64_t> inward(extra, 0), outward(extra, 0);
        unsigned idle = 0, busy = 0, controls = 0;
        for (uint64_t k = 0; k < scaled(400); ++k) {
          const unsigned percent = k % 100 < 40 ? 60 : k % 100 < 70 ? 8 : 0;  // traffic, a trickle, until all is empty
          in = random_word(&random, colours, percent);
          out = random_word(&random, colours, percent);
          bench.settle();
          REQUIRE(bench.get("in_o") == inward.back());
          REQUIRE(bench.get("out_o") == outward.back());
          bool changes = false, holds = in != 0 || out != 0;
          uint32_t control = 0;
          for (unsigned i = 0; i < extra; ++i) {
            changes = changes || inward[i] != (i == 0 ? in.get() : inward[i - 1]) || outward[i] != (i == 0 ? out.get() : outward[i - 1]);
            holds = holds || inward[i] != 0 || outward[i] != 0;
            const uint64_t next = i == 0 ? in.get() : inward[i - 1];
            if (next & kControl) control |= 1u << colour_of(next);
          }
          if (changes) REQUIRE(bench.get("busy_o") == 1);
          REQUIRE(bench.get("busy_o") == (holds ? 1u : 0u));
          REQUIRE(bench.get("control_o") == control);
          idle += !holds;
          busy += changes;
          controls += control != 0;
          bench.tick();
          inward.push_front(in);
          inward.pop_back();
          outward.push_front(out);
          outward.pop_back();
        }
        CHECK(idle > 20);
        CHECK(busy > 100);
        CHECK(controls > 20);
      }
    }
  }
}

TEST_CASE("reset empties the registers") {
  Bench bench("wl_router_ramp", {{"Extra", "2"}, {"Colours", "24"}}, WL_RESET_RANDOM);
  bench.set("in_i", wavelet(3, 7) | kControl);
  bench.set("out_i", wavelet(4, 8));
  bench.reset();
  bench.set("in_i", 0);
  bench.set("out_i", 0);
  bench.settle();
  CHECK(bench.get("in_o") == 0);
  CHECK(bench.get("out_o") == 0);
  CHECK(bench.get("busy_o") == 0);
  CHECK(bench.get("control_o") == 0);
}
