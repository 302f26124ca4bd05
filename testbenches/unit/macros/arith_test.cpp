// The host arithmetic (sim/macros/arith.h, arith_group.h) against exact integers (exact.h), which share no code with it.
//
// State space: binary16 add, sub, mul: 2^32 pairs each, corners crossed with everything here and all pairs in arith_full_test; fused
// multiply-add: corners in three operands and random triples near cancellation; conversions: every binary16, corners and random
// binary32. binary32: corners crossed and random. Groups: layout, masks, serial operations, rules that no single value shows.
#include "testbenches/unit/macros/exact.h"

#include "sim/macros/arith_group.h"
#include "testbenches/lib/bench.h"
#include "testbenches/lib/catch.h"
#include "testbenches/unit/macros/operands.h"

using namespace waferloom;
using namespace waferloom::macros;
using namespace waferloom::macros_test;

namespace {

// Catch's macros are slow; these loops count differences and report the first.
struct Differences {
  uint64_t count = 0;
  uint32_t a = 0, b = 0, c = 0, got = 0, expected = 0;
  void take(uint32_t got_bits, uint32_t expected_bits, uint32_t x, uint32_t y = 0, uint32_t z = 0) {
    if (got_bits == expected_bits) return;
    if (count++ == 0) {
      a = x;
      b = y;
      c = z;
      got = got_bits;
      expected = expected_bits;
    }
  }
};
#define CHECK_NONE(d)                                                                                                     \
  do {                                                                                                                    \
    INFO(std::hex << "first: a " << (d).a << " b " << (d).b << " c " << (d).c << " got " << (d).got << " expected " << (d).expected); \
    CHECK((d).count == 0);                                                                                                \
  } while (false)

constexpr uint16_t kOne16 = 0x3c00;
constexpr uint32_t kOne32 = 0x3f800000;
uint16_t negated(uint16_t h) { return h ^ 0x8000; }
// A product alone: the addend is a zero of the product's sign.
uint16_t exact_mul16(uint16_t a, uint16_t b) { return exact_fma16(a, b, (a ^ b) & 0x8000); }
uint32_t exact_mul32(uint32_t a, uint32_t b) { return exact_fma32(a, b, (a ^ b) & 0x80000000u); }

}  // namespace

TEST_CASE("binary16: corners crossed with every value") {
  Differences add, sub, mul;
  for (uint16_t a : corners16()) {
    for (uint32_t i = 0; i < 0x10000; ++i) {
      const auto b = static_cast<uint16_t>(i);
      add.take(add16(a, b), exact_fma16(a, kOne16, b), a, b);
      sub.take(sub16(b, a), exact_fma16(b, kOne16, is_nan16(a) ? a : negated(a)), b, a);
      mul.take(mul16(b, a), exact_mul16(b, a), b, a);
    }
  }
  CHECK_NONE(add);
  CHECK_NONE(sub);
  CHECK_NONE(mul);
}

TEST_CASE("binary16: fused multiply-add rounds once") {
  Differences corners, random_triples, adversarial;
  for (uint16_t a : corners16()) {
    for (uint16_t b : corners16()) {
      for (uint16_t c : corners16()) corners.take(fma16(a, b, c), exact_fma16(a, b, c), a, b, c);
    }
  }
  Random random("arith fma16");
  for (uint64_t i = 0; i < scaled(1000000); ++i) {
    const uint16_t a = operand16(random);
    const uint16_t b = operand16(random);
    const uint16_t c = operand16(random);
    random_triples.take(fma16(a, b, c), exact_fma16(a, b, c), a, b, c);
    // A product a hair off a midpoint of c's neighbourhood, or the reverse: what double rounding gets wrong.
    const auto d = static_cast<uint16_t>((mul16(a, b) ^ 0x8000) + random.below(5) - 2);
    adversarial.take(fma16(a, b, d), exact_fma16(a, b, d), a, b, d);
    const auto tiny = static_cast<uint16_t>((random.below(2) << 15) | random.below(0x40));
    adversarial.take(fma16(a, b, tiny), exact_fma16(a, b, tiny), a, b, tiny);
    const auto small_a = static_cast<uint16_t>((a & 0x83ff) | (random.below(6) << 10));
    const auto small_b = static_cast<uint16_t>((b & 0x83ff) | (random.below(6) << 10));
    adversarial.take(fma16(small_a, small_b, c), exact_fma16(small_a, small_b, c), small_a, small_b, c);
  }
  CHECK_NONE(corners);
  CHECK_NONE(random_triples);
  CHECK_NONE(adversarial);
  // 3 * 683/2048 + 2^-24 = 1 + 2^-11 + 2^-24: a rounding to binary32 on the way would land on the midpoint and then on 1.
  CHECK(fma16(0x4200, 0x3556, 0x0001) == 0x3c01);
  CHECK(single_to_half(fma32(half_to_single(0x4200), half_to_single(0x3556), half_to_single(0x0001))) == 0x3c00);
}

TEST_CASE("conversions are exact or rounded once") {
  Differences widened, narrowed, round_trip;
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const auto h = static_cast<uint16_t>(i);
    const uint32_t f = half_to_single(h);
    round_trip.take(single_to_half(f), is_nan16(h) ? kNan16 : h, h);
    widened.take(f, exact_fma32(is_nan16(h) ? kNan32 : f, kOne32, f & 0x80000000u), h);
    if (is_finite16(h)) {
      const bool exact = static_cast<double>(to_float(f)) * 0x1p24 == static_cast<double>(units16(h));
      widened.take(exact ? 1 : 0, 1, h);
    }
    for (uint32_t offset : {0xffffffffu, 0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu}) {
      const uint32_t g = f + offset;
      narrowed.take(single_to_half(g), exact_narrow(g), g);
    }
  }
  Random random("arith narrow");
  for (uint64_t i = 0; i < scaled(300000); ++i) {
    const auto f = static_cast<uint32_t>(random.next());
    const uint32_t near = (f & 0x87ffffffu) + 0x33000000u;  // around the binary16 range
    narrowed.take(single_to_half(f), exact_narrow(f), f);
    narrowed.take(single_to_half(near), exact_narrow(near), near);
  }
  for (uint32_t k = 0; k < 0x400; ++k) {
    for (int offset : {-1, 0, 1}) {
      const uint32_t f = subnormal_midpoint(k, offset);
      narrowed.take(single_to_half(f), exact_narrow(f), f);
    }
  }
  for (uint32_t f : corners32()) narrowed.take(single_to_half(f), exact_narrow(f), f);
  CHECK_NONE(widened);
  CHECK_NONE(narrowed);
  CHECK_NONE(round_trip);
}

TEST_CASE("integers and binary32") {
  Random random("arith int");
  Differences to_single, to_int;
  const auto check = [&](int32_t v) {
    const int64_t magnitude = v < 0 ? -static_cast<int64_t>(v) : v;
    const uint32_t expected = v == 0 ? 0 : (v < 0 ? 0x80000000u : 0u) | nearest32(Long::from(false, magnitude, 298));
    to_single.take(int_to_single(v), expected, static_cast<uint32_t>(v));
  };
  for (int bit = 0; bit < 32; ++bit) {
    for (int delta = -2; delta <= 2; ++delta) check(static_cast<int32_t>((uint32_t{1} << bit) + static_cast<uint32_t>(delta)));
  }
  const auto truncate = [&](uint32_t f) {
    for (int bits : {16, 32}) {
      const int64_t limit = int64_t{1} << (bits - 1);
      int64_t value = 0;
      if (!is_nan32(f)) {
        const Parts32 p = parts32(f);
        const int64_t magnitude = is_infinite32(f) || p.shift > 149 + 16 ? limit
                                  : p.shift >= 149                       ? p.magnitude << (p.shift - 149)
                                  : p.shift > 149 - 40                   ? p.magnitude >> (149 - p.shift)
                                                                         : 0;
        value = (f >> 31) != 0 ? std::max(-magnitude, -limit) : std::min(magnitude, limit - 1);
      }
      to_int.take(static_cast<uint32_t>(single_to_int(f, bits)), static_cast<uint32_t>(value), f, static_cast<uint32_t>(bits));
    }
  };
  for (uint32_t f : corners32()) truncate(f);
  for (uint64_t i = 0; i < scaled(200000); ++i) {
    check(static_cast<int32_t>(random.next() >> (random.below(32) + 32)));
    check(-static_cast<int32_t>(random.next() >> (random.below(31) + 33)));
    truncate(static_cast<uint32_t>(random.next()));
    truncate(static_cast<uint32_t>((random.below(2) << 31) | ((120 + random.below(45)) << 23) | random.below(0x800000)));
  }
  CHECK_NONE(to_single);
  CHECK_NONE(to_int);
}

TEST_CASE("binary32: add, multiply, fused multiply-add") {
  Differences add, sub, mul, fma, cancel;
  const auto& corners = corners32();
  for (uint32_t a : corners) {
    for (uint32_t b : corners) {
      add.take(add32(a, b), exact_fma32(a, kOne32, b), a, b);
      mul.take(mul32(a, b), exact_mul32(a, b), a, b);
      for (size_t k = 0; k < corners.size(); k += 5) fma.take(fma32(a, b, corners[k]), exact_fma32(a, b, corners[k]), a, b, corners[k]);
    }
  }
  Random random("arith 32");
  for (uint64_t i = 0; i < scaled(200000); ++i) {
    const uint32_t a = operand32(random);
    const uint32_t b = operand32(random);
    const uint32_t c = operand32(random);
    add.take(add32(a, b), exact_fma32(a, kOne32, b), a, b);
    sub.take(sub32(a, b), exact_fma32(a, kOne32, is_nan32(b) ? b : b ^ 0x80000000u), a, b);
    mul.take(mul32(a, b), exact_mul32(a, b), a, b);
    fma.take(fma32(a, b, c), exact_fma32(a, b, c), a, b, c);
    const uint32_t d = (mul32(a, b) ^ 0x80000000u) + static_cast<uint32_t>(random.below(5)) - 2;
    cancel.take(fma32(a, b, d), exact_fma32(a, b, d), a, b, d);
    const Triple32 t = small_product(random);
    cancel.take(fma32(t.a, t.b, t.c), exact_fma32(t.a, t.b, t.c), t.a, t.b, t.c);
  }
  CHECK_NONE(add);
  CHECK_NONE(sub);
  CHECK_NONE(mul);
  CHECK_NONE(fma);
  CHECK_NONE(cancel);
}

TEST_CASE("comparisons, maximum and minimum") {
  Differences order;
  for (uint32_t a : corners32()) {
    for (uint32_t b : corners32()) {
      const bool unordered = is_nan32(a) || is_nan32(b);
      const double x = static_cast<double>(to_float(a));
      const double y = static_cast<double>(to_float(b));
      order.take(less32(a, b), !unordered && x < y, a, b);
      order.take(less_equal32(a, b), !unordered && x <= y, a, b);
      order.take(equal32(a, b), !unordered && x == y, a, b);
      const bool a_first = x < y || (x == y && (a >> 31) > (b >> 31));
      order.take(max32(a, b), unordered ? kNan32 : a_first ? b : a, a, b);
      order.take(min32(a, b), unordered ? kNan32 : a_first ? a : b, a, b);
    }
  }
  CHECK_NONE(order);
}

TEST_CASE("groups: layout, masks, mixed formats, saturation") {
  // fp16 * fp16 + fp32 in containers; high halves of 16-bit operands are ignored.
  const Formats mixed{false, false, true, true};
  const Group a{{0xdead4000beef3c00ull, 0}};  // 1, 2
  const Group b{{0x0000420000004400ull, 0}};  // 4, 3
  const Group c{{uint64_t{to_bits(0.5f)} << 32 | to_bits(0.25f), 0}};
  GroupResult r = lane_group(LaneOp::kFma, mixed, 4, 3, a, b, c);
  CHECK(r.y.element(true, 0) == to_bits(4.25f));
  CHECK(r.y.element(true, 1) == to_bits(6.5f));
  // A masked element gives zero and does not saturate.
  r = lane_group(LaneOp::kMul, {}, 4, 0b0101, {{0x7bff7bff7bff7bffull, 0}}, {{0x7bff7bff40007bffull, 0}}, {});
  CHECK(r.y.w[0] == 0x00007c0000007c00ull);
  CHECK(r.saturated == 2);
  // Infinite operands do not saturate.
  CHECK(lane_group(LaneOp::kAdd, {}, 2, 3, {{0x7c007bff, 0}}, {{0x3c007bff, 0}}, {}).saturated == 1);
  // Serial: only element 0.
  r = lane_group(LaneOp::kMul, {true, false, false, true}, 4, 3, {{uint64_t{kOne32} << 32 | kOne32, 0}}, {{0x00003c0000003c00ull, 0}}, {});
  CHECK(r.y.w[0] == kOne32);
  // Double rounding in a 32-bit group with a 16-bit result is what is specified: 1 + 2^-11 + 2^-24 is first rounded to a midpoint.
  CHECK(lane_element(LaneOp::kAdd, {true, true, false, false}, kOne32, to_bits(0x1p-11f + 0x1p-24f), 0).bits == 0x3c00);
  CHECK(lane_element(LaneOp::kAdd, {true, true, false, false}, kOne32, to_bits(0x1p-11f + 0x1p-23f), 0).bits == 0x3c01);
  // A selection and a move keep the bits of equal formats, NaN payloads too; conversions do not.
  CHECK(lane_element(LaneOp::kMove, {}, 0x7d01, 0, 0).bits == 0x7d01);
  CHECK(lane_element(LaneOp::kMove, {false, false, false, true}, 0x7d01, 0, 0).bits == kNan32);
  CHECK(lane_element(LaneOp::kSel, {}, 0x0001, 0x1234, 0x4321).bits == 0x1234);
  CHECK(lane_element(LaneOp::kSel, {}, 0x8000, 0x1234, 0x4321).bits == 0x4321);
  CHECK(lane_element(LaneOp::kSel, {}, 0x7e00, 0x1234, 0x4321).bits == 0x4321);
  // Integers: width of the result.
  CHECK(lane_element(LaneOp::kIadd, {false, false, false, true}, 0xffff, 0x0001, 0).bits == 0);
  CHECK(lane_element(LaneOp::kIadd, {true, true, false, false}, 0x0001ffff, 0x00020002, 0).bits == 1);
  CHECK(lane_element(LaneOp::kSra, {}, 0x8000, 17, 0).bits == 0xc000);
  CHECK(lane_element(LaneOp::kSrl, {false, false, false, true}, 0x8000, 16, 0).bits == 0xffff);
}

TEST_CASE("accumulators: order of the sums") {
  // Three elements over two accumulators, then the tree: (1 + 2^24) + 1 in this order loses neither of the ones at the wrong place.
  Accumulators s;
  uint32_t y = 0;
  const Group first{{uint64_t{to_bits(0x1p24f)} << 32 | kOne32, 0}};
  const Group third{{to_bits(1.0f), 0}};
  acc_step(AccOp::kSum, true, true, false, 4, 3, 0, first, {}, &s, &y);
  acc_step(AccOp::kSum, false, true, false, 4, 1, 0, third, {}, &s, &y);
  acc_step(AccOp::kResultSum, false, false, false, 4, 0, 0, {}, {}, &s, &y);
  CHECK(y == to_bits(0x1p24f + 2.0f));
  // The start rotates: element 0 to accumulator 3, element 1 to accumulator 0.
  acc_step(AccOp::kSum, true, true, false, 8, 3, 3, first, {}, &s, &y);
  CHECK(s.acc[3] == kOne32);
  CHECK(s.acc[0] == to_bits(0x1p24f));
  CHECK(s.acc[1] == 0);
  // Nothing taken: the identities.
  acc_step(AccOp::kMax, true, false, false, 8, 0, 0, {}, {}, &s, &y);
  acc_step(AccOp::kResultMax, false, false, false, 8, 0, 0, {}, {}, &s, &y);
  CHECK(y == 0xff800000u);
  acc_step(AccOp::kMin, true, false, false, 8, 0, 0, {}, {}, &s, &y);
  acc_step(AccOp::kResultMin, false, false, false, 8, 0, 0, {}, {}, &s, &y);
  CHECK(y == 0x7f800000u);
  // Saturation counts additions that overflow, in the tree as well.
  s = {{0x7f7fffffu, 0x7f7fffffu, 0, 0}};
  CHECK(acc_step(AccOp::kResultSum, false, false, false, 4, 0, 0, {}, {}, &s, &y) == 1);
  CHECK(y == kInfinity32);
}
