#include "host/block/shape.h"

#include <cmath>

#include "sim/macros/arith.h"

namespace waferloom::block {
namespace {

std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

// Between -1 and 1.
double uniform(std::uint64_t seed, std::uint64_t domain, std::uint64_t index) {
  return static_cast<double>(mix(mix(seed ^ 0x626c6f636b000001ULL) ^ mix(domain << 40U | index)) >> 11U) * 0x1p-52 - 1;
}

std::string number(int value) { return std::to_string(value); }

}  // namespace

double Shape::score_scale() const { return 1 / std::sqrt(static_cast<double>(head_features())); }

std::optional<Refusal> refuse(const Shape& s) {
  const auto divides = [](int part, int whole) { return part >= 1 && whole >= part && whole % part == 0; };
  if (s.width < 2) return Refusal{"width", "a block needs two columns at least", "its rings run along the row"};
  if (!divides(s.heads, s.width)) return Refusal{"heads", number(s.heads) + " heads do not divide " + number(s.width) + " columns", "a head takes whole columns, each head as many"};
  if (!divides(s.sequences, s.height)) return Refusal{"sequences", number(s.sequences) + " sequences do not divide " + number(s.height) + " rows", "a sequence takes whole rows"};
  if (!divides(s.width, s.features)) return Refusal{"features", number(s.features) + " features do not divide over " + number(s.width) + " columns", "give a multiple of the width"};
  if (!divides(s.width, s.hidden)) return Refusal{"hidden", number(s.hidden) + " hidden features do not divide over " + number(s.width) + " columns", "give a multiple of the width"};
  if (!divides(4 * s.height, s.tokens)) return Refusal{"tokens", number(s.tokens) + " tokens do not divide over " + number(s.height) + " rows in fours", "give a multiple of " + number(4 * s.height)};
  return std::nullopt;
}

const char* layer_name(int layer) {
  constexpr const char* kNames[kLayers] = {"queries_keys_values", "projection", "first", "second"};
  return kNames[layer];
}

int layer_inputs(const Shape& s, int layer) { return layer == kSecond ? s.hidden : s.features; }
int layer_outputs(const Shape& s, int layer) { return layer == kQueriesKeysValues ? 3 * s.features : layer == kFirst ? s.hidden : s.features; }

Part part_of(const Shape& s, int o) {
  const int f = s.tile_features(), column = o / (3 * f), within = o % (3 * f);
  return {within / f, column * f + within % f};
}

Parameters random_parameters(const Shape& s, std::uint64_t seed) {
  Parameters p;
  for (int l = 0; l < kLayers; ++l) {
    const int inputs = layer_inputs(s, l), outputs = layer_outputs(s, l);
    const double limit = std::sqrt(3.0 / inputs);
    for (int i = 0; i < inputs * outputs; ++i) p.layers[l].weights.push_back(macros::double_to_half(limit * uniform(seed, 10 + static_cast<unsigned>(l), static_cast<std::uint64_t>(i))));
    for (int o = 0; o < outputs; ++o) p.layers[l].bias.push_back(macros::double_to_half(0.2 * uniform(seed, 20 + static_cast<unsigned>(l), static_cast<std::uint64_t>(o))));
  }
  for (unsigned n = 0; n < 2; ++n) {
    for (int i = 0; i < s.features; ++i) {
      p.gain[n].push_back(static_cast<float>(1 + 0.3 * uniform(seed, 30 + n, static_cast<std::uint64_t>(i))));
      p.bias[n].push_back(static_cast<float>(0.2 * uniform(seed, 40 + n, static_cast<std::uint64_t>(i))));
    }
  }
  return p;
}

Inputs random_inputs(const Shape& s, std::uint64_t seed) {
  Inputs in;
  for (int i = 0; i < s.tokens * s.features; ++i) {
    in.input.push_back(macros::double_to_half(2 * uniform(seed, 1, static_cast<std::uint64_t>(i))));
    in.output_delta.push_back(macros::double_to_half(uniform(seed, 2, static_cast<std::uint64_t>(i))));
  }
  return in;
}

}  // namespace waferloom::block
