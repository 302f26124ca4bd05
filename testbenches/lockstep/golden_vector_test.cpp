// Descriptors, types, fabric operands, microthreads and streams of the golden PE against values worked out by hand.
// Space: every kind of operand, both ends of the packing rules, every reaction to control wavelets, every illegal combination once.
#include "testbenches/lib/catch.h"
#include "testbenches/lockstep/code.h"

using namespace waferloom;
using namespace waferloom::test;
using golden::Pe;
using golden::Trap;

namespace {

std::vector<uint32_t> visited(Descriptor d, uint32_t count) {
  golden::Cursor c;
  c.start(d);
  std::vector<uint32_t> all;
  for (uint32_t k = 0; k < count; ++k) {
    all.push_back(c.address());
    c.next();
  }
  return all;
}
using Addresses = std::vector<uint32_t>;

Pe ran(const Code& c, std::initializer_list<golden::Wavelet> wavelets = {}) {
  Pe pe = booted(c);
  for (const auto& w : wavelets) pe.deliver(w);
  run(pe);
  return pe;
}
std::vector<uint32_t> sent(const Pe& pe, int queue) {
  std::vector<uint32_t> all;
  for (size_t k = 0; k < pe.output(queue).size(); ++k) all.push_back(pe.output(queue).at(k).data);
  return all;
}

}  // namespace

TEST_CASE("addresses of every kind") {
  Descriptor d = mem1d(Type::kF16, 0x100, 3);
  CHECK(visited(d, 5) == Addresses{0x100, 0x102, 0x104, 0x100, 0x102});
  d.set_stride1(0x40);
  CHECK(visited(d, 4) == Addresses{0x100, 0x102, 0x104, 0x100});
  d.set_kind(Kind::kMem2d);
  d.set_len1(2);
  CHECK(visited(d, 5) == Addresses{0x100, 0x102, 0x104, 0x140, 0x142});
  d.set_stride0(-2);
  CHECK(visited(d, 4) == Addresses{0x100, 0xfe, 0xfc, 0x140});
  d.set_stride0(0);
  CHECK(visited(d, 4) == Addresses{0x100, 0x100, 0x100, 0x140});
  d = mem1d(Type::kF16, 0x10c, 6);
  d.set_kind(Kind::kCircular);
  d.set_len1(1);
  d.set_wrap_log2(4);
  d.set_stride1(0xc);
  CHECK(visited(d, 8) == Addresses{0x10c, 0x10e, 0x100, 0x102, 0x104, 0x106, 0x108, 0x10a});
  d = mem1d(Type::kI16, 0xfffe, 3);
  d.set_kind(Kind::kIota);
  CHECK(visited(d, 3) == Addresses{0xfffe, 0, 2});
  CHECK(golden::elements(mem1d(Type::kF16, 0, 5)) == 5);
}

TEST_CASE("save stores the address after the last element") {
  Code c;
  Descriptor to = mem1d(Type::kI16, 0x2100, 6);
  to.set_save(true);
  Descriptor from = mem1d(Type::kI16, 0x2000, 4);
  from.set_save(true);
  Descriptor rows = mem1d(Type::kI16, 0x2040, 3);
  rows.set_kind(Kind::kMem2d);
  rows.set_len1(2);
  rows.set_stride1(0x20);
  rows.set_save(true);
  c.dsr(0, to).dsr(1, from).dsr(2, rows).op(vec(Opcode::kViadd, 0, 1, 2)).op(word(Opcode::kHalt));
  Pe pe = ran(c);
  CHECK(pe.halted());
  CHECK(pe.dsr(0).base() == 0x210c);
  CHECK(pe.dsr(0).len0() == 6);
  CHECK(pe.dsr(1).base() == 0x2004);
  CHECK(pe.dsr(2).base() == 0x2080);
}

TEST_CASE("mixed types round once to binary32, then to the destination") {
  Code c;
  // 1 + 2**-11 + 2**-30: to binary16 directly it rounds up; through binary32 the 2**-30 is lost and the tie goes to even.
  c.put32(0x2000, 0x3f801000).put32(0x2004, 0x30800000).put16(0x2008, 0x3c00);
  c.dsr(0, mem1d(Type::kF16, 0x2100, 1)).dsr(1, mem1d(Type::kF32, 0x2000, 1)).dsr(2, mem1d(Type::kF32, 0x2004, 1)).dsr(3, mem1d(Type::kF16, 0x2008, 1));
  c.dsr(4, mem1d(Type::kF32, 0x2110, 1));
  c.op(vec(Opcode::kVadd, 0, 1, 2)).op(vec(Opcode::kVadd, 4, 1, 3)).op(word(Opcode::kHalt));
  Pe pe = ran(c);
  CHECK(pe.peek(0x2100, 2) == 0x3c00);
  CHECK(pe.peek(0x2110, 4) == 0x40000800);
}

TEST_CASE("reductions add in lane order and the tree is balanced") {
  // f32 ones and a large number in lane order: with S = 8 the accumulators are k mod 4.
  Code c;
  const uint32_t big = 0x4c000000;  // 2**25: adding 1 is lost, adding 4 is not
  const uint32_t values[8] = {big, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};
  for (uint32_t k = 0; k < 8; ++k) c.put32(0x2000 + 4 * k, values[k]);
  c.dsr(0, mem1d(Type::kF32, 0x2100, 1)).dsr(1, mem1d(Type::kF32, 0x2000, 8)).op(vec1(Opcode::kVred, 0, 1)).op(word(Opcode::kHalt));
  // ((2**25 + 1) + 2) + (2 + 2): the 1 and the 2 are lost, the 4 stays.
  CHECK(ran(c).peek(0x2100, 4) == 0x4c000001);
  golden::PeParameters two;
  two.lanes = 2;
  Pe pe = booted(c, two);
  run(pe);
  CHECK(pe.peek(0x2100, 4) == big);  // one accumulator: every 1 is lost
  Code empty;
  for (int fn = 0; fn < 3; ++fn) empty.dsr(fn, mem1d(Type::kF32, 0x2100 + 4 * static_cast<uint32_t>(fn), 1));
  empty.dsr(4, mem1d(Type::kF32, 0x2000, 0));
  for (int fn = 0; fn < 3; ++fn) empty.op(vec1(Opcode::kVred, fn, 4, {-1, static_cast<uint8_t>(fn)}));
  empty.op(word(Opcode::kHalt));
  Pe none = ran(empty);
  CHECK(none.peek(0x2100, 4) == 0);
  CHECK(none.peek(0x2104, 4) == 0xff800000);
  CHECK(none.peek(0x2108, 4) == 0x7f800000);
}

TEST_CASE("fabric operands: packed and plain, odd ends") {
  Code c;
  Descriptor in = fabric_in(Type::kI16, 3, 3);
  in.set_pack(true);
  Descriptor out = fabric_out(Type::kI16, 2, 6, 3);
  Descriptor packed = out;
  packed.set_pack(true);
  packed.set_queue(1);
  c.bind(3, 5).dsr(0, mem1d(Type::kI16, 0x2000, 3)).dsr(1, in).dsr(2, out).dsr(3, packed);
  c.op(vec1(Opcode::kVmov, 0, 1)).op(vec1(Opcode::kVmov, 2, 0)).op(vec1(Opcode::kVmov, 3, 0)).op(word(Opcode::kHalt));
  Pe pe = ran(c, {{0x00020001, 5, false}, {0xdead0003, 5, false}, {0x77, 5, false}});
  CHECK(pe.halted());
  CHECK(pe.input(3).size() == 1);
  CHECK(sent(pe, 2) == std::vector<uint32_t>{1, 2, 3});
  CHECK(sent(pe, 1) == std::vector<uint32_t>{0x00020001, 3});
  CHECK(pe.output(2).front().colour == 6);
}

TEST_CASE("control wavelets end, stay, or trap") {
  for (const auto reaction : {spec::OnControl::kConsume, spec::OnControl::kLeave, spec::OnControl::kTrap}) {
    Code c;
    Descriptor to = mem1d(Type::kI16, 0x2000, 4);
    to.set_on_done(spec::OnDone::kActivate);
    to.set_done_task(40);
    to.set_save(true);
    c.bind(0, 5).block(41).put16(0x2002, 99).dsr(0, to).dsr(1, fabric_in(Type::kI16, 0, 4, reaction)).op(vec1(Opcode::kVmov, 0, 1, {2})).op(word(Opcode::kYield)).entry(40).op(word(Opcode::kHalt)).entry(41).op(word(Opcode::kHalt));
    Pe pe = ran(c, {{7, 5, false}, {spec::control_payload(41, spec::Command::kNone), 5, true}});
    CHECK(pe.peek(0x2000, 2) == 7);
    CHECK(pe.peek(0x2002, 2) == 99);
    if (reaction == spec::OnControl::kTrap) {
      CHECK(pe.trap().cause == Trap::kUnexpectedControl);
      continue;
    }
    CHECK(pe.halted());
    CHECK(pe.dsr(0).base() == 0x2002);
    CHECK(pe.input(0).size() == (reaction == spec::OnControl::kLeave ? 1u : 0u));
  }
}

TEST_CASE("microthreads run beside the main thread and queues order launches") {
  Code c;
  c.bind(0, 5).dsr(0, mem1d(Type::kI16, 0x2000, 2)).dsr(1, fabric_in(Type::kI16, 0, 2)).dsr(2, mem1d(Type::kI16, 0x2010, 1)).dsr(3, fabric_in(Type::kI16, 0, 1));
  c.op(vec1(Opcode::kVmov, 0, 1, {1})).op(li(3, 5)).op(vec1(Opcode::kVmov, 2, 3, {2})).op(li(4, 6)).op(waitu(2)).op(word(Opcode::kHalt));
  Pe pe = booted(c);
  pe.deliver({1, 5, false});
  run(pe);
  CHECK(pe.reg(3) == 5);
  CHECK(pe.reg(4) == 0);
  CHECK(pe.main_wait().kind == golden::MainWait::Kind::kInputQueue);
  pe.deliver({2, 5, false});
  pe.deliver({3, 5, false});
  run(pe);
  CHECK(pe.halted());
  CHECK(pe.peek(0x2000, 4) == 0x00020001);
  CHECK(pe.peek(0x2010, 2) == 3);
}

TEST_CASE("a running context keeps its descriptors") {
  Code c;
  c.bind(0, 5).dsr(0, mem1d(Type::kI16, 0x2000, 1)).dsr(1, fabric_in(Type::kI16, 0, 1)).op(vec1(Opcode::kVmov, 0, 1, {1})).dsr(0, mem1d(Type::kI16, 0x3000, 1)).op(word(Opcode::kHalt));
  Pe pe = booted(c);
  run(pe);
  pe.deliver({8, 5, false});
  run(pe);
  CHECK(pe.peek(0x2000, 2) == 8);
  CHECK(pe.peek(0x3000, 2) == 0);
}

TEST_CASE("overlapping operands are taken element by element") {
  Code c;
  c.put16(0x2000, 1).dsr(0, mem1d(Type::kI16, 0x2002, 6)).dsr(1, mem1d(Type::kI16, 0x2000, 6)).reg(9, 1).op(vec(Opcode::kViadd, 0, 1, 0, {-1, 0, 9})).op(word(Opcode::kHalt));
  Pe pe = ran(c);
  for (uint16_t k = 0; k < 7; ++k) CHECK(pe.peek(static_cast<uint16_t>(0x2000 + 2 * k), 2) == k + 1u);
}

TEST_CASE("saxpy: the plain path equals the general one, in both accumulator types") {
  for (const Type type : {Type::kF32, Type::kF16}) {
    Code c;
    c.bind(0, 1).bind(1, 2);
    for (uint32_t k = 0; k < 64; ++k) c.put16(0x2000 + 2 * k, (k * 2654435761u >> 13) & 0xffffu);
    Descriptor general = mem1d(type, 0x3100, 7);
    general.set_kind(Kind::kMem2d);
    general.set_len1(1);
    c.dsr(0, mem1d(type, 0x3000, 7)).dsr(1, general).dsr(2, fabric_in(Type::kF16, 0, 0)).dsr(3, fabric_in(Type::kF16, 1, 0)).dsr(4, mem1d(Type::kF16, 0x2000, 7));
    c.op(vec(Opcode::kSaxpy, 0, 2, 4)).op(vec(Opcode::kSaxpy, 1, 3, 4)).op(word(Opcode::kHalt));
    Pe pe = booted(c);
    for (uint32_t k = 0; k < 20; ++k) {
      const uint32_t payload = spec::weight_payload(k * 40503u >> 3, 2 * (k % 50));
      pe.deliver({payload, 1, false});
      pe.deliver({payload, 2, false});
    }
    pe.deliver({0, 1, true});
    pe.deliver({0, 2, true});
    run(pe);
    REQUIRE(pe.halted());
    for (uint16_t k = 0; k < 28; k = static_cast<uint16_t>(k + 2)) CHECK(pe.peek(static_cast<uint16_t>(0x3000 + k), 2) == pe.peek(static_cast<uint16_t>(0x3100 + k), 2));
  }
}

TEST_CASE("illegal descriptors trap at launch") {
  const auto trap = [](Descriptor d, Descriptor s0, Descriptor s1, Opcode op) {
    Code c;
    c.bind(0, 1).bind(1, 2).dsr(0, d).dsr(1, s0).dsr(2, s1).op(vec(op, 0, 1, 2)).op(word(Opcode::kHalt));
    return ran(c).trap().cause;
  };
  const Descriptor m = mem1d(Type::kF16, 0x2000, 1);
  CHECK(trap(m, m, m, Opcode::kVadd) == Trap::kNone);
  CHECK(trap(mem1d(Type::kI16, 0x2000, 1), m, m, Opcode::kVadd) == Trap::kIllegalDescriptor);
  CHECK(trap(m, m, m, Opcode::kViadd) == Trap::kIllegalDescriptor);
  CHECK(trap(m, fabric_in(Type::kF16, 0, 1), fabric_in(Type::kF16, 1, 1), Opcode::kVadd) == Trap::kIllegalDescriptor);
  CHECK(trap(m, fabric_in(Type::kF16, 5, 1), m, Opcode::kVadd) == Trap::kIllegalDescriptor);
  CHECK(trap(fabric_out(Type::kF16, 4, 1, 1), m, m, Opcode::kVadd) == Trap::kIllegalDescriptor);
  CHECK(trap(fabric_out(Type::kF16, 0, 24, 1), m, m, Opcode::kVadd) == Trap::kIllegalDescriptor);
  CHECK(trap(fabric_out(Type::kF16, 0, 1, 1), m, m, Opcode::kVfma) == Trap::kIllegalDescriptor);
  CHECK(trap(m, fabric_out(Type::kF16, 0, 1, 1), m, Opcode::kVadd) == Trap::kIllegalDescriptor);
  CHECK(trap(m, m, m, Opcode::kSaxpy) == Trap::kIllegalDescriptor);
  Descriptor packed = fabric_out(Type::kF32, 0, 1, 1);
  packed.set_pack(true);
  CHECK(trap(packed, m, m, Opcode::kVadd) == Trap::kIllegalDescriptor);
  CHECK(trap(mem1d(Type::kF16, 0x2001, 1), m, m, Opcode::kVadd) == Trap::kMisaligned);
  CHECK(trap(mem1d(Type::kF16, 0xc200, 1), m, m, Opcode::kVadd) == Trap::kOutOfRange);
}
