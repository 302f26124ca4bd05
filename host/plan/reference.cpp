#include "host/plan/reference.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace waferloom::reference {
namespace {

constexpr double kUnit16 = 0x1p-11;  // half a unit in the last place, relative
constexpr double kTiny16 = 0x1p-25;  // half the smallest subnormal
constexpr double kUnit32 = 0x1p-24;
constexpr double kTiny32 = 0x1p-150;
constexpr double kSpecial = 0x1p-23;  // special functions: one unit in the last place

// Error of a sum of `terms` rounded additions relative to the sum of magnitudes.
double gamma(double terms, double unit) {
  const double x = terms * unit;
  return x < 0.5 ? x / (1 - x) : std::numeric_limits<double>::infinity();
}

// Matrices are [rows][columns] with value and bound side by side.
struct Matrix {
  int columns = 0;
  std::vector<double> value;
  std::vector<double> bound;

  Matrix(int rows, int columns_in)
      : columns(columns_in), value(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns_in)), bound(value.size()) {}
  std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
  }
};

void round_to_half(double value, double& bound) { bound += kUnit16 * (std::fabs(value) + bound) + kTiny16; }

// sum_k weight[k] * (value[k] with bound[k]): products are exact or rounded once, additions in any order.
struct Sum {
  double value = 0;
  double magnitude = 0;  // of what the machine adds up
  double carried = 0;    // errors of the terms

  void add(double weight, double term, double term_bound) {
    value += weight * term;
    magnitude += std::fabs(weight) * (std::fabs(term) + term_bound);
    carried += std::fabs(weight) * term_bound;
  }
  double bound(double additions, double unit) const { return carried + gamma(additions, unit) * magnitude + kTiny32; }
};

double sum_bound(const Sum& sum, double terms, const Machine& machine, int partials) {
  if (!machine.accumulate_fp16) return sum.bound(terms + partials + 1, kUnit32);
  // Products are fused in binary16 on each column, then partial sums are added in binary32.
  return sum.bound(terms + 1, kUnit16) + gamma(partials + 1, kUnit32) * sum.magnitude * (1 + gamma(terms + 1, kUnit16)) + kTiny16 * (terms + 1);
}

}  // namespace

Step run_step(const std::vector<Layer>& layers, const Batch& batch, const Machine& machine) {
  assert(!layers.empty() && batch.rows >= 1);
  const int rows = batch.rows;
  Step step;
  std::vector<Matrix> inputs;  // of each layer, as the slabs hold them
  Matrix first(rows, layers.front().inputs);
  first.value = batch.samples;
  inputs.push_back(first);
  Matrix logits(rows, layers.back().outputs);

  for (std::size_t l = 0; l < layers.size(); ++l) {
    const Layer& layer = layers[l];
    const bool last = l + 1 == layers.size();
    Matrix out(rows, layer.outputs);
    const Matrix& in = inputs[l];
    for (int t = 0; t < rows; ++t) {
      for (int o = 0; o < layer.outputs; ++o) {
        Sum sum;
        for (int i = 0; i < layer.inputs; ++i) {
          sum.add(layer.weights[static_cast<std::size_t>(o) * static_cast<std::size_t>(layer.inputs) + static_cast<std::size_t>(i)], in.value[in.at(t, i)],
                  in.bound[in.at(t, i)]);
        }
        if (!layer.bias.empty()) sum.add(layer.bias[static_cast<std::size_t>(o)], 1, 0);
        const std::size_t at = out.at(t, o);
        out.value[at] = sum.value;
        out.bound[at] = sum_bound(sum, layer.inputs + 1, machine, machine.columns);
        if (!last) round_to_half(out.value[at], out.bound[at]);
        if (layer.relu && out.value[at] < 0) {
          // What may still be positive in the machine: nothing if the input is negative by more than its error.
          out.bound[at] = std::max(0.0, out.bound[at] + out.value[at]);
          out.value[at] = 0;
        }
      }
    }
    if (last) logits = out; else inputs.push_back(out);
  }

  // Softmax cross-entropy.
  const int classes = layers.back().outputs;
  Matrix gradient(rows, classes);
  Sum loss;
  double loss_carried = 0;
  for (int t = 0; t < rows; ++t) {
    double maximum = -std::numeric_limits<double>::infinity();
    double delta = 0;  // error of a logit
    for (int c = 0; c < classes; ++c) {
      maximum = std::max(maximum, logits.value[logits.at(t, c)]);
      delta = std::max(delta, logits.bound[logits.at(t, c)]);
    }
    double sum = 0;
    double spread = 0;
    for (int c = 0; c < classes; ++c) {
      sum += std::exp(logits.value[logits.at(t, c)] - maximum);
      spread = std::max(spread, maximum - logits.value[logits.at(t, c)]);
    }
    // An exponential: its argument z - max is off by 2 delta, rounded, multiplied by a rounded constant and rounded; then the function itself.
    const double argument = 2 * delta + 4 * kUnit32 * (spread + 2 * delta);
    const double exponential = std::expm1(argument) + kSpecial * std::exp(argument);
    const double of_sum = exponential + gamma(classes + machine.columns + 1, kUnit32) * (1 + exponential);
    const double label = logits.value[logits.at(t, batch.labels[static_cast<std::size_t>(t)])];
    loss.value += std::log(sum) + maximum - label;
    const double log_sum = std::log(sum);
    const double log_error = -std::log1p(-std::min(of_sum, 0.5)) + (kSpecial + 2 * kUnit32) * std::fabs(log_sum) + kSpecial * 2;
    loss_carried += log_error + argument + gamma(classes + machine.columns + 1, kUnit32) * (maximum - label + argument) + kUnit32 * (log_sum + maximum - label);
    loss.magnitude += log_sum + maximum - label + log_error + argument;

    double rival = -std::numeric_limits<double>::infinity();
    for (int c = 0; c < classes; ++c) {
      if (c != batch.labels[static_cast<std::size_t>(t)]) rival = std::max(rival, logits.value[logits.at(t, c)]);
    }
    if (rival > label) ++step.wrong;
    if (std::fabs(rival - label) <= 2 * delta) ++step.undecided;

    // p = e * (1 / sum), then minus the target, times the factor, rounded to binary16.
    const double relative = (1 + exponential) * (1 + of_sum / std::max(1e-9, 1 - of_sum)) * (1 + kSpecial) * (1 + kUnit32) - 1;
    for (int c = 0; c < classes; ++c) {
      const double p = std::exp(logits.value[logits.at(t, c)] - maximum) / sum;
      const double target = c == batch.labels[static_cast<std::size_t>(t)] ? 1 : 0;
      const std::size_t at = gradient.at(t, c);
      gradient.value[at] = (p - target) * batch.gradient_factor;
      double bound = p * relative + 0x1p-126;
      bound += kUnit32 * (std::fabs(p - target) + bound);
      bound = bound * std::fabs(batch.gradient_factor) + 3 * kUnit32 * std::fabs(gradient.value[at]);
      round_to_half(gradient.value[at], bound);
      gradient.bound[at] = bound;
    }
  }
  step.loss_sum = loss.value;
  step.loss_bound = loss_carried + gamma(rows + machine.rows + 8, kUnit32) * loss.magnitude;
  step.logits = {logits.value, logits.bound};

  step.weight_gradient.resize(layers.size());
  step.bias_gradient.resize(layers.size());
  for (std::size_t l = layers.size(); l-- > 0;) {
    const Layer& layer = layers[l];
    const Matrix& in = inputs[l];
    // A dot product: a fused sum in binary32 over tokens, then over rows of tiles.
    const double additions = rows + machine.rows + 8;
    for (int o = 0; o < layer.outputs; ++o) {
      Sum bias;
      for (int t = 0; t < rows; ++t) bias.add(1, gradient.value[gradient.at(t, o)], gradient.bound[gradient.at(t, o)]);
      if (!layer.bias.empty()) {
        step.bias_gradient[l].value.push_back(bias.value);
        step.bias_gradient[l].bound.push_back(bias.bound(additions, kUnit32));
      }
      for (int i = 0; i < layer.inputs; ++i) {
        Sum sum;
        for (int t = 0; t < rows; ++t) {
          const double d = gradient.value[gradient.at(t, o)];
          const double d_bound = gradient.bound[gradient.at(t, o)];
          const double a = in.value[in.at(t, i)];
          const double a_bound = in.bound[in.at(t, i)];
          sum.value += d * a;
          sum.carried += std::fabs(d) * a_bound + d_bound * (std::fabs(a) + a_bound);
          sum.magnitude += (std::fabs(d) + d_bound) * (std::fabs(a) + a_bound);
        }
        step.weight_gradient[l].value.push_back(sum.value);
        step.weight_gradient[l].bound.push_back(sum.bound(additions, kUnit32));
      }
    }
    if (l == 0) break;
    Matrix before(rows, layer.inputs);
    for (int t = 0; t < rows; ++t) {
      for (int i = 0; i < layer.inputs; ++i) {
        Sum sum;
        for (int o = 0; o < layer.outputs; ++o) {
          sum.add(layer.weights[static_cast<std::size_t>(o) * static_cast<std::size_t>(layer.inputs) + static_cast<std::size_t>(i)],
                  gradient.value[gradient.at(t, o)], gradient.bound[gradient.at(t, o)]);
        }
        double bound = sum_bound(sum, layer.outputs, machine, machine.columns);
        round_to_half(sum.value, bound);
        double value = sum.value;
        if (layers[l - 1].relu) {
          // Positive for sure: passed. Zero for sure: 0. Else the machine may have chosen either side.
          const double a = in.value[in.at(t, i)];
          const double a_bound = in.bound[in.at(t, i)];
          const bool passed = a > 0;
          const bool certain = passed ? a > a_bound : a_bound == 0;
          if (!passed) {
            bound = certain ? 0 : std::fabs(value) + bound;
            value = 0;
          } else if (!certain) {
            bound += std::fabs(value);
          }
        }
        before.value[before.at(t, i)] = value;
        before.bound[before.at(t, i)] = bound;
      }
    }
    gradient = before;
  }
  return step;
}

Agreement compare(const Tensor& reference, const std::vector<float>& machine) {
  assert(reference.value.size() == machine.size());
  Agreement agreement;
  for (std::size_t i = 0; i < machine.size(); ++i) {
    const double error = std::fabs(static_cast<double>(machine[i]) - reference.value[i]);
    double ratio = error == 0 ? 0 : error / reference.bound[i];
    if (std::isnan(ratio)) ratio = std::numeric_limits<double>::infinity();
    agreement.largest_error = std::max(agreement.largest_error, error);
    if (ratio > agreement.worst) {
      agreement.worst = ratio;
      agreement.index = i;
    }
  }
  return agreement;
}

}  // namespace waferloom::reference
