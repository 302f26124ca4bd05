// The functional fabric: routes, multicast, switch positions, control wavelets, edge ports, a chain reduction and a broadcast written by
// hand, traps and deadlocks by name; every result the same for any order of evaluation. Left out: time, and contention of two senders.
#include "testbenches/lib/catch.h"
#include "testbenches/lockstep/code.h"

#include "sim/golden/fabric.h"

using namespace waferloom;
using namespace waferloom::test;
using golden::Fabric;
using golden::FabricOptions;
using golden::Halt;
using golden::PortId;
using golden::Region;
using spec::Direction;

namespace {

constexpr uint32_t kN = 1, kE = 2, kS = 4, kW = 8, kR = 16;

FabricOptions size(uint32_t width, uint32_t height, uint64_t seed = 0) {
  FabricOptions o;
  o.width = width;
  o.height = height;
  o.shuffle_seed = seed;
  return o;
}
std::vector<uint64_t> drain(Fabric& f, PortId port) {
  std::vector<uint64_t> all;
  for (uint64_t w; f.receive(port, &w);) all.push_back(w);
  return all;
}
std::string joined(const Fabric& f) {
  std::string all;
  for (const auto& w : f.waiting()) all += "(" + std::to_string(w.x) + ", " + std::to_string(w.y) + ") " + w.text + "\n";
  return all;
}

}  // namespace

TEST_CASE("wavelets cross the array in order, from edge to edge") {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Fabric f(size(5, 1, seed));
    PortId west, east;
    REQUIRE(f.attach_port(0, 0, Direction::kWest, &west) == "");
    REQUIRE(f.attach_port(4, 0, Direction::kEast, &east) == "");
    REQUIRE(f.set_route({0, 0, 5, 1}, 3, 0, kW, kE) == "");
    for (uint32_t k = 0; k < 50; ++k) f.send(west, spec::link_word(k, 3));
    CHECK(f.run() == Halt::kIdle);
    const auto out = drain(f, east);
    REQUIRE(out.size() == 50);
    for (uint32_t k = 0; k < 50; ++k) CHECK(out[k] == spec::link_word(k, 3));
    CHECK(f.pending(west) == 0);
  }
}

TEST_CASE("a multicast column fills every PE") {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Fabric f(size(1, 4, seed));
    PortId north;
    REQUIRE(f.attach_port(0, 0, Direction::kNorth, &north) == "");
    f.set_route({0, 0, 1, 3}, 0, 0, kN, kR | kS);
    f.set_route({0, 3, 1, 1}, 0, 0, kN, kR);
    Code c;
    c.bind(0, 0).dsr(0, mem1d(Type::kI32, 0x2000, 20)).dsr(1, fabric_in(Type::kI32, 0, 20)).op(vec1(Opcode::kVmov, 0, 1)).op(word(Opcode::kHalt));
    REQUIRE(f.load({0, 0, 1, 4}, c.program()) == "");
    f.boot({0, 0, 1, 4});
    for (uint32_t k = 0; k < 20; ++k) f.send(north, spec::link_word(1000 + k, 0));
    CHECK(f.run() == Halt::kIdle);
    for (uint32_t y = 0; y < 4; ++y) {
      CHECK(f.pe(0, y).halted());
      for (uint32_t k = 0; k < 20; ++k) CHECK(f.pe(0, y).peek(static_cast<uint16_t>(0x2000 + 4 * k), 4) == 1000 + k);
    }
    CHECK(f.events(golden::Event::kWaveletsIn) == 80);
  }
}

TEST_CASE("control wavelets move switches: blocks are dealt out along a column") {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    Fabric f(size(1, 3, seed));
    PortId north;
    REQUIRE(f.attach_port(0, 0, Direction::kNorth, &north) == "");
    f.set_route({0, 0, 1, 3}, 1, 0, kN, kR);
    f.set_route({0, 0, 1, 2}, 1, 1, kN, kS);
    f.set_switch({0, 0, 1, 3}, 1, 0, 1, false);
    Code c;
    c.bind(0, 1).dsr(0, mem1d(Type::kI32, 0x2000, 9)).dsr(1, fabric_in(Type::kI32, 0, 9)).op(vec1(Opcode::kVmov, 0, 1)).op(word(Opcode::kHalt));
    f.load({0, 0, 1, 3}, c.program());
    f.boot({0, 0, 1, 3});
    for (uint32_t y = 0; y < 3; ++y) {
      for (uint32_t k = 0; k <= y; ++k) f.send(north, spec::link_word(100 * y + k, 1));
      f.send(north, spec::link_word(spec::control_payload(60, spec::Command::kAdvance), 1, true));
    }
    CHECK(f.run() == Halt::kIdle);
    for (uint32_t y = 0; y < 3; ++y) {
      CHECK(f.pe(0, y).halted());
      for (uint32_t k = 0; k <= y; ++k) CHECK(f.pe(0, y).peek(static_cast<uint16_t>(0x2000 + 4 * k), 4) == 100 * y + k);
      CHECK(f.pe(0, y).peek(static_cast<uint16_t>(0x2000 + 4 * (y + 1)), 4) == 0);
      CHECK(f.router(0, y).colour(1).position == 1);
    }
  }
}

TEST_CASE("reset and ring move switches back") {
  golden::Router r(3, 0);
  r.configure(2, 0, spec::route_word(kN, kS));
  r.configure(2, 1, spec::route_word(kN, kE));
  r.configure(2, 4, 0u | (1u << 2) | 16u);
  const auto control = [&](spec::Command command) {
    r.take({spec::control_payload(0, command), 2, true}, Direction::kNorth);
    CHECK_FALSE(r.accepts(2, Direction::kNorth));
    r.sent(2, r.colour(2).position == 0 ? Direction::kSouth : Direction::kEast);
    return int{r.colour(2).position};
  };
  CHECK(control(spec::Command::kAdvance) == 1);
  CHECK(control(spec::Command::kNone) == 1);
  CHECK(control(spec::Command::kAdvance) == 0);
  CHECK(control(spec::Command::kAdvance) == 1);
  CHECK(control(spec::Command::kReset) == 0);
}

namespace {

// Chain from the last column to column 0: every tile adds what comes from the east to its own row and passes it west.
void load_chain(Fabric* f, uint32_t width, uint32_t length, bool forget_last) {
  for (uint32_t x = 0; x < width; ++x) {
    const uint32_t out = x % 2 == 0 ? 5 : 6;  // the colour that this column sends
    const uint32_t in = 11 - out;
    Code c;
    c.bind(0, static_cast<int>(in));
    for (uint32_t k = 0; k < length; ++k) c.put32(0x2000 + 4 * k, macros::to_bits(static_cast<float>((x + 1) * (k + 1))));
    c.dsr(0, mem1d(Type::kF32, 0x3000, length)).dsr(1, mem1d(Type::kF32, 0x2000, length)).dsr(2, fabric_in(Type::kF32, 0, length)).dsr(3, fabric_out(Type::kF32, 1, out, length));
    if (x + 1 == width) {
      if (!forget_last) c.op(vec1(Opcode::kVmov, 3, 1));
    } else {
      c.op(vec(Opcode::kVadd, x == 0 ? 0 : 3, 2, 1));
    }
    c.op(word(Opcode::kHalt));
    REQUIRE(f->load({x, 0, 1, 1}, c.program()) == "");
    if (x > 0) f->set_route({x, 0, 1, 1}, out, 0, kR, kW);
    if (x + 1 < width) f->set_route({x, 0, 1, 1}, in, 0, kE, kR);
  }
  f->boot({0, 0, width, 1});
}

}  // namespace

TEST_CASE("a chain reduction sums the row, whatever the order") {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Fabric f(size(7, 1, seed));
    load_chain(&f, 7, 40, false);
    CHECK(f.run() == Halt::kIdle);
    for (uint32_t k = 0; k < 40; ++k) CHECK(f.pe(0, 0).peek(static_cast<uint16_t>(0x3000 + 4 * k), 4) == macros::to_bits(28.0f * static_cast<float>(k + 1)));
    CHECK(f.events(golden::Event::kWaveletsOut) == 6 * 40);
  }
}

TEST_CASE("a deadlock names tiles, instructions, queues and colours") {
  Fabric f(size(4, 1));
  load_chain(&f, 4, 8, true);
  CHECK(f.run() == Halt::kDeadlock);
  const std::string text = joined(f);
  INFO(text);
  CHECK(text.find("(2, 0) main thread (vadd at 0x0110) waits for a wavelet of colour 6 in input queue 0") != std::string::npos);
  CHECK(text.find("(3, 0)") == std::string::npos);

  Fabric g(size(2, 1));
  PortId west;
  g.attach_port(0, 0, Direction::kWest, &west);
  g.set_route({0, 0, 1, 1}, 4, 0, kW, kE);
  g.set_route({1, 0, 1, 1}, 4, 0, kN, kR);
  for (uint32_t k = 0; k < 9; ++k) g.send(west, spec::link_word(k, 4));
  CHECK(g.run() == Halt::kDeadlock);
  const std::string stuck = joined(g);
  INFO(stuck);
  CHECK(stuck.find("host port west cannot send 6 of colour 4") != std::string::npos);
  CHECK(stuck.find("router holds 3 of colour 4 (switch position 0), not taken by east") != std::string::npos);
}

TEST_CASE("traps name the tile") {
  Fabric f(size(2, 1));
  PortId west;
  f.attach_port(0, 0, Direction::kWest, &west);
  f.set_route({0, 0, 1, 1}, 4, 0, kW, kE);
  f.send(west, spec::link_word(1, 4));
  CHECK(f.run() == Halt::kTrap);
  REQUIRE(f.traps().size() == 1);
  CHECK(f.traps()[0].text() == "tile (1, 0) router: no_route, colour 4 from west: wavelet on a colour without a route");

  Fabric g(size(1, 1));
  g.set_route({0, 0, 1, 1}, 4, 0, kR, kS);
  Code c;
  c.dsr(0, fabric_out(Type::kI32, 0, 4, 1)).op(vec1(Opcode::kVmov, 0, 0, {-1, 0, 3})).op(word(Opcode::kHalt));
  g.load({0, 0, 1, 1}, c.program());
  g.boot({0, 0, 1, 1});
  CHECK(g.run() == Halt::kTrap);
  CHECK(g.traps()[0].cause == static_cast<uint32_t>(spec::RouterTrap::kOverEdge));

  Fabric h(size(1, 1));
  PortId north;
  h.attach_port(0, 0, Direction::kNorth, &north);
  h.set_route({0, 0, 1, 1}, 4, 0, kN, kR);
  h.send(north, spec::link_word(1, 4));
  CHECK(h.run() == Halt::kTrap);
  CHECK(h.traps()[0].text().find("PE: unbound_colour") != std::string::npos);
}

TEST_CASE("a PE configures its router") {
  Fabric f(size(1, 1));
  PortId west, east;
  f.attach_port(0, 0, Direction::kWest, &west);
  f.attach_port(0, 0, Direction::kEast, &east);
  f.set_route({0, 0, 1, 1}, 4, 0, kN, kR);
  Code c;
  c.reg(3, spec::route_word(kW, kE)).reg(4, 0xF400).op(ri(Opcode::kSw, 3, 4, 4 * (8 * 4))).op(word(Opcode::kHalt));
  f.load({0, 0, 1, 1}, c.program());
  f.send(west, spec::link_word(77, 4));
  CHECK(f.run() == Halt::kDeadlock);
  f.boot({0, 0, 1, 1});
  CHECK(f.run() == Halt::kIdle);
  CHECK(drain(f, east) == std::vector<uint64_t>{spec::link_word(77, 4)});
}

TEST_CASE("loading checks regions and addresses") {
  Fabric f(size(2, 2));
  PortId port;
  CHECK(f.attach_port(0, 0, Direction::kEast, &port) != "");
  CHECK(f.attach_port(2, 0, Direction::kEast, &port) != "");
  CHECK(f.attach_port(0, 0, Direction::kWest, &port) == "");
  CHECK(f.attach_port(0, 0, Direction::kWest, &port) != "");
  CHECK(f.set_route({1, 1, 2, 1}, 0, 0, kN, kS) != "");
  CHECK(f.set_route({0, 0, 1, 1}, 24, 0, kN, kS) != "");
  golden::Program p;
  p.base = 0xBFFF;
  p.bytes = {1, 2};
  CHECK(f.load({0, 0, 1, 1}, p) == "");  // the window follows
  p.base = 0xC1FF;
  CHECK(f.load({0, 0, 1, 1}, p) != "");
  p = {};
  p.registers.push_back({0xF000, 1});
  CHECK(f.load({0, 0, 1, 1}, p) != "");
}
