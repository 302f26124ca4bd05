// wl_normalise, wl_shift_sticky, wl_int_alu: modules without state, against integers of 128 bits.
//
// wl_normalise: 2^Width operands. Parameter space: every width in use (10, 24, 32, 55, 61, 76). Width 10 exhaustively; the others:
// every number of leading zeros with all-ones, one-hot, one-hot plus the last bit below it, and random bits below it.
// wl_shift_sticky: 2^(Width + CountBits) operands. Every pair (width, count bits) in use; every count with every one-hot, every run of
// ones from either end, and random operands. Counts beyond the width are among them.
// wl_int_alu: 8 operations x 8 formats x 2^64. In every operation and format every pair of corners, every shift amount and random pairs; in
// every operation every 16-bit value, formats and corners of the other operand taking turns. Halves that a 16-bit operand does not use
// are random.
// Left out: widths that nobody instantiates.
#include "testbenches/lib/catch.h"
#include "testbenches/unit/macros/leaf_bench.h"

using namespace waferloom;
using namespace waferloom::macros_test;

namespace {

Wide ones(unsigned width) { return (static_cast<Wide>(1) << width) - 1; }
Wide random_bits(Random& random, unsigned width) { return (static_cast<Wide>(random.next()) << 64 | random.next()) & ones(width); }
uint64_t high(Wide x) { return static_cast<uint64_t>(x >> 64); }
uint64_t low(Wide x) { return static_cast<uint64_t>(x); }

// Whole 128-bit results through a tally of 64-bit ones.
void expect_wide(Tally& tally, Wide got, Wide expected, std::initializer_list<uint64_t> stimulus) {
  tally.expect(low(got), low(expected), stimulus);
  if (high(got) != high(expected)) tally.expect(high(got), high(expected), stimulus);
}

}  // namespace

TEST_CASE("wl_normalise", "[wl_normalise]") {
  LeafBench leaf;
  const unsigned widths[] = {10, 24, 32, 55, 61, 76};
  for (unsigned variant = 0; variant < 6; ++variant) {
    const unsigned width = widths[variant];
    Tally tally("wl_normalise, width " + std::to_string(width));
    Random random("wl_normalise " + std::to_string(width));
    const auto check = [&](Wide x) {
      unsigned count = 0;
      while (x != 0 && (x >> (width - 1 - count) & 1) == 0) ++count;
      const LeafResult r = leaf(Leaf::kNormalise, variant, x, 0, 0);
      expect_wide(tally, r.y, x << count, {high(x), low(x)});
      if (x != 0) tally.expect(r.flags, count, {high(x), low(x)});
    };
    check(0);
    if (width == 10) {
      for (uint32_t x = 0; x < 1024; ++x) check(x);
    }
    for (unsigned zeros = 0; zeros < width; ++zeros) {
      const Wide top = static_cast<Wide>(1) << (width - 1 - zeros);
      check(top);
      check(top | 1);
      check(top | (top - 1));
      for (uint64_t i = 0; i < scaled(200000) / width; ++i) check(top | (random_bits(random, width) & (top - 1)));
    }
    CHECK(tally.first() == "");
  }
}

TEST_CASE("wl_shift_sticky", "[wl_shift_sticky]") {
  LeafBench leaf;
  const struct {
    unsigned width, count_bits;
  } kinds[] = {{24, 5}, {26, 5}, {53, 7}, {74, 7}};
  for (unsigned variant = 0; variant < 4; ++variant) {
    const unsigned width = kinds[variant].width;
    Tally tally("wl_shift_sticky, width " + std::to_string(width));
    Random random("wl_shift_sticky " + std::to_string(width));
    const auto check = [&](Wide x, unsigned count) {
      const LeafResult r = leaf(Leaf::kShift, variant, x, 0, count);
      expect_wide(tally, r.y, x >> count, {high(x), low(x), count});
      tally.expect(r.flags, (x & ones(count)) != 0 ? 1 : 0, {high(x), low(x), count});
    };
    for (unsigned count = 0; count < 1u << kinds[variant].count_bits; ++count) {
      check(0, count);
      for (unsigned bit = 0; bit < width; ++bit) {
        check(static_cast<Wide>(1) << bit, count);
        check(ones(bit + 1), count);
        check(ones(width) & ~ones(bit), count);
      }
      for (uint64_t i = 0; i < scaled(150000) >> kinds[variant].count_bits; ++i) {
        const Wide x = random_bits(random, width);
        check(x & ~ones(static_cast<unsigned>(random.below(width))), count);  // zeros below, else every shift is sticky
      }
    }
    CHECK(tally.first() == "");
  }
}

TEST_CASE("wl_int_alu", "[wl_int_alu]") {
  LeafBench leaf;
  Tally tally("wl_int_alu");
  Random random("wl_int_alu");
  const auto value = [](uint32_t bits, bool is32) -> int64_t { return is32 ? static_cast<int32_t>(bits) : static_cast<int16_t>(bits); };
  // In wrapped integers of 64 bits, cut to the width of the result at the end.
  const auto expected = [&](uint32_t op, uint32_t formats, uint32_t a_bits, uint32_t b_bits) -> uint32_t {
    const bool y32 = (formats & 4) != 0;
    const int64_t a = value(a_bits, (formats & 1) != 0);
    const int64_t b = value(b_bits, (formats & 2) != 0);
    const uint64_t mask = y32 ? 0xffffffffu : 0xffffu;
    const auto amount = static_cast<unsigned>(b & (y32 ? 31 : 15));
    const auto divisor = int64_t{1} << amount;
    const int64_t in_result = value(static_cast<uint32_t>(a), y32);
    int64_t y = 0;
    switch (op) {
      case 0: y = a + b; break;
      case 1: y = a - b; break;
      case 2: y = static_cast<int64_t>((static_cast<uint64_t>(a) & mask) * static_cast<uint64_t>(divisor)); break;
      case 3: y = static_cast<int64_t>((static_cast<uint64_t>(a) & mask) / static_cast<uint64_t>(divisor)); break;
      case 4: y = (in_result - ((in_result % divisor) + divisor) % divisor) / divisor; break;  // toward minus infinity
      case 5: y = a & b; break;
      case 6: y = a | b; break;
      default: y = a ^ b; break;
    }
    return static_cast<uint32_t>(static_cast<uint64_t>(y) & mask);
  };
  const auto check = [&](uint32_t op, uint32_t formats, uint32_t a, uint32_t b) {
    const LeafResult r = leaf(Leaf::kAlu, 0, a, b, formats << 3 | op);
    tally.expect(r.low(), expected(op, formats, a, b), {op, formats, a, b});
  };
  const uint32_t corners[] = {0,      1,      2,      15,     16,     17,         31,         32,         0x7ffe,     0x7fff,
                              0x8000, 0x8001, 0xfffe, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xffff8000, 0xffffffff, 0x5555aaaa};
  for (uint32_t op = 0; op < 8; ++op) {
    for (uint32_t formats = 0; formats < 8; ++formats) {
      for (uint32_t a : corners) {
        for (uint32_t b : corners) check(op, formats, a, b);
        for (uint32_t amount = 0; amount < 64; ++amount) check(op, formats, a, amount | (static_cast<uint32_t>(random.next()) & 0xffff0000u));
      }
      for (uint64_t i = 0; i < scaled(8000); ++i) check(op, formats, static_cast<uint32_t>(random.next()), static_cast<uint32_t>(random.next()));
    }
    for (uint32_t a = 0; a < 0x10000; ++a) {  // the formats take turns
      const uint32_t b = corners[(a >> 3) % (sizeof corners / sizeof *corners)];
      check(op, a & 7, a | (static_cast<uint32_t>(random.next()) & 0xffff0000u), b);
    }
  }
  CHECK(tally.first() == "");
}
