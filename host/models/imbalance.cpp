#include "host/models/imbalance.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "host/optimiser/parameters.h"

namespace waferloom::models {
namespace {

// More columns, or more outputs, change the share by a few hundredths.
constexpr int kColumns = 64;
constexpr int kOutputs = 48;
constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kDomain = 0x696d626c;

// Until the last output is reduced. weights: [output][column].
double played(const std::vector<double>& weights, const ColumnPace& pace) {
  struct Column {
    double work = 0;                         // when its products of the output before were done
    double start = 0, end = 0;               // of its part in the reduction of the output before
    double end_before = 0;                   // of the one before that
  };
  std::vector<Column> columns(kColumns);
  const int owned = (kOutputs + kColumns - 1) / kColumns;
  for (int o = 0; o < kOutputs; ++o) {
    for (int x = 0; x < kColumns; ++x) {
      Column& c = columns[static_cast<std::size_t>(x)];
      const double begin = std::max(c.work, c.end_before);  // its buffer is free
      double end = begin + weights[static_cast<std::size_t>(o * kColumns + x)] * pace.weight_cycles;
      if (o > 0 && c.start < end) end += std::max(0.0, c.end - std::max(c.start, begin));  // both use the lanes
      c.work = end;
    }
    double arrival = 0;
    for (int k = 1; k <= kColumns; ++k) {
      Column& c = columns[static_cast<std::size_t>((o / owned + k) % kColumns)];
      c.end_before = c.end;
      c.start = std::max({c.work, c.end, arrival});
      c.end = c.start + pace.reduction_cycles;
      arrival = c.start + pace.step_cycles;
    }
  }
  double last = 0;
  for (const Column& c : columns) last = std::max(last, c.end);
  return last;
}

// Cumulative probabilities of Binomial(n, density).
std::vector<double> binomial(int n, double density) {
  std::vector<double> below(static_cast<std::size_t>(n) + 1);
  double sum = 0;
  for (int k = 0; k <= n; ++k) {
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) + k * std::log(density) + (n - k) * std::log1p(-density));
    below[static_cast<std::size_t>(k)] = sum;
  }
  return below;
}

}  // namespace

double share_waited_for(double items, double density, const ColumnPace& pace) {
  const int n = static_cast<int>(std::min(std::ceil(items), 4096.0));
  if (density >= 1 || n == 0) return 0;
  const std::vector<double> below = binomial(n, density);
  std::vector<double> drawn, even, full;
  double mean = 0;
  for (int o = 0; o < kOutputs; ++o) {
    double most = 0;
    for (int x = 0; x < kColumns; ++x) {
      const auto index = static_cast<std::uint64_t>(o * kColumns + x);
      const double u = static_cast<double>(optimiser::hash_random(kSeed, kDomain, index) >> 11U) * 0x1p-53;
      const double weights = static_cast<double>(std::min<std::ptrdiff_t>(n, std::upper_bound(below.begin(), below.end(), u) - below.begin()));
      drawn.push_back(weights);
      mean += weights / (kOutputs * kColumns);
      most = std::max(most, weights);
    }
    full.insert(full.end(), kColumns, most);
  }
  even.assign(drawn.size(), mean);
  const double least = played(even, pace), all = played(full, pace);
  return all > least ? std::clamp((played(drawn, pace) - least) / (all - least), 0.0, 1.0) : 1;
}

double expected_fullest(double items, double density, double columns) {
  const int n = static_cast<int>(std::min(std::ceil(items), 1e6));
  if (density >= 1 || n == 0) return n;
  // E[max] = sum over k of 1 - P(X <= k)^columns.
  double probability = std::exp(n * std::log1p(-density));
  double cumulative = probability;
  double expected = 0;
  const double ratio = density / (1 - density);
  for (int k = 0; k < n; ++k) {
    expected += cumulative >= 1 ? 0 : 1 - std::pow(cumulative, columns);
    if (cumulative >= 1 - 1e-15) break;
    if (probability < 1e-280) {  // the far tail of a very long column: from the logarithm, before digits are lost
      probability = std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 2.0) - std::lgamma(n - k) + (k + 1) * std::log(density) + (n - k - 1) * std::log1p(-density));
    } else {
      probability *= ratio * (n - k) / (k + 1.0);
    }
    cumulative += probability;
  }
  return std::max(expected, n * density);
}

}  // namespace waferloom::models
