// An independent reference of one training step: the same perceptron in double precision, with a bound for every number that the machine gives.
//
// It shares no code with the planner and none with the machine's arithmetic. It takes weights and inputs as the wire carries them (already rounded to
// binary16) and computes in double; beside each value it carries a bound on how far the machine's result may lie from it, by running error analysis of
// what the machine does: slabs and gradients rounded to binary16, sums in binary32 (or binary16) in any order, special functions within one unit in
// the last place, a ReLU whose side is uncertain where its input is within its own error of zero. The bounds hold if nothing overflows.
#pragma once

#include <vector>

namespace waferloom::reference {

struct Layer {
  int inputs = 0;
  int outputs = 0;
  bool relu = false;
  std::vector<double> weights;  // [outputs][inputs]
  std::vector<double> bias;     // [outputs], or empty
};

struct Batch {
  int rows = 0;
  std::vector<double> samples;  // [rows][inputs]
  std::vector<int> labels;      // [rows]
  double gradient_factor = 1;   // multiplies the output gradient: loss scale / rows
};

// The machine whose error is bounded.
struct Machine {
  int columns = 1;              // partial sums per output
  int rows = 1;                 // partial sums per weight gradient
  bool accumulate_fp16 = false;
};

struct Tensor {
  std::vector<double> value;
  std::vector<double> bound;  // |machine - value| <= bound
};

struct Step {
  double loss_sum = 0;
  double loss_bound = 0;
  int wrong = 0;       // tokens whose label does not have the largest output
  int undecided = 0;   // tokens for which the machine may decide otherwise
  Tensor logits;                        // [rows][classes]
  std::vector<Tensor> weight_gradient;  // per layer [outputs][inputs]
  std::vector<Tensor> bias_gradient;    // per layer [outputs]
};

// Requires consecutive layer sizes, labels within the classes and finite values.
Step run_step(const std::vector<Layer>& layers, const Batch& batch, const Machine& machine);

// How a machine's tensor stands against the reference. `worst` is the largest |machine - value| / bound (infinite for a NaN).
struct Agreement {
  double worst = 0;
  std::size_t index = 0;
  double largest_error = 0;
  bool within() const { return worst <= 1; }
};
Agreement compare(const Tensor& reference, const std::vector<float>& machine);

}  // namespace waferloom::reference
