// Numbers with a bound on the machine's deviation, and what each of its operations adds to it. Pure functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace waferloom::block {

struct Num {
  double v = 0;  // exact
  double e = 0;  // the machine is within v +- e
};

constexpr double kUnit16 = 0x1p-11, kTiny16 = 0x1p-25;  // rounding to binary16: relative, absolute
constexpr double kUnit32 = 0x1p-24, kTiny32 = 0x1p-150;
constexpr double kSpecial = 0x1p-23;                    // special functions: one unit in the last place

inline double most(Num a) { return std::fabs(a.v) + a.e; }
inline Num to_half(Num a) { return {a.v, a.e + kUnit16 * most(a) + kTiny16}; }
inline Num to_single(Num a) { return {a.v, a.e + kUnit32 * most(a) + kTiny32}; }
inline Num constant(double v) { return to_single({v, 0}); }  // as a binary32 literal
inline Num add(Num a, Num b) { return to_single({a.v + b.v, a.e + b.e}); }
inline Num sub(Num a, Num b) { return to_single({a.v - b.v, a.e + b.e}); }
inline Num mul(Num a, Num b) { return to_single({a.v * b.v, std::fabs(a.v) * b.e + a.e * most(b)}); }

inline Num exp2(Num a) {
  const double v = std::exp2(a.v);
  return {v, v * (std::expm1(a.e * std::log(2.0)) + kSpecial * std::exp2(a.e)) + 0x1p-126};
}
inline Num reciprocal(Num a) {
  const double low = std::max(std::fabs(a.v) - a.e, 1e-300);
  return {1 / a.v, a.e / (std::fabs(a.v) * low) + kSpecial / low};
}
inline Num inverse_root(Num a) {
  const double v = 1 / std::sqrt(a.v), high = a.v > a.e ? 1 / std::sqrt(a.v - a.e) : std::numeric_limits<double>::infinity();
  return {v, high - v + kSpecial * high};
}

// A sum of terms or products, rounded in any order: `additions` of them.
class Sum {
 public:
  void add(Num term) {
    value_ += term.v;
    magnitude_ += most(term);
    carried_ += term.e;
    ++terms_;
  }
  // Products of binary16 are exact, others are fused into the sum.
  void add(Num a, Num b) { add({a.v * b.v, std::fabs(a.v) * b.e + a.e * most(b)}); }
  // `extra`: additions beside one for each term, of partial sums and starting values.
  Num result(double extra) const {
    const double x = (terms_ + extra) * kUnit32;
    return {value_, carried_ + x / (1 - x) * magnitude_ + kTiny32};
  }

 private:
  double value_ = 0, magnitude_ = 0, carried_ = 0, terms_ = 0;
};

// [rows][columns]
struct Matrix {
  int columns = 0;
  std::vector<Num> values;
  Matrix() = default;
  Matrix(int rows, int columns_in) : columns(columns_in), values(static_cast<std::size_t>(rows * columns_in)) {}
  Num& at(int row, int column) { return values[static_cast<std::size_t>(row * columns + column)]; }
  const Num& at(int row, int column) const { return values[static_cast<std::size_t>(row * columns + column)]; }
};

}  // namespace waferloom::block
