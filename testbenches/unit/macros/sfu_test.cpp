// The special functions against long double: error bound over every exponent, special cases, exact cases.
//
// State space: operations x 2^32 operands. Covered: every exponent of every operation (subnormals too) with several thousand random
// significands and the segment borders; every significand of one binade (two for rsqrt) in the full run. The bound is in units in
// the last place of the true result, for normal results; below the normal range the error is at most one unit of 2^-149.
#include <cmath>
#include <cstdio>

#include "sim/macros/arith_sfu.h"
#include "testbenches/lib/bench.h"
#include "testbenches/lib/catch.h"

using namespace waferloom;
using namespace waferloom::macros;

namespace {

// What the documents state; the test prints what it measured (worst: rcp, 0.7485).
constexpr double kBoundUlp = 0.75;

long double exact(SfuOp op, uint32_t a) {
  const long double x = static_cast<long double>(to_float(a));
  switch (op) {
    case SfuOp::kExp2: return exp2l(x);
    case SfuOp::kLog2: return log2l(x);
    case SfuOp::kRcp: return 1.0L / x;
    default: return 1.0L / sqrtl(x);
  }
}

// |result - truth| in units of the truth's last place.
double error_ulp(SfuOp op, uint32_t a) {
  const long double truth = exact(op, a);
  const uint32_t bits = sfu(op, a).bits;
  if (truth == 0.0L) return bits == 0 ? 0.0 : 1e9;
  int exponent = 0;
  frexpl(truth, &exponent);  // |truth| in [2^(exponent-1), 2^exponent)
  const long double unit = ldexpl(1.0L, std::max(exponent - 24, -149));
  if (is_infinite32(bits)) {
    // An infinity is right from half a unit above the largest finite value.
    return fabsl(truth) >= 0x1.ffffffp127L * (1.0L - 1e-7L) ? 0.0 : 1e9;
  }
  return static_cast<double>(fabsl(static_cast<long double>(to_float(bits)) - truth) / unit);
}

struct Worst {
  double ulp = 0;
  uint32_t at = 0;
  void take(SfuOp op, uint32_t a) {
    const double e = error_ulp(op, a);
    if (e > ulp) {
      ulp = e;
      at = a;
    }
  }
};

const char* const kNames[] = {"exp2", "log2", "rcp", "rsqrt"};

}  // namespace

TEST_CASE("SFU: error over every exponent") {
  for (int k = 0; k < 4; ++k) {
    const SfuOp op = static_cast<SfuOp>(k);
    Random random(std::string("sfu ") + kNames[k]);
    Worst worst;
    for (uint32_t exponent = 0; exponent < 255; ++exponent) {
      for (uint32_t sign = 0; sign < 2; ++sign) {
        if (sign == 1 && (op == SfuOp::kLog2 || op == SfuOp::kRsqrt)) continue;
        const uint32_t base = sign << 31 | exponent << 23;
        for (uint32_t segment = 0; segment < 128; ++segment) {
          for (uint32_t offset : {0u, 1u, 0xffffu, static_cast<uint32_t>(random.below(0x10000)), static_cast<uint32_t>(random.below(0x10000))}) {
            const uint32_t a = base | segment << 16 | offset;
            if ((a & 0x7fffffffu) != 0) worst.take(op, a);
          }
        }
        for (uint64_t i = 0; i < scaled(200); ++i) {
          const uint32_t a = base | static_cast<uint32_t>(random.below(0x800000));
          if ((a & 0x7fffffffu) != 0) worst.take(op, a);
        }
      }
    }
    // log2 close to one, where its result crosses zero.
    for (uint32_t i = 1; i < 20000; ++i) {
      worst.take(op, 0x3f800000u + i);
      worst.take(op, 0x3f800000u - i);
    }
    std::printf("%-5s worst error %.4f ulp at %08x\n", kNames[k], worst.ulp, worst.at);
    CHECK(worst.ulp <= kBoundUlp);
    CHECK(worst.ulp > 0.4);  // a measurement that finds nothing would be broken
  }
}

TEST_CASE("SFU: special and exact cases") {
  const uint32_t inf = kInfinity32;
  const uint32_t minus = 0x80000000u;
  for (uint32_t nan : {0x7f800001u, 0x7fc00000u, 0xffffffffu, 0xff800001u}) {
    for (int k = 0; k < 4; ++k) CHECK(sfu(static_cast<SfuOp>(k), nan).bits == kNan32);
  }
  CHECK(sfu(SfuOp::kExp2, inf).bits == inf);
  CHECK(sfu(SfuOp::kExp2, inf).saturated == false);
  CHECK(sfu(SfuOp::kExp2, minus | inf).bits == 0u);
  CHECK(sfu(SfuOp::kExp2, 0u).bits == 0x3f800000u);
  CHECK(sfu(SfuOp::kExp2, minus).bits == 0x3f800000u);
  CHECK(sfu(SfuOp::kExp2, 0x43000000u).bits == inf);  // 128
  CHECK(sfu(SfuOp::kExp2, 0x43000000u).saturated);
  CHECK(sfu(SfuOp::kExp2, 0xc3150000u).bits == 1u);         // -149
  CHECK(sfu(SfuOp::kExp2, 0xc3160000u).bits == 0u);         // -150: the tie goes to even
  CHECK(sfu(SfuOp::kLog2, 0u).bits == (minus | inf));
  CHECK(sfu(SfuOp::kLog2, minus).bits == (minus | inf));
  CHECK(sfu(SfuOp::kLog2, 0u).saturated == false);
  CHECK(sfu(SfuOp::kLog2, 0xbf800000u).bits == kNan32);
  CHECK(sfu(SfuOp::kLog2, 0x80000001u).bits == kNan32);
  CHECK(sfu(SfuOp::kLog2, minus | inf).bits == kNan32);
  CHECK(sfu(SfuOp::kLog2, inf).bits == inf);
  CHECK(sfu(SfuOp::kLog2, 1u).bits == to_bits(-149.0f));
  CHECK(sfu(SfuOp::kRcp, 0u).bits == inf);
  CHECK(sfu(SfuOp::kRcp, minus).bits == (minus | inf));
  CHECK(sfu(SfuOp::kRcp, 0u).saturated == false);
  CHECK(sfu(SfuOp::kRcp, inf).bits == 0u);
  CHECK(sfu(SfuOp::kRcp, minus | inf).bits == minus);
  CHECK(sfu(SfuOp::kRcp, 1u).bits == inf);
  CHECK(sfu(SfuOp::kRcp, 1u).saturated);
  CHECK(sfu(SfuOp::kRsqrt, 0u).bits == inf);
  CHECK(sfu(SfuOp::kRsqrt, minus).bits == (minus | inf));
  CHECK(sfu(SfuOp::kRsqrt, 0xbf800000u).bits == kNan32);
  CHECK(sfu(SfuOp::kRsqrt, minus | inf).bits == kNan32);
  CHECK(sfu(SfuOp::kRsqrt, inf).bits == 0u);
  for (int e = -149; e < 128; ++e) {
    const uint32_t power = to_bits(static_cast<float>(std::ldexp(1.0, e)));
    CHECK(sfu(SfuOp::kExp2, to_bits(static_cast<float>(e))).bits == power);
    CHECK(sfu(SfuOp::kLog2, power).bits == to_bits(static_cast<float>(e)));
    if (e > -128) CHECK(sfu(SfuOp::kRcp, power).bits == to_bits(static_cast<float>(std::ldexp(1.0, -e))));
    if (e % 2 == 0) CHECK(sfu(SfuOp::kRsqrt, power).bits == to_bits(static_cast<float>(std::ldexp(1.0, -e / 2))));
  }
  // Formats: a binary16 result is the binary32 one rounded again; overflow there counts.
  CHECK(sfu_element(SfuOp::kExp2, 16, 16, 0x4c00u).bits == kInfinity16);  // 2^16
  CHECK(sfu_element(SfuOp::kExp2, 16, 16, 0x4c00u).saturated);
  CHECK(sfu_element(SfuOp::kRcp, 16, 16, 0u).saturated == false);
  CHECK(sfu_element(SfuOp::kRcp, 16, 32, 0x4200u).bits == sfu(SfuOp::kRcp, to_bits(3.0f)).bits);
}

TEST_CASE("SFU: every significand of a binade", "[.full]") {
  for (int k = 0; k < 4; ++k) {
    const SfuOp op = static_cast<SfuOp>(k);
    Worst worst;
    for (uint32_t binade : {0x3f000000u, 0x3f800000u, 0x40000000u}) {
      for (uint32_t i = 0; i < 0x800000u; ++i) worst.take(op, binade + i);
    }
    std::printf("%-5s worst error %.4f ulp at %08x\n", kNames[k], worst.ulp, worst.at);
    CHECK(worst.ulp <= kBoundUlp);
  }
}
