// Every pair of binary16: sum and product against exact integers.
//
// For a fixed a, the exact result is monotone in b, so the expected pattern is found by one pointer that walks over the midpoints: 2^32
// pairs cost a few comparisons each. Specials (NaN, infinities) are crossed in arith_test.
#include <vector>

#include "sim/macros/arith.h"
#include "testbenches/lib/catch.h"
#include "testbenches/unit/macros/exact.h"

using namespace waferloom::macros;
using namespace waferloom::macros_test;

namespace {

// Magnitude pattern of |value| for values that come in ascending order of magnitude.
class Walker {
 public:
  explicit Walker(int shift) : shift_(shift) {}
  uint16_t pattern(Int128 magnitude) {
    while (at_ < 0x7c00 && above(magnitude)) ++at_;
    return at_;
  }

 private:
  bool above(Int128 magnitude) const {
    const Int128 midpoint = static_cast<Int128>(double_midpoint16(at_)) << shift_;
    return 2 * magnitude > midpoint || (2 * magnitude == midpoint && (at_ & 1) != 0);
  }
  int shift_;
  uint16_t at_ = 0;
};

}  // namespace

TEST_CASE("binary16: every product") {
  uint64_t wrong = 0;
  for (uint32_t a = 0; a < 0x7c00; ++a) {
    Walker walker(24);
    for (uint32_t b = 0; b < 0x7c00; ++b) {
      const uint16_t expected = walker.pattern(static_cast<Int128>(units16(static_cast<uint16_t>(a))) * units16(static_cast<uint16_t>(b)));
      for (uint32_t signs = 0; signs < 4; ++signs) {
        const auto x = static_cast<uint16_t>(a | (signs & 1) << 15);
        const auto y = static_cast<uint16_t>(b | (signs & 2) << 14);
        wrong += mul16(x, y) != (expected | ((x ^ y) & 0x8000)) ? 1u : 0u;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("binary16: every sum and difference") {
  uint64_t wrong = 0;
  for (uint32_t a = 0; a < 0x7c00; ++a) {
    // a + b ascends with b; a - b descends through zero, so it is walked from b = a both ways.
    const int64_t ua = units16(static_cast<uint16_t>(a));
    const auto check = [&](uint32_t b, uint16_t expected, bool subtract, bool negative) {
      for (uint32_t flip = 0; flip < 2; ++flip) {
        const auto x = static_cast<uint16_t>(a | flip << 15);
        const auto y = static_cast<uint16_t>(b | (flip ^ (subtract ? 1u : 0u)) << 15);
        uint16_t bits = static_cast<uint16_t>(expected | ((negative ? 1u : 0u) ^ flip) << 15);
        if (expected == 0) bits = subtract ? 0 : static_cast<uint16_t>(flip << 15);  // x + -x is +0, -0 + -0 is -0
        wrong += add16(x, y) != bits ? 1u : 0u;
        wrong += sub16(x, static_cast<uint16_t>(y ^ 0x8000)) != bits ? 1u : 0u;
      }
    };
    Walker sum(0), below(0), beyond(0);
    for (uint32_t b = 0; b < 0x7c00; ++b) check(b, sum.pattern(ua + units16(static_cast<uint16_t>(b))), false, false);
    for (uint32_t b = a + 1; b-- > 0;) check(b, below.pattern(ua - units16(static_cast<uint16_t>(b))), true, false);
    for (uint32_t b = a + 1; b < 0x7c00; ++b) check(b, beyond.pattern(units16(static_cast<uint16_t>(b)) - ua), true, true);
  }
  CHECK(wrong == 0);
}
