// Tasks, queues and memory-mapped registers of wl_pe.
//
// State space: local, data and control tasks, blocked and unblocked, completion that activates or unblocks, order among tasks that can start at once,
// control wavelets at streams (trap is in pe_trap_test), output queues that stall. Left out: random mixtures (testbenches/lockstep).
#include "testbenches/lib/catch.h"
#include "testbenches/unit/pe/snippets.h"

using namespace waferloom;
using namespace waferloom::pe;

TEST_CASE("data, control and local tasks; block, unblock, completion") {
  for (uint32_t reset : kAllResets) {
    PeBench b({}, reset);
    Desc done = mem(kF32, 0x1000, 20);
    done.on_done = 1;  // activate
    done.done_task = 31;
    auto code = bind(1, 3, true);
    append(&code, {li(5, 0), task(Opcode::kBlk, 0, 3)});
    append(&code, load_descs(b, {done}));
    append(&code, {vec(Opcode::kVmov, 1, 1) | async(0), plain(Opcode::kYield)});
    b.words(0x300, {r3(Opcode::kAdd, 5, 5, 1), sw(5, 0, 0x500), sw(2, 0, 0x504), plain(Opcode::kYield)});
    b.words(0x340, {sw(1, 0, 0x508), sw(2, 0, 0x50c), plain(Opcode::kHalt)});
    b.words(0x380, {li(9, 77), lw(10, 0, 0x500), task(Opcode::kUnb, 0, 3), plain(Opcode::kYield)});
    b.entry(3, 0x300);
    b.entry(30, 0x340);
    b.entry(31, 0x380);
    b.send_from = 60;
    b.to_pe = {data(3, 10), data(3, 20), data(3, 30), control(3, 30 | 0xabcdu << 16)};
    b.boot(code);
    REQUIRE(b.run());
    REQUIRE(b.trap() == 0);
    CHECK(b.word(0x500) == 60);
    CHECK(b.word(0x504) == 3);
    CHECK(b.word(0x508) == 0xabcd);
    CHECK(b.word(0x50c) == 3);
    CHECK(b.reg(9) == 77);
    CHECK(b.event(kTasks) == 6);
    CHECK(b.event(kWaveletsIn) == 4);
    CHECK(b.total() == b.now());
  }
}

TEST_CASE("the lowest id starts first, a local one before a queue's") {
  PeBench b;
  auto code = bind(1, 5, true);
  append(&code, {task(Opcode::kAct, 0, 40), task(Opcode::kAct, 0, 33), task(Opcode::kAct, 0, 5), li(4, 0), li(6, 100), ri(Opcode::kAddi, 6, 6, -1),
                 ri(Opcode::kBne, 6, 0, -1), plain(Opcode::kYield)});
  // Each task appends its number to r4.
  const auto body = [](int id, bool last) {
    return std::vector<uint32_t>{li(8, 8), r3(Opcode::kSll, 4, 4, 8), ri(Opcode::kAddi, 4, 4, id), plain(last ? Opcode::kHalt : Opcode::kYield)};
  };
  b.words(0x300, body(5, false));
  b.words(0x340, body(33, false));
  b.words(0x380, body(40, true));
  b.entry(5, 0x300);
  b.entry(33, 0x340);
  b.entry(40, 0x380);
  b.send_from = 60;
  b.to_pe = {data(5, 1234)};
  b.boot(code);
  REQUIRE(b.run());
  REQUIRE(b.trap() == 0);
  CHECK(b.reg(4) == 0x05052128);
  CHECK(b.reg(1) == 1234);
}

TEST_CASE("control wavelets end a stream: consumed or left for a task") {
  for (uint32_t on_control : {1u, 2u}) {
    INFO("on_control " << on_control);
    PeBench b;
    Desc in = fabric_in(kF32, 0, 100, on_control), to = mem(kF32, 0x1000, 100);
    to.on_done = 2;  // unblock
    to.done_task = 29;
    to.save = true;
    auto code = bind(0, 4);
    append(&code, load_descs(b, {to, in}));
    append(&code, {task(Opcode::kBlk, 0, 29), task(Opcode::kAct, 0, 29), vec(Opcode::kVmov, 1, 2) | async(1), plain(Opcode::kYield)});
    b.words(0x300, {r3(Opcode::kAdd, 7, 1, 0), plain(Opcode::kYield)});
    b.words(0x340, {op(Opcode::kDget) | 3u << 7 | 1u << 11, li(6, 30), ri(Opcode::kAddi, 6, 6, -1), ri(Opcode::kBne, 6, 0, -1), plain(Opcode::kHalt)});
    b.entry(28, 0x300);
    b.entry(29, 0x340);
    for (uint32_t k = 0; k < 5; ++k) b.to_pe.push_back(data(4, f32(static_cast<float>(k + 1))));
    b.to_pe.push_back(control(4, 28 | 0x55u << 16));
    b.word(0x1014, 0x1234);
    b.boot(code);
    REQUIRE(b.run());
    REQUIRE(b.trap() == 0);
    for (uint32_t k = 0; k < 5; ++k) CHECK(as_f32(b.word(0x1000 + 4 * k)) == static_cast<float>(k + 1));
    CHECK(b.word(0x1014) == 0x1234);
    CHECK((b.reg(3) & 0xffff) == 0x1014);
    CHECK(b.reg(7) == (on_control == 2 ? 0x55u : 0u));
  }
}

TEST_CASE("memory-mapped registers") {
  PeBench b;
  std::vector<uint32_t> code = bind(6, 11, true);
  append(&code, {lw(2, 0, mmio(0x38)), lw(3, 0, mmio(0)), lw(4, 0, mmio(4)), lw(5, 0, mmio(8)), lw(6, 0, mmio(8)), lw(7, 0, mmio(0xc)),
                 li(8, 0x1234), sw(8, 0, mmio(0x40)), lw(9, 0, mmio(0x40)), sw(8, 0, mmio(0x4c)), lw(10, 0, mmio(0x4c)),
                 sw(8, 0, mmio(0x400 + 4 * (8 * 5 + 4))), lw(11, 0, mmio(0x180 + 8 * 7)), lw(12, 0, mmio(0x100 + 8 * 5)), lw(13, 0, mmio(0x10)),
                 plain(Opcode::kHalt)});
  b.boot(code);
  REQUIRE(b.run());
  REQUIRE(b.trap() == 0);
  CHECK(b.reg(2) == 0xcb);
  CHECK(b.reg(3) == 0x00020001);
  CHECK(b.reg(4) == 0x00040003);
  CHECK(b.reg(6) - b.reg(5) >= 1);
  CHECK(b.reg(6) - b.reg(5) <= 4);
  CHECK(b.reg(5) < b.now());
  CHECK(b.reg(7) == 0);
  CHECK(b.reg(9) == 0x1234);
  CHECK(b.reg(10) == 0x1234);
  CHECK(b.reg(11) == 14);  // instructions before this one
  CHECK(b.reg(12) >= 12);
  CHECK(b.reg(13) == 0);
  REQUIRE(b.configs.size() == 1);
  CHECK(b.configs[0] == (1ull << 40 | 44ull << 32 | 0x1234));
}

TEST_CASE("output queues: order, round robin, colours that wait alone, control wavelets") {
  PeBench b;
  const uint32_t n = 12;
  Desc ends = fabric_out(kI32, 2, 6, 1);
  ends.control = true;
  auto code = load_descs(b, {fabric_out(kI32, 0, 4, n), fabric_out(kI32, 1, 5, n), mem(kI32, 0x1000, n), ends, mem(kI32, 0x1100, 1)});
  append(&code, {vec(Opcode::kVmov, 1, 3) | async(0), vec(Opcode::kVmov, 2, 3) | async(1), vec(Opcode::kVmov, 4, 5), vec(Opcode::kVmov, 4, 5), waitu(1),
                 waitu(0), plain(Opcode::kHalt)});
  for (uint32_t k = 0; k < n; ++k) b.word(0x1000 + 4 * k, 7 * k);
  b.word(0x1100, 0x77);
  b.boot(code);
  b.sink_ready = 0xffffff & ~(1u << 4);  // colour 4 is blocked
  for (int k = 0; k < 300; ++k) b.cycle();
  std::vector<uint64_t> by_colour[3];
  for (uint64_t w : b.from_pe) by_colour[((w >> 32) & 31) - 4].push_back(w);
  CHECK(by_colour[0].empty());
  CHECK(by_colour[1].size() == n);  // not slowed by colour 4
  REQUIRE(by_colour[2].size() == 2);
  CHECK(by_colour[2][0] == control(6, 0x77));
  b.sink_ready = 0xffffff;
  REQUIRE(b.run());
  by_colour[0].clear();
  for (uint64_t w : b.from_pe) if (((w >> 32) & 31) == 4) by_colour[0].push_back(w);
  REQUIRE(by_colour[0].size() == n);
  for (uint32_t k = 0; k < n; ++k) {
    CHECK(by_colour[0][k] == data(4, 7 * k));
    CHECK(by_colour[1][k] == data(5, 7 * k));
  }
  // After a control wavelet its colour is left out.
  std::vector<uint64_t> at;
  for (size_t k = 0; k < b.from_pe.size(); ++k) if (b.from_pe[k] == control(6, 0x77)) at.push_back(b.from_pe_cycle[k]);
  CHECK(at[1] - at[0] >= 2);
}

TEST_CASE("code that changes itself runs as written") {
  PeBench b;
  // The store replaces the instruction right behind it, and one that has run before.
  std::vector<uint32_t> code = {lw(1, 0, 0x700), li(5, 0), li(6, 0), ri(Opcode::kJal, 0, 0, 1), ri(Opcode::kAddi, 5, 5, 1),
                                sw(1, 0, 0x110), sw(1, 0, 0x11c), li(5, 1000), ri(Opcode::kAddi, 6, 6, 1), li(7, 3),
                                ri(Opcode::kBlt, 6, 7, -6), plain(Opcode::kHalt)};
  b.word(0x700, ri(Opcode::kAddi, 5, 5, 64));
  b.boot(code);
  REQUIRE(b.run());
  REQUIRE(b.trap() == 0);
  CHECK(b.reg(6) == 3);
  CHECK(b.reg(5) == 1 + 3 * 64 + 2 * 64);
}
