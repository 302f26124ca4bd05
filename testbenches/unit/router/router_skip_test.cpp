// Router: skipping by quiet_o is exact.
//
// Two meshes get the same stimulus; one evaluates every router every cycle, the other leaves out a router that was quiet
// and whose inputs did not change. Every boundary word of every router is compared every cycle, every counter at the end
// (skipped cycles are credited to the class that the router announced). Traffic comes in waves, so that routers fall
// quiet empty, stalled and while their neighbours work. WL_SCALE=20 runs over a million wavelets.
#include "testbenches/lib/catch.h"
#include "testbenches/unit/router/traffic.h"

using namespace waferloom;
using namespace waferloom::router;

namespace {

void compare(unsigned width, unsigned height, unsigned hop, unsigned ramp_extra, uint64_t waves) {
  CAPTURE(width, height, hop, ramp_extra, bench_seed());
  MeshOptions options;
  options.width = width;
  options.height = height;
  options.hop = hop;
  options.ramp_extra = ramp_extra;
  Mesh full(options);
  options.skip = true;
  Mesh skip(options);
  Random random_full("router_skip"), random_skip("router_skip");
  Random stall_full("router_skip_stall"), stall_skip("router_skip_stall");
  Traffic traffic_full(&full, &random_full), traffic_skip(&skip, &random_skip);
  stall_randomly(&full, &stall_full, 40, 70);
  stall_randomly(&skip, &stall_skip, 40, 70);
  uint64_t differences = 0;
  for (uint64_t k = 0; k < waves; ++k) {
    const unsigned burst = static_cast<unsigned>(random_full.below(width * height * 8)) + 1;
    REQUIRE(random_skip.below(width * height * 8) + 1 == burst);
    traffic_full.offer(burst);
    traffic_skip.offer(burst);
    // Every fourth wave drains, the others overlap.
    const unsigned cycles = k % 4 == 3 ? 120 : 6;
    for (unsigned c = 0; c < cycles; ++c) {
      full.cycle();
      skip.cycle();
      differences += full.boundary_hash() != skip.boundary_hash();
    }
    REQUIRE(differences == 0);
    REQUIRE(traffic_full.check() == "");
    REQUIRE(traffic_skip.check() == "");
  }
  for (unsigned k = 0; k < 4000; ++k) {
    full.cycle();
    skip.cycle();
    differences += full.boundary_hash() != skip.boundary_hash();
  }
  REQUIRE(differences == 0);
  REQUIRE(traffic_full.finish() == "");
  REQUIRE(traffic_skip.finish() == "");
  for (unsigned node = 0; node < full.size(); ++node) {
    CAPTURE(node);
    for (unsigned cls = 0; cls < 4; ++cls) REQUIRE(full.class_count(node, cls) == skip.class_count(node, cls));
    for (unsigned port = 0; port < kPorts; ++port) REQUIRE(full.link_count(node, port) == skip.link_count(node, port));
  }
  REQUIRE(full.evaluations() == full.now() * full.size());
  REQUIRE(skip.evaluations() < full.evaluations());
}

}  // namespace

TEST_CASE("a mesh that skips quiet routers behaves as one that does not") {
  compare(4, 4, 1, 0, scaled(160));
  compare(4, 4, 2, 0, scaled(160));
  compare(3, 2, 1, 1, scaled(60));
  compare(5, 1, 2, 2, scaled(60));
}

TEST_CASE("a blocked mesh falls quiet and wakes up again") {
  for (unsigned hop : {1u, 2u}) {
    MeshOptions options;
    options.width = 4;
    options.hop = hop;
    options.skip = true;
    Mesh mesh(options);
    for (unsigned node = 0; node < 4; ++node) {
      mesh.set_route(node, 3, node == 0 ? bit(kRamp) : bit(kWest), node == 3 ? bit(kRamp) : bit(kEast));
    }
    mesh.finish_configuration();
    uint32_t ready = 0;
    mesh.element(3).ready_next = [&] { return ready; };
    mesh.cycle();
    for (unsigned k = 0; k < 200; ++k) mesh.element(0).to_send[3].push_back(wavelet(3, k));
    mesh.cycles(60);
    REQUIRE(mesh.all_quiet());
    const uint64_t evaluated = mesh.evaluations(), stalled = mesh.class_count(2, 2);
    mesh.cycles(1000);
    REQUIRE(mesh.evaluations() == evaluated);               // nobody was evaluated,
    REQUIRE(mesh.class_count(2, 2) == stalled + 1000);      // and every cycle was a stalled one
    ready = 0xffffff;
    mesh.cycles(200 + 8 * hop + 8);
    REQUIRE(mesh.element(3).received.size() == 200);
  }
}
