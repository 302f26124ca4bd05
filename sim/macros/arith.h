#pragma once
// Exact host arithmetic of the machine: binary16 and binary32, bit for bit what the arithmetic macros in rtl/macros compute.
// Used by the fast views, by the golden model and by tests. Pure functions, no state, safe from any thread.
//
// Values travel as bit patterns (uint16_t, uint32_t). Requires the host's default floating-point environment: rounding to
// nearest even, subnormals kept (never build users of this header with -ffast-math or -Ofast; the guard below refuses it).
// Every arithmetic result that is not a number is the canonical NaN. The rules and the meaning of each operation:
// configs/spec/numbers.yaml. The special functions are in arith_sfu.h, groups of lanes and accumulators in arith_group.h.
#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __FAST_MATH__
#error "arith.h is exact arithmetic: do not compile it with -ffast-math"
#endif

namespace waferloom::macros {

inline constexpr uint16_t kNan16 = 0x7e00;
inline constexpr uint32_t kNan32 = 0x7fc00000;
inline constexpr uint16_t kInfinity16 = 0x7c00;
inline constexpr uint32_t kInfinity32 = 0x7f800000;

// ---- bit patterns -------------------------------------------------------------------------------------------------

inline float to_float(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline uint32_t to_bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline uint64_t to_bits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline bool is_nan16(uint16_t a) { return (a & 0x7fffu) > kInfinity16; }
inline bool is_nan32(uint32_t a) { return (a & 0x7fffffffu) > kInfinity32; }
inline bool is_infinite16(uint16_t a) { return (a & 0x7fffu) == kInfinity16; }
inline bool is_infinite32(uint32_t a) { return (a & 0x7fffffffu) == kInfinity32; }
inline bool is_finite16(uint16_t a) { return (a & 0x7fffu) < kInfinity16; }
inline bool is_finite32(uint32_t a) { return (a & 0x7fffffffu) < kInfinity32; }
inline bool is_zero16(uint16_t a) { return (a & 0x7fffu) == 0; }  // both signs
inline bool is_zero32(uint32_t a) { return (a & 0x7fffffffu) == 0; }

// The bits of a host float, with a NaN made canonical.
inline uint32_t canonical32(float value) { return value != value ? kNan32 : to_bits(value); }

// ---- conversions --------------------------------------------------------------------------------------------------

// binary16 to binary32: exact; a NaN becomes canonical.
inline uint32_t half_to_single(uint16_t a) {
  const uint32_t sign = static_cast<uint32_t>(a & 0x8000u) << 16;
  const uint32_t magnitude = a & 0x7fffu;
  if (magnitude >= kInfinity16) return magnitude > kInfinity16 ? kNan32 : sign | kInfinity32;
  // As a binary32 pattern the shifted fields are the value times 2**-112, subnormals included; the product is exact.
  return sign | to_bits(to_float(magnitude << 13) * 0x1p112f);
}

// binary64 to binary16, rounded once to nearest even; a NaN becomes canonical, what is too large an infinity.
inline uint16_t double_to_half(double value) {
  const uint64_t bits = to_bits(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 48) & 0x8000u);
  const uint64_t magnitude = bits & 0x7fffffffffffffffull;
  if (magnitude >= 0x40effe0000000000ull) {  // 65520, the midpoint above the largest finite value, and beyond
    return magnitude > 0x7ff0000000000000ull ? kNan16 : static_cast<uint16_t>(sign | kInfinity16);
  }
  if (magnitude >= 0x3f10000000000000ull) {  // 2**-14: normal
    const uint64_t rebased = magnitude - (static_cast<uint64_t>(1023 - 15) << 52);
    const uint64_t rounded = rebased + 0x1ffffffffffull + ((rebased >> 42) & 1u);
    return static_cast<uint16_t>(sign | (rounded >> 42));
  }
  // Subnormal: adding 2**28 leaves 2**-24 as the unit in the last place, so the addition itself rounds, once.
  double absolute;
  std::memcpy(&absolute, &magnitude, sizeof absolute);
  return static_cast<uint16_t>(sign | (to_bits(absolute + 0x1p28) & 0xffffu));
}

// binary32 to binary16, rounded once to nearest even. As double_to_half, from the narrower format.
inline uint16_t single_to_half(uint32_t a) {
  const uint32_t sign = (a >> 16) & 0x8000u;
  const uint32_t magnitude = a & 0x7fffffffu;
  if (magnitude >= 0x477ff000u) return magnitude > kInfinity32 ? kNan16 : static_cast<uint16_t>(sign | kInfinity16);
  if (magnitude >= 0x38800000u) {
    const uint32_t rebased = magnitude - (static_cast<uint32_t>(127 - 15) << 23);
    return static_cast<uint16_t>(sign | ((rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13));
  }
  return static_cast<uint16_t>(sign | (to_bits(to_float(magnitude) + 0.5f) & 0xffffu));  // unit in the last place 2**-24
}

// 32-bit integer to binary32, rounded to nearest even.
inline uint32_t int_to_single(int32_t a) { return to_bits(static_cast<float>(a)); }

// binary32 to an integer of `bits` (16 or 32) bits: toward zero, saturating, NaN gives 0. The 16-bit result is sign-extended.
inline int32_t single_to_int(uint32_t a, int bits) {
  if (is_nan32(a)) return 0;
  const double low = bits == 16 ? -32768.0 : -2147483648.0;
  const double high = bits == 16 ? 32767.0 : 2147483647.0;
  const double value = static_cast<double>(to_float(a));
  if (value <= low) return static_cast<int32_t>(low);
  if (value >= high) return static_cast<int32_t>(high);
  return static_cast<int32_t>(value);
}

// ---- binary32 -----------------------------------------------------------------------------------------------------

inline uint32_t add32(uint32_t a, uint32_t b) { return canonical32(to_float(a) + to_float(b)); }
inline uint32_t sub32(uint32_t a, uint32_t b) { return canonical32(to_float(a) - to_float(b)); }
inline uint32_t mul32(uint32_t a, uint32_t b) { return canonical32(to_float(a) * to_float(b)); }
// a * b + c, one rounding.
inline uint32_t fma32(uint32_t a, uint32_t b, uint32_t c) {
  return canonical32(std::fma(to_float(a), to_float(b), to_float(c)));
}

// Sign-magnitude to a two's complement order in which -0 < +0. Not for NaN.
inline int32_t order32(uint32_t a) {
  return static_cast<int32_t>(a ^ (static_cast<uint32_t>(static_cast<int32_t>(a) >> 31) & 0x7fffffffu));
}
inline uint32_t max32(uint32_t a, uint32_t b) {
  if (is_nan32(a) || is_nan32(b)) return kNan32;
  return order32(a) > order32(b) ? a : b;
}
inline uint32_t min32(uint32_t a, uint32_t b) {
  if (is_nan32(a) || is_nan32(b)) return kNan32;
  return order32(a) < order32(b) ? a : b;
}
inline bool less32(uint32_t a, uint32_t b) { return to_float(a) < to_float(b); }
inline bool less_equal32(uint32_t a, uint32_t b) { return to_float(a) <= to_float(b); }
inline bool equal32(uint32_t a, uint32_t b) { return to_float(a) == to_float(b); }
inline bool positive32(uint32_t a) { return to_float(a) > 0.0f; }  // NaN is not

// ---- binary16, one rounding each ----------------------------------------------------------------------------------

// Sums and products of two binary16 rounded first to binary32 and then to binary16 equal the singly rounded ones, since
// 24 >= 2 * 11 + 2; products are exact in binary32 anyway.
inline uint16_t add16(uint16_t a, uint16_t b) { return single_to_half(add32(half_to_single(a), half_to_single(b))); }
inline uint16_t sub16(uint16_t a, uint16_t b) { return single_to_half(sub32(half_to_single(a), half_to_single(b))); }
inline uint16_t mul16(uint16_t a, uint16_t b) { return single_to_half(mul32(half_to_single(a), half_to_single(b))); }

// a * b + c, one rounding. The product is exact in binary64. The sum is inexact there only when one addend is so small that
// it lies below half an ulp of the other, by more than the distance of the other from any binary16 midpoint or value.
inline uint16_t fma16(uint16_t a, uint16_t b, uint16_t c) {
  const double product = static_cast<double>(to_float(half_to_single(a))) * static_cast<double>(to_float(half_to_single(b)));
  return double_to_half(product + static_cast<double>(to_float(half_to_single(c))));
}

inline uint16_t max16(uint16_t a, uint16_t b) { return single_to_half(max32(half_to_single(a), half_to_single(b))); }
inline uint16_t min16(uint16_t a, uint16_t b) { return single_to_half(min32(half_to_single(a), half_to_single(b))); }

}  // namespace waferloom::macros
