// Fabrics that never move on, one of each kind, and what is said about them: circular colours, a queue that nobody drains, a task that is blocked for
// ever, a host that does not take its stream, a missing route and a route over the edge (traps), two tasks that start each other and a wavelet that
// goes round (livelocks). And legal pauses of a million cycles, which are none of these.
#include "sim/fabric/activity.h"
#include "sim/fabric/waits_for.h"
#include "testbenches/system/circling.h"
#include "testbenches/system/programs.h"

using namespace waferloom;
using namespace waferloom::test;
using fabric::Stop;
using fabric::UnitKind;

namespace {

constexpr uint64_t kLimit = 100000;

// Each of two tiles sends a long stream to the other and only then reads what the other sends.
const char* const kCircular = R"(
        .task 24, boot
        .task 12, exchange
boot:   li32 r6, 0xf000
        lw   r8, 0(r6)
        li   r7, 1
        and  r8, r8, r7
        li   r3, 0x0082           ; tile 0 reads colour 2
        ldd  d0, out1(r0)
        beqz r8, bind
        li   r3, 0x0081
        ldd  d0, out2(r0)
bind:   sw   r3, 0x2c(r6)         ; queue 3
        ldd  d1, in(r0)
        ldd  d2, data(r0)
        ldd  d3, sink(r0)
        act  r0, 12
        yield
exchange:
        vmov d0, d2
        vmov d3, d1
        yield
        .desc out1 kind=fabric_out, type=i32, len0=64, colour=1, queue=1
        .desc out2 kind=fabric_out, type=i32, len0=64, colour=2, queue=1
        .desc in kind=fabric_in, type=i32, len0=64, queue=3
        .desc data kind=mem1d, type=i32, base=room, len0=64, stride0=4
        .desc sink kind=mem1d, type=i32, base=room, len0=64, stride0=4
        .align 8
room:   .space 256
)";

// Binds queue 2 to colour 5 and reads it in task 12 only, which stays blocked unless colour 6 starts task 6.
const char* const kBlocked = R"(
        .task 24, boot
        .task 12, reader
boot:   li32 r6, 0xf000
        li   r3, 0x0085
        sw   r3, 0x28(r6)
        ldd  d0, in(r0)
        ldd  d1, sink(r0)
        blk  r0, 12
        act  r0, 12
        yield
reader: vmov d1, d0
        yield
        .desc in kind=fabric_in, type=i32, len0=8, queue=2
        .desc sink kind=mem1d, type=i32, base=room, len0=8, stride0=4
        .align 8
room:   .space 32
)";

const char* const kUndrained = R"(
        .task 24, boot
boot:   li32 r6, 0xf000
        li   r3, 0x0085
        sw   r3, 0x28(r6)
        yield
)";

// Queue 2 is read in task 12, which nobody activates, and in the code behind its call.
const char* const kForgotten = R"(
        .task 24, boot
        .task 12, reader
        .task 13, other
boot:   li32 r6, 0xf000
        li   r3, 0x0085
        sw   r3, 0x28(r6)
        ldd  d1, sink(r0)
        yield
other:  vmov d1, d1
        yield
reader: ldd  d4, in(r0)
        call take
        yield
take:   vmov d1, d4
        ret
        .desc in kind=fabric_in, type=i32, len0=8, queue=2
        .desc sink kind=mem1d, type=i32, base=room, len0=8, stride0=4
        .align 8
room:   .space 32
)";

// Sends eight words to colour 5 as soon as it has booted.
const char* const kSender = R"(
        .task 24, boot
boot:   ldd  d0, out(r0)
        ldd  d1, data(r0)
        vmov d0, d1
        yield
        .desc out kind=fabric_out, type=i32, len0=64, colour=5, queue=0
        .desc data kind=mem1d, type=i32, base=room, len0=64, stride0=4
        .align 8
room:   .space 256
)";

// A loop of a million cycles, then a word to the east.
const char* const kSlow = R"(
        .task 24, boot
boot:   ldd  d0, out(r0)
        ldd  d1, data(r0)
        li32 r4, 400000
again:  addi r4, r4, -1
        bnez r4, again
        vmov d0, d1
        yield
        .desc out kind=fabric_out, type=i32, len0=1, colour=5, queue=0
        .desc data kind=mem1d, type=i32, base=room, len0=1, stride0=4
        .align 8
room:   .word 77
)";

// Looks at the clock until cycle 150,000, with some turns of a loop in between. What it read is gone again long before the next look, so that most moments are
// alike.
std::string polling(int turns) {
  return R"(
        .task 24, boot
boot:   li32 r6, 0xf000
        li32 r5, 150000
again:  lw   r4, 8(r6)
        slt  r4, r4, r5
        li   r3, )" + std::to_string(turns) + R"(
rest:   addi r3, r3, -1
        bnez r3, rest
        bnez r4, again
        yield
)";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

fabric::TaskNames names() {
  return [](uint32_t, uint32_t, unsigned task) { return task == 12 ? std::string("reader") : std::string(); };
}

// Runs to a deadlock and says what is said about it.
fabric::WaitReport deadlock(Fabric* f) {
  const Stop stop = f->run(kLimit);
  CHECK(stop == Stop::kDeadlock);
  CHECK(f->cycle() < kLimit);  // found long before the limit
  return fabric::waits_for(*f, names());
}

}  // namespace

TEST_CASE("waits: circular colours are a cycle that names tiles, colours and queues") {
  auto f = program_fabric(2, 1, kCircular);
  REQUIRE(f->set_route({0, 0, 1, 1}, 1, 0, 16, 2) == "");
  REQUIRE(f->set_route({1, 0, 1, 1}, 1, 0, 8, 16) == "");
  REQUIRE(f->set_route({1, 0, 1, 1}, 2, 0, 16, 8) == "");
  REQUIRE(f->set_route({0, 0, 1, 1}, 2, 0, 2, 16) == "");
  const fabric::WaitReport report = deadlock(f.get());
  const std::string text = report.text(40);
  INFO(text);
  CHECK(report.cycle.size() >= 8);
  CHECK(has(text, "tile (0,0): the router holds colour 1 for the east; in the router of tile (1,0) the queue of colour 1 is full"));
  CHECK(has(text, "tile (1,0): the router holds colour 1 for the ramp; the PE's input queue 3 is full"));
  CHECK(has(text, "tile (1,0): input queue 3 holds"));
  CHECK(has(text, "tile (1,0): the main thread, in task 12 (reader) at 0x"));
  CHECK(has(text, "tile (1,0): output queue 1 holds"));
  CHECK(has(text, "tile (1,0): the router holds colour 2 for the west"));
  // Every place of the cycle is a sentence of its own, and both tiles take part.
  bool tiles[2] = {false, false};
  for (const fabric::Wait& w : report.cycle) tiles[w.x] = true;
  CHECK((tiles[0] && tiles[1]));
}

TEST_CASE("waits: a task that is blocked for ever is the cause, with its name") {
  auto f = program_fabric(1, 1, kBlocked);
  REQUIRE(f->set_route({0, 0, 1, 1}, 5, 0, 1, 16) == "");
  PortId north = 0;
  std::string error;
  REQUIRE(f->attach_port(0, 0, Direction::kNorth, &north, &error));
  for (uint64_t k = 0; k < 32; ++k) f->ports().send(north, 5ull << 32 | k, 200, false);
  const fabric::WaitReport report = deadlock(f.get());
  const std::string text = report.text();
  INFO(text);
  CHECK(report.cycle.empty());
  CHECK(report.causes.size() == 1);
  CHECK(has(text, "the host cannot send colour 5 into tile (0,0) from the north; in the router of tile (0,0) the queue of colour 5 is full"));
  CHECK(has(text, "tile (0,0): the router holds colour 5 for the ramp; the PE's input queue 2 is full"));
  CHECK(has(text, "task 12 (reader) is activated but blocked"));
  CHECK(has(text, "task 12 (reader) is blocked and nothing under way unblocks it"));
}

TEST_CASE("waits: a queue that nobody drains is the cause") {
  auto f = program_fabric(1, 1, kUndrained);
  REQUIRE(f->set_route({0, 0, 1, 1}, 5, 0, 1, 16) == "");
  PortId north = 0;
  std::string error;
  REQUIRE(f->attach_port(0, 0, Direction::kNorth, &north, &error));
  for (uint64_t k = 0; k < 32; ++k) f->ports().send(north, 5ull << 32 | k, 200, false);
  const std::string text = deadlock(f.get()).text();
  INFO(text);
  CHECK(has(text, "tile (0,0): input queue 2 holds 4 wavelets of colour 5; nobody reads it: no task can start, none is activated"));
}

TEST_CASE("waits: the task that would read a queue is named, by following its code") {
  auto f = program_fabric(1, 1, kForgotten);
  REQUIRE(f->set_route({0, 0, 1, 1}, 5, 0, 1, 16) == "");
  PortId north = 0;
  std::string error;
  REQUIRE(f->attach_port(0, 0, Direction::kNorth, &north, &error));
  for (uint64_t k = 0; k < 32; ++k) f->ports().send(north, 5ull << 32 | k, 200, false);
  const std::string text = deadlock(f.get()).text();
  INFO(text);
  CHECK(has(text, "nobody reads it: no task can start, none is activated; its PE reads queue 2 only in task 12 (reader) (not activated)"));
  CHECK(!has(text, "task 13"));
}

TEST_CASE("waits: a stream that the host does not take is the cause") {
  auto f = program_fabric(2, 1, "");
  load_program(f.get(), {1, 0, 1, 1}, assemble(kSender));
  REQUIRE(f->set_route({1, 0, 1, 1}, 5, 0, 16, 8) == "");
  REQUIRE(f->set_route({0, 0, 1, 1}, 5, 0, 2, 8) == "");
  PortId west = 0;
  std::string error;
  REQUIRE(f->attach_port(0, 0, Direction::kWest, &west, &error));
  f->ports().set_capacity(west, 4);
  const fabric::WaitReport report = deadlock(f.get());
  const std::string text = report.text();
  INFO(text);
  CHECK(has(text, "tile (0,0): the router holds colour 5 for the west; the host does not take what leaves there (4 words lie unread)"));
  CHECK(has(text, "tile (1,0): the router holds colour 5 for the west"));
  CHECK(has(text, "tile (1,0): output queue 0 holds"));
  CHECK(report.causes.at(0).places >= 4);
  // Taken, all goes on and nothing waits any more.
  fabric::ReceivedWord word;
  uint64_t taken = 0;
  for (int round = 0; round < 200; ++round) {
    while (f->ports().receive(west, &word)) ++taken;
    f->run(f->cycle() + 100);
  }
  CHECK(taken == 64);
  CHECK(f->stuck_kind() == Stop::kIdle);
  CHECK(fabric::waits_for(*f).empty());
}

TEST_CASE("waits: a switch that no control wavelet moves is the cause") {
  auto f = program_fabric(2, 1, "");
  load_program(f.get(), {1, 0, 1, 1}, assemble(kSender));
  REQUIRE(f->set_route({1, 0, 1, 1}, 5, 0, 16, 8) == "");
  REQUIRE(f->set_route({0, 0, 1, 1}, 5, 0, 16, 8) == "");  // position 0 takes its own PE's
  REQUIRE(f->set_route({0, 0, 1, 1}, 5, 1, 2, 8) == "");   // position 1 the neighbour's
  REQUIRE(f->set_switch({0, 0, 1, 1}, 5, 0, 1, false) == "");
  const std::string text = deadlock(f.get()).text();
  INFO(text);
  CHECK(has(text, "tile (1,0): the router holds colour 5 for the west; the router of tile (0,0) takes colour 5 only from its PE (switch position 0), and no control wavelet moves its switch"));
}

TEST_CASE("waits: a wavelet that never comes is the cause, followed back along its route") {
  auto f = program_fabric(3, 1, "");
  load_program(f.get(), {0, 0, 1, 1}, assemble(R"(
        .task 24, boot
boot:   li32 r6, 0xf000
        li   r3, 0x0085
        sw   r3, 0x28(r6)
        ldd  d0, in(r0)
        ldd  d1, sink(r0)
        vmov.async(3) d1, d0
        yield
        .desc in kind=fabric_in, type=i32, len0=8, queue=2
        .desc sink kind=mem1d, type=i32, base=room, len0=8, stride0=4
        .align 8
room:   .space 32
)"));
  REQUIRE(f->set_route({0, 0, 1, 1}, 5, 0, 2, 16) == "");
  REQUIRE(f->set_route({1, 0, 1, 1}, 5, 0, 2, 8) == "");
  REQUIRE(f->set_route({2, 0, 1, 1}, 5, 0, 16, 8) == "");
  const std::string text = deadlock(f.get()).text();
  INFO(text);
  CHECK(has(text, "tile (0,0): microthread 3 (instruction at 0x"));
  CHECK(has(text, "waits for a wavelet of colour 5 (input queue 2); no instruction under way at tile (2,0) sends it"));
  CHECK(has(text, "tile (2,0): the main thread has nothing to do"));
}

TEST_CASE("waits: a missing route and a route over the edge are traps that name tile, colour and port") {
  for (const bool edge : {false, true}) {
    auto f = program_fabric(2, 1, "");
    load_program(f.get(), {1, 0, 1, 1}, assemble(kSender));
    REQUIRE(f->set_route({1, 0, 1, 1}, 5, 0, 16, 8) == "");
    if (edge) REQUIRE(f->set_route({0, 0, 1, 1}, 5, 0, 2, 8) == "");
    CHECK(f->run(kLimit) == Stop::kTrap);
    REQUIRE(f->traps().size() >= 1);
    const fabric::Trap& trap = f->traps()[0];
    CHECK((trap.x == 0 && trap.y == 0));
    CHECK(trap.cause == (edge ? 2 : 1));
    CHECK(trap.colour == 5);
    CHECK(trap.port == (edge ? 3 : 1));
    CHECK(f->cycle() < 1000);
  }
}

TEST_CASE("waits: two tasks that start each other are a livelock, and both are named") {
  auto f = program_fabric(2, 1, "");
  load_program(f.get(), {1, 0, 1, 1}, assemble(kPingPong));
  CHECK(f->run(5000) == Stop::kCycle);
  CHECK(f->can_move());
  const fabric::ActivityReport report = fabric::watch_activity(f.get(), 1000);
  const std::string text = report.text([](uint32_t, uint32_t, unsigned task) { return task == 3 ? "ping" : task == 4 ? "pong" : ""; });
  INFO(text);
  CHECK(report.ended == Stop::kCycle);
  CHECK(report.busy_pes == 1);
  CHECK(report.busy_routers == 0);
  CHECK(report.edge_words == 0);
  REQUIRE(report.tiles.size() == 1);
  CHECK(report.tiles[0].x == 1);
  REQUIRE(report.tiles[0].tasks.size() == 2);
  CHECK(report.tiles[0].tasks[0].starts > 20);
  CHECK(report.tiles[0].tasks[1].starts > 20);
  CHECK(has(text, "started task 3 (ping)"));
  CHECK(has(text, "task 4 (pong)"));
  CHECK(report.circles.empty());
}

TEST_CASE("waits: a wavelet on a closed route is a livelock that names the way") {
  auto f = program_fabric(2, 2, "");
  // Round clockwise; tile (0,0) lets the host in as well.
  REQUIRE(f->set_route({0, 0, 1, 1}, 3, 0, 1 | 4, 2) == "");
  REQUIRE(f->set_route({1, 0, 1, 1}, 3, 0, 8, 4) == "");
  REQUIRE(f->set_route({1, 1, 1, 1}, 3, 0, 1, 8) == "");
  REQUIRE(f->set_route({0, 1, 1, 1}, 3, 0, 2, 1) == "");
  PortId north = 0;
  std::string error;
  REQUIRE(f->attach_port(0, 0, Direction::kNorth, &north, &error));
  f->ports().send(north, 3ull << 32 | 99, 10, false);
  CHECK(f->run(5000) == Stop::kCycle);
  CHECK(seen_to_circle(f.get(), kLimit) == 4);
  const fabric::ActivityReport report = fabric::watch_activity(f.get(), 400);
  INFO(report.text());
  CHECK(report.busy_routers == 4);
  CHECK(report.busy_pes == 0);
  REQUIRE(report.circles.size() == 1);
  CHECK(has(report.circles[0], "colour 3:"));
  for (const char* hop : {"(0,0) east -> (1,0)", "(1,0) south -> (1,1)", "(1,1) west -> (0,1)", "(0,1) north -> (0,0)"}) CHECK(has(report.circles[0] + " south", hop));
}

TEST_CASE("waits: what goes round for ever is known by its state, a program that waits for a time is not") {
  auto circle = program_fabric(2, 1, "");
  load_program(circle.get(), {1, 0, 1, 1}, assemble(kPingPong));
  const uint64_t period = seen_to_circle(circle.get(), kLimit);
  CHECK(period > 4);
  CHECK(period < 100);
  std::vector<std::string> programs = {kSlow, kCounting};
  for (int turns = 1; turns <= 3; ++turns) programs.push_back(polling(turns));
  for (const std::string& program : programs) {
    auto f = program_fabric(2, 1, "");
    load_program(f.get(), {1, 0, 1, 1}, assemble(program));
    INFO(program);
    CHECK(seen_to_circle(f.get(), kLimit) == 0);
    CHECK(f->cycle() == kLimit);
    CHECK(f->can_move());
  }
}

TEST_CASE("waits: a pause of a million cycles is neither, whether the host or a program makes it") {
  auto f = program_fabric(2, 1, "");
  load_program(f.get(), {1, 0, 1, 1}, assemble(kSlow));
  REQUIRE(f->set_route({1, 0, 1, 1}, 5, 0, 16, 8) == "");
  REQUIRE(f->set_route({0, 0, 1, 1}, 5, 0, 2, 8) == "");
  REQUIRE(f->set_route({0, 0, 1, 1}, 6, 0, 1, 8) == "");
  PortId west = 0, north = 0;
  std::string error;
  REQUIRE(f->attach_port(0, 0, Direction::kWest, &west, &error));
  REQUIRE(f->attach_port(0, 0, Direction::kNorth, &north, &error));
  fabric::ReceivedWord word;
  while (f->cycle() < 3000000 && !f->ports().receive(west, &word)) {
    const Stop stop = f->run(f->cycle() + 10000);
    REQUIRE((stop == Stop::kCycle || f->ports().received(west) != 0));
  }
  CHECK((word.word & 0xffffffff) == 77);
  CHECK(word.cycle > 1000000);
  f->ports().send(north, 6ull << 32 | 5, f->cycle() + 1000000, false);
  const uint64_t asked = f->cycle();
  CHECK(f->run(asked + 900000) == Stop::kCycle);
  CHECK(f->can_move());
  CHECK(f->run(asked + 2000000) == Stop::kIdle);
  REQUIRE(f->ports().receive(west, &word));
  CHECK(word.cycle > asked + 1000000);
}
