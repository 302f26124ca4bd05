// wl_fp_widen, wl_fp_narrow, wl_fp_int, wl_fp_compare, wl_fp_round: modules without state, against exact values.
//
// wl_fp_widen: every binary16, whatever the unused half holds; binary32 passes: corners and random.
// wl_fp_narrow: 2^32 operands. Every binary16 widened, every midpoint between two of them and its neighbours on both sides, each with both
// signs; corners; random with exponents near the range. In full: every binary32 magnitude from 2^-26 to 2^17, beyond which the result
// is a zero or an infinity, signs taking turns.
// wl_fp_int: 2 directions x 2 widths x 2^32. To binary32: every 16-bit integer, every power of two and its neighbours, every rounding
// pattern at every magnitude, random. To integer: corners, every exponent with a pattern of fractions, random near the limits.
// wl_fp_compare: 2^64 pairs. Every binary16 (widened) against every corner both ways, corners of binary32 crossed, neighbours, random.
// wl_fp_round: magnitudes x exponents x sign x mode. Parameter space: every width in use (55, 61, 76). Every leading-zero count, exponents
// from far below the subnormals to far above the largest value, ties and their neighbours on purpose. Yardstick: the host's 80-bit
// long double, which holds 64 bits and any of these exponents, and its one conversion to float. Left out: exponents within Width of
// -2048, which the callers' 11 bits cannot reach.
#include <cmath>
#include <cstring>

#include "testbenches/lib/catch.h"
#include "testbenches/unit/macros/exact.h"
#include "testbenches/unit/macros/leaf_bench.h"
#include "testbenches/unit/macros/operands.h"

using namespace waferloom;
using namespace waferloom::macros_test;

namespace {

uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

bool nan32(uint32_t f) { return (f & 0x7fffffff) > 0x7f800000; }

// A binary32 pattern as a value; a NaN as NaN.
long double value32(uint32_t f) {
  if (nan32(f)) return std::nanl("");
  const long double sign = (f >> 31) != 0 ? -1.0L : 1.0L;
  if ((f & 0x7fffffff) == 0x7f800000) return sign * HUGE_VALL;
  const Parts32 p = parts32(f);
  return sign * ldexpl(static_cast<long double>(p.magnitude), p.shift - 149);
}

uint32_t widened(uint16_t h) {
  if ((h & 0x7fff) > 0x7c00) return 0x7fc00000;
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16;
  if ((h & 0x7fff) == 0x7c00) return sign | 0x7f800000;
  return sign | bits_of(std::ldexp(static_cast<float>(units16(h & 0x7fff)), -24));
}

}  // namespace

TEST_CASE("wl_fp_widen", "[wl_fp_widen]") {
  LeafBench leaf;
  Tally tally("wl_fp_widen");
  Random random("wl_fp_widen");
  for (uint32_t h = 0; h < 0x10000; ++h) {
    for (uint32_t above : {0u, 0xffffu, static_cast<uint32_t>(random.below(0x10000))}) {
      const uint32_t x = above << 16 | h;
      tally.expect(leaf(Leaf::kWiden, 0, x, 0, 0).low(), widened(static_cast<uint16_t>(h)), {x, 0});
    }
  }
  for (uint32_t x : corners32()) tally.expect(leaf(Leaf::kWiden, 0, x, 0, 1).low(), x, {x, 1});
  for (uint64_t i = 0; i < scaled(800000); ++i) {
    const auto x = static_cast<uint32_t>(random.next());
    tally.expect(leaf(Leaf::kWiden, 0, x, 0, 1).low(), x, {x, 1});
  }
  CHECK(tally.first() == "");
}

TEST_CASE("wl_fp_narrow", "[wl_fp_narrow]") {
  LeafBench leaf;
  Tally tally("wl_fp_narrow");
  Random random("wl_fp_narrow");
  const auto check = [&](uint32_t x) { tally.expect(leaf(Leaf::kNarrow, 0, x, 0, 0).low(), exact_narrow(x), {x}); };
  for (uint32_t sign : {0u, 0x80000000u}) {
    for (uint16_t h = 0; h <= 0x7c00; ++h) {
      const uint32_t exact = widened(h);
      check(sign | exact);
      if (h == 0x7c00) continue;
      // The midpoint above h; above the largest finite value it is halfway to 65536.
      const uint32_t middle = bits_of(static_cast<float>(std::ldexp(static_cast<double>(units16(h)) * 2 + (h < 0x400 ? 1 : 1 << ((h >> 10) - 1)), -25)));
      check(sign | (middle - 1));
      check(sign | middle);
      check(sign | (middle + 1));
      check(sign | (exact + 1));
      if (exact > 0) check(sign | (exact - 1));
    }
  }
  for (uint32_t x : corners32()) check(x);
  for (uint64_t i = 0; i < scaled(700000); ++i) {
    check(operand32(random));
    if (i % 2 == 0) check(static_cast<uint32_t>(random.below(2) << 31 | (100 + random.below(45)) << 23 | random.below(0x800000)));
  }
  CHECK(tally.first() == "");
}

TEST_CASE("wl_fp_narrow: every magnitude in the range of binary16", "[.full]") {
  Bench bench("wl_fp_narrow", {}, WL_RESET_RANDOM, leaf_options());  // alone: seven times faster than among the others
  auto x_i = bench.port("x_i"), y_o = bench.port("y_o");
  Tally tally("wl_fp_narrow, all");
  // The expected pattern by one pointer that walks over the midpoints as the magnitude ascends, in units of 2^-65.
  const auto limit = [](uint32_t pattern) { return static_cast<Int128>(double_midpoint16(static_cast<uint16_t>(pattern))) << 40; };
  uint32_t pattern = 0;
  Int128 midpoint = limit(0);
  for (uint32_t x = 0x32800000; x <= 0x48000000; ++x) {
    const Parts32 p = parts32(x);
    const Int128 value = static_cast<Int128>(p.magnitude) << (p.shift - 84);
    while (pattern < 0x7c00 && (value > midpoint || (value == midpoint && (pattern & 1) != 0))) midpoint = limit(++pattern);
    const uint32_t sign = (x & 1) << 31;
    x_i = sign | x;
    bench.settle();
    tally.expect(y_o, sign >> 16 | pattern, {sign | x});
  }
  CHECK(pattern == 0x7c00);
  CHECK(tally.first() == "");
}

TEST_CASE("wl_fp_int", "[wl_fp_int]") {
  LeafBench leaf;
  Tally tally("wl_fp_int");
  Random random("wl_fp_int");
  const auto from_int = [&](uint32_t x) {  // the host's conversion rounds to nearest even
    const float y = static_cast<float>(static_cast<int32_t>(x));
    for (uint32_t y32 : {0u, 2u}) tally.expect(leaf(Leaf::kInt, 0, x, 0, y32).low(), bits_of(y), {x, y32});
  };
  const auto to_int = [&](uint32_t x) {
    const long double v = value32(x);
    for (uint32_t y32 : {0u, 1u}) {
      const long double low = y32 != 0 ? -2147483648.0L : -32768.0L;
      const long double limited = std::isnan(v) ? 0.0L : std::min(std::max(truncl(v), low), -low - 1);
      const auto expected = static_cast<uint32_t>(static_cast<int64_t>(limited)) & (y32 != 0 ? 0xffffffffu : 0xffffu);
      tally.expect(leaf(Leaf::kInt, 0, x, 0, y32 << 1 | 1).low(), expected, {x, y32 << 1 | 1});
    }
  };
  for (uint32_t x = 0; x < 0x10000; ++x) from_int(static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(x))));
  for (uint32_t bit = 0; bit < 32; ++bit) {
    const uint32_t power = 1u << bit;
    for (uint32_t tail = 0; tail < 1024; ++tail) {  // the nine bits around the rounding place, everything below set, clear or one
      const uint32_t place = bit > 24 ? bit - 24 : 0;
      for (uint32_t low : {0u, 1u, (1u << place) - 1}) {
        const uint32_t x = power | (tail << place & (power - 1)) | (low & ((1u << place) - 1));
        from_int(x);
        from_int(0u - x);
        from_int(x - 1);
      }
    }
  }
  for (uint32_t x : corners32()) to_int(x);
  for (uint32_t exponent = 0; exponent < 256; ++exponent) {
    for (uint32_t fraction : {0u, 1u, 0x400000u, 0x7fffffu, 0x7ffffeu, 0x3fffffu, 0x7fff00u, 0x7ffe00u, 0x555555u}) {
      for (uint32_t sign : {0u, 0x80000000u}) to_int(sign | exponent << 23 | fraction);
    }
  }
  for (uint64_t i = 0; i < scaled(300000); ++i) {
    from_int(static_cast<uint32_t>(random.next()) >> random.below(32));
    to_int(static_cast<uint32_t>(random.below(2) << 31 | (120 + random.below(42)) << 23 | random.below(0x800000)));
  }
  CHECK(tally.first() == "");
}

TEST_CASE("wl_fp_compare", "[wl_fp_compare]") {
  LeafBench leaf;
  Tally tally("wl_fp_compare");
  Random random("wl_fp_compare");
  const auto check = [&](uint32_t a, uint32_t b) {
    const LeafResult r = leaf(Leaf::kCompare, 0, a, b, 0);
    const long double x = value32(a), y = value32(b);
    const bool unordered = nan32(a) || nan32(b);
    // Zeros of both signs are equal, yet the maximum is the positive one.
    const bool a_above = x > y || (x == y && (a >> 31) < (b >> 31));
    const uint32_t max = unordered ? 0x7fc00000 : a_above ? a : b;
    const uint32_t min = unordered ? 0x7fc00000 : a_above ? b : a;
    tally.expect(r.flags, (!unordered && x < y ? 1u : 0u) | (!unordered && x == y ? 2u : 0u), {a, b});
    tally.expect(static_cast<uint64_t>(r.high()) << 32 | r.low(), static_cast<uint64_t>(max) << 32 | min, {a, b});
  };
  for (uint32_t a : corners32()) {
    for (uint32_t b : corners32()) check(a, b);
  }
  size_t turn = 0;
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const uint32_t a = widened(static_cast<uint16_t>(h));
    check(a, a);
    check(a, a ^ 0x80000000u);
    for (int k = 0; k < 3; ++k) {
      const uint32_t b = widened(corners16()[turn++ % corners16().size()]);
      check(a, b);
      check(b, a);
    }
  }
  for (uint64_t i = 0; i < scaled(300000); ++i) {
    const uint32_t a = operand32(random);
    check(a, operand32(random));
    check(a, a + static_cast<uint32_t>(random.below(5)) - 2);  // a neighbour, or itself
  }
  CHECK(tally.first() == "");
}

TEST_CASE("wl_fp_round", "[wl_fp_round]") {
  LeafBench leaf;
  const unsigned widths[] = {55, 61, 76};
  for (unsigned variant = 0; variant < 3; ++variant) {
    const unsigned width = widths[variant];
    Tally tally("wl_fp_round, width " + std::to_string(width));
    Random random("wl_fp_round " + std::to_string(width));
    const Wide all = (static_cast<Wide>(1) << width) - 1;

    const auto expected = [&](Wide magnitude, int exponent, bool negative, bool odd) -> uint32_t {
      const uint32_t sign = negative ? 0x80000000u : 0u;
      if (magnitude == 0) return sign;
      // What 64 bits cannot hold counts only as not zero.
      int unit = exponent - 127 - static_cast<int>(width - 1);
      while (magnitude >> 64 != 0) {
        magnitude = magnitude >> 1 | (magnitude & 1);
        ++unit;
      }
      const long double value = ldexpl(static_cast<long double>(static_cast<uint64_t>(magnitude)), unit);
      if (value >= 0x1p128L) return sign | 0x7f800000;
      const float nearest = static_cast<float>(value);
      if (!odd) return sign | bits_of(nearest);
      const uint32_t truncated = static_cast<long double>(nearest) > value ? bits_of(nearest) - 1 : bits_of(nearest);
      const bool inexact = static_cast<long double>(nearest) != value;
      return sign | truncated | (inexact ? 1u : 0u);
    };
    const auto check = [&](Wide magnitude, int exponent, uint32_t mode) {
      magnitude &= all;
      const bool negative = (mode & 1) != 0, odd = (mode & 2) != 0;
      const LeafResult r = leaf(Leaf::kRound, variant, magnitude, 0, mode << 12 | (static_cast<uint32_t>(exponent) & 0xfff));
      tally.expect(r.low(), expected(magnitude, exponent, negative, odd),
                   {static_cast<uint64_t>(magnitude >> 64), static_cast<uint64_t>(magnitude), static_cast<uint64_t>(static_cast<int64_t>(exponent)), mode});
    };

    for (unsigned zeros = 0; zeros < width; ++zeros) {
      const Wide top = static_cast<Wide>(1) << (width - 1 - zeros);
      for (const int result : {-400, -30, -25, -24, -23, -22, -12, -1, 0, 1, 2, 127, 253, 254, 255, 256, 400}) {  // biased exponent of the result
        const int exponent = result + static_cast<int>(zeros);
        const int kept = result >= 1 ? 23 : 22 + result;  // bits of the fraction that stay
        for (uint32_t mode = 0; mode < 4; ++mode) {
          check(top, exponent, mode);
          check(top | (top - 1), exponent, mode);
          // A tie with an even and an odd last place, and one unit to either side.
          if (kept < 0 || static_cast<int>(width - 1 - zeros) < kept + 1) continue;
          const Wide half = top >> (kept + 1);
          for (const Wide tie : {top | half, top | half | half << 1}) {
            check(tie, exponent, mode);
            check(tie + 1, exponent, mode);
            check(tie - 1, exponent, mode);
          }
        }
      }
    }
    for (const int exponent : {-1900, -1000, 0, 1000, 2047}) {
      for (uint32_t mode = 0; mode < 4; ++mode) {
        check(0, exponent, mode);
        check(1, exponent, mode);
        check(all, exponent, mode);
      }
    }
    for (uint64_t i = 0; i < scaled(350000); ++i) {
      Wide magnitude = static_cast<Wide>(random.next()) << 64 | random.next();
      magnitude = (magnitude & all) >> random.below(width);
      if (random.chance(1, 2)) magnitude &= ~static_cast<Wide>(0) << random.below(width);
      const int exponent = random.chance(1, 16) ? static_cast<int>(random.below(3900)) - 1900 : static_cast<int>(random.below(440)) - 80;
      check(magnitude, exponent, static_cast<uint32_t>(random.below(4)));
    }
    CHECK(tally.first() == "");
  }
}
