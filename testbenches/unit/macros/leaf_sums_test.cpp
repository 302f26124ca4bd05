// wl_fp_fma, wl_acc_tree, wl_lane, wl_sfu_core: arithmetic without state, against exact integers (exact.h).
//
// wl_fp_fma: 2^96 operands, product or not, rounding to nearest or to odd. Parameter space: both multipliers (24, 11), side by side on the
// same vectors where both may be asked. Corners crossed (binary16 in three operands where the multiplier is narrow; binary32 pairs with
// a third that takes turns), products far below the addend, cancellation to the last bit, random with close exponents. Rounding to
// odd, for widened binary16 operands: the exact pattern, and that narrowing it gives the singly rounded binary16.
// wl_acc_tree: three operations x 2^128. Parameter space: 1, 2 and 4 accumulators on the same vectors. Corners in all pairs of positions,
// random, equal magnitudes of either sign, sums that overflow at either level.
// wl_lane: 21 operations x 16 formats x 2^96: corners and random in each, sums that a second rounding would spoil. Parameter space: with
// and without the wide multiplier and the converter. Yardstick: one element of the host arithmetic (held to exact integers by arith_test). Left out: what a lane without them is never asked.
// wl_sfu_core: 4 operations x 2^32: every exponent and sign with every segment's borders, random. Bits against the integer definition
// (sim/macros/arith_sfu.h), and the distance from long double within the documented bound.
#include <cmath>

#include "sim/macros/arith_group.h"
#include "sim/macros/arith_sfu.h"
#include "testbenches/lib/catch.h"
#include "testbenches/unit/macros/exact.h"
#include "testbenches/unit/macros/leaf_bench.h"
#include "testbenches/unit/macros/operands.h"

using namespace waferloom;
using namespace waferloom::macros;
using namespace waferloom::macros_test;

namespace {

constexpr uint32_t kOne = 0x3f800000, kSign = 0x80000000;

// Exact a * b + c (b = 1 without a product) rounded to odd, for finite operands with a sum that is not zero: truncated, the last bit set if
// anything was lost. By bisection over patterns, as nearest32.
uint32_t exact_odd32(uint32_t a, uint32_t b, uint32_t c) {
  const Parts32 pa = parts32(a), pb = parts32(b), pc = parts32(c);
  const Long sum = Long::from(((a ^ b) & kSign) != 0, static_cast<Int128>(pa.magnitude) * pb.magnitude, pa.shift + pb.shift) +
                   Long::from((c & kSign) != 0, pc.magnitude, pc.shift + 149);
  uint32_t low = 0, high = 0x7f7fffff;  // the largest pattern that is not above the sum
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    const Parts32 p = parts32(middle);
    if (Long::compare(Long::from(false, p.magnitude, p.shift + 149), sum) <= 0) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const Parts32 p = parts32(low);
  const bool inexact = Long::compare(Long::from(false, p.magnitude, p.shift + 149), sum) != 0;
  return (sum.negative ? kSign : 0) | low | (inexact ? 1u : 0u);
}

uint32_t single(uint16_t h) { return half_to_single(h); }
bool finite(uint32_t f) { return (f & 0x7f800000) != 0x7f800000; }

struct SumBench {
  Bench bench{"wl_sum_bench", {}, WL_RESET_RANDOM, leaf_options()};
  Bench::Port a = bench.port("a_i"), b = bench.port("b_i"), c = bench.port("c_i"), mul = bench.port("mul_i"), odd = bench.port("odd_i"),
              fma24 = bench.port("fma24_o"), fma11 = bench.port("fma11_o");
  Bench::Port op = bench.port("op_i"), acc01 = bench.port("acc01_i"), acc23 = bench.port("acc23_i"), tree1 = bench.port("tree1_o"), tree2 = bench.port("tree2_o"),
              tree4 = bench.port("tree4_o"), sat1 = bench.port("sat1_o"), sat2 = bench.port("sat2_o"), sat4 = bench.port("sat4_o");
};

}  // namespace

TEST_CASE("wl_fp_fma", "[wl_fp_fma]") {
  SumBench t;
  Tally wide("wl_fp_fma, 24 bits"), narrow("wl_fp_fma, 11 bits"), to_odd("wl_fp_fma, to odd");
  Random random("wl_fp_fma");
  const auto drive = [&](uint32_t a, uint32_t b, uint32_t c, bool mul, bool odd) {
    t.a = a;
    t.b = b;
    t.c = c;
    t.mul = mul ? 1 : 0;
    t.odd = odd ? 1 : 0;
    t.bench.settle();
  };
  const auto product = [&](uint32_t a, uint32_t b, uint32_t c) {  // any factors: the wide multiplier only
    drive(a, b, c, true, false);
    wide.expect(t.fma24, exact_fma32(a, b, c), {a, b, c, 1});
  };
  const auto half_product = [&](uint16_t a, uint16_t b, uint32_t c) {  // both
    drive(single(a), single(b), c, true, false);
    const uint32_t expected = exact_fma32(single(a), single(b), c);
    wide.expect(t.fma24, expected, {single(a), single(b), c, 1});
    narrow.expect(t.fma11, expected, {single(a), single(b), c, 1});
  };
  const auto sum = [&](uint32_t a, uint32_t c) {  // b must not matter
    const auto b = static_cast<uint32_t>(random.next());
    drive(a, b, c, false, false);
    const uint32_t expected = exact_fma32(a, kOne, c);
    wide.expect(t.fma24, expected, {a, b, c, 0});
    narrow.expect(t.fma11, expected, {a, b, c, 0});
  };
  const auto halves_to_odd = [&](uint16_t a, uint16_t b, uint16_t c, bool mul) {
    const uint16_t factor = mul ? b : 0x3c00;
    drive(single(a), single(b), single(c), mul, true);
    const uint64_t stimulus[] = {single(a), single(b), single(c), mul ? 1u : 0u};
    const uint16_t once = exact_fma16(a, factor, c);
    for (const uint32_t y : {static_cast<uint32_t>(t.fma24), static_cast<uint32_t>(t.fma11)}) {
      to_odd.expect(exact_narrow(y), once, {stimulus[0], stimulus[1], stimulus[2], stimulus[3]});
      const bool special = !finite(single(a)) || !finite(single(factor)) || !finite(single(c));
      if (!special && (once & 0x7fff) != 0) to_odd.expect(y, exact_odd32(single(a), single(factor), single(c)), {stimulus[0], stimulus[1], stimulus[2], stimulus[3]});
    }
  };

  const auto& c16 = corners16();
  const auto& c32 = corners32();
  size_t turn = 0;
  for (uint32_t a : c32) {
    for (uint32_t b : c32) {
      sum(a, b);
      for (int k = 0; k < 5; ++k) product(a, b, c32[turn++ % c32.size()]);
    }
  }
  for (uint16_t a : c16) {
    for (uint16_t b : c16) {
      for (int k = 0; k < 5; ++k) {
        half_product(a, b, c32[turn++ % c32.size()]);
        halves_to_odd(a, b, c16[turn % c16.size()], (turn & 3) != 0);
      }
    }
  }
  for (uint64_t i = 0; i < scaled(120000); ++i) {
    const Triple32 small = small_product(random);
    product(small.a, small.b, small.c);
    const uint32_t a = operand32(random), b = operand32(random);
    product(a, b, operand32(random));
    // The addend is the rounded product with the other sign, or a few units beside it: everything cancels but what was lost.
    const uint32_t rounded = exact_fma32(a, b, 0) ^ kSign;
    product(a, b, rounded + static_cast<uint32_t>(random.below(3)) - 1);
    sum(a, operand32(random));
    sum(a, (a ^ kSign) + static_cast<uint32_t>(random.below(5)) - 2);
    const uint16_t x = operand16(random), y = operand16(random), z = operand16(random);
    half_product(x, y, operand32(random));
    halves_to_odd(x, y, z, random.chance(2, 3));
    const Triple16 twice = twice_rounded(random);
    halves_to_odd(twice.a, twice.b, twice.c, true);
  }
  CHECK(wide.first() == "");
  CHECK(narrow.first() == "");
  CHECK(to_odd.first() == "");
}

TEST_CASE("wl_acc_tree", "[wl_acc_tree]") {
  SumBench t;
  Tally tally("wl_acc_tree");
  Random random("wl_acc_tree");
  struct Node {
    uint32_t bits, saturated;
  };
  const auto join = [](uint32_t op, Node p, Node q) -> Node {
    if (op == 0) {
      const uint32_t y = exact_fma32(p.bits, kOne, q.bits);
      const bool overflow = finite(p.bits) && finite(q.bits) && !finite(y);
      return {y, p.saturated + q.saturated + (overflow ? 1u : 0u)};
    }
    if ((p.bits & 0x7fffffff) > 0x7f800000 || (q.bits & 0x7fffffff) > 0x7f800000) return {0x7fc00000, 0};
    // Sign and magnitude as a signed number in which -0 lies below +0.
    const auto order = [](uint32_t f) { return (f & kSign) != 0 ? -1 - static_cast<int64_t>(f & 0x7fffffff) : static_cast<int64_t>(f); };
    const bool p_above = order(p.bits) > order(q.bits);
    return {p_above == (op == 1) ? p.bits : q.bits, 0};
  };
  const auto check = [&](uint32_t op, const uint32_t (&v)[4]) {
    t.op = op;
    t.acc01 = v[0] | static_cast<uint64_t>(v[1]) << 32;
    t.acc23 = v[2] | static_cast<uint64_t>(v[3]) << 32;
    t.bench.settle();
    const Node two = join(op, {v[0], 0}, {v[1], 0});
    const Node four = join(op, two, join(op, {v[2], 0}, {v[3], 0}));
    tally.expect(t.tree1 << 3 | t.sat1, static_cast<uint64_t>(v[0]) << 3, {1, op, v[0]});
    tally.expect(t.tree2 << 3 | t.sat2, static_cast<uint64_t>(two.bits) << 3 | two.saturated, {2, op, v[0], v[1]});
    tally.expect(t.tree4 << 3 | t.sat4, static_cast<uint64_t>(four.bits) << 3 | four.saturated, {4, op, v[0], v[1], v[2], v[3]});
  };
  const auto& c32 = corners32();
  size_t turn = 0;
  for (uint32_t a : c32) {
    for (uint32_t b : c32) {
      const uint32_t x = c32[turn++ % c32.size()];
      for (uint32_t op = 0; op < 3; ++op) {
        check(op, {a, b, x, x ^ kSign});
        check(op, {a, x, b, x});
        check(op, {x, b, x ^ 1, a});
      }
    }
  }
  const uint32_t huge[] = {0x7f7fffff, 0x7f000000, 0xff7fffff, 0xff000000, 0x7f7ffffe, 0x73000000, 0, kSign};
  for (uint32_t k = 0; k < 4096; ++k) check(0, {huge[k & 7], huge[k >> 3 & 7], huge[k >> 6 & 7], huge[k >> 9]});
  for (uint64_t i = 0; i < scaled(250000); ++i) {
    const uint32_t a = operand32(random), b = operand32(random), c = operand32(random);
    check(static_cast<uint32_t>(i % 3), {a, b, c, random.chance(1, 4) ? a ^ kSign : operand32(random)});
  }
  CHECK(tally.first() == "");
}

TEST_CASE("wl_lane", "[wl_lane]") {
  Bench bench("wl_lane_bench", {}, WL_RESET_RANDOM, leaf_options());
  auto op_i = bench.port("op_i"), fmt_i = bench.port("fmt_i"), a_i = bench.port("a_i"), b_i = bench.port("b_i"), c_i = bench.port("c_i");
  auto first = bench.port("first_o"), first_sat = bench.port("first_sat_o"), other = bench.port("other_o"), other_sat = bench.port("other_sat_o");
  Tally full("wl_lane, wide multiplier"), half("wl_lane, narrow multiplier");
  Random random("wl_lane");
  const auto check = [&](LaneOp op, uint32_t fmt, uint32_t a, uint32_t b, uint32_t c) {
    op_i = static_cast<uint64_t>(op);
    fmt_i = fmt;
    a_i = a;
    b_i = b;
    c_i = c;
    bench.settle();
    const Formats formats = Formats::from_port(fmt);
    const Result r = lane_element(op, formats, a, b, c);
    const uint64_t expected = static_cast<uint64_t>(r.bits) << 1 | (r.saturated ? 1u : 0u);
    full.expect(first << 1 | first_sat, expected, {static_cast<uint64_t>(op), fmt, a, b, c});
    if (!is_serial(op, formats)) half.expect(other << 1 | other_sat, expected, {static_cast<uint64_t>(op), fmt, a, b, c});
  };
  const LaneOp ops[] = {LaneOp::kMove, LaneOp::kAdd,  LaneOp::kSub, LaneOp::kMul, LaneOp::kFma, LaneOp::kMax, LaneOp::kMin, LaneOp::kSel, LaneOp::kLt,  LaneOp::kLe, LaneOp::kEq,
                        LaneOp::kItof, LaneOp::kFtoi, LaneOp::kIadd, LaneOp::kIsub, LaneOp::kSll, LaneOp::kSrl, LaneOp::kSra, LaneOp::kAnd, LaneOp::kOr, LaneOp::kXor};
  // 16-bit operands come with a random upper half, which must not matter.
  const auto operand = [&](bool is32) { return is32 ? operand32(random) : operand16(random) | static_cast<uint32_t>(random.next()) << 16; };
  size_t turn = 0;
  for (const LaneOp op : ops) {
    for (uint32_t fmt = 0; fmt < 16; ++fmt) {
      const auto corner = [&](bool is32) { return is32 ? corners32()[turn++ % corners32().size()] : corners16()[turn++ % corners16().size()]; };
      for (uint64_t i = 0; i < scaled(1500); ++i) check(op, fmt, operand((fmt & 1) != 0), operand((fmt & 2) != 0), operand((fmt & 4) != 0));
      for (int i = 0; i < 1500; ++i) {
        const uint32_t a = corner((fmt & 1) != 0);
        if (i % 95 == 0) ++turn;  // else two sets of one size keep step
        const uint32_t b = corner((fmt & 2) != 0);
        check(op, fmt, a, b, corner((fmt & 4) != 0));
      }
    }
  }
  for (uint64_t i = 0; i < scaled(20000); ++i) {  // one rounding, not two
    const Triple16 twice = twice_rounded(random);
    check(LaneOp::kFma, 0, twice.a, twice.b, twice.c);
  }
  CHECK(full.first() == "");
  CHECK(half.first() == "");
}

TEST_CASE("wl_sfu_core", "[wl_sfu_core]") {
  Bench bench("wl_sfu_core", {}, WL_RESET_RANDOM, leaf_options());
  auto op_i = bench.port("op_i"), a_i = bench.port("a_i"), y_o = bench.port("y_o"), sat_o = bench.port("sat_o");
  for (int k = 0; k < 4; ++k) {
    const SfuOp op = static_cast<SfuOp>(k);
    Tally tally("wl_sfu_core, operation " + std::to_string(k));
    Random random("wl_sfu_core " + std::to_string(k));
    double worst = 0;
    op_i = static_cast<uint64_t>(k);
    const auto check = [&](uint32_t a) {
      a_i = a;
      bench.settle();
      const Result r = sfu(op, a);
      const auto y = static_cast<uint32_t>(y_o.get());
      tally.expect(static_cast<uint64_t>(y) << 1 | sat_o.get(), static_cast<uint64_t>(r.bits) << 1 | (r.saturated ? 1u : 0u), {a});
      // The module's own result against the true one, where both are finite and normal.
      const auto x = static_cast<long double>(to_float(a));
      const long double truth = op == SfuOp::kExp2 ? exp2l(x) : op == SfuOp::kLog2 ? log2l(x) : op == SfuOp::kRcp ? 1 / x : 1 / sqrtl(x);
      if (!(fabsl(truth) >= 0x1p-126L && fabsl(truth) < 0x1.fffffep127L) || !finite(a)) return;
      int exponent = 0;
      frexpl(truth, &exponent);
      worst = std::max(worst, static_cast<double>(fabsl(static_cast<long double>(to_float(y)) - truth) / ldexpl(1.0L, exponent - 24)));
    };
    for (uint32_t a : corners32()) check(a);
    for (uint32_t high = 0; high < 512; ++high) {  // sign and exponent
      for (uint32_t segment = 0; segment < 128; ++segment) {
        for (const uint32_t low : {0u, 0xffffu, static_cast<uint32_t>(random.below(0x10000))}) check(high << 23 | segment << 16 | low);
      }
    }
    for (uint64_t i = 0; i < scaled(60000); ++i) check(operand32(random));
    for (uint32_t i = 0; i < 2000; ++i) {  // around one, and around the ends of exp2's range
      check(kOne - 1000 + i);
      check(0x43000000u - 1000 + i);
      check(0xc3160000u - 1000 + i);
    }
    CHECK(tally.first() == "");
    CHECK(worst <= 0.75);  // units in the last place; sim/macros/arith_sfu.h
    CHECK(worst > 0.4);
  }
}
