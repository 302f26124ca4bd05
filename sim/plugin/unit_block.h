#pragma once
// Compiled into every plug-in: finds out which of neighbouring 32-bit words an edge has changed. Not for inclusion by anything else.
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace wl_glue {

// A copy of kWords words (at most 30) of the model's root. What lies behind them is read too, up to the next 16 bytes, and does not matter.
template <unsigned kWords>
struct Block {
#if defined(__SSE2__)
  static constexpr unsigned kVectors = (kWords + 3) / 4;
  __m128i before[kVectors];

  void load(const void* from) {
#pragma GCC unroll 8
    for (unsigned k = 0; k < kVectors; ++k) before[k] = _mm_loadu_si128(static_cast<const __m128i*>(from) + k);
  }
  // Bit k: word k differs from what was loaded.
  uint32_t diff(const void* now) const {
    uint32_t equal = 0;
#pragma GCC unroll 2
    for (unsigned k = 0; k < kVectors; k += 4) {
      __m128i same[4];
#pragma GCC unroll 4
      for (unsigned j = 0; j < 4; ++j) {
        same[j] = k + j < kVectors ? _mm_cmpeq_epi32(before[k + j], _mm_loadu_si128(static_cast<const __m128i*>(now) + k + j)) : _mm_setzero_si128();
      }
      const __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(same[0], same[1]), _mm_packs_epi32(same[2], same[3]));
      equal |= static_cast<uint32_t>(_mm_movemask_epi8(bytes)) << (4 * k);
    }
    return ~equal & ((1u << kWords) - 1);
  }
#else
  uint32_t before[kWords];

  void load(const void* from) { std::memcpy(before, from, sizeof before); }
  uint32_t diff(const void* now) const {
    uint32_t after[kWords], mask = 0;
    std::memcpy(after, now, sizeof after);
    for (unsigned k = 0; k < kWords; ++k) mask |= uint32_t(before[k] != after[k]) << k;
    return mask;
  }
#endif
};

}  // namespace wl_glue
