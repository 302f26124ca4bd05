// Generated from configs/spec/numbers.yaml by scripts/gen; do not edit.
#pragma once

#include <cstdint>

namespace waferloom::macros {

// Operations of wl_lanes.
enum class LaneOp : uint8_t {
  kMove = 0,  // y = a; equal formats copy bits, else convert
  kAdd = 1,  // y = a + b
  kSub = 2,  // y = a - b
  kMul = 3,  // y = a * b
  kFma = 4,  // y = a * b + c, fused
  kMax = 5,  // y = maximum(a, b)
  kMin = 6,  // y = minimum(a, b)
  kSel = 7,  // y = a > 0 ? b : c (NaN takes c); equal formats copy bits, else convert
  kLt = 8,  // y = a < b ? 1 : 0, an integer; 0 if either is NaN
  kLe = 9,  // y = a <= b ? 1 : 0, an integer; 0 if either is NaN
  kEq = 10,  // y = a == b ? 1 : 0, an integer; 0 if either is NaN
  kItof = 11,  // y = float(integer a)
  kFtoi = 12,  // y = integer(a), toward zero, saturating to y's width, NaN gives 0
  kIadd = 16,  // y = a + b, integers of y's width (16-bit operands sign-extend, 32-bit ones truncate)
  kIsub = 17,  // y = a - b, integers of y's width
  kSll = 18,  // y = a << (b modulo y's width)
  kSrl = 19,  // y = a >> (b modulo y's width), zeros enter
  kSra = 20,  // y = a >> (b modulo y's width), the sign enters
  kAnd = 21,  // y = a & b
  kOr = 22,  // y = a | b
  kXor = 23,  // y = a ^ b
};

// Operations of wl_acc.
enum class AccOp : uint8_t {
  kProduct = 0,  // acc[k] = a[j] * b[j] + acc[k], fused, in f32
  kSum = 1,  // acc[k] = acc[k] + a[j], in f32
  kMax = 2,  // acc[k] = maximum(acc[k], a[j])
  kMin = 3,  // acc[k] = minimum(acc[k], a[j])
  kResultSum = 4,  // y = balanced tree of sums over the accumulators in index order
  kResultMax = 5,  // y = maximum over the accumulators
  kResultMin = 6,  // y = minimum over the accumulators
  kClear = 7,  // acc[k] = +0
};

// Operations of wl_sfu.
enum class SfuOp : uint8_t {
  kExp2 = 0,  // y = 2 ** a
  kLog2 = 1,  // y = log2(a); -inf for a zero, NaN below zero
  kRcp = 2,  // y = 1 / a; a zero gives the infinity of its sign
  kRsqrt = 3,  // y = 1 / sqrt(a); a zero gives the infinity of its sign, NaN below zero
};

}  // namespace waferloom::macros
