// Router: each trap, its cause, colour and port; that it stays; that other colours go on.
//
// Traps report broken software or a broken neighbour, so the sender here breaks the link protocol on purpose.
#include "testbenches/lib/catch.h"
#include "testbenches/unit/router/mesh.h"

using namespace waferloom;
using namespace waferloom::router;

namespace {

constexpr uint32_t trap_word(unsigned cause, unsigned colour, unsigned port) { return cause | colour << 8 | port << 16; }

struct Single : Mesh {
  explicit Single(unsigned hop) : Mesh(options(hop)) {
    set_edge(0, 0);
    for (unsigned d = 0; d < 4; ++d) set_edge_ready(0, d, 0xffffff);
    element(0).ready = 0xffffff;
  }
  static MeshOptions options(unsigned hop) {
    MeshOptions o;
    o.hop = hop;
    return o;
  }
  // Presents the word for one cycle.
  void present(unsigned port, uint64_t word) {
    if (port == kRamp) element(0).word = word;
    else drive(0, port, word);
  }
};

}  // namespace

TEST_CASE("an arrival without a route traps") {
  for (unsigned hop : {1u, 2u}) {
    for (unsigned port = 0; port < kPorts; ++port) {
      for (unsigned colour : {0u, 11u, 23u}) {
        CAPTURE(hop, port, colour);
        Single router(hop);
        router.cycles(2);
        router.present(port, wavelet(colour, 1));
        router.cycle();
        REQUIRE(router.trap(0) == trap_word(1, colour, port));
        router.cycles(5);
        for (unsigned d = 0; d < kPorts; ++d) REQUIRE(router.link_count(0, d) == 0);
        REQUIRE(router.class_count(0, 3) == 5);
        // The first trap stays.
        router.present((port + 1) % kPorts, wavelet(29, 1));
        router.cycles(2);
        REQUIRE(router.trap(0) == trap_word(1, colour, port));
      }
    }
  }
}

TEST_CASE("an arrival from a port that the position does not receive from traps") {
  Single router(1);
  router.set_route(0, 4, bit(kWest), bit(kEast));
  router.finish_configuration();
  router.present(kWest, wavelet(4, 1));
  router.cycles(3);
  REQUIRE(router.trap(0) == 0);
  router.present(kNorth, wavelet(4, 1));
  router.cycle();
  REQUIRE(router.trap(0) == trap_word(1, 4, kNorth));
}

TEST_CASE("a position that receives and transmits nowhere traps") {
  Single router(1);
  router.set_route(0, 4, bit(kWest), 0);
  router.finish_configuration();
  router.present(kWest, wavelet(4, 1));
  router.cycle();
  REQUIRE(router.trap(0) == trap_word(1, 4, kWest));
}

TEST_CASE("transmitting over the wafer's edge traps and the other ports still get the wavelet") {
  for (unsigned hop : {1u, 2u}) {
    for (unsigned side = 0; side < 4; ++side) {
      CAPTURE(hop, side);
      Single router(hop);
      router.set_edge(0, bit(side));
      router.set_route(0, 9, bit(kRamp), bit(side) | bit(kRamp));
      router.finish_configuration();
      REQUIRE(router.trap(0) == 0);
      router.present(kRamp, wavelet(9, 77));
      router.cycles(hop);
      REQUIRE(router.trap(0) == trap_word(2, 9, side));
      router.cycles(3);
      REQUIRE(router.element(0).received.size() == 1);
      REQUIRE(router.element(0).received[0].second == wavelet(9, 77));
      REQUIRE(router.link_count(0, side) == 0);
    }
  }
}

TEST_CASE("two ports on one colour at once trap") {
  for (unsigned hop : {1u, 2u}) {
    for (unsigned a = 0; a < kPorts; ++a) {
      for (unsigned b = a + 1; b < kPorts; ++b) {
        CAPTURE(hop, a, b);
        Single router(hop);
        router.set_route(0, 17, 31, bit(kEast));
        router.finish_configuration();
        router.present(a, wavelet(17, 1));
        router.cycle();
        router.present(b, wavelet(17, 2));
        router.cycle();
        REQUIRE(router.trap(0) == 0);  // one after the other is fine
        router.present(a, wavelet(17, 3));
        router.present(b, wavelet(17, 4));
        router.cycle();
        REQUIRE(router.trap(0) == trap_word(3, 17, a));
        router.cycles(4);
        REQUIRE(router.link_count(0, kEast) == 2);
      }
    }
  }
}

TEST_CASE("a second sender behind a queued control wavelet traps") {
  Single router(1);
  router.set_route(0, 17, bit(kWest) | bit(kRamp), bit(kEast));
  router.finish_configuration();
  router.set_edge_ready(0, kEast, 0);
  router.present(kWest, control(17, 0));
  router.cycle();
  router.present(kRamp, wavelet(17, 1));
  router.cycle();
  REQUIRE(router.trap(0) == trap_word(3, 17, kRamp));
}

TEST_CASE("reserved colours trap") {
  for (unsigned colour = 24; colour < 32; ++colour) {
    for (unsigned port = 0; port < kPorts; ++port) {
      Single router(1);
      router.cycle();
      router.present(port, wavelet(colour, 1));
      router.cycle();
      REQUIRE(router.trap(0) == trap_word(4, colour, port));
    }
  }
}

TEST_CASE("a sender that ignores ready overflows the queue, and that traps") {
  for (unsigned hop : {1u, 2u}) {
    Single router(hop);
    router.set_route(0, 20, bit(kSouth), bit(kNorth));
    router.set_route(0, 21, bit(kSouth), bit(kNorth));
    router.finish_configuration();
    router.set_edge_ready(0, kNorth, ~(1u << 20) & 0xffffff);
    const unsigned depth = hop == 1 ? 3 : 4;
    for (unsigned k = 0; k < depth; ++k) {
      router.present(kSouth, wavelet(20, k));
      router.cycle();
      REQUIRE(router.trap(0) == 0);
    }
    router.present(kSouth, wavelet(20, 99));
    router.cycle();
    REQUIRE(router.trap(0) == trap_word(5, 20, kSouth));
    // Another colour goes on; what was stored is not lost.
    router.present(kSouth, wavelet(21, 5));
    router.cycles(hop);
    REQUIRE(router.output(0, kNorth) == wavelet(21, 5));
    router.set_edge_ready(0, kNorth, 0xffffff);
    router.cycles(depth + 3);
    REQUIRE(router.link_count(0, kNorth) == depth + 1);
  }
}

TEST_CASE("taking a route away from stored wavelets traps") {
  Single router(1);
  router.set_route(0, 2, bit(kSouth), bit(kNorth));
  router.finish_configuration();
  router.set_edge_ready(0, kNorth, 0);
  for (unsigned k = 0; k < 2; ++k) {
    router.present(kSouth, wavelet(2, k));
    router.cycle();
  }
  router.set_route(0, 2, bit(kSouth), 0);
  router.finish_configuration();
  REQUIRE(router.trap(0) == 0);
  router.set_edge_ready(0, kNorth, 0xffffff);  // the first leaves by the route that it came with
  router.cycles(2);
  REQUIRE(router.trap(0) == trap_word(1, 2, 5));
  REQUIRE(router.link_count(0, kNorth) == 1);
}

TEST_CASE("parameters that would lose wavelets do not build") {
  const Params wrong[] = {{{"RampExtra", "2"}}, {{"Depth", "2"}}, {{"Depth", "5"}}, {{"Hop", "3"}}, {{"Colours", "25"}}};
  for (const Params& params : wrong) {
    CAPTURE(params[0].first, params[0].second);
    try {
      Bench bench("wl_router", params);
      FAIL("it was built");
    } catch (const std::runtime_error& error) {
      REQUIRE(std::string(error.what()).find("Hop is 1 or 2, Depth 3 or 4") != std::string::npos);
    }
  }
}
