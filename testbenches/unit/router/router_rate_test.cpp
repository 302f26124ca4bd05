// Router: latency, rate, independence of colours, fairness.
//
// What the machine's timing rests on: a hop costs exactly Hop cycles; a link carries one wavelet per cycle for ever; a
// stall costs the stalled cycles and nothing more; a blocked colour costs the others nothing; contenders share evenly; a
// multicast whose ports are never free together still moves. Parameter space: hop 1 and 2, ramp 2 and 3, 1 to 16 hops,
// sinks that are ready in bursts or at random from one cycle to the next. Left out: contents under random multicast
// (router_traffic_test).
#include "testbenches/lib/catch.h"
#include "testbenches/unit/router/traffic.h"

using namespace waferloom;
using namespace waferloom::router;

namespace {

// A line of routers along x; `colour` goes from the first ramp to the last.
struct Line : Mesh {
  Line(unsigned routers, unsigned hop, unsigned ramp_extra = 0) : Mesh(options(routers, hop, ramp_extra)), last(routers - 1) {}
  static MeshOptions options(unsigned routers, unsigned hop, unsigned ramp_extra) {
    MeshOptions o;
    o.width = routers;
    o.hop = hop;
    o.ramp_extra = ramp_extra;
    return o;
  }
  void lay(unsigned colour) {
    for (unsigned node = 0; node <= last; ++node) {
      set_route(node, colour, node == 0 ? bit(kRamp) : bit(kWest), node == last ? bit(kRamp) : bit(kEast));
    }
  }
  void load(unsigned colour, unsigned count) {
    for (unsigned k = 0; k < count; ++k) element(0).to_send[colour].push_back(wavelet(colour, k));
  }
  unsigned last;
};

unsigned trapped(Mesh& mesh) {
  unsigned n = 0;
  for (unsigned node = 0; node < mesh.size(); ++node) n += mesh.trap(node) != 0;
  return n;
}

}  // namespace

TEST_CASE("a hop costs exactly Hop cycles, and one from the ramp") {
  for (unsigned hop : {1u, 2u}) {
    for (unsigned extra : {0u, 1u}) {
      for (unsigned routers = 1; routers <= 17; routers += 4) {
        CAPTURE(hop, extra, routers);
        Line line(routers, hop, extra);
        line.lay(5);
        line.finish_configuration();
        line.cycles(3);
        const uint64_t launched = line.now() + 1;  // the element's boundary register holds it from the next cycle on
        line.load(5, 1);
        line.cycles(routers * hop + 2 * extra + 4);
        REQUIRE(line.element(line.last).received.size() == 1);
        // The first router takes it from its ramp: one cycle. Each of the others, to a link or to the ramp: Hop cycles.
        REQUIRE(line.element(line.last).received[0].first == launched + 1 + (routers - 1) * hop + 2 * extra);
      }
    }
  }
}

TEST_CASE("a line carries one wavelet per cycle") {
  for (unsigned hop : {1u, 2u}) {
    CAPTURE(hop);
    Line line(17, hop);
    line.lay(7);
    line.finish_configuration();
    const unsigned count = static_cast<unsigned>(scaled(2000));
    line.load(7, count);
    line.cycles(count + 17 * hop + 4);
    const auto& got = line.element(line.last).received;
    REQUIRE(got.size() == count);
    REQUIRE(got.back().first - got.front().first == count - 1);
    for (unsigned k = 0; k < count; ++k) REQUIRE(got[k].second == wavelet(7, k));
  }
}

TEST_CASE("a sink that stalls costs only the cycles in which it is not ready") {
  for (unsigned hop : {1u, 2u}) {
    for (unsigned burst : {1u, 2u, 3u, 5u, 12u, 100u}) {
      for (unsigned percent : {20u, 50u, 80u, 97u}) {
        CAPTURE(hop, burst, percent, bench_seed());
        Line line(17, hop);
        line.lay(9);
        line.finish_configuration();
        line.load(9, 6000);
        line.cycles(17 * hop + 8);  // filled
        Random random("router_rate");
        uint64_t left = 0;
        bool on = true;
        line.element(line.last).ready_next = [&] {
          if (left-- == 0) {
            on = random.below(100) < percent;
            left = random.below(burst);
          }
          return on ? 0xffffffu : 0u;
        };
        const size_t before = line.element(line.last).received.size();
        uint64_t ready = 0;
        for (unsigned k = 0; k < 4000; ++k) {
          ready += line.element(line.last).ready & 1;
          line.cycle();
        }
        const size_t accepted = line.element(line.last).received.size() - before;
        REQUIRE(ready > 100);
        REQUIRE(static_cast<double>(accepted) >= 0.99 * static_cast<double>(ready));
        REQUIRE(trapped(line) == 0);
      }
    }
  }
}

TEST_CASE("a source that stalls leaves no gaps but its own") {
  for (unsigned hop : {1u, 2u}) {
    Line line(17, hop);
    line.lay(1);
    line.finish_configuration();
    Random random("router_source");
    line.element(0).may_send = [&] { return random.chance(7, 10); };
    line.load(1, 3000);
    line.cycles(6000);
    REQUIRE(line.element(line.last).received.size() == 3000);
    const auto& got = line.element(line.last).received;
    const double cycles = static_cast<double>(got.back().first - got.front().first + 1);
    REQUIRE(cycles == Approx(3000 / 0.7).epsilon(0.05));
  }
}

TEST_CASE("blocked colours never slow another one") {
  for (unsigned hop : {1u, 2u}) {
    CAPTURE(hop);
    Line line(9, hop);
    for (unsigned c = 0; c < kColours; ++c) line.lay(c);
    line.finish_configuration();
    line.element(line.last).ready_next = [] { return 1u << 11; };
    line.cycles(2);
    for (unsigned c = 0; c < kColours; ++c) {
      if (c != 11) line.load(c, 50);
    }
    line.cycles(2000);  // every queue of the others is full, all along the line
    REQUIRE(line.element(line.last).received.empty());
    REQUIRE(line.all_quiet());
    const unsigned count = 1000;
    line.load(11, count);
    line.cycles(count + 9 * hop + 4);
    const auto& got = line.element(line.last).received;
    REQUIRE(got.size() == count);
    REQUIRE(got.back().first - got.front().first == count - 1);
    REQUIRE(trapped(line) == 0);
  }
}

TEST_CASE("colours that contend for an output share it evenly") {
  for (unsigned hop : {1u, 2u}) {
    CAPTURE(hop);
    // Four colours enter from west, two from north, one from the ramp; all leave through the middle router's east.
    MeshOptions options;
    options.width = 3;
    options.height = 2;
    options.hop = hop;
    Mesh mesh(options);
    const unsigned middle = mesh.at(1, 1), west = mesh.at(0, 1), north = mesh.at(1, 0), east = mesh.at(2, 1);
    auto lay = [&](unsigned c, unsigned from, unsigned side) {
      if (from != middle) mesh.set_route(from, c, bit(kRamp), bit(opposite(side)));
      mesh.set_route(middle, c, bit(side), bit(kEast));
      mesh.set_route(east, c, bit(kWest), bit(kRamp));
      for (unsigned k = 0; k < 4000; ++k) mesh.element(from).to_send[c].push_back(wavelet(c, k));
    };
    lay(2, west, kWest);
    lay(23, north, kNorth);
    lay(0, middle, kRamp);
    mesh.finish_configuration();
    mesh.cycles(50);
    mesh.element(east).received.clear();
    mesh.cycles(3000);
    std::array<unsigned, kColours> share{};
    for (const auto& [cycle, word] : mesh.element(east).received) ++share[colour_of(word)];
    REQUIRE(mesh.element(east).received.size() == 3000);
    for (unsigned c : {0u, 2u, 23u}) REQUIRE(share[c] == 1000);
  }
}

TEST_CASE("a multicast moves although its ports are never free together") {
  for (unsigned hop : {1u, 2u}) {
    CAPTURE(hop);
    MeshOptions options;
    options.hop = hop;
    Mesh mesh(options);
    mesh.set_edge(0, 0);
    mesh.set_route(0, 4, bit(kRamp), bit(kNorth) | bit(kEast) | bit(kSouth));
    mesh.finish_configuration();
    for (unsigned k = 0; k < 900; ++k) mesh.element(0).to_send[4].push_back(wavelet(4, k));
    std::array<uint32_t, 3> next{};
    for (unsigned k = 0; k < 3000; ++k) {
      for (unsigned d = 0; d < 3; ++d) {
        mesh.set_edge_ready(0, d, k % 3 == d ? 0xffffff : 0);
        const uint64_t word = mesh.output(0, d);
        if (word != 0) REQUIRE(word == wavelet(4, next[d]++));
      }
      mesh.cycle();
    }
    for (unsigned d = 0; d < 3; ++d) REQUIRE(next[d] == 900);
  }
}

TEST_CASE("a multicast is not starved by streams that hold its ports") {
  for (unsigned hop : {1u, 2u}) {
    CAPTURE(hop);
    MeshOptions options;
    options.width = 3;
    options.hop = hop;
    Mesh mesh(options);
    mesh.set_route(0, 0, bit(kRamp), bit(kEast));
    mesh.set_route(1, 0, bit(kWest), bit(kEast) | bit(kRamp));
    mesh.set_route(2, 0, bit(kWest), bit(kRamp));
    mesh.set_route(1, 1, bit(kRamp), bit(kEast));  // holds east
    mesh.set_route(2, 1, bit(kWest), bit(kRamp));
    mesh.set_route(2, 2, bit(kRamp), bit(kWest));  // holds the ramp
    mesh.set_route(1, 2, bit(kEast), bit(kRamp));
    mesh.finish_configuration();
    for (unsigned k = 0; k < 4000; ++k) {
      for (unsigned c : {0u, 1u, 2u}) mesh.element(c == 0 ? 0 : c == 1 ? 1 : 2).to_send[c].push_back(wavelet(c, k));
    }
    mesh.cycles(2100);
    unsigned multicast = 0;
    for (const auto& [cycle, word] : mesh.element(1).received) multicast += colour_of(word) == 0;
    REQUIRE(multicast >= 1000);  // an equal share of both ports
  }
}
