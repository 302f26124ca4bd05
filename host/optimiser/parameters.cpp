#include "host/optimiser/parameters.h"

#include <cmath>

namespace waferloom::optimiser {
namespace {

constexpr std::uint64_t kInitialDomain = 0x696e6974;

// Uniform in (0, 1), 53 bits.
double uniform(std::uint64_t seed, std::uint64_t domain, std::uint64_t index) {
  return (static_cast<double>(hash_random(seed, domain, index) >> 11U) + 0.5) * 0x1p-53;
}

}  // namespace

std::uint64_t hash_random(std::uint64_t seed, std::uint64_t domain, std::uint64_t index) {
  // Two rounds of the finaliser of splitmix64 over the mixed words.
  auto mix = [](std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  };
  return mix(mix(seed + 0x9e3779b97f4a7c15ULL * (domain + 1)) + 0x9e3779b97f4a7c15ULL * (index + 1));
}

Parameters initial_parameters(const config::Model& model, std::uint64_t seed) {
  Parameters parameters;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const config::Layer& from = model.layers[l];
    LayerParameters layer;
    layer.name = from.name;
    layer.inputs = from.inputs;
    layer.outputs = from.outputs;
    const std::size_t count = static_cast<std::size_t>(from.weights());
    layer.weights = SgdState(std::vector<float>(count));
    const std::uint64_t domain = kInitialDomain + (static_cast<std::uint64_t>(l) << 32U);
    const double fan_in = from.inputs;
    const double bound = std::sqrt(6.0 / (model.initialisation == config::Initialisation::kXavierUniform ? fan_in + from.outputs : fan_in));
    for (std::size_t i = 0; i < count; ++i) {
      const double u = uniform(seed, domain, 2 * i);
      if (model.initialisation == config::Initialisation::kHeNormal) {
        // Box and Muller; the second number of the pair is not used, so that a value depends on its own index only.
        const double v = uniform(seed, domain, 2 * i + 1);
        layer.weights.master[i] = static_cast<float>(std::sqrt(2.0 / fan_in) * std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * M_PI * v));
      } else {
        layer.weights.master[i] = static_cast<float>(bound * (2.0 * u - 1.0));
      }
    }
    if (from.bias) layer.bias = SgdState(std::vector<float>(static_cast<std::size_t>(from.outputs), 0.0F));
    parameters.layers.push_back(std::move(layer));
  }
  return parameters;
}

}  // namespace waferloom::optimiser
