#pragma once
// Exact arithmetic that shares nothing with sim/macros: values are integers (binary16: units of 2^-48 in 128 bits; binary32: units of
// 2^-298 in a long integer), results are found by comparing integers. Slow and simple.
#include <array>
#include <cstddef>
#include <cstdint>

namespace waferloom::macros_test {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

// ---- binary16 -----------------------------------------------------------------------------------------------------

// A finite binary16 in units of 2^-24.
inline int64_t units16(uint16_t h) {
  const int exponent = (h >> 10) & 31;
  const int64_t fraction = h & 0x3ff;
  const int64_t magnitude = exponent == 0 ? fraction : (fraction | 0x400) << (exponent - 1);
  return (h & 0x8000) != 0 ? -magnitude : magnitude;
}

// Twice the midpoint between the finite magnitudes h and h + 1 in units of 2^-24 (the one above 65504 counts as if 65536 were next).
inline int64_t double_midpoint16(uint16_t h) {
  const int64_t next = h == 0x7bff ? int64_t{1} << 40 : units16(static_cast<uint16_t>(h + 1));
  return units16(h) + next;
}

// Magnitude pattern (0 to 0x7c00) of value = v * 2^-shift in units of 2^-24, nearest even; v >= 0.
inline uint16_t nearest16(Int128 v, int shift) {
  uint16_t low = 0, high = 0x7c00;  // smallest pattern whose upper midpoint is not below the value
  while (low < high) {
    const uint16_t middle = static_cast<uint16_t>((low + high) / 2);
    const Int128 midpoint = static_cast<Int128>(double_midpoint16(middle)) << shift;  // twice, as v below
    const bool above = 2 * v > midpoint || (2 * v == midpoint && (middle & 1) != 0);
    if (above) {
      low = static_cast<uint16_t>(middle + 1);
    } else {
      high = middle;
    }
  }
  return low;
}

// a * b + c of any patterns by the rules of IEEE 754, rounded once.
inline uint16_t exact_fma16(uint16_t a, uint16_t b, uint16_t c) {
  const auto special = [](uint16_t h) { return (h & 0x7c00) == 0x7c00; };
  const auto nan = [](uint16_t h) { return (h & 0x7fff) > 0x7c00; };
  const auto zero = [](uint16_t h) { return (h & 0x7fff) == 0; };
  const uint16_t sign = (a ^ b) & 0x8000;
  if (nan(a) || nan(b) || nan(c) || (special(a) && zero(b)) || (zero(a) && special(b))) return 0x7e00;
  if (special(a) || special(b)) return special(c) && (c & 0x8000) != sign ? 0x7e00 : static_cast<uint16_t>(sign | 0x7c00);
  if (special(c)) return c;
  const Int128 sum = static_cast<Int128>(units16(a)) * units16(b) + (static_cast<Int128>(units16(c)) << 24);
  if (sum == 0) {
    const bool product_zero = zero(a) || zero(b);
    return product_zero && zero(c) && sign == (c & 0x8000) ? sign : 0;
  }
  return static_cast<uint16_t>((sum < 0 ? 0x8000 : 0) | nearest16(sum < 0 ? -sum : sum, 24));
}

// ---- binary32 -----------------------------------------------------------------------------------------------------

// A signed integer of 640 bits, sign and magnitude; enough for products of binary32 in units of 2^-298.
class Long {
 public:
  static constexpr int kWords = 10;
  std::array<uint64_t, kWords> w{};
  bool negative = false;

  // (magnitude << shift) with a sign; magnitude >= 0.
  static Long from(bool negative, Int128 magnitude, int shift) {
    Long r;
    r.negative = negative;
    const auto word = static_cast<std::size_t>(shift) / 64;
    const int bit = shift % 64;
    const auto low = static_cast<uint64_t>(magnitude);
    const auto high = static_cast<uint64_t>(magnitude >> 64);
    r.w[word] = low << bit;
    r.w[word + 1] = high << bit | (bit > 0 ? low >> (64 - bit) : 0);
    if (word + 2 < kWords) r.w[word + 2] = bit > 0 ? high >> (64 - bit) : 0;
    return r;
  }
  static int compare(const Long& a, const Long& b) {  // magnitudes
    for (int i = kWords - 1; i >= 0; --i) {
      const auto k = static_cast<std::size_t>(i);
      if (a.w[k] != b.w[k]) return a.w[k] < b.w[k] ? -1 : 1;
    }
    return 0;
  }
  bool is_zero() const {
    for (uint64_t x : w) {
      if (x != 0) return false;
    }
    return true;
  }
  friend Long operator+(const Long& a, const Long& b) {
    if (a.negative == b.negative) {
      Long r = a;
      uint64_t carry = 0;
      for (std::size_t i = 0; i < kWords; ++i) {
        const UInt128 t = static_cast<UInt128>(a.w[i]) + b.w[i] + carry;
        r.w[i] = static_cast<uint64_t>(t);
        carry = static_cast<uint64_t>(t >> 64);
      }
      return r;
    }
    const bool larger_a = compare(a, b) >= 0;
    const Long& x = larger_a ? a : b;
    const Long& y = larger_a ? b : a;
    Long r = x;
    uint64_t borrow = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      const UInt128 t = static_cast<UInt128>(x.w[i]) - y.w[i] - borrow;
      r.w[i] = static_cast<uint64_t>(t);
      borrow = static_cast<uint64_t>(t >> 64) & 1;
    }
    return r;
  }
};

// A finite binary32 as magnitude * 2^(shift - 149).
struct Parts32 {
  int64_t magnitude;
  int shift;
};
inline Parts32 parts32(uint32_t f) {
  const int exponent = static_cast<int>((f >> 23) & 255);
  const int64_t fraction = f & 0x7fffff;
  return exponent == 0 ? Parts32{fraction, 0} : Parts32{fraction | 0x800000, exponent - 1};
}

// Nearest even binary32 magnitude (0 to 0x7f800000) of a long in units of 2^-298, by bisection over midpoints.
inline uint32_t nearest32(const Long& value) {
  uint32_t low = 0, high = 0x7f800000;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const Parts32 p = parts32(middle);
    // The midpoint above, in units of 2^-298: (2 * magnitude + 1) half units of the last place.
    const Long midpoint = Long::from(false, 2 * p.magnitude + 1, p.shift + 148);
    const int c = Long::compare(value, midpoint);
    if (c > 0 || (c == 0 && (middle & 1) != 0)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

inline uint32_t exact_fma32(uint32_t a, uint32_t b, uint32_t c) {
  const auto special = [](uint32_t f) { return (f & 0x7f800000) == 0x7f800000; };
  const auto nan = [](uint32_t f) { return (f & 0x7fffffff) > 0x7f800000; };
  const auto zero = [](uint32_t f) { return (f & 0x7fffffff) == 0; };
  const uint32_t sign = (a ^ b) & 0x80000000;
  if (nan(a) || nan(b) || nan(c) || (special(a) && zero(b)) || (zero(a) && special(b))) return 0x7fc00000;
  if (special(a) || special(b)) return special(c) && (c & 0x80000000) != sign ? 0x7fc00000 : sign | 0x7f800000;
  if (special(c)) return c;
  const Parts32 pa = parts32(a);
  const Parts32 pb = parts32(b);
  const Parts32 pc = parts32(c);
  const Long sum = Long::from(sign != 0, static_cast<Int128>(pa.magnitude) * pb.magnitude, pa.shift + pb.shift) +
                   Long::from((c >> 31) != 0, pc.magnitude, pc.shift + 149);
  if (sum.is_zero()) return (zero(a) || zero(b)) && zero(c) && sign == (c & 0x80000000) ? sign : 0;
  return (sum.negative ? 0x80000000 : 0) | nearest32(sum);
}

// Nearest even binary16 pattern of a finite binary32, through the same bisection.
inline uint16_t exact_narrow(uint32_t f) {
  if ((f & 0x7fffffff) > 0x7f800000) return 0x7e00;
  const uint16_t sign = static_cast<uint16_t>(f >> 16) & 0x8000;
  if ((f & 0x7fffffff) == 0x7f800000 || (f & 0x7fffffff) > 0x48000000) return static_cast<uint16_t>(sign | 0x7c00);
  if ((f & 0x7fffffff) < 0x30000000) return sign;  // below 2^-31: far under half of 2^-24
  const Parts32 p = parts32(f);
  // Units of 2^-24: magnitude * 2^(shift - 125); shift >= 95 here, so scale by 2^-40 and keep it an integer.
  return static_cast<uint16_t>(sign | nearest16(static_cast<Int128>(p.magnitude) << (p.shift - 85), 40));
}

}  // namespace waferloom::macros_test
