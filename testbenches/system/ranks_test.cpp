// One fabric by one process and spread over several ranks (here: threads with a transport of their own, so that the thread sanitizer sees every access):
// the same words, registers, memories, counters, activity, traps and ending.
// State space: random traffic over every boundary in every cycle; programs whose answers depend on arrival; long quiet stretches (windows of many
// cycles); writes, reads and checkpoints between runs; observers; arrays cut anew. Parameter space: 1 to 5 ranks by 1 to 3 threads, square, flat and narrow
// arrays, as many ranks as tiles. Left out: processes and MPI (ranks_program_test.py).
#include <filesystem>

#include "sim/checkpoint/fabric_state.h"
#include "sim/fabric/rectangles.h"
#include "sim/fabric/waits_for.h"
#include "testbenches/lib/temporary_folder.h"
#include "testbenches/system/circling.h"
#include "testbenches/system/echo.h"
#include "testbenches/system/local_ranks.h"

using namespace waferloom;
using namespace waferloom::test;
using fabric::Stop;
using fabric::UnitKind;

namespace {

// Binds a queue and reads nothing.
const char* const kUndrained = R"(
        .task 24, boot
boot:   li32 r6, 0xf000
        li   r3, 0x0085
        sw   r3, 0x28(r6)
        yield
)";

struct Outcome {
  std::vector<Received> words;
  uint64_t digest = 0, evaluations = 0, last_active = 0, observed = 0;
  std::vector<uint64_t> classes;
};

void compare(const Outcome& many, const Outcome& one) {
  CHECK(many.words == one.words);
  CHECK(many.digest == one.digest);
  CHECK(many.evaluations == one.evaluations);
  CHECK(many.last_active == one.last_active);
  CHECK(many.observed == one.observed);
  CHECK(many.classes == one.classes);
}

fabric::FabricOptions routers(uint32_t width, uint32_t height, unsigned threads) {
  fabric::FabricOptions o;
  o.width = width;
  o.height = height;
  o.router = open_router();
  o.threads = threads;
  o.parallel_units = 2;
  return o;
}

fabric::FabricOptions tiles(uint32_t width, uint32_t height, unsigned threads) {
  fabric::FabricOptions o = routers(width, height, threads);
  o.pe = open_small_pe();
  return o;
}

Outcome outcome_of(Fabric* f, std::vector<Received> words) {
  Outcome out;
  out.words = std::move(words);
  out.classes = f->class_totals(UnitKind::kRouter);
  out.evaluations = f->activity().router_evaluations + f->activity().pe_evaluations;
  out.last_active = f->last_active_cycle();
  out.digest = f->digest();
  return out;
}

Outcome random_traffic(fabric::FabricOptions o, fabric::Transport* ranks, uint64_t cycles, bool watched) {
  o.ranks = ranks;
  auto f = make_fabric(o);
  uint64_t observed = 0;
  if (watched) {
    f->set_observer([&observed](const Fabric& g) {
      for (uint32_t y = 0; y < g.height(); ++y) {
        for (uint32_t x = 0; x < g.width(); ++x) observed = (observed ^ g.link(x, y, Direction::kEast) ^ g.link(x, y, Direction::kSouth)) * 0x100000001b3ull;
      }
    });
  }
  Traffic traffic(f.get(), "ranks", 16, true);
  for (uint64_t c = 0; c < cycles; ++c) {
    traffic.drive(c % 300 < 200);
    REQUIRE(f->step() == Stop::kCycle);
  }
  Outcome out = outcome_of(f.get(), traffic.received);
  out.observed = observed;
  return out;
}

// Programs, in slices of many cycles. `watched`: somebody looks at every counter before each evaluated cycle from 400 to 1600, and one behind.
Outcome echo(fabric::FabricOptions o, fabric::Transport* ranks, uint64_t slices, bool watched = false) {
  o.ranks = ranks;
  auto f = make_fabric(o);
  uint64_t seen = 0, looks = 0;
  if (watched) {
    f->set_before_step([&seen, &looks, &f](const Fabric& g) {
      for (const UnitKind kind : {UnitKind::kRouter, UnitKind::kPe}) {
        for (const uint64_t total : f->class_totals(kind)) seen = (seen ^ total) * 0x100000001b3ull;
      }
      seen += g.cycle();
      ++looks;
      if (g.cycle() < 400) looks += 1000000;
    }, 400, 1600);
  }
  EchoTraffic traffic(f.get(), "ranks");
  Random random("slices");
  std::vector<Stop> stops;
  uint64_t observed = 0;
  for (uint64_t c = 0; c < slices; ++c) {
    traffic.drive(c % 40 < 25);
    if (c % 30 == 29) f->take_over();  // the next run cuts the array anew, by what its tiles have done
    const Stop stop = f->run(f->cycle() + 1 + random.below(60), random.chance(1, 2));
    observed = observed * 31 + static_cast<uint64_t>(stop);
    REQUIRE((stop == Stop::kCycle || stop == Stop::kIdle || stop == Stop::kDeadlock));
  }
  Outcome out = outcome_of(f.get(), traffic.received);
  out.observed = observed ^ f->cycle() ^ seen;
  if (watched) {
    CHECK(looks > 20);
    CHECK(looks <= 1202);
  }
  return out;
}

}  // namespace

TEST_CASE("an array is cut into rectangles of about equal work, whatever the number of ranks") {
  Random random("cuts");
  for (int trial = 0; trial < 300; ++trial) {
    const uint32_t width = 1 + static_cast<uint32_t>(random.below(12)), height = 1 + static_cast<uint32_t>(random.below(12));
    const unsigned ranks = 1 + static_cast<unsigned>(random.below(width * height));
    std::vector<uint64_t> work;
    for (uint32_t i = 0; i < width * height && trial % 3 != 0; ++i) work.push_back(random.below(1000));
    const auto cuts = fabric::cut_array(width, height, ranks, work);
    REQUIRE(cuts.size() == ranks);
    CHECK(cuts[0].holds(0, 0));
    uint32_t tiles = 0;
    for (const fabric::Rectangle& r : cuts) {
      CHECK(r.tiles() > 0);
      tiles += r.tiles();
      for (const fabric::Rectangle& other : cuts) CHECK((&r == &other || !(r.x0 < other.x1 && other.x0 < r.x1 && r.y0 < other.y1 && other.y0 < r.y1)));
    }
    CHECK(tiles == width * height);
  }
  // All the work in one corner: the rectangles there are small.
  std::vector<uint64_t> corner(64 * 64, 0);
  for (uint32_t y = 0; y < 16; ++y) {
    for (uint32_t x = 0; x < 16; ++x) corner[y * 64 + x] = 1000;
  }
  uint64_t most = 0;
  for (const fabric::Rectangle& r : fabric::cut_array(64, 64, 4, corner)) {
    uint64_t sum = 0;
    for (uint32_t y = r.y0; y < r.y1; ++y) {
      for (uint32_t x = r.x0; x < r.x1; ++x) sum += corner[y * 64 + x];
    }
    most = std::max(most, sum);
  }
  CHECK(most < 16 * 16 * 1000 * 30 / 100);
}

TEST_CASE("any number of ranks and threads gives the same bits") {
  struct Shape {
    uint32_t width, height;
  };
  for (const Shape& s : {Shape{6, 7}, Shape{70, 2}, Shape{1, 9}}) {
    const uint64_t cycles = scaled(500);
    const Outcome one = random_traffic(routers(s.width, s.height, 1), nullptr, cycles, false);
    CHECK(one.words.size() > 30);
    for (unsigned size = 1; size <= 5; ++size) {
      INFO(s.width << "x" << s.height << ", " << size << " ranks");
      LocalRanks ranks(size);
      compare(random_traffic(routers(s.width, s.height, 1 + size % 3), ranks.host(), cycles, false), one);
    }
  }
}

TEST_CASE("an observer sees the same array in every cycle") {
  const Outcome one = random_traffic(routers(4, 3, 1), nullptr, 200, true);
  LocalRanks ranks(3);
  compare(random_traffic(routers(4, 3, 2), ranks.host(), 200, true), one);
}

TEST_CASE("programs run alike on any number of ranks and threads") {
  const uint64_t slices = scaled(150);
  const Outcome one = echo(tiles(5, 4, 1), nullptr, slices);
  CHECK(one.words.size() > 20);
  for (unsigned size = 2; size <= 4; ++size) {
    for (unsigned threads = 1; threads <= 3; threads += size == 4 ? 2 : 1) {
      INFO(size << " ranks, " << threads << " threads");
      LocalRanks ranks(size);
      compare(echo(tiles(5, 4, threads), ranks.host(), slices), one);
    }
  }
  fabric::FabricOptions all = tiles(5, 4, 1);
  all.skip = false;
  const Outcome unskipped = echo(all, nullptr, slices / 4);
  LocalRanks ranks(2);
  compare(echo(all, ranks.host(), slices / 4), unskipped);
}

TEST_CASE("counters are right before each cycle, behind a jump of time too") {
  const Outcome one = echo(tiles(5, 4, 1), nullptr, 90, true);
  for (unsigned size = 2; size <= 3; ++size) {
    INFO(size << " ranks");
    LocalRanks ranks(size);
    compare(echo(tiles(5, 4, 1), ranks.host(), 90, true), one);
  }
}

TEST_CASE("as many ranks as tiles; more are refused") {
  const Outcome one = random_traffic(routers(3, 2, 1), nullptr, 300, false);
  LocalRanks ranks(6);
  compare(random_traffic(routers(3, 2, 1), ranks.host(), 300, false), one);
  fabric::FabricOptions o = routers(5, 1, 1);
  o.ranks = ranks.host();
  std::string error;
  CHECK(Fabric::create(o, &error) == nullptr);
  CHECK(error == "6 ranks cannot share 5 tiles");
}

TEST_CASE("ranks run ahead while their boundaries are quiet") {
  // A word goes round in the upper left quarter, then one crosses the whole array.
  fabric::FabricOptions o = routers(40, 40, 1);
  const auto run = [&](fabric::Transport* ranks, fabric::SpreadStatistics* statistics) {
    o.ranks = ranks;
    auto f = make_fabric(o);
    PortId in = 0, out = 0;
    std::string error;
    REQUIRE(f->attach_port(0, 3, Direction::kWest, &in, &error));
    REQUIRE(f->attach_port(39, 3, Direction::kEast, &out, &error));
    REQUIRE(f->set_route({0, 3, 40, 1}, 1, 0, 8, 2) == "");
    f->run(50);
    f->ports().send(in, 1ull << 32 | 7, 1000, false);
    REQUIRE(f->run(100'000) == Stop::kIdle);
    CHECK(f->ports().received(out) == 1);
    if (f->spread_statistics() != nullptr) *statistics = *f->spread_statistics();
    return outcome_of(f.get(), {});
  };
  fabric::SpreadStatistics statistics;
  const Outcome one = run(nullptr, &statistics);
  LocalRanks ranks(2);
  compare(run(ranks.host(), &statistics), one);
  CHECK(statistics.windows < 30);  // of some 100 cycles with something to do
  CHECK(statistics.exchanges > 1);
}

TEST_CASE("traps of one cycle come in the order of tiles, whoever found them") {
  for (unsigned size = 1; size <= 4; ++size) {
    LocalRanks ranks(size);
    fabric::FabricOptions o = routers(3, 8, 2);
    o.ranks = ranks.host();
    auto f = make_fabric(o);
    Ports ports(f.get());
    for (uint32_t y = 0; y < 8; ++y) {
      REQUIRE(f->set_route({0, y, 1, 1}, 3, 0, 8, 2) == "");
      f->ports().send(static_cast<PortId>(ports.at(0, 7 - y, 3)), 3ull << 32, y < 6 ? 20 : 21, false);
    }
    REQUIRE(f->run(1000) == Stop::kTrap);
    REQUIRE(f->traps().size() == 6);  // rows 2 to 7: the others' words come a cycle later
    for (uint32_t i = 0; i < 6; ++i) {
      CHECK(f->traps()[i].y == i + 2);
      CHECK(f->traps()[i].x == 1);
      CHECK(f->traps()[i].cycle == f->traps()[0].cycle);
    }
  }
}

// Words go down the left column into the other rank, where the first of them traps with others behind it and no boundary near.
TEST_CASE("the rank of a trap stands still in its cycle, as one process would") {
  const auto state = [](fabric::Transport* ranks, uint64_t* windows) {
    fabric::FabricOptions o = routers(3, 40, 1);
    o.ranks = ranks;
    auto f = make_fabric(o);
    PortId in = 0;
    std::string error;
    REQUIRE(f->attach_port(0, 0, Direction::kNorth, &in, &error));
    REQUIRE(f->set_route({0, 0, 1, 30}, 1, 0, 1, 4) == "");
    REQUIRE(f->set_route({0, 30, 1, 1}, 1, 0, 1, 2) == "");
    REQUIRE(f->set_route({1, 30, 2, 1}, 1, 0, 8, 2) == "");  // over the edge
    for (uint64_t k = 0; k < 6; ++k) f->ports().send(in, 1ull << 32 | k, 10, false);
    REQUIRE(f->run(1000) == Stop::kTrap);
    REQUIRE(f->traps().size() == 1);
    CHECK(f->traps()[0].y == 30);
    if (f->spread_statistics() != nullptr) *windows = f->spread_statistics()->windows;
    std::vector<uint64_t> out = {f->traps()[0].cycle, f->traps()[0].x};
    const WlUnitApi& api = f->unit(UnitKind::kRouter).api();
    for (uint32_t y = 20; y < 40; ++y) {
      for (uint32_t x = 0; x < 3; ++x) {
        for (uint32_t i = 0; i < api.register_count; ++i) {
          for (uint32_t e = 0; e < api.registers[i].elements; ++e) out.push_back(f->get_register(UnitKind::kRouter, x, y, api.registers[i].name, e));
        }
      }
    }
    if (ranks != nullptr) {
      CHECK(f->run(1000) == Stop::kFault);
      CHECK(f->error() == "an array that is spread over ranks does not go on after a trap");
    }
    return out;
  };
  uint64_t windows = 0;
  const std::vector<uint64_t> one = state(nullptr, &windows);
  LocalRanks ranks(2);
  CHECK(state(ranks.host(), &windows) == one);
  CHECK(windows < 30);  // of some 45 cycles
}

TEST_CASE("who waits for whom is found across ranks, and reads bring what others have") {
  const auto run = [](fabric::Transport* ranks) {
    fabric::FabricOptions o = tiles(2, 4, 1);
    o.ranks = ranks;
    auto f = make_fabric(o);
    load_program(f.get(), {0, 0, 2, 4}, assemble(kUndrained));
    REQUIRE(f->run(2000) == Stop::kIdle);
    // Nobody reads the queue of the tile in the last row: words pile up on the way to it, over the ranks' boundaries.
    PortId in = 0;
    std::string error;
    REQUIRE(f->attach_port(1, 0, Direction::kNorth, &in, &error));
    REQUIRE(f->set_route({1, 0, 1, 3}, 5, 0, 1, 4) == "");
    REQUIRE(f->set_route({1, 3, 1, 1}, 5, 0, 1, 16) == "");
    for (uint64_t k = 0; k < 32; ++k) f->ports().send(in, 5ull << 32 | k, 0, false);
    const Stop stop = f->run(5000);
    std::string text = std::to_string(static_cast<int>(stop)) + fabric::waits_for(*f).text();
    return text + std::to_string(f->private_bytes());
  };
  const std::string one = run(nullptr);
  CHECK(one.find("tile (1,3): input queue 2 holds") != std::string::npos);
  LocalRanks ranks(3);
  CHECK(run(ranks.host()) == one);
}

TEST_CASE("what goes round for ever is known across ranks, what counts in memory is not taken for it") {
  const auto seen = [](fabric::Transport* ranks, const char* program) {
    fabric::FabricOptions o = tiles(2, 3, 1);
    o.ranks = ranks;
    auto f = make_fabric(o);
    load_program(f.get(), {1, 2, 1, 1}, assemble(program));  // of the last rank
    return seen_to_circle(f.get(), 30'000);
  };
  const uint64_t one = seen(nullptr, kPingPong);
  CHECK(one > 4);
  LocalRanks ranks(3);
  CHECK(seen(ranks.host(), kPingPong) == one);
  CHECK(seen(ranks.host(), kCounting) == 0);
}

TEST_CASE("a checkpoint of any number of threads and ranks is taken up by any other") {
  const TemporaryFolder folder;
  const auto open = [](unsigned threads, fabric::Transport* ranks) {
    fabric::FabricOptions o = tiles(5, 4, threads);
    o.ranks = ranks;
    return make_fabric(o);
  };
  const auto drive = [](Fabric* f, EchoTraffic* traffic, int from, int to) {
    for (int slice = from; slice < to; ++slice) {
      traffic->drive(slice % 40 < 25);
      f->run(f->cycle() + 37, true);
    }
  };
  std::unique_ptr<Fabric> whole = open(1, nullptr);
  EchoTraffic whole_traffic(whole.get(), "checkpoint");
  drive(whole.get(), &whole_traffic, 0, 40);
  const uint64_t middle = whole->digest();
  std::vector<std::string> files;
  for (const auto& [threads, size] : {std::pair<unsigned, unsigned>{1, 1}, {2, 1}, {1, 3}, {2, 2}}) {
    INFO("saved by " << size << " ranks of " << threads << " threads");
    LocalRanks ranks(size);
    std::unique_ptr<Fabric> f = open(threads, ranks.host());
    EchoTraffic traffic(f.get(), "checkpoint");
    drive(f.get(), &traffic, 0, 40);
    CHECK(f->digest() == middle);
    files.push_back((folder.path() / ("of-" + std::to_string(files.size()))).string());
    checkpoint::FileWriter writer(files.back());
    checkpoint::save_fabric(*f, writer);
    REQUIRE(writer.finish() == "");
  }
  // The files themselves are alike.
  for (const std::string& file : files) {
    checkpoint::FileReader first, other;
    REQUIRE(first.open(files[0]).ok());
    REQUIRE(other.open(file).ok());
    for (const char* name : {"fabric", "router", "pe", "memory"}) {
      std::string a, b;
      REQUIRE(first.read(name, &a).ok());
      REQUIRE(other.read(name, &b).ok());
      INFO(file << ": section " << name << " differs from byte " << (std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin()) << " of " << a.size() << " and " << b.size());
      CHECK((a == b));
    }
  }
  drive(whole.get(), &whole_traffic, 40, 80);
  const uint64_t end = whole->digest();
  for (size_t i = 0; i < files.size(); ++i) {
    LocalRanks ranks(4 - static_cast<unsigned>(i));
    std::unique_ptr<Fabric> f = open(1 + static_cast<unsigned>(i) % 3, ranks.host());
    EchoTraffic traffic(f.get(), "checkpoint");
    drive(f.get(), &traffic, 0, 40);
    f->run(f->cycle() + 500, true);  // somewhere else, so that loading has something to undo
    checkpoint::FileReader reader;
    REQUIRE(reader.open(files[i]).ok());
    const checkpoint::Fault fault = checkpoint::load_fabric(*f, reader);
    INFO(fault.reason);
    REQUIRE(fault.ok());
    CHECK(f->digest() == middle);
    drive(f.get(), &traffic, 40, 80);
    CHECK(f->digest() == end);
  }
}

TEST_CASE("a lost rank ends the run with its name; nothing hangs, what was read stays") {
  LocalRanks ranks(3);
  fabric::FabricOptions o = tiles(5, 4, 1);
  o.ranks = ranks.host();
  auto f = make_fabric(o);
  EchoTraffic traffic(f.get(), "lost");
  traffic.drive(true);
  REQUIRE(f->run(100, true) != Stop::kFault);
  ranks.lose(2);
  CHECK(f->run(200, true) == Stop::kFault);
  CHECK(f->error().find("rank 2 was lost in cycle 100") == 0);
  CHECK(f->run(300, true) == Stop::kFault);
  f->credit_all();
}
