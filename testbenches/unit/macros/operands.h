#pragma once
// Operands that find mistakes in floating-point hardware: corners, and random patterns whose exponents are often close.
#include <cstdint>
#include <cstring>
#include <vector>

#include "testbenches/lib/bench.h"

namespace waferloom::macros_test {

inline const std::vector<uint16_t>& corners16() {
  static const std::vector<uint16_t> values = [] {
    std::vector<uint16_t> v;
    for (uint16_t magnitude : {0x0000, 0x0001, 0x0002, 0x0003, 0x0155, 0x01ff, 0x0200, 0x0201, 0x03fe, 0x03ff, 0x0400, 0x0401, 0x0402, 0x07ff,
                               0x0800, 0x13ff, 0x1400, 0x1401, 0x2bff, 0x3555, 0x3800, 0x3801, 0x3bfe, 0x3bff, 0x3c00, 0x3c01, 0x3c02, 0x3eef,
                               0x3fff, 0x4000, 0x4001, 0x4200, 0x5bff, 0x5c00, 0x6400, 0x6bff, 0x6c01, 0x77ff, 0x7800, 0x7801, 0x7bfe, 0x7bff,
                               0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7fff}) {
      v.push_back(magnitude);
      v.push_back(static_cast<uint16_t>(magnitude | 0x8000));
    }
    return v;
  }();
  return values;
}

inline const std::vector<uint32_t>& corners32() {
  static const std::vector<uint32_t> values = [] {
    std::vector<uint32_t> v;
    for (uint32_t magnitude :
         {0x00000000u, 0x00000001u, 0x00000002u, 0x00000003u, 0x003fffffu, 0x00400000u, 0x00400001u, 0x007ffffeu, 0x007fffffu, 0x00800000u,
          0x00800001u, 0x00ffffffu, 0x01000000u, 0x0b000000u, 0x1f800001u, 0x1fffffffu, 0x20000000u, 0x33000000u, 0x33000001u, 0x337fffffu,
          0x33800000u, 0x38000000u, 0x387fc000u, 0x387fdfffu, 0x387fe000u, 0x387fffffu, 0x38800000u, 0x3effffffu, 0x3f000000u, 0x3f7fffffu,
          0x3f800000u, 0x3f800001u, 0x3f801000u, 0x3f803000u, 0x3fffffffu, 0x40000000u, 0x40490fdbu, 0x46fffe00u, 0x47000000u, 0x477fe000u,
          0x477fefffu, 0x477ff000u, 0x4b000000u, 0x4b7fffffu, 0x4b800000u, 0x4effffffu, 0x4f000000u, 0x5f000000u, 0x5f7fffffu, 0x7effffffu,
          0x7f000000u, 0x7f7ffffeu, 0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fbfffffu, 0x7fc00000u, 0x7fffffffu}) {
      v.push_back(magnitude);
      v.push_back(magnitude | 0x80000000u);
    }
    return v;
  }();
  return values;
}

// A quarter corners; else random fraction (often sparse) with an exponent from a window around `centre`.
inline uint16_t operand16(Random& random) {
  const uint64_t r = random.next();
  if ((r & 3) == 0) return corners16()[(r >> 8) % corners16().size()];
  uint16_t fraction = static_cast<uint16_t>((r >> 16) & 0x3ff);
  if ((r & 12) == 0) fraction = static_cast<uint16_t>(fraction & (r >> 28) & (r >> 38));
  if ((r & 12) == 4) fraction = static_cast<uint16_t>((fraction | (r >> 28) | (r >> 38)) & 0x3ff);
  const uint16_t exponent = (r & 48) == 0 ? static_cast<uint16_t>((r >> 48) & 31) : static_cast<uint16_t>(12 + ((r >> 48) & 7));
  return static_cast<uint16_t>(((r >> 63) << 15) | (exponent << 10) | fraction);
}

inline uint32_t operand32(Random& random) {
  const uint64_t r = random.next();
  if ((r & 7) == 0) return corners32()[(r >> 8) % corners32().size()];
  const uint64_t s = random.next();
  uint32_t fraction = static_cast<uint32_t>(s & 0x7fffff);
  if ((r & 24) == 0) fraction &= static_cast<uint32_t>((s >> 23) & (s >> 40));
  if ((r & 24) == 8) fraction = (fraction | static_cast<uint32_t>((s >> 23) | (s >> 40))) & 0x7fffff;
  uint32_t exponent = static_cast<uint32_t>((r >> 8) & 255);
  const uint64_t window = (r >> 16) & 7;
  if (window < 3) exponent = static_cast<uint32_t>(120 + (r >> 24) % 16);
  if (window == 3) exponent = static_cast<uint32_t>((r >> 24) % 30);
  if (window == 4) exponent = static_cast<uint32_t>(225 + (r >> 24) % 30);
  if (window == 5) exponent = static_cast<uint32_t>(98 + (r >> 24) % 50);
  return static_cast<uint32_t>((r >> 63) << 31) | (exponent << 23) | fraction;
}

// A binary32 next to a midpoint between binary16 subnormals (k + 1/2 units of 2^-24): offset -1, 0 or 1 units in its last place.
inline uint32_t subnormal_midpoint(uint32_t k, int offset) {
  const float value = (static_cast<float>(k) + 0.5f) * 0x1p-24f;
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits + static_cast<uint32_t>(offset);
}

// Three operands of a * b + c in which c is a power of two and the product lies 22 to 28 places below it, of the other sign half of
// the time: the cases in which an aligner that is a place short rounds the wrong way.
struct Triple32 {
  uint32_t a, b, c;
};
inline Triple32 small_product(Random& random) {
  const auto exponent = static_cast<uint32_t>(60 + random.below(120));
  const auto below = static_cast<uint32_t>(22 + random.below(7));
  const auto a_exponent = static_cast<uint32_t>(exponent - 40 + random.below(80));
  const uint32_t b_exponent = exponent - below + 127 - a_exponent;
  const auto fraction = [&random] { return static_cast<uint32_t>(random.chance(1, 2) ? random.below(0x800000) : random.below(4) * 0x1fffff); };
  return {(a_exponent << 23) | fraction(), (b_exponent << 23) | fraction(), (static_cast<uint32_t>(random.below(2)) << 31) | (exponent << 23)};
}

// Three binary16 of a * b + c whose exact sum lies beside the midpoint of two neighbours, by less than binary32 can hold: rounded to binary32 on the way it
// becomes the midpoint itself, and the second rounding goes the wrong way. a * b = (1 + i u)(1 - i u) half units in the last place of c, u = 2^-10.
struct Triple16 {
  uint16_t a, b, c;
};
inline Triple16 twice_rounded(Random& random) {
  const auto i = static_cast<uint16_t>(1 + random.below(11));                  // (i u)^2 of half a unit: below 2^-24 of c
  const auto exponent = static_cast<uint16_t>(13 + random.below(18));          // of c, biased: b and half its unit stay normal
  const auto a_exponent = static_cast<uint16_t>(15 - random.below(3));
  const auto b_exponent = static_cast<uint16_t>(exponent - 12 + 15 - a_exponent);  // of 1 - i u, which lies below one
  const auto sign = [&random] { return static_cast<uint16_t>(random.below(2) << 15); };
  return {static_cast<uint16_t>(sign() | a_exponent << 10 | i), static_cast<uint16_t>(sign() | b_exponent << 10 | (1024 - 2 * i)),
          static_cast<uint16_t>(sign() | exponent << 10 | (random.below(1024) | 1))};
}

}  // namespace waferloom::macros_test
