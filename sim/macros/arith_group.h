#pragma once
// One edge of wl_lanes and of wl_acc: groups of elements over S = 2, 4 or 8 binary16 lanes.
//
// Layout of a group of 16 * S bits. Narrow (all formats 16-bit): S elements, element k in bits 16k+15..16k. Wide (any format
// 32-bit): S/2 elements, element k in the 32-bit container at bits 32k+31..32k; a 16-bit operand lies in the low half of its
// container (the high half is ignored), a 16-bit result too (the high half is zero).
// A product with a 32-bit factor (mul, fma; product of wl_acc) needs the one wide multiplier, itof and ftoi the one converter:
// only element 0 is computed, the other results are zero.
#include <cstdint>

#include "sim/generated/macro_ops.h"
#include "sim/macros/arith.h"
#include "sim/macros/arith_sfu.h"

namespace waferloom::macros {

// True where a format is 32-bit. As the macro's port fmt_i: bit 0 a, bit 1 b, bit 2 c, bit 3 y.
struct Formats {
  bool a = false;
  bool b = false;
  bool c = false;
  bool y = false;
  constexpr bool wide() const { return a || b || c || y; }
  static constexpr Formats from_port(uint32_t fmt) {
    return {(fmt & 1u) != 0, (fmt & 2u) != 0, (fmt & 4u) != 0, (fmt & 8u) != 0};
  }
};

// Only element 0 of such a group is computed.
constexpr bool is_serial(LaneOp op, Formats f) {
  return ((op == LaneOp::kMul || op == LaneOp::kFma) && (f.a || f.b)) || op == LaneOp::kItof || op == LaneOp::kFtoi;
}

namespace detail {

inline uint32_t widen(uint32_t bits, bool is32) { return is32 ? bits : half_to_single(static_cast<uint16_t>(bits)); }

// A binary32 result in format y; saturated if it or its narrowing overflowed and `finite` operands.
inline Result narrow_result(uint32_t bits, bool y32, bool finite) {
  if (y32) return {bits, is_infinite32(bits) && finite};
  const uint16_t half = single_to_half(bits);
  return {half, is_infinite16(half) && finite};
}

// A copied operand in format y: equal formats keep their bits.
inline Result moved(uint32_t bits, bool from32, bool y32) {
  if (from32 == y32) return {y32 ? bits : bits & 0xffffu, false};
  const uint32_t wide = widen(bits, from32);
  return narrow_result(wide, y32, is_finite32(wide));
}

inline uint32_t integer(uint32_t bits, bool is32) {
  return is32 ? bits : static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(bits)));
}

inline uint32_t integer_op(LaneOp op, Formats f, uint32_t a_bits, uint32_t b_bits) {
  const uint32_t a = integer(a_bits, f.a);
  const uint32_t b = integer(b_bits, f.b);
  const uint32_t mask = f.y ? 0xffffffffu : 0xffffu;
  const uint32_t amount = b & (f.y ? 31u : 15u);
  switch (op) {
    case LaneOp::kIadd: return (a + b) & mask;
    case LaneOp::kIsub: return (a - b) & mask;
    case LaneOp::kSll: return (a << amount) & mask;
    case LaneOp::kSrl: return (a & mask) >> amount;
    case LaneOp::kSra: return static_cast<uint32_t>(static_cast<int32_t>(integer(a, f.y)) >> amount) & mask;
    case LaneOp::kAnd: return a & b & mask;
    case LaneOp::kOr: return (a | b) & mask;
    default: return (a ^ b) & mask;
  }
}

}  // namespace detail

// One element in the low bits of a, b, c: the result in format y (16-bit results in the low half).
inline Result lane_element(LaneOp op, Formats f, uint32_t a, uint32_t b, uint32_t c) {
  using namespace detail;
  switch (op) {
    case LaneOp::kMove: return moved(a, f.a, f.y);
    case LaneOp::kSel:
      return positive32(widen(a, f.a)) ? moved(b, f.b, f.y) : moved(c, f.c, f.y);
    case LaneOp::kItof: {
      return narrow_result(int_to_single(static_cast<int32_t>(integer(a, f.a))), f.y, true);
    }
    case LaneOp::kFtoi: {
      const int32_t value = single_to_int(widen(a, f.a), f.y ? 32 : 16);
      return {static_cast<uint32_t>(value) & (f.y ? 0xffffffffu : 0xffffu), false};
    }
    case LaneOp::kIadd: case LaneOp::kIsub: case LaneOp::kSll: case LaneOp::kSrl: case LaneOp::kSra:
    case LaneOp::kAnd: case LaneOp::kOr: case LaneOp::kXor:
      return {integer_op(op, f, a, b), false};
    default: break;
  }
  const uint32_t x = widen(a, f.a);
  const uint32_t y = widen(b, f.b);
  const bool finite = is_finite32(x) && is_finite32(y);
  switch (op) {
    case LaneOp::kAdd: return narrow_result(add32(x, y), f.y, finite);
    case LaneOp::kSub: return narrow_result(sub32(x, y), f.y, finite);
    case LaneOp::kMul: return narrow_result(mul32(x, y), f.y, finite);
    case LaneOp::kFma: {
      const uint32_t z = widen(c, f.c);
      if (!f.wide()) {
        const uint16_t half = fma16(static_cast<uint16_t>(a), static_cast<uint16_t>(b), static_cast<uint16_t>(c));
        return {half, finite && is_finite32(z) && is_infinite16(half)};
      }
      // Two binary16 factors have an exact product: one addition. Else the host's fused operation.
      const uint32_t sum = !f.a && !f.b ? add32(mul32(x, y), z) : fma32(x, y, z);
      return narrow_result(sum, f.y, finite && is_finite32(z));
    }
    case LaneOp::kMax: return narrow_result(max32(x, y), f.y, finite);
    case LaneOp::kMin: return narrow_result(min32(x, y), f.y, finite);
    case LaneOp::kLt: return {less32(x, y) ? 1u : 0u, false};
    case LaneOp::kLe: return {less_equal32(x, y) ? 1u : 0u, false};
    case LaneOp::kEq: return {equal32(x, y) ? 1u : 0u, false};
    default: return {0u, false};
  }
}

// A group of up to 8 lanes: 16-bit element k in w[k / 4], 32-bit container k in w[k / 2].
struct Group {
  uint64_t w[2] = {0, 0};

  uint32_t element(bool wide, int k) const {
    return wide ? static_cast<uint32_t>(w[k >> 1] >> (32 * (k & 1))) : static_cast<uint32_t>(w[k >> 2] >> (16 * (k & 3))) & 0xffffu;
  }
  // Requires that the element is zero so far.
  void put(bool wide, int k, uint32_t bits) {
    if (wide) {
      w[k >> 1] |= static_cast<uint64_t>(bits) << (32 * (k & 1));
    } else {
      w[k >> 2] |= static_cast<uint64_t>(bits & 0xffffu) << (16 * (k & 3));
    }
  }
};

struct GroupResult {
  Group y;
  uint32_t saturated = 0;  // how many elements
};

namespace detail {

// Elements 0 to count - 1 with an operation (and, in the callers that matter for speed, formats) known to the compiler.
template <typename Element>
inline GroupResult for_each_element(bool wide, int count, uint32_t mask, const Group& a, const Group& b, const Group& c,
                                    const Element& element) {
  GroupResult out;
  for (int k = 0; k < count; ++k) {
    if (((mask >> k) & 1u) == 0) continue;
    const Result r = element(a.element(wide, k), b.element(wide, k), c.element(wide, k));
    out.y.put(wide, k, r.bits);
    out.saturated += r.saturated ? 1u : 0u;
  }
  return out;
}

}  // namespace detail

// One edge of wl_lanes. Bit k of `mask` enables element k; the others give zero and never saturate.
inline GroupResult lane_group(LaneOp op, Formats f, int lanes, uint32_t mask, const Group& a, const Group& b, const Group& c) {
  using detail::for_each_element;
  // The two that training spends its time in: products of binary16 summed in binary32, and binary16 throughout.
  constexpr Formats kNarrow{};
  constexpr Formats kMixed{false, false, true, true};
  if (op == LaneOp::kFma && !f.a && !f.b && f.c && f.y) {
    return for_each_element(true, lanes / 2, mask, a, b, c, [](uint32_t x, uint32_t y, uint32_t z) {
      return lane_element(LaneOp::kFma, kMixed, x, y, z);
    });
  }
  if (op == LaneOp::kFma && !f.wide()) {
    return for_each_element(false, lanes, mask, a, b, c, [](uint32_t x, uint32_t y, uint32_t z) {
      return lane_element(LaneOp::kFma, kNarrow, x, y, z);
    });
  }
  const int count = is_serial(op, f) ? 1 : f.wide() ? lanes / 2 : lanes;
  return for_each_element(f.wide(), count, mask, a, b, c,
                          [op, f](uint32_t x, uint32_t y, uint32_t z) { return lane_element(op, f, x, y, z); });
}

// ---- running reductions -------------------------------------------------------------------------------------------

// The state of wl_acc: S/2 binary32 accumulators (those beyond are unused).
struct Accumulators {
  uint32_t acc[4] = {0, 0, 0, 0};
};

// What an accumulation starts from.
constexpr uint32_t acc_identity(AccOp op) {
  return op == AccOp::kMax ? 0xff800000u : op == AccOp::kMin ? 0x7f800000u : 0u;
}

// Balanced tree in index order: (acc0 + acc1) + (acc2 + acc3). Each addition that overflows counts once.
inline Result acc_result(AccOp op, int lanes, const Accumulators& s, uint32_t* saturated) {
  uint32_t v[4] = {s.acc[0], s.acc[1], s.acc[2], s.acc[3]};
  *saturated = 0;
  for (int n = lanes / 2; n > 1; n /= 2) {
    for (int k = 0; k < n / 2; ++k) {
      const uint32_t p = v[2 * k];
      const uint32_t q = v[2 * k + 1];
      v[k] = op == AccOp::kResultSum ? add32(p, q) : op == AccOp::kResultMax ? max32(p, q) : min32(p, q);
      *saturated += is_finite32(p) && is_finite32(q) && is_infinite32(v[k]) ? 1u : 0u;
    }
  }
  return {v[0], *saturated != 0};
}

// One edge of wl_acc. a and b hold S/2 containers; bit k of `mask` enables element k, which goes to accumulator
// (start + k) mod S/2. `first` starts every accumulator, enabled or not, from the operation's identity. If a factor of a product
// is 32-bit (a32, b32), only element 0 is taken. A result goes to *y, which other operations leave alone.
// Returns how many of the edge's additions overflowed from finite operands.
inline uint32_t acc_step(AccOp op, bool first, bool a32, bool b32, int lanes, uint32_t mask, int start, const Group& a,
                         const Group& b, Accumulators* s, uint32_t* y) {
  uint32_t saturated = 0;
  const int count = lanes / 2;
  switch (op) {
    case AccOp::kResultSum: case AccOp::kResultMax: case AccOp::kResultMin:
      *y = acc_result(op, lanes, *s, &saturated).bits;
      return saturated;
    case AccOp::kClear:
      for (int k = 0; k < count; ++k) s->acc[k] = 0;
      return 0;
    default: break;
  }
  if (first) {
    for (int k = 0; k < count; ++k) s->acc[k] = acc_identity(op);
  }
  const bool serial = op == AccOp::kProduct && (a32 || b32);
  for (int k = 0; k < (serial ? 1 : count); ++k) {
    if (((mask >> k) & 1u) == 0) continue;
    uint32_t& acc = s->acc[(start + k) & (count - 1)];
    const uint32_t before = acc;
    const uint32_t x = detail::widen(a.element(true, k), a32);
    if (op == AccOp::kMax) {
      acc = max32(before, x);
    } else if (op == AccOp::kMin) {
      acc = min32(before, x);
    } else if (op == AccOp::kSum) {
      acc = add32(before, x);
      saturated += is_finite32(before) && is_finite32(x) && is_infinite32(acc) ? 1u : 0u;
    } else {
      const uint32_t z = detail::widen(b.element(true, k), b32);
      acc = serial ? fma32(x, z, before) : add32(mul32(x, z), before);
      saturated += is_finite32(before) && is_finite32(x) && is_finite32(z) && is_infinite32(acc) ? 1u : 0u;
    }
  }
  return saturated;
}

}  // namespace waferloom::macros
