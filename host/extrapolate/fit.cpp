#include "host/extrapolate/fit.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace waferloom::extrapolate {
namespace {

// Lawson and Hanson's active-set method. Sizes here are a handful of columns and some dozens of rows.
Eigen::VectorXd non_negative_least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  const Eigen::Index n = a.cols();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  std::vector<bool> passive(static_cast<std::size_t>(n), false);
  const double tolerance = 1e-10 * a.cwiseAbs().maxCoeff() * static_cast<double>(a.rows());

  auto solve_passive = [&]() {
    std::vector<Eigen::Index> columns;
    for (Eigen::Index j = 0; j < n; ++j) {
      if (passive[static_cast<std::size_t>(j)]) columns.push_back(j);
    }
    Eigen::MatrixXd sub(a.rows(), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k) sub.col(static_cast<Eigen::Index>(k)) = a.col(columns[k]);
    const Eigen::VectorXd z = sub.colPivHouseholderQr().solve(b);
    Eigen::VectorXd full = Eigen::VectorXd::Zero(n);
    for (std::size_t k = 0; k < columns.size(); ++k) full(columns[k]) = z(static_cast<Eigen::Index>(k));
    return full;
  };

  for (Eigen::Index round = 0; round < 3 * n + 3; ++round) {
    const Eigen::VectorXd gradient = a.transpose() * (b - a * x);
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < n; ++j) {
      if (!passive[static_cast<std::size_t>(j)] && gradient(j) > tolerance && (best < 0 || gradient(j) > gradient(best))) best = j;
    }
    if (best < 0) break;
    passive[static_cast<std::size_t>(best)] = true;
    Eigen::VectorXd candidate = solve_passive();
    for (;;) {
      double step = 1;
      for (Eigen::Index j = 0; j < n; ++j) {
        if (passive[static_cast<std::size_t>(j)] && candidate(j) <= 0) step = std::min(step, x(j) / (x(j) - candidate(j)));
      }
      if (step >= 1) break;
      x += step * (candidate - x);
      for (Eigen::Index j = 0; j < n; ++j) {
        if (passive[static_cast<std::size_t>(j)] && x(j) <= 1e-14) {
          x(j) = 0;
          passive[static_cast<std::size_t>(j)] = false;
        }
      }
      candidate = solve_passive();
    }
    x = candidate;
  }
  return x;
}

struct Scaled {
  Eigen::MatrixXd a;  // rows divided by the measured cycles: residuals are relative errors
  Eigen::VectorXd column_norms;
};

Scaled scale(const std::vector<Sample>& samples, std::size_t terms) {
  Scaled scaled;
  scaled.a.resize(static_cast<Eigen::Index>(samples.size()), static_cast<Eigen::Index>(terms));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    assert(samples[i].terms.size() == terms && samples[i].cycles > 0);
    for (std::size_t j = 0; j < terms; ++j) {
      scaled.a(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = samples[i].terms[j] / samples[i].cycles;
    }
  }
  scaled.column_norms = scaled.a.colwise().norm().transpose();
  for (Eigen::Index j = 0; j < scaled.a.cols(); ++j) {
    if (scaled.column_norms(j) > 0) scaled.a.col(j) /= scaled.column_norms(j);
  }
  return scaled;
}

std::vector<double> solve(const std::vector<Sample>& samples, std::size_t terms) {
  const Scaled scaled = scale(samples, terms);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(scaled.a.rows());
  const Eigen::VectorXd x = non_negative_least_squares(scaled.a, ones);
  std::vector<double> coefficients(terms);
  for (std::size_t j = 0; j < terms; ++j) {
    const double norm = scaled.column_norms(static_cast<Eigen::Index>(j));
    coefficients[j] = norm > 0 ? x(static_cast<Eigen::Index>(j)) / norm : 0;
  }
  return coefficients;
}

double relative_error(const std::vector<double>& coefficients, const Sample& sample) {
  return (predict(coefficients, sample.terms) - sample.cycles) / sample.cycles;
}

}  // namespace

double predict(const std::vector<double>& coefficients, const std::vector<double>& terms) {
  assert(coefficients.size() == terms.size());
  double sum = 0;
  for (std::size_t j = 0; j < terms.size(); ++j) sum += coefficients[j] * terms[j];
  return sum;
}

double median_magnitude(const std::vector<double>& values) {
  if (values.empty()) return 0;
  std::vector<double> magnitudes;
  for (double value : values) magnitudes.push_back(std::abs(value));
  std::sort(magnitudes.begin(), magnitudes.end());
  const std::size_t half = magnitudes.size() / 2;
  return magnitudes.size() % 2 == 1 ? magnitudes[half] : (magnitudes[half - 1] + magnitudes[half]) / 2;
}

Bound narrowest_bound(const std::vector<BoundSample>& samples) {
  if (samples.empty()) return {};
  std::vector<double> shares;
  double inverse = 0, turns = 0, most_each = 0;  // means of 1 / predicted and times / predicted: what a cycle of a part costs in relative width
  for (const BoundSample& s : samples) {
    assert(s.predicted > 0 && s.times > 0);
    shares.push_back(std::abs(s.error) / s.predicted);
    inverse += 1 / s.predicted / static_cast<double>(samples.size());
    turns += s.times / s.predicted / static_cast<double>(samples.size());
    most_each = std::max(most_each, std::abs(s.error) / s.times);
  }
  std::sort(shares.begin(), shares.end());
  const double least = std::min(shares[static_cast<std::size_t>(0.9 * static_cast<double>(shares.size() - 1))], std::max(shares.back() / 2, shares[shares.size() / 2]));
  Bound best;
  double width = INFINITY;
  constexpr int kSteps = 64;
  for (int i = 0; i <= kSteps; ++i) {
    for (int j = 0; j <= kSteps; ++j) {
      Bound bound;
      bound.share = least + (shares.back() - least) * i / kSteps;
      bound.each = most_each * j / kSteps;
      for (const BoundSample& s : samples) bound.cycles = std::max(bound.cycles, std::abs(s.error) - bound.share * s.predicted - bound.each * s.times);
      const double mean = bound.cycles * inverse + bound.each * turns + bound.share;
      if (mean < width) {
        width = mean;
        best = bound;
      }
    }
  }
  return best;
}

FitOutcome fit_cycles(const std::vector<std::string>& term_names, const std::vector<Sample>& samples, double max_condition) {
  FitOutcome outcome;
  const std::size_t terms = term_names.size();
  if (samples.size() < terms + 1) {
    outcome.reason = fmt::format("{} samples for {} terms: at least {} are needed", samples.size(), terms, terms + 1);
    return outcome;
  }
  const Scaled scaled = scale(samples, terms);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scaled.a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd& singular = svd.singularValues();
  const double largest = singular(0);
  const double smallest = singular(singular.size() - 1);
  outcome.fit.rank = static_cast<int>((singular.array() > 1e-9 * largest).count());
  outcome.fit.condition = smallest > 0 ? largest / smallest : INFINITY;
  if (outcome.fit.rank < static_cast<int>(terms)) {
    // The direction that the samples do not determine names the terms that cannot be told apart.
    const Eigen::VectorXd lost = svd.matrixV().col(static_cast<Eigen::Index>(terms) - 1);
    std::string names;
    for (std::size_t j = 0; j < terms; ++j) {
      if (std::abs(lost(static_cast<Eigen::Index>(j))) > 0.1) names += (names.empty() ? "" : ", ") + term_names[j];
    }
    outcome.reason = fmt::format("rank {} of {}: the samples cannot tell apart {}", outcome.fit.rank, terms, names);
    return outcome;
  }
  if (outcome.fit.condition > max_condition) {
    outcome.reason = fmt::format("condition {:.3g} above {:.3g}: the samples hardly tell the terms apart", outcome.fit.condition, max_condition);
    return outcome;
  }
  outcome.fit.coefficients = solve(samples, terms);
  for (const Sample& sample : samples) {
    outcome.fit.relative_errors.push_back(relative_error(outcome.fit.coefficients, sample));
    outcome.fit.worst_error = std::max(outcome.fit.worst_error, std::abs(outcome.fit.relative_errors.back()));
  }
  outcome.fit.median_error = median_magnitude(outcome.fit.relative_errors);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::vector<Sample> others = samples;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    outcome.fit.left_out_errors.push_back(relative_error(solve(others, terms), samples[i]));
    outcome.fit.worst_left_out = std::max(outcome.fit.worst_left_out, std::abs(outcome.fit.left_out_errors.back()));
  }
  outcome.ok = true;
  return outcome;
}

}  // namespace waferloom::extrapolate
