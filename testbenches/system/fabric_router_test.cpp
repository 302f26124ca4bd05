// The composed fabric of routers against a monolithic model of the same array, and against itself in other modes.
// State space: random multicast trees with switches on up to 24 colours, bursts, control wavelets, hosts that read slowly,
// word budgets. Compared: every register of every tile, in every cycle, counters included. Parameter space: hop 1 and 2,
// extra ramp registers, 3x2, 4x4, 1x5. Left out: PEs (fabric_tile_test).
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "testbenches/system/monolith.h"
#include "testbenches/system/traffic.h"

using namespace waferloom;
using namespace waferloom::test;
using fabric::Stop;

namespace {

struct Shape {
  uint32_t width, height;
  unsigned hop, extra;
};

fabric::FabricOptions options_for(const Shape& s) {
  fabric::FabricOptions o;
  o.width = s.width;
  o.height = s.height;
  o.hop = s.hop;
  o.router = open_router(s.hop, s.extra);
  return o;
}

MonolithShape grid_of(const Shape& s) {
  MonolithShape m;
  m.top = "wl_router_grid";
  m.spec.rtl_roots = {std::string(WL_SOURCE_DIR) + "/testbenches/system/rtl", std::string(WL_SOURCE_DIR) + "/rtl"};
  m.spec.params = {{"Hop", std::to_string(s.hop)}, {"RampExtra", std::to_string(s.extra)}, {"Depth", s.hop == 1 ? "3" : "4"}};
  m.spec.optimise = 0;
  m.link_stride = 64;
  m.ready_stride = 32;
  m.ramps = true;
  m.row = "g_y[";
  m.column = "].g_x[";
  m.router = "].u_router.";
  return m;
}

std::string name_of(const Shape& s) {
  return std::to_string(s.width) + "x" + std::to_string(s.height) + " hop " + std::to_string(s.hop) + " extra " + std::to_string(s.extra);
}

}  // namespace

TEST_CASE("the composed fabric equals the monolithic array in every register and cycle") {
  for (const Shape& shape : {Shape{3, 2, 1, 0}, Shape{4, 4, 1, 0}, Shape{3, 2, 2, 1}}) {
    for (const bool slow : {false, true}) {
      fabric::FabricOptions options = options_for(shape);
      // One way evaluates in an order drawn anew, the other in bands of rows by two threads.
      options.shuffle_seed = slow ? 1 + bench_seed() : 0;
      options.threads = slow ? 1 : 2;
      options.parallel_units = 2;
      auto f = make_fabric(options);
      Traffic traffic(f.get(), "mono " + name_of(shape), 24, slow);
      Monolith grid(f.get(), grid_of(shape));
      const uint64_t cycles = scaled(1500);
      for (uint64_t c = 0; c < cycles; ++c) {
        traffic.drive(c % 300 < 200);  // pauses long enough to fall quiet
        grid.drive();
        const Stop stop = f->step();
        grid.tick();
        const bool exact = c % 97 == 0;
        if (exact) f->credit_all();
        const std::string different = grid.difference(exact);
        if (stop != Stop::kCycle || !different.empty()) {
          INFO(name_of(shape) << " cycle " << c << ": " << different);
          REQUIRE(stop == Stop::kCycle);
          REQUIRE(different.empty());
        }
      }
      CHECK(traffic.received.size() > cycles / 4);
      const uint64_t unit_cycles = cycles * f->tiles();
      CHECK(f->activity().router_evaluations < unit_cycles);  // something was skipped
    }
  }
}

TEST_CASE("skipping, order of evaluation and audit do not change a bit; the audit finds no violation") {
  for (const Shape& shape : {Shape{4, 4, 1, 0}, Shape{1, 5, 2, 1}, Shape{5, 1, 1, 0}, Shape{1, 1, 1, 0}}) {
    std::vector<Received> words;
    uint64_t digest = 0;
    std::vector<uint64_t> classes;
    for (int mode = 0; mode < 8; ++mode) {
      fabric::FabricOptions o = options_for(shape);
      o.skip = mode != 1;
      o.shuffle_seed = mode == 2 ? 77 : 0;
      o.audit = mode == 3;
      o.reset_value = mode == 4 ? WL_RESET_RANDOM : WL_RESET_ZERO;
      if (mode > 4) o.threads = static_cast<unsigned>(mode) - 3;
      o.parallel_units = 3;
      o.edge_in = {3, 2};
      o.edge_out = {2, 1};
      auto f = make_fabric(o);
      Traffic traffic(f.get(), "modes " + name_of(shape), 12, true);
      for (uint64_t c = 0; c < scaled(800); ++c) {
        traffic.drive(c % 200 < 100);
        REQUIRE(f->step() == Stop::kCycle);
      }
      classes = f->class_totals(fabric::UnitKind::kRouter);
      uint64_t sum = 0;
      for (const uint64_t n : classes) sum += n;
      CHECK(sum == f->cycle() * f->tiles());
      INFO("mode " << mode << " of " << name_of(shape));
      if (mode == 0) {
        words = traffic.received;
        digest = f->digest();
        CHECK(words.size() > 50);
      } else {
        CHECK(traffic.received == words);
        // Slots of queues that never held anything keep their value from before reset.
        if (mode != 4) CHECK(f->digest() == digest);
      }
      if (mode != 3) continue;
      const fabric::AuditReport& audit = f->audit_report();
      INFO(audit.first_violation);
      CHECK(audit.violations == 0);
      CHECK(audit.unit_cycles == f->cycle() * f->tiles());
      CHECK(audit.changed <= audit.evaluated);
      CHECK(audit.evaluated < audit.unit_cycles);
    }
  }
}

TEST_CASE("the audit catches an edit of the router that falsifies quiet_o") {
  std::string text;
  REQUIRE(plugin::read_file(std::string(WL_SOURCE_DIR) + "/rtl/router/wl_router.sv", &text));
  const std::string honest = "quiet_q <= ~moved;";
  REQUIRE(text.find(honest) != std::string::npos);
  text.replace(text.find(honest), honest.size(), "quiet_q <= ~(arrived | cfg_i[40]);");
  char directory[] = "/tmp/wl-audit-XXXXXX";
  REQUIRE(mkdtemp(directory));
  const std::string file = std::string(directory) + "/wl_router.sv";
  std::ofstream(file) << text;
  plugin::UnitSpec spec;
  spec.top = "wl_router";
  spec.rtl_roots = {directory, std::string(WL_SOURCE_DIR) + "/rtl"};
  spec.optimise = 1;
  fabric::FabricOptions o;
  o.width = 3;
  o.height = 2;
  o.audit = true;
  REQUIRE(o.router.open(spec) == "");
  std::filesystem::remove_all(directory);
  auto f = make_fabric(o);
  Traffic traffic(f.get(), "audit", 6, false);
  for (int c = 0; c < 400; ++c) {
    traffic.drive(c < 200);
    f->step();
  }
  CHECK(f->audit_report().violations > 0);
  CHECK(f->audit_report().first_violation.find("was quiet, but") != std::string::npos);
}

TEST_CASE("nothing is lost: what was sent to one sink arrives, once, in order of its colour") {
  fabric::FabricOptions o = options_for({4, 3, 1, 0});
  o.edge_in = {1, 1};
  auto f = make_fabric(o);
  Ports ports(f.get());
  // A snake of one colour through all tiles from the west edge, out at the ramp of the last tile.
  REQUIRE(f->set_route({0, 0, 4, 3}, 7, 0, 8, 2) == "");
  REQUIRE(f->set_route({3, 0, 1, 1}, 7, 0, 8, 4) == "");
  REQUIRE(f->set_route({3, 1, 1, 1}, 7, 0, 1, 4) == "");
  REQUIRE(f->set_route({3, 2, 1, 1}, 7, 0, 1, 16) == "");
  const PortId in = static_cast<PortId>(ports.at(0, 0, 3)), out = static_cast<PortId>(ports.at(3, 2, 4));
  const uint64_t n = 500;
  for (uint64_t k = 0; k < n; ++k) f->ports().send(in, 7ull << 32 | k, 0, false);
  CHECK(f->run(100000) == Stop::kIdle);
  CHECK(f->ports().received(out) == n);
  fabric::ReceivedWord word;
  for (uint64_t k = 0; k < n; ++k) {
    REQUIRE(f->ports().receive(out, &word));
    REQUIRE((word.word & 0xffffffff) == k);
    // One word per cycle, sustained; the first after the port's register, six hops and the host's own edge.
    if (k > 0) REQUIRE(word.cycle == 7 + k);
  }
  CHECK(f->ports().sent_total() == n);
  CHECK(f->ports().received_total() == n);
  CHECK(f->get_register(fabric::UnitKind::kRouter, 3, 2, "link_cnt_q", 4) == n);
}

TEST_CASE("the word budget is shared, exact and fair") {
  fabric::FabricOptions o = options_for({4, 1, 1, 0});
  o.edge_in = {3, 2};
  auto f = make_fabric(o);
  Ports ports(f.get());
  REQUIRE(f->set_route({0, 0, 4, 1}, 2, 0, 1, 4) == "");
  for (uint32_t x = 0; x < 4; ++x) {
    for (int k = 0; k < 400; ++k) f->ports().send(static_cast<PortId>(ports.at(x, 0, 0)), 2ull << 32 | 1u, 0, false);
  }
  CHECK(f->run(400) == Stop::kCycle);
  const uint64_t total = f->ports().sent_total();
  CHECK(total >= 599);
  CHECK(total <= 601);
  for (uint32_t x = 0; x < 4; ++x) {
    const uint64_t mine = f->ports().sent_count(static_cast<PortId>(ports.at(x, 0, 0)));
    CHECK(mine + 2 >= total / 4);
    CHECK(mine <= total / 4 + 2);
  }
}

TEST_CASE("a reader that stops is reported as a deadlock with tile and colour; idle is not a deadlock; time may pass") {
  auto f = make_fabric(options_for({3, 1, 1, 0}));
  Ports ports(f.get());
  REQUIRE(f->set_route({0, 0, 3, 1}, 9, 0, 8, 2) == "");
  CHECK(f->run(100) == Stop::kIdle);
  CHECK(f->cycle() < 10);
  CHECK(f->run(100, true) == Stop::kIdle);
  CHECK(f->cycle() == 100);
  const PortId in = static_cast<PortId>(ports.at(0, 0, 3)), out = static_cast<PortId>(ports.at(2, 0, 1));
  f->ports().set_capacity(out, 4);
  for (int k = 0; k < 100; ++k) f->ports().send(in, 9ull << 32 | 5u, 1000, false);
  CHECK(f->run(100000) == Stop::kDeadlock);
  CHECK(f->cycle() > 1000);
  CHECK(f->cycle() < 1100);
  const auto waiting = f->waiting();
  REQUIRE(waiting.size() == 3);
  CHECK(waiting[2].x == 2);
  CHECK(waiting[2].stored_colours == 1u << 9);
  CHECK(waiting[0].host_colours == 1u << 9);
  fabric::ReceivedWord word;
  int got = 0;
  do {
    while (f->ports().receive(out, &word)) ++got;
  } while (f->run(200000) == Stop::kDeadlock);
  while (f->ports().receive(out, &word)) ++got;
  CHECK(got == 100);
  CHECK(f->stuck_kind() == Stop::kIdle);
}

TEST_CASE("traps name tile, cycle, cause and colour") {
  auto f = make_fabric(options_for({2, 2, 1, 0}));
  Ports ports(f.get());
  REQUIRE(f->set_route({0, 0, 1, 1}, 3, 0, 8, 2) == "");
  f->ports().send(static_cast<PortId>(ports.at(0, 0, 3)), 3ull << 32, 20, false);
  REQUIRE(f->run(1000) == Stop::kTrap);
  REQUIRE(f->traps().size() == 1);
  const fabric::Trap& trap = f->traps()[0];
  CHECK(trap.x == 1);
  CHECK(trap.y == 0);
  CHECK(trap.cause == 1);
  CHECK(trap.colour == 3);
  CHECK(trap.port == 3);
  CHECK(trap.cycle == f->cycle());
  CHECK(f->cycle() == 23);
}

TEST_CASE("mistakes of the caller are texts") {
  auto f = make_fabric(options_for({3, 3, 1, 0}));
  std::string error;
  PortId port = 0;
  CHECK_FALSE(f->attach_port(1, 1, Direction::kNorth, &port, &error));
  CHECK(error.find("(1,1), north") != std::string::npos);
  CHECK(f->attach_port(1, 0, Direction::kNorth, &port, &error));
  CHECK_FALSE(f->attach_port(1, 0, Direction::kNorth, &port, &error));
  CHECK_FALSE(f->attach_port(7, 0, Direction::kNorth, &port, &error));
  CHECK(f->set_route({2, 2, 2, 1}, 0, 0, 1, 1).find("not inside") != std::string::npos);
  CHECK(f->set_route({0, 0, 1, 1}, 24, 0, 1, 1) != "");
  CHECK(f->set_register({0, 0, 1, 1}, fabric::UnitKind::kRouter, "nonsense_q", 0).find("nonsense_q") != std::string::npos);
  CHECK(f->set_register({0, 0, 1, 1}, fabric::UnitKind::kPe, "pc_q", 0) != "");
  CHECK(f->load_image({0, 0, 1, 1}, "u_sram", 0, {1}) != "");
  fabric::FabricOptions bad;
  CHECK(fabric::Fabric::create(bad, &error) == nullptr);
  CHECK(error.find("router") != std::string::npos);
}
