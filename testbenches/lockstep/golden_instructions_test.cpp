// The golden model, instruction by instruction, against values worked out by hand. Space: every row of the ISA has at least one case
// here (a missing row fails); operands are chosen at signs, wraps and edges. Left out: arithmetic itself (testbenches/unit/macros
// holds it against exact arithmetic), orders of issue (lockstep).
#include <functional>
#include <map>

#include "testbenches/lib/catch.h"
#include "testbenches/lockstep/code.h"

using namespace waferloom;
using namespace waferloom::test;
using golden::Pe;

namespace {

constexpr uint32_t kOne32 = 0x3f800000;
constexpr uint32_t kTwo32 = 0x40000000;
constexpr uint32_t kThree32 = 0x40400000;
constexpr uint32_t kSix32 = 0x40c00000;
constexpr uint16_t kOne16 = 0x3c00;
constexpr uint16_t kTwo16 = 0x4000;
constexpr uint16_t kThree16 = 0x4200;

// Runs `op r3, r4, r5` with the given registers; returns r3.
uint32_t binary(Opcode op, uint32_t b, uint32_t c, uint32_t before = 0) {
  Code code;
  code.reg(4, b).reg(5, c).reg(3, before).op(r3(op, 3, 4, 5)).op(word(Opcode::kHalt));
  Pe pe = booted(code);
  run(pe);
  CHECK(pe.halted());
  return pe.reg(3);
}
uint32_t unary(Opcode op, uint8_t fn, uint32_t b) {
  Code code;
  code.reg(4, b).op(with_flags(word(op, {{FieldId::kAReg, 3}, {FieldId::kBReg, 4}}), {-1, fn})).op(word(Opcode::kHalt));
  Pe pe = booted(code);
  run(pe);
  return pe.reg(3);
}
uint32_t immediate(Opcode op, uint32_t b, int imm) {
  Code code;
  code.reg(4, b).op(ri(op, 3, 4, imm)).op(word(Opcode::kHalt));
  Pe pe = booted(code);
  run(pe);
  return pe.reg(3);
}
bool taken(Opcode op, uint32_t a, uint32_t b) {
  Code code;
  code.reg(4, a).reg(5, b).op(branch(op, 4, 5, 2)).op(li(3, 7)).op(word(Opcode::kHalt));
  Pe pe = booted(code);
  run(pe);
  CHECK(pe.halted());
  return pe.reg(3) == 0;
}

// A vector instruction over binary16 rows at 0x2000 (source 0), 0x2100 (source 1), destination 0x2200.
std::vector<uint16_t> halves(uint32_t w, const std::vector<uint16_t>& s0, const std::vector<uint16_t>& s1, uint32_t scalar = 0,
                             Type type = Type::kF16, const std::vector<uint16_t>& before = {}) {
  Code code;
  const uint32_t n = static_cast<uint32_t>(s0.size());
  for (uint32_t k = 0; k < n; ++k) {
    code.put16(0x2000 + 2 * k, s0[k]);
    code.put16(0x2100 + 2 * k, k < s1.size() ? s1[k] : 0);
    code.put16(0x2200 + 2 * k, k < before.size() ? before[k] : 0);
  }
  code.dsr(1, mem1d(type, 0x2000, n)).dsr(2, mem1d(type, 0x2100, n)).dsr(0, mem1d(type, 0x2200, n));
  code.reg(9, scalar).op(w).op(word(Opcode::kHalt));
  Pe pe = booted(code);
  run(pe);
  INFO("trap " << spec::trap_name(static_cast<uint32_t>(pe.trap().cause)));
  CHECK(pe.halted());
  std::vector<uint16_t> out;
  for (uint32_t k = 0; k < n; ++k) out.push_back(static_cast<uint16_t>(pe.peek(static_cast<uint16_t>(0x2200 + 2 * k), 2)));
  return out;
}
using Halves = std::vector<uint16_t>;

const std::map<Opcode, std::function<void()>>& cases() {
  using O = Opcode;
  static const std::map<O, std::function<void()>> table = {
      {O::kAdd, [] { CHECK(binary(O::kAdd, 0xffffffff, 3) == 2); }},
      {O::kSub, [] { CHECK(binary(O::kSub, 1, 3) == 0xfffffffe); }},
      {O::kAnd, [] { CHECK(binary(O::kAnd, 0xf0f0, 0xff00) == 0xf000); }},
      {O::kOr, [] { CHECK(binary(O::kOr, 0xf0f0, 0x0f00) == 0xfff0); }},
      {O::kXor, [] { CHECK(binary(O::kXor, 0xf0f0, 0xff00) == 0x0ff0); }},
      {O::kSll, [] { CHECK(binary(O::kSll, 3, 33) == 6); }},
      {O::kSrl, [] { CHECK(binary(O::kSrl, 0x80000000, 31) == 1); }},
      {O::kSra, [] { CHECK(binary(O::kSra, 0x80000000, 31) == 0xffffffff); }},
      {O::kSlt, [] { CHECK(binary(O::kSlt, 0xffffffff, 0) == 1); CHECK(binary(O::kSlt, 0, 0xffffffff) == 0); }},
      {O::kSltu, [] { CHECK(binary(O::kSltu, 0xffffffff, 0) == 0); CHECK(binary(O::kSltu, 0, 0xffffffff) == 1); }},
      {O::kAddi, [] { CHECK(immediate(O::kAddi, 5, -7) == 0xfffffffe); }},
      {O::kLi, [] { Code c; c.op(li(3, -2)).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.reg(3) == 0xfffffffe); }},
      {O::kLih, [] { Code c; c.op(li(3, -2)).op(lih(3, 0x1234)).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.reg(3) == 0x1234fffe); }},
      {O::kLw, [] { Code c; c.put32(0x2004, 0x89abcdef).reg(4, 0x2008).op(ri(O::kLw, 3, 4, -4)).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.reg(3) == 0x89abcdef); }},
      {O::kLhu, [] { Code c; c.put32(0x2004, 0x89abcdef).reg(4, 0x2008).op(ri(O::kLhu, 3, 4, -2)).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.reg(3) == 0x89ab); }},
      {O::kSw, [] { Code c; c.reg(3, 0x89abcdef).reg(4, 0x2008).op(ri(O::kSw, 3, 4, -4)).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.peek(0x2004, 4) == 0x89abcdef); }},
      {O::kSh, [] { Code c; c.put32(0x2004, 0x11223344).reg(3, 0x89abcdef).reg(4, 0x2008).op(ri(O::kSh, 3, 4, -2)).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.peek(0x2004, 4) == 0xcdef3344); }},
      {O::kBeq, [] { CHECK(taken(O::kBeq, 4, 4)); CHECK(!taken(O::kBeq, 4, 5)); }},
      {O::kBne, [] { CHECK(!taken(O::kBne, 4, 4)); CHECK(taken(O::kBne, 4, 5)); }},
      {O::kBlt, [] { CHECK(taken(O::kBlt, 0xffffffff, 0)); CHECK(!taken(O::kBlt, 0, 0)); CHECK(!taken(O::kBlt, 0, 0xffffffff)); }},
      {O::kBge, [] { CHECK(!taken(O::kBge, 0xffffffff, 0)); CHECK(taken(O::kBge, 0, 0)); CHECK(taken(O::kBge, 0, 0xffffffff)); }},
      {O::kJal, [] { Code c; c.op(word(O::kJal, {{FieldId::kAReg, 3}, {FieldId::kRel, 2}})).op(word(O::kTrap)).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.halted()); CHECK(pe.reg(3) == 0x104); }},
      {O::kJalr, [] { Code c; c.op(li(3, 0x100)).op(ri(O::kJalr, 3, 3, 12)).op(word(O::kTrap)).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.halted()); CHECK(pe.reg(3) == 0x108); }},
      {O::kFadd, [] { CHECK(binary(O::kFadd, kOne32, kTwo32) == kThree32); }},
      {O::kFsub, [] { CHECK(binary(O::kFsub, kThree32, kTwo32) == kOne32); CHECK(binary(O::kFsub, 0x7f800000, 0x7f800000) == 0x7fc00000); }},
      {O::kFmul, [] { CHECK(binary(O::kFmul, kThree32, kTwo32) == kSix32); }},
      {O::kFmadd, [] { CHECK(binary(O::kFmadd, kTwo32, kTwo32, kTwo32) == kSix32); CHECK(binary(O::kFmadd, 0x3f800001, 0x3f800001, 0xbf800002) == 0x28800000); }},
      {O::kFlt, [] { CHECK(binary(O::kFlt, kOne32, kTwo32) == 1); CHECK(binary(O::kFlt, 0x7fc00000, kTwo32) == 0); }},
      {O::kFcvt, [] { CHECK(unary(O::kFcvt, 0, 0xffff3c00) == kOne32); CHECK(unary(O::kFcvt, 1, 0x3f801000) == 0x3c00); CHECK(unary(O::kFcvt, 1, 0x3f803000) == 0x3c02);
                      CHECK(unary(O::kFcvt, 2, 0xfffffffd) == 0xc0400000); CHECK(unary(O::kFcvt, 3, 0xc0600000) == 0xfffffffd); CHECK(unary(O::kFcvt, 3, 0x7f800000) == 0x7fffffff); }},
      {O::kFsfu, [] { CHECK(unary(O::kFsfu, 0, kThree32) == 0x41000000); CHECK(unary(O::kFsfu, 1, 0x41000000) == kThree32); CHECK(unary(O::kFsfu, 2, kTwo32) == 0x3f000000); CHECK(unary(O::kFsfu, 3, 0x40800000) == 0x3f000000); }},
      {O::kVmov, [] { CHECK(halves(vec1(O::kVmov, 0, 1), {1, 0x7e01, 3}, {}) == Halves{1, 0x7e01, 3}); CHECK(halves(vec1(O::kVmov, 0, 0, {-1, 0, 9}), {1, 2}, {}, kTwo32) == Halves{kTwo16, kTwo16}); }},
      {O::kVadd, [] { CHECK(halves(vec(O::kVadd, 0, 1, 2), {kOne16, kTwo16}, {kTwo16, kOne16}) == Halves{kThree16, kThree16}); CHECK(halves(vec(O::kVadd, 0, 1, 0, {-1, 0, 9, true}), {kOne16}, {}, 0x55554000) == Halves{kThree16}); }},
      {O::kVsub, [] { CHECK(halves(vec(O::kVsub, 0, 1, 2), {kThree16, kOne16}, {kTwo16, kTwo16}) == Halves{kOne16, 0xbc00}); }},
      {O::kVmul, [] { CHECK(halves(vec(O::kVmul, 0, 1, 2), {kThree16, kOne16}, {kTwo16, kTwo16}) == Halves{0x4600, kTwo16}); }},
      {O::kVmacs, [] { CHECK(halves(vec(O::kVmacs, 0, 1, 2, {-1, 0, 9}), {kOne16, kTwo16}, {kOne16, kTwo16}, kTwo32) == Halves{kThree16, 0x4600}); }},
      {O::kVfma, [] { CHECK(halves(vec(O::kVfma, 0, 1, 2), {kOne16, kTwo16}, {kOne16, kTwo16}, 0, Type::kF16, {kOne16, kTwo16}) == Halves{kTwo16, 0x4600}); }},
      {O::kVmax, [] { CHECK(halves(vec(O::kVmax, 0, 1, 2), {0x8000, kTwo16, 0x7e01}, {0, kThree16, kOne16}) == Halves{0, kThree16, 0x7e00}); }},
      {O::kVmin, [] { CHECK(halves(vec(O::kVmin, 0, 1, 2), {0x8000, kTwo16}, {0, kThree16}) == Halves{0x8000, kTwo16}); }},
      {O::kVsel, [] { CHECK(halves(vec(O::kVsel, 0, 1, 2), {kOne16, 0x8000, 0xbc00, 0x7e00, 0}, {5, 6, 7, 8, 9}) == Halves{5, 0, 0, 0, 0}); }},
      {O::kVcvt, [] { Code c; c.put16(0x2000, 0xfffd).dsr(1, mem1d(Type::kI16, 0x2000, 1)).dsr(0, mem1d(Type::kF32, 0x2100, 1)).dsr(2, mem1d(Type::kI32, 0x2200, 1))
                          .op(vec1(O::kVcvt, 0, 1)).op(vec1(O::kVcvt, 2, 0, {-1, 1})).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.peek(0x2100, 4) == 0xc0400000); CHECK(pe.peek(0x2200, 4) == 0xfffffffd); }},
      {O::kVsfu, [] { CHECK(halves(vec1(O::kVsfu, 0, 1, {-1, 0}), {kThree16, 0}, {}) == Halves{0x4800, kOne16}); }},
      {O::kViadd, [] { CHECK(halves(vec(O::kViadd, 0, 1, 2), {0xffff, 5}, {3, 6}, 0, Type::kI16) == Halves{2, 11}); CHECK(halves(vec(O::kViadd, 0, 1, 0, {-1, 0, 9, true}), {4}, {}, 0x0001fffe, Type::kI16) == Halves{2}); }},
      {O::kVshift, [] { CHECK(halves(vec(O::kVshift, 0, 1, 2, {-1, 0}), {3, 3}, {2, 17}, 0, Type::kI16) == Halves{12, 6}); CHECK(halves(vec(O::kVshift, 0, 1, 2, {-1, 1}), {0x8000}, {15}, 0, Type::kI16) == Halves{1});
                        CHECK(halves(vec(O::kVshift, 0, 1, 2, {-1, 2}), {0x8000}, {15}, 0, Type::kI16) == Halves{0xffff}); }},
      {O::kVdot, [] { CHECK(halves(vec(O::kVdot, 0, 1, 2), {kOne16, kTwo16, kThree16}, {kOne16, kTwo16, kThree16})[0] == 0x4b00); }},
      {O::kVred, [] { const Halves v{kOne16, kThree16, kTwo16, 0xbc00, kOne16}; CHECK(halves(vec1(O::kVred, 0, 1, {-1, 0}), v, {})[0] == 0x4600); CHECK(halves(vec1(O::kVred, 0, 1, {-1, 1}), v, {})[0] == kThree16);
                      CHECK(halves(vec1(O::kVred, 0, 1, {-1, 2}), v, {})[0] == 0xbc00); }},
      {O::kSaxpy, [] {
         Code c;
         c.bind(2, 7).put16(0x2004, kOne16).put16(0x2006, kTwo16).dsr(0, mem1d(Type::kF32, 0x2100, 2)).dsr(1, fabric_in(Type::kF16, 2, 0)).dsr(2, mem1d(Type::kF16, 0x2000, 2));
         c.op(vec(O::kSaxpy, 0, 1, 2)).op(word(O::kHalt));
         Pe pe = booted(c);
         pe.deliver({spec::weight_payload(kTwo16, 4), 7, false});
         pe.deliver({spec::weight_payload(0x8000, 4), 7, false});
         pe.deliver({spec::weight_payload(kOne16, 4), 7, false});
         run(pe);
         CHECK_FALSE(pe.halted());
         pe.deliver({0, 7, true});
         run(pe);
         CHECK(pe.halted());
         CHECK(pe.peek(0x2100, 4) == kThree32);
         CHECK(pe.peek(0x2104, 4) == kSix32);
         CHECK(pe.events(golden::Event::kZeroSkips) == 1);
         CHECK(pe.events(golden::Event::kMacs) == 4);
         CHECK(pe.input(2).empty());
       }},
      {O::kSdot, [] {
         Code c;
         c.put16(0x2000, kOne16).put16(0x2002, kTwo16).put16(0x2004, kThree16).put16(0x2010, kTwo16).put16(0x2012, kOne16).put16(0x2020, 0).put16(0x2022, 2);
         c.dsr(0, mem1d(Type::kF16, 0x2100, 2)).dsr(1, mem1d(Type::kI16, 0x2020, 2)).dsr(2, mem1d(Type::kF16, 0x2000, 2)).dsr(3, mem1d(Type::kF16, 0x2010, 2));
         c.op(sdot(0, 1, 2, 3)).op(word(O::kHalt));
         Pe pe = booted(c);
         run(pe);
         CHECK(pe.halted());
         CHECK(pe.peek(0x2100, 2) == 0x4400);  // 1*2 + 2*1
         CHECK(pe.peek(0x2102, 2) == 0x4700);  // 2*2 + 3*1
       }},
      {O::kLdd, [] { Code c; Descriptor d; d.words = {0x12345678, 0x9abcdef0, 0xffffffff, 0xffffffff}; c.dsr(6, d).op(word(O::kHalt)); Pe pe = booted(c); run(pe);
                     CHECK(pe.dsr(6).words[1] == 0x9abcdef0); CHECK(pe.dsr(6).words[2] == 0x0fffffff); CHECK(pe.dsr(6).words[3] == 0x0003ffff); }},
      {O::kDset, [] { Code c; c.reg(4, 0x77).op(word(O::kDset, {{FieldId::kADsr, 6}, {FieldId::kWord, 1}, {FieldId::kBReg, 4}})).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.dsr(6).words[1] == 0x77); }},
      {O::kDget, [] { Code c; c.dsr(6, mem1d(Type::kI32, 0x2340, 9)).op(word(O::kDget, {{FieldId::kAReg, 3}, {FieldId::kBDsr, 6}, {FieldId::kWord, 0}})).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.reg(3) == 0x00092340); }},
      {O::kAct, [] { Code c; c.reg(4, 60).op(task(O::kAct, 4, 40 - 60 + 64)).op(word(O::kYield)).entry(40).op(li(3, 1)).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.halted()); CHECK(pe.reg(3) == 1); CHECK_FALSE(pe.activated(40)); }},
      {O::kBlk, [] { Code c; c.op(task(O::kBlk, 0, 40)).op(task(O::kAct, 0, 40)).op(word(O::kYield)).entry(40).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK_FALSE(pe.halted()); CHECK(pe.activated(40)); }},
      {O::kUnb, [] { Code c; c.block(40).op(task(O::kAct, 0, 40)).op(task(O::kUnb, 0, 40)).op(word(O::kYield)).entry(40).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.halted()); }},
      {O::kYield, [] { Code c; c.op(word(O::kYield)); Pe pe = booted(c); run(pe); CHECK_FALSE(pe.runs_task()); CHECK_FALSE(pe.stopped()); CHECK(pe.events(golden::Event::kTasks) == 1); }},
      {O::kWaitu, [] {
         Code c;
         c.bind(0, 1).dsr(0, mem1d(Type::kI16, 0x2000, 1)).dsr(1, fabric_in(Type::kI16, 0, 1)).op(vec1(O::kVmov, 0, 1, {5})).op(waitu(4)).op(li(3, 1)).op(waitu(5)).op(word(O::kHalt));
         Pe pe = booted(c);
         run(pe);
         CHECK(pe.reg(3) == 1);
         CHECK_FALSE(pe.halted());
         CHECK(pe.main_wait().kind == golden::MainWait::Kind::kWaitu);
         pe.deliver({9, 1, false});
         run(pe);
         CHECK(pe.halted());
         CHECK(pe.peek(0x2000, 2) == 9);
       }},
      {O::kNop, [] { Code c; c.op(word(O::kNop)).op(word(O::kHalt)); Pe pe = booted(c); run(pe); CHECK(pe.halted()); CHECK(pe.events(golden::Event::kInstructions) == 2); }},
      {O::kHalt, [] { Code c; c.op(word(O::kHalt)).op(word(O::kTrap)); Pe pe = booted(c); run(pe); CHECK(pe.halted()); CHECK(pe.startable().empty()); }},
      {O::kTrap, [] { Code c; c.op(word(O::kNop)).op(word(O::kTrap, {{FieldId::kUimm, 5}})); Pe pe = booted(c); run(pe); CHECK(pe.trap().cause == golden::Trap::kSoftware); CHECK(pe.trap().pc == 0x104); }},
  };
  return table;
}

golden::TrapRecord trap_of(Code& code) {
  Pe pe = booted(code);
  run(pe);
  return pe.trap();
}

}  // namespace

TEST_CASE("every instruction has a meaning") { CHECK(golden::missing_meanings() == ""); }

TEST_CASE("every instruction does what its row says") {
  for (const spec::Instruction& row : spec::kInstructionTable) {
    INFO(row.name);
    const auto found = cases().find(row.opcode);
    REQUIRE(found != cases().end());
    found->second();
  }
}

TEST_CASE("an illegal word traps with its address") {
  for (const uint32_t w : {0u, 0x7fu, r3(Opcode::kAdd, 1, 2, 3) | 0x80000000u, vec1(Opcode::kVmov, 0, 1) | 0x02000000u,
                           vec(Opcode::kVmacs, 0, 1, 2), with_flags(vec1(Opcode::kVred, 0, 1), {-1, 3})}) {
    Code c;
    c.op(word(Opcode::kNop)).op(w);
    const golden::TrapRecord t = trap_of(c);
    CHECK(t.cause == golden::Trap::kIllegalInstruction);
    CHECK(t.pc == 0x104);
  }
}

TEST_CASE("faults of loads, stores, jumps and tasks") {
  const auto load = [](Opcode op, uint32_t address) {
    Code c;
    c.reg(4, address).op(ri(op, 3, 4, 0)).op(word(Opcode::kHalt));
    return trap_of(c).cause;
  };
  CHECK(load(Opcode::kLw, 0x2002) == golden::Trap::kMisaligned);
  CHECK(load(Opcode::kSh, 0x2001) == golden::Trap::kMisaligned);
  CHECK(load(Opcode::kLw, 0xC200) == golden::Trap::kOutOfRange);
  CHECK(load(Opcode::kSw, 0xC1FC) == golden::Trap::kNone);
  CHECK(load(Opcode::kLw, 0xF000) == golden::Trap::kNone);
  CHECK(load(Opcode::kSw, 0xF000) == golden::Trap::kIllegalMmio);
  CHECK(load(Opcode::kLw, 0xF400) == golden::Trap::kIllegalMmio);
  CHECK(load(Opcode::kLhu, 0xF000) == golden::Trap::kIllegalMmio);
  CHECK(load(Opcode::kLw, 0xF014) == golden::Trap::kIllegalMmio);
  CHECK(load(Opcode::kJalr, 0x2002) == golden::Trap::kMisaligned);
  CHECK(load(Opcode::kJalr, 0xE000) == golden::Trap::kOutOfRange);
  CHECK(load(Opcode::kLdd, 0x2004) == golden::Trap::kMisaligned);
  CHECK(load(Opcode::kLdd, 0xC1F8) == golden::Trap::kOutOfRange);
  Code c;
  c.op(task(Opcode::kAct, 0, 33)).op(word(Opcode::kYield));
  CHECK(trap_of(c).cause == golden::Trap::kNoTask);
}

TEST_CASE("memory-mapped registers") {
  Code c;
  c.reg(4, 0xF000).op(ri(Opcode::kLw, 3, 4, 0)).op(ri(Opcode::kLw, 5, 4, 4)).reg(6, 0x87).op(ri(Opcode::kSw, 6, 4, 0x24)).op(ri(Opcode::kLw, 7, 4, 0x24));
  c.reg(8, 0x1234).op(ri(Opcode::kSw, 8, 4, 0x400 + 4 * (8 * 5 + 2))).op(word(Opcode::kHalt));
  Pe pe = booted(c);
  golden::Effects effects;
  run(pe, &effects);
  CHECK(pe.halted());
  CHECK(pe.reg(3) == ((5u << 16) | 3u));
  CHECK(pe.reg(5) == ((9u << 16) | 8u));
  CHECK(pe.reg(7) == 0x87);
  int configs = 0;
  for (const golden::Effect& e : effects) {
    if (e.kind != golden::EffectKind::kConfig) continue;
    ++configs;
    CHECK(e.where == 8 * 5 + 2);
    CHECK(e.value == 0x1234);
  }
  CHECK(configs == 1);
}

TEST_CASE("tasks: data, control, local, lowest id first") {
  Code c;
  c.bind(0, 9, true).bind(1, 4, true).block(9);
  c.op(task(Opcode::kAct, 0, 30)).op(word(Opcode::kYield));
  c.entry(4).op(r3(Opcode::kAdd, 5, 1, 2)).op(word(Opcode::kYield));
  c.entry(30).op(li(6, 1)).op(word(Opcode::kYield));
  c.entry(50).op(r3(Opcode::kAdd, 7, 1, 0)).op(r3(Opcode::kAdd, 8, 2, 0)).op(word(Opcode::kYield));
  c.entry(9).op(word(Opcode::kTrap));
  Pe pe = booted(c);
  pe.deliver({100, 4, false});
  pe.deliver({1, 9, false});
  pe.deliver({spec::control_payload(50, spec::Command::kNone, 0xabcd), 4, true});
  const auto first = pe.startable();
  REQUIRE(first.size() == 2);  // task 4 of the wavelet, boot; 9 is blocked
  CHECK(first[0].id == 4);
  CHECK(first[1].id == 24);
  run(pe);
  CHECK(pe.trap().cause == golden::Trap::kNone);
  CHECK(pe.reg(5) == 104);
  CHECK(pe.reg(6) == 1);
  CHECK(pe.reg(7) == 0xabcd);
  CHECK(pe.reg(8) == 4);
  CHECK(pe.input(0).size() == 1);
  CHECK(pe.events(golden::Event::kTasks) == 4);
  pe.deliver({0, 11, false});
  CHECK(pe.trap().cause == golden::Trap::kUnboundColour);
}
