// Random numbers that are a function of (seed, domain, index), never of order or thread.
#pragma once
#include <cstdint>

namespace waferloom::lockstep {

constexpr uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
constexpr uint64_t hash(uint64_t seed, uint64_t domain, uint64_t index) { return mix(mix(mix(seed) ^ domain) ^ index); }

// A stream of draws: number k is hash(seed, domain, k).
class Draws {
 public:
  Draws(uint64_t seed, uint64_t domain) : seed_(seed), domain_(domain) {}
  uint64_t next() { return hash(seed_, domain_, index_++); }
  // 0 to bound - 1. Requires bound > 0.
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>((next() >> 32) * bound >> 32); }
  // low to high, both included.
  int32_t between(int32_t low, int32_t high) { return low + static_cast<int32_t>(below(static_cast<uint32_t>(high - low + 1))); }
  // True in `percent` of a hundred.
  bool chance(uint32_t percent) { return below(100) < percent; }

 private:
  uint64_t seed_, domain_;
  uint64_t index_ = 0;
};

}  // namespace waferloom::lockstep
