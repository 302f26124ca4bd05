// Router: switch positions, control wavelets, configuration.
//
// A reference model without a clock says which words leave by which port in which order: a control wavelet goes by the
// current position and then moves it. Parameter space: 1 to 4 positions, ring or not, advance, reset, none and the
// reserved command, every receive port, every transmit mask, hop 1 and 2, all colours at once, random stalls.
// The control hole (wavelets launched on a stale ready behind a control wavelet) is covered by senders that never pause.
#include "testbenches/lib/catch.h"
#include "testbenches/unit/router/mesh.h"

using namespace waferloom;
using namespace waferloom::router;

namespace {

uint32_t control_word(unsigned position, unsigned last, bool ring) { return position | last << 2 | (ring ? 16u : 0u); }

struct Switch {
  unsigned position = 0, last = 0;
  bool ring = false;
  void obey(unsigned command) {
    if (command == 1) position = position >= last ? (ring ? 0 : position) : position + 1;
    if (command == 2) position = 0;
  }
};

// One router, driven on all five ports by senders that obey the link protocol.
void random_switching(unsigned hop, bool skip, uint32_t reset, uint64_t words, unsigned ready_percent) {
  CAPTURE(hop, skip, reset, ready_percent, bench_seed());
  MeshOptions options;
  options.hop = hop;
  options.reset = reset;
  options.skip = skip;
  Mesh mesh(options);
  mesh.set_edge(0, 0);
  Random random("router_switch");
  std::array<std::array<std::deque<uint64_t>, kColours>, 4> lists;     // to be sent, by port
  std::array<std::array<std::deque<uint64_t>, kColours>, kPorts> expected;
  uint64_t total = 0;
  for (unsigned c = 0; c < kColours; ++c) {
    Switch sw;
    sw.last = static_cast<unsigned>(random.below(4));
    sw.ring = random.chance(1, 2);
    sw.position = static_cast<unsigned>(random.below(sw.last + 1));
    unsigned receive[4], transmit[4];
    for (unsigned p = 0; p < 4; ++p) {
      receive[p] = static_cast<unsigned>(random.below(kPorts));
      transmit[p] = 1 + static_cast<unsigned>(random.below(31));
      mesh.configure(0, c, p, route(bit(receive[p]), transmit[p]));
    }
    mesh.configure(0, c, 4, control_word(sw.position, sw.last, sw.ring));
    for (uint64_t k = 0; k < words; ++k) {
      uint64_t word = wavelet(c, static_cast<uint32_t>(random.next()));
      if (random.chance(1, 5)) word |= kControl;
      const unsigned from = receive[sw.position], to = transmit[sw.position];
      if (from == kRamp) mesh.element(0).to_send[c].push_back(word);
      else lists[from][c].push_back(word);
      for (unsigned d = 0; d < kPorts; ++d) {
        if (to & bit(d)) expected[d][c].push_back(word), ++total;
      }
      if (word & kControl) sw.obey(static_cast<unsigned>(word >> 6) & 3);
    }
  }
  // The elements may not send before the routes stand.
  bool open = false;
  mesh.element(0).may_send = [&] { return open && random.chance(9, 10); };
  mesh.element(0).ready_next = [&] {
    uint32_t ready = 0;
    for (unsigned c = 0; c < kColours; ++c) ready |= random.below(100) < ready_percent ? 1u << c : 0;
    return ready;
  };
  mesh.finish_configuration();
  open = true;
  uint64_t held[4] = {}, got = 0, idle = 0;
  auto take = [&](unsigned port, uint64_t word) {
    if (word == 0) return;
    auto& queue = expected[port][colour_of(word)];
    CAPTURE(port, mesh.now(), word);
    REQUIRE(!queue.empty());
    REQUIRE(queue.front() == word);
    queue.pop_front();
    ++got;
    idle = 0;
  };
  while (got < total && idle++ < 2000) {
    for (unsigned d = 0; d < 4; ++d) {
      take(d, mesh.output(0, d));
      const uint32_t ready = mesh.ready_to(0, d);
      const uint64_t previous = held[d];
      mesh.drive(0, d, previous);
      held[d] = 0;
      const unsigned start = static_cast<unsigned>(random.below(kColours));
      for (unsigned k = 0; k < kColours && random.chance(99, 100); ++k) {
        const unsigned c = (start + k) % kColours;
        if (lists[d][c].empty() || !(ready >> c & 1)) continue;
        if ((previous & kControl) && colour_of(previous) == c) continue;
        held[d] = lists[d][c].front();
        lists[d][c].pop_front();
        break;
      }
      uint32_t give = 0;
      for (unsigned c = 0; c < kColours; ++c) give |= random.below(100) < ready_percent ? 1u << c : 0;
      mesh.set_edge_ready(0, d, give);
    }
    take(kRamp, mesh.output(0, kRamp));
    mesh.cycle();
    REQUIRE(mesh.trap(0) == 0);
  }
  REQUIRE(got == total);
}

}  // namespace

TEST_CASE("random switching follows the reference") {
  for (unsigned hop : {1u, 2u}) {
    for (uint32_t reset : kAllResets) random_switching(hop, false, reset, scaled(60), 60);
    random_switching(hop, true, WL_RESET_RANDOM, scaled(60), 100);
    random_switching(hop, true, WL_RESET_RANDOM, scaled(60), 10);
  }
}

// Node 0 sends, hands over to node `last` of a line by a control wavelet; that one hands back by reset.
TEST_CASE("a stream is cut exactly at the control wavelet") {
  for (unsigned hop : {1u, 2u}) {
    for (unsigned length : {2u, 3u, 7u}) {
      for (unsigned extra : {0u, 1u}) {
        CAPTURE(hop, length, extra, bench_seed());
        MeshOptions options;
        options.width = length;
        options.hop = hop;
        options.ramp_extra = extra;
        Mesh mesh(options);
        const unsigned last = length - 1, c = 13;
        for (unsigned node = 0; node < last; ++node) {
          mesh.set_route(node, c, node == 0 ? bit(kRamp) : bit(kWest), bit(kEast));
        }
        mesh.configure(last, c, 0, route(bit(kWest), bit(kRamp)));
        mesh.configure(last, c, 1, route(bit(kRamp), bit(kRamp)));
        mesh.configure(last, c, 4, control_word(0, 1, false));
        mesh.finish_configuration();
        Random random("router_cut");
        mesh.element(last).ready_next = [&] { return random.chance(2, 3) ? 0xffffffu : 0u; };
        std::vector<uint64_t> expected;
        uint32_t number = 0;
        for (unsigned round = 0; round < 40; ++round) {
          for (unsigned who : {0u, last}) {
            auto& queue = mesh.element(who).to_send[c];
            const uint64_t count = random.below(6);
            for (uint64_t k = 0; k < count; ++k) expected.push_back(wavelet(c, number++)), queue.push_back(expected.back());
            expected.push_back(control(c, who == 0 ? 1 : 2, 5, round));
            queue.push_back(expected.back());
          }
        }
        mesh.cycles(40 * (40 + 2 * length * hop));
        const auto& got = mesh.element(last).received;
        REQUIRE(got.size() == expected.size());
        for (size_t k = 0; k < expected.size(); ++k) {
          CAPTURE(k);
          REQUIRE(got[k].second == expected[k]);
        }
        for (unsigned node = 0; node < length; ++node) REQUIRE(mesh.trap(node) == 0);
      }
    }
  }
}

TEST_CASE("every router on the way moves its own switch") {
  // Position 0 of each router ends the stream here, position 1 passes it on: advance peels the line router by router.
  for (unsigned hop : {1u, 2u}) {
    MeshOptions options;
    options.width = 5;
    options.hop = hop;
    Mesh mesh(options);
    for (unsigned node = 0; node < 5; ++node) {
      const uint32_t from = node == 0 ? bit(kRamp) : bit(kWest);
      mesh.configure(node, 2, 0, route(from, bit(kRamp)));
      mesh.configure(node, 2, 1, route(from, node == 4 ? bit(kRamp) : bit(kEast)));
      mesh.configure(node, 2, 4, control_word(0, 1, false));
    }
    mesh.finish_configuration();
    for (unsigned k = 0; k < 4; ++k) {
      for (unsigned j = 0; j < 3; ++j) mesh.element(0).to_send[2].push_back(wavelet(2, 100 * k + j));
      mesh.element(0).to_send[2].push_back(control(2, 1));
    }
    mesh.element(0).to_send[2].push_back(wavelet(2, 999));
    mesh.cycles(200);
    for (unsigned node = 0; node < 4; ++node) {
      const auto& got = mesh.element(node).received;
      REQUIRE(got.size() == 4);
      for (unsigned j = 0; j < 3; ++j) REQUIRE(got[j].second == wavelet(2, 100 * node + j));
      REQUIRE(got[3].second == control(2, 1));
    }
    REQUIRE(mesh.element(4).received.size() == 1);
    REQUIRE(mesh.element(4).received[0].second == wavelet(2, 999));
  }
}

TEST_CASE("configuration sets masks and positions while other colours flow") {
  MeshOptions options;
  options.width = 2;
  Mesh mesh(options);
  mesh.set_route(0, 8, bit(kRamp), bit(kEast));
  mesh.set_route(1, 8, bit(kWest), bit(kRamp));
  mesh.set_route(0, 6, bit(kRamp), bit(kRamp));
  mesh.finish_configuration();
  for (unsigned k = 0; k < 300; ++k) mesh.element(0).to_send[8].push_back(wavelet(8, k));
  mesh.element(0).to_send[6].push_back(wavelet(6, 1));
  mesh.cycles(10);
  REQUIRE(mesh.element(0).received.size() == 1);
  // Positions 1 and 3 of colour 6 turn it east; position 2 keeps it here; the position is set by hand.
  mesh.set_route(1, 6, bit(kWest), bit(kRamp));
  mesh.configure(0, 6, 1, route(bit(kRamp), bit(kEast)));
  mesh.configure(0, 6, 2, route(bit(kRamp), bit(kRamp)));
  mesh.configure(0, 6, 3, route(bit(kRamp), bit(kEast) | bit(kRamp)));
  mesh.finish_configuration();
  for (unsigned position : {1u, 2u, 3u}) {
    mesh.configure(0, 6, 4, control_word(position, 3, false));
    mesh.finish_configuration();
    mesh.element(0).to_send[6].push_back(wavelet(6, 10 * position));
    mesh.cycles(12);
  }
  std::vector<uint32_t> here, there;
  for (const auto& [cycle, word] : mesh.element(0).received) here.push_back(static_cast<uint32_t>(word));
  for (const auto& [cycle, word] : mesh.element(1).received) {
    if (colour_of(word) == 6) there.push_back(static_cast<uint32_t>(word));
  }
  REQUIRE(here == std::vector<uint32_t>{1, 20, 30});
  REQUIRE(there == std::vector<uint32_t>{10, 30});
  mesh.cycles(300);
  REQUIRE(mesh.element(1).received.size() == 302);
  // Ready follows the receive mask of the current position, or everybody where there is no route at all.
  REQUIRE(mesh.ready_to(0, kRamp) == 0xffffff);  // colours 6 and 8 receive from the ramp, the others have no route
  REQUIRE(mesh.ready_to(0, kWest) == (0xffffffu & ~(1u << 6 | 1u << 8)));
}
