// Router: nothing is lost, doubled or reordered, whatever stalls.
//
// State space: fill of every queue, owed masks, control wavelets queued or not, round-robin pointers; reached by random
// bursts of stall at every sink and source. Parameter space: hop 1 and 2, ramp of 2 to 4 cycles, lines, a square, an
// oblong, a single router; registers that start as 0, 1, random. One random multicast tree per colour, all 24 at once.
// Left out: switch positions (router_switch_test), rates (router_rate_test).
#include "testbenches/lib/catch.h"
#include "testbenches/unit/router/traffic.h"

using namespace waferloom;
using namespace waferloom::router;

namespace {

struct Shape {
  unsigned width, height, hop, ramp_extra;
};

// Offers wavelets for a while, then waits until everything has drained.
void run(const Shape& shape, uint32_t reset, uint64_t rounds, unsigned ready_percent) {
  CAPTURE(shape.width, shape.height, shape.hop, shape.ramp_extra, reset, ready_percent, bench_seed());
  MeshOptions options;
  options.width = shape.width;
  options.height = shape.height;
  options.hop = shape.hop;
  options.ramp_extra = shape.ramp_extra;
  options.reset = reset;
  Mesh mesh(options);
  Random random("router_traffic");
  Traffic traffic(&mesh, &random);
  stall_randomly(&mesh, &random, ready_percent, 80);
  for (uint64_t k = 0; k < rounds; ++k) {
    traffic.offer(static_cast<unsigned>(random.below(shape.width * shape.height * 4)));
    mesh.cycles(4);
    const std::string error = traffic.check();
    if (!error.empty()) FAIL(error);
  }
  // Progress: with sinks that become ready again and again, everything arrives; there is always something moving.
  for (uint64_t idle = 0, seen = traffic.delivered(); !mesh.drained();) {
    mesh.cycles(16);
    REQUIRE(traffic.check() == "");
    idle = traffic.delivered() == seen ? idle + 16 : 0;
    seen = traffic.delivered();
    REQUIRE(idle < 5000);
  }
  REQUIRE(traffic.finish() == "");
  REQUIRE(traffic.offered() > rounds / 2);
  // Conservation by the routers' own counters: what the ramps received is what the ramp links drove.
  uint64_t driven = 0;
  for (unsigned node = 0; node < mesh.size(); ++node) driven += mesh.link_count(node, kRamp);
  REQUIRE(driven == traffic.delivered());
  // Every cycle has exactly one class.
  for (unsigned node = 0; node < mesh.size(); ++node) {
    uint64_t sum = 0;
    for (unsigned cls = 0; cls < 4; ++cls) sum += mesh.class_count(node, cls);
    REQUIRE(sum == mesh.now());
  }
}

}  // namespace

TEST_CASE("wl_router delivers every wavelet once and in order") {
  const Shape shapes[] = {{1, 1, 1, 0}, {6, 1, 1, 0}, {1, 6, 2, 0}, {3, 3, 1, 0}, {4, 2, 2, 0}};
  for (const Shape& shape : shapes) {
    for (uint32_t reset : kAllResets) run(shape, reset, scaled(300), 60);
    run(shape, WL_RESET_RANDOM, scaled(300), 15);
    run(shape, WL_RESET_RANDOM, scaled(300), 97);
  }
}

TEST_CASE("wl_router delivers through a longer ramp") {
  const Shape shapes[] = {{3, 2, 1, 1}, {3, 2, 2, 1}, {2, 2, 2, 2}};
  for (const Shape& shape : shapes) {
    run(shape, WL_RESET_RANDOM, scaled(300), 60);
    run(shape, WL_RESET_RANDOM, scaled(300), 15);
  }
}

TEST_CASE("wl_router does not depend on what its registers hold before reset") {
  uint64_t hashes[3];
  for (uint32_t reset : kAllResets) {
    MeshOptions options;
    options.width = 3;
    options.height = 3;
    options.reset = reset;
    Mesh mesh(options);
    Random random("router_reset");
    Traffic traffic(&mesh, &random);
    stall_randomly(&mesh, &random, 50, 70);
    uint64_t hash = 0;
    for (int k = 0; k < 500; ++k) {
      traffic.offer(10);
      mesh.cycle();
      hash = (hash << 7 | hash >> 57) ^ mesh.boundary_hash();
    }
    hashes[reset] = hash;
  }
  REQUIRE(hashes[0] == hashes[1]);
  REQUIRE(hashes[0] == hashes[2]);
}
