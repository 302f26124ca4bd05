// One fabric by one thread and by several: the same words, registers, counters, traps and observations, in every cycle. State space: random traffic
// that crosses every boundary between rectangles, pauses, slow hosts, bands drawn anew by activity. Parameter space: 1 to 5 threads; square, flat,
// narrow arrays, one of two words of columns; more threads than rows. The preset `tsan` runs this with every access checked, plug-ins included.
// Left out: PEs (fabric_tile_test runs them with 2, 3 and 4 threads).
#include <atomic>

#include "sim/fabric/crew.h"
#include "testbenches/system/traffic.h"

using namespace waferloom;
using namespace waferloom::test;
using fabric::Stop;
using fabric::UnitKind;

namespace {

struct Outcome {
  std::vector<Received> words;
  uint64_t digest = 0;
  uint64_t observed = 0;  // of what an observer saw, cycle by cycle
  uint64_t evaluations = 0;
  uint64_t parallel = 0;
};

Outcome run(uint32_t width, uint32_t height, unsigned threads, uint64_t cycles) {
  fabric::FabricOptions o;
  o.width = width;
  o.height = height;
  o.router = open_router();
  o.threads = threads;
  o.parallel_units = 2;
  auto f = make_fabric(o);
  Outcome out;
  f->set_observer([&out](const Fabric& g) {
    for (uint32_t y = 0; y < g.height(); ++y) {
      for (uint32_t x = 0; x < g.width(); ++x) out.observed = (out.observed ^ g.link(x, y, Direction::kEast) ^ g.link(x, y, Direction::kSouth)) * 0x100000001b3ull;
    }
    out.observed = (out.observed ^ g.cycle()) * 0x100000001b3ull;
  });
  Traffic traffic(f.get(), "threads", 16, true);
  for (uint64_t c = 0; c < cycles; ++c) {
    traffic.drive(c % 300 < 200);
    REQUIRE(f->step() == Stop::kCycle);
  }
  out.words = traffic.received;
  out.digest = f->digest();
  out.evaluations = f->activity().router_evaluations;
  out.parallel = f->parallel_cycles();
  return out;
}

}  // namespace

TEST_CASE("any number of threads gives the same bits") {
  struct Shape {
    uint32_t width, height;
  };
  for (const Shape& s : {Shape{6, 7}, Shape{130, 1}, Shape{1, 9}, Shape{70, 2}}) {
    const uint64_t cycles = scaled(700);
    const Outcome one = run(s.width, s.height, 1, cycles);
    CHECK(one.words.size() > 50);
    CHECK(one.parallel == 0);
    for (unsigned threads = 2; threads <= 5; ++threads) {
      INFO(s.width << "x" << s.height << ", " << threads << " threads");
      const Outcome many = run(s.width, s.height, threads, cycles);
      CHECK(many.parallel > cycles / 4);
      CHECK(many.words == one.words);
      CHECK(many.digest == one.digest);
      CHECK(many.observed == one.observed);
      CHECK(many.evaluations == one.evaluations);
    }
  }
}

TEST_CASE("traps of one cycle come in the order of tiles, whoever found them") {
  for (unsigned threads = 1; threads <= 4; ++threads) {
    fabric::FabricOptions o;
    o.width = 3;
    o.height = 8;
    o.router = open_router();
    o.threads = threads;
    o.parallel_units = 0;
    auto f = make_fabric(o);
    Ports ports(f.get());
    for (uint32_t y = 0; y < 8; ++y) {
      REQUIRE(f->set_route({0, y, 1, 1}, 3, 0, 8, 2) == "");
      f->ports().send(static_cast<PortId>(ports.at(0, 7 - y, 3)), 3ull << 32, 20, false);
    }
    REQUIRE(f->run(1000) == Stop::kTrap);
    REQUIRE(f->traps().size() == 8);
    for (uint32_t y = 0; y < 8; ++y) {
      CHECK(f->traps()[y].y == y);
      CHECK(f->traps()[y].x == 1);
      CHECK(f->traps()[y].cycle == f->cycle());
    }
  }
}

TEST_CASE("a cycle with little to do wakes nobody; time still jumps over rest") {
  fabric::FabricOptions o;
  o.width = 8;
  o.height = 8;
  o.router = open_router();
  o.threads = 2;
  o.parallel_units = 32;
  auto f = make_fabric(o);
  REQUIRE(f->set_route({0, 0, 8, 8}, 1, 0, 8, 2) == "");
  REQUIRE(f->run(20) == Stop::kIdle);
  const uint64_t before = f->parallel_cycles();
  CHECK(before > 0);  // all were due after reset
  PortId in = 0, out = 0;
  std::string error;
  REQUIRE(f->attach_port(0, 3, Direction::kWest, &in, &error));
  REQUIRE(f->attach_port(7, 3, Direction::kEast, &out, &error));
  f->ports().send(in, 1ull << 32 | 7, 1'000'000'000, false);
  REQUIRE(f->run(2'000'000'000) == Stop::kIdle);
  CHECK(f->ports().received(out) == 1);
  CHECK(f->cycle() > 1'000'000'000);
  CHECK(f->cycle() < 1'000'000'100);
  CHECK(f->parallel_cycles() == before);
}

TEST_CASE("a crew works once a round, each member, and what one wrote the next round sees") {
  std::vector<uint64_t> sums(4, 0);
  std::atomic<unsigned> calls{0};
  fabric::Crew crew(4, [&](unsigned member) {
    ++calls;
    sums[member] += 1;
  });
  CHECK(crew.members() == 4);
  for (int round = 0; round < 500; ++round) {
    crew.run();
    if (round % 100 == 50) std::this_thread::sleep_for(std::chrono::milliseconds(8));  // long enough to fall asleep
    REQUIRE(sums[1] == static_cast<uint64_t>(round) + 1);
    for (const uint64_t sum : sums) REQUIRE(sum == sums[0]);
  }
  CHECK(calls == 2000);
}
