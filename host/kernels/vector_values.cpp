#include "host/kernels/vector_values.h"

#include <cassert>

#include "sim/macros/arith.h"

namespace waferloom::kernels {
namespace {

constexpr std::uint64_t kDomain = 0x6b65726e656c0001ULL;  // values of kernels

std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

// Sign, an exponent that makes magnitudes from 1/8 up to 2, a random mantissa.
std::uint32_t single_of(std::uint32_t random) { return (random & 0x807fffffU) | ((124U + (random >> 23U & 3U)) << 23U); }
std::uint32_t half_of(std::uint32_t random) { return (random & 0x83ffU) | ((12U + (random >> 10U & 3U)) << 10U); }

}  // namespace

std::uint32_t random_word(std::uint64_t seed, std::uint32_t x, std::uint32_t y, std::uint32_t index, config::Precision precision) {
  const std::uint64_t place = std::uint64_t{y} << 48U | std::uint64_t{x} << 32U | index;
  const auto random = static_cast<std::uint32_t>(mix(mix(seed ^ kDomain) ^ mix(place)) >> 16U);
  if (precision == config::Precision::kFp32) return single_of(random);
  return half_of(random & 0xffffU) | half_of(random >> 16U) << 16U;
}

Words random_vector(std::uint64_t seed, std::uint32_t x, std::uint32_t y, std::uint32_t words, config::Precision precision) {
  Words vector(words);
  for (std::uint32_t k = 0; k < words; ++k) vector[k] = random_word(seed, x, y, k, precision);
  return vector;
}

std::uint32_t add_word(std::uint32_t a, std::uint32_t b, config::Precision precision) {
  if (precision == config::Precision::kFp32) return macros::add32(a, b);
  const std::uint32_t low = macros::add16(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b));
  const std::uint32_t high = macros::add16(static_cast<std::uint16_t>(a >> 16U), static_cast<std::uint16_t>(b >> 16U));
  return low | high << 16U;
}

void add_to(Words& sum, const Words& other, config::Precision precision) {
  assert(sum.size() == other.size());
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] = add_word(sum[k], other[k], precision);
}

}  // namespace waferloom::kernels
