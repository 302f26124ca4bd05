#pragma once
// The special functions, defined bit for bit by integer arithmetic: range reduction, one quadratic per segment of 1/128
// (sim/generated/sfu_table.h), one rounding to nearest even. rtl/macros/wl_sfu_core.sv is the same, as logic.
// Within 0.75 ulp of the true value over the whole range (measured by testbenches/unit/macros/sfu_test.cpp: exp2 0.60, log2 0.61,
// rcp 0.75, rsqrt 0.59; below the normal range in units of 2**-149). exp2 of integers, log2 of powers of two, rcp of powers of two
// and rsqrt of powers of four are exact.
#include <cstdint>

#include "sim/generated/macro_ops.h"
#include "sim/generated/sfu_table.h"
#include "sim/macros/arith.h"

namespace waferloom::macros {

// A result and whether it overflowed from a finite operand (the pole at zero of log2, rcp, rsqrt is not an overflow).
struct Result {
  uint32_t bits;
  bool saturated;
};

namespace sfu_detail {

// Value of a segment polynomial in units of 2**-32; dx in units of 2**-20 of the segment.
inline int64_t interpolate(int row, int64_t dx) {
  const SfuRow& r = kSfuTable[row];
  const int64_t slope = r.c1 + ((r.c2 * dx) >> 20);
  return r.c0 + ((slope * dx) >> 20);
}

// magnitude * 2**exponent as binary32, rounded to nearest even, subnormals kept.
inline uint32_t round_pack(uint32_t sign, uint64_t magnitude, int exponent) {
  if (magnitude == 0) return sign;
  const int leading = __builtin_clzll(magnitude);
  magnitude <<= leading;                       // bit 63 set
  int biased = exponent - leading + 63 + 127;  // exponent field if normal
  if (biased >= 255) return sign | kInfinity32;
  int shift = 40;  // leaves 24 bits
  if (biased < 1) {
    shift += 1 - biased;
    biased = 1;
  }
  if (shift > 65) return sign;
  const uint64_t kept = shift >= 64 ? 0 : magnitude >> shift;
  const uint64_t half = shift > 64 ? 0 : (magnitude >> (shift - 1)) & 1u;
  const bool sticky = shift > 64 || (magnitude & ((1ull << (shift - 1)) - 1)) != 0;
  const uint64_t rounded = kept + ((half && (sticky || (kept & 1u))) ? 1u : 0u);
  // A carry out of the fraction moves into the exponent field by itself, from subnormal to normal and from normal to infinity.
  return sign | static_cast<uint32_t>((static_cast<uint64_t>(biased - 1) << 23) + rounded);
}

}  // namespace sfu_detail

// The function `op` of the binary32 `a`.
inline Result sfu(SfuOp op, uint32_t a) {
  using sfu_detail::interpolate;
  using sfu_detail::round_pack;
  const uint32_t sign = a & 0x80000000u;
  const uint32_t magnitude = a & 0x7fffffffu;
  if (magnitude > kInfinity32) return {kNan32, false};
  const bool infinite = magnitude == kInfinity32;
  const bool zero = magnitude == 0;
  switch (op) {
    case SfuOp::kExp2:
      if (infinite) return {sign ? 0u : kInfinity32, false};
      break;
    case SfuOp::kLog2:
      if (zero) return {0x80000000u | kInfinity32, false};
      if (sign) return {kNan32, false};
      if (infinite) return {kInfinity32, false};
      break;
    case SfuOp::kRcp:
      if (zero) return {sign | kInfinity32, false};
      if (infinite) return {sign, false};
      break;
    case SfuOp::kRsqrt:
      if (zero) return {sign | kInfinity32, false};
      if (sign) return {kNan32, false};
      if (infinite) return {0u, false};
      break;
  }

  // a = significand * 2**(exponent - 23), bit 23 of the significand set (a zero stays zero: only exp2 gets here with one).
  uint32_t significand = magnitude & 0x7fffffu;
  int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent == -127) {
    const int shift = zero ? 0 : __builtin_clz(significand) - 8;
    significand <<= shift;
    exponent = -126 - shift;
  } else {
    significand |= 0x800000u;
  }
  const uint32_t fraction = significand & 0x7fffffu;
  const int row = static_cast<int>(fraction >> 16);
  const int64_t dx = static_cast<int64_t>(fraction & 0xffffu) << 4;

  uint32_t bits = 0;
  switch (op) {
    case SfuOp::kExp2: {
      if (exponent >= 8) {
        bits = sign ? 0u : kInfinity32;
        break;
      }
      // Fixed point with 27 fraction bits, rounded down.
      const int left = exponent + 4;
      int64_t fixed = sign ? -static_cast<int64_t>(significand) : static_cast<int64_t>(significand);
      fixed = left >= 0 ? fixed * (int64_t{1} << left) : fixed >> (left < -31 ? 31 : -left);
      const int whole = static_cast<int>(fixed >> 27);
      const int segment = static_cast<int>((fixed >> 20) & 0x7f);
      bits = round_pack(0, static_cast<uint64_t>(interpolate(kSfuExp2Base + segment, fixed & 0xfffff)), whole - 32);
      break;
    }
    case SfuOp::kLog2: {
      // Significand in [0.75, 1.5) so that one side of 1 does not cancel; t is it less one, in units of 2**-24.
      const bool upper = fraction >= 0x400000u;
      const int64_t t = upper ? static_cast<int64_t>(significand) - (int64_t{1} << 24) : static_cast<int64_t>(fraction) << 1;
      const int64_t whole = exponent + (upper ? 1 : 0);
      const int64_t position = t + (int64_t{1} << 22);
      const int64_t slope = interpolate(kSfuLog2Base + static_cast<int>(position >> 17), (position & 0x1ffff) << 3);
      const int64_t sum = whole * (int64_t{1} << 52) + ((t * slope) >> 4);
      bits = sum < 0 ? round_pack(0x80000000u, static_cast<uint64_t>(-sum), -52)
                     : round_pack(0, static_cast<uint64_t>(sum), -52);
      break;
    }
    case SfuOp::kRcp:
      bits = round_pack(sign, static_cast<uint64_t>(interpolate(kSfuRcpBase + row, dx)), -32 - exponent);
      break;
    case SfuOp::kRsqrt: {
      const int base = (exponent & 1) ? kSfuRsqrtOddBase : kSfuRsqrtEvenBase;
      bits = round_pack(0, static_cast<uint64_t>(interpolate(base + row, dx)), -32 - (exponent >> 1));
      break;
    }
  }
  return {bits, is_infinite32(bits)};
}

// With formats: the operand (16-bit in the low half if `operand_bits` is 16) widens exactly, the binary32 result is rounded
// again if `result_bits` is 16.
inline Result sfu_element(SfuOp op, int operand_bits, int result_bits, uint32_t a) {
  const uint32_t operand = operand_bits == 16 ? half_to_single(static_cast<uint16_t>(a)) : a;
  Result result = sfu(op, operand);
  if (result_bits == 16) {
    const bool was_finite = is_finite32(result.bits);
    result.bits = single_to_half(result.bits);
    result.saturated = result.saturated || (was_finite && is_infinite16(static_cast<uint16_t>(result.bits)));
  }
  return result;
}

}  // namespace waferloom::macros
