// Non-negative least squares on relative error: the one way in which measured cycles become coefficients.
//
// A sample is a row of term values (each a count that means something: groups issued, outputs, hops) and the cycles that were measured. The fit finds
// coefficients c >= 0 that minimise sum over samples of ((sum_j c_j t_ij - y_i) / y_i)^2. The RTL is deterministic, so residuals are bias, not noise:
// bounds are largest relative errors, never standard deviations.
//
// Pure functions, no state, no threads. Results do not depend on the order of samples beyond rounding.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace waferloom::extrapolate {

struct Sample {
  std::vector<double> terms;  // as many as there are term names; finite, not negative
  double cycles = 0;          // measured, > 0
  std::string label;          // shown in reports
};

struct Fit {
  std::vector<double> coefficients;     // one per term, >= 0
  std::vector<double> relative_errors;  // (predicted - measured) / measured, one per sample
  double worst_error = 0;               // largest |relative error|
  double median_error = 0;              // median |relative error|
  std::vector<double> left_out_errors;  // of each sample, when it is left out of the fit
  double worst_left_out = 0;            // largest magnitude of these
  double condition = 0;                 // of the scaled matrix of the terms that the samples move
  int rank = 0;                         // of that matrix
};

struct FitOutcome {
  bool ok = false;
  std::string reason;  // why not: too few samples, rank below the number of terms (names them), condition above the limit
  Fit fit;
};

// Requires: every sample has term_names.size() terms. Refuses (ok = false, with the reason) when there are fewer than terms + 1 samples, when the samples do not span the
// terms (rank below their number) or when the condition exceeds `max_condition`: such a fit predicts nonsense without a warning.
FitOutcome fit_cycles(const std::vector<std::string>& term_names, const std::vector<Sample>& samples, double max_condition = 1e4);

// How far a prediction may be off: `cycles` + `each` x times that the operator's loop runs + `share` x predicted.
struct Bound {
  double cycles = 0;
  double each = 0;
  double share = 0;
};

struct BoundSample {
  double predicted = 0;  // > 0
  double error = 0;      // predicted - measured
  double times = 1;      // that the loop runs
};

// The bound that holds all of these, and whose width is the least on the average of them. What a fill or a drain is wrong by does not grow with the operator. What depends on
// where the tile's rows lie in the banks comes with every turn of the loop. What a rate is wrong by grows with all of it: that share is no less than what holds nine of ten by
// itself, or half of what holds all, because it is what remains when sizes grow.
Bound narrowest_bound(const std::vector<BoundSample>& samples);

// Median of the magnitudes; 0 of none.
double median_magnitude(const std::vector<double>& values);

// Sum of coefficient times term. Requires equal sizes.
double predict(const std::vector<double>& coefficients, const std::vector<double>& terms);

}  // namespace waferloom::extrapolate
