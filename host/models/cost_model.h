// What one operator of a step costs on one wafer. The narrow interface between who measures (host/extrapolate) and who plans (step_plan.h).
//
// FittedCost prices what a calibration has from it: the same terms that were fitted on RTL, with the fit's own bounds. That is stream_matmul always; attention, norms,
// activations and loss where the machine's tiles hold what measures them. Norms are priced as layer norms, activations as GELU, attention as one pass of online softmax with a
// key and a value for each query feature: what ran on RTL. What a calibration has not is built from rates that were measured (cycles of a lane group, of a reduced token, the
// chain's step) and a count of vector instructions, is marked assumed, and carries an interval of a factor of two each way. The embedding is what the edge takes for its words.
// Pure functions of what they are given; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "host/config/machine.h"
#include "host/extrapolate/calibration.h"
#include "host/models/imbalance.h"
#include "host/report/projection.h"

namespace waferloom::models {

// kAttention is scores, softmax and values in one, as it is measured.
enum class Kernel { kStreamMatmul, kAttention, kScores, kValues, kSoftmax, kNorm, kActivation, kEmbedding, kLoss };
const char* to_string(Kernel kernel);  // "stream_matmul", "attention_scores", ...

enum class StepPass { kForward, kRecompute, kLoss, kDelta, kGradient };
const char* to_string(StepPass pass);

// Sizes of one operator. What a kernel does not use is zero.
struct StepOperator {
  Kernel kernel = Kernel::kStreamMatmul;
  StepPass pass = StepPass::kForward;
  std::string layer;   // "block", "embedding", "head"
  std::string tensor;  // streamed
  double inputs = 0;   // of the weight matrix: features over columns
  double outputs = 0;
  bool bias = false;
  double features = 0;       // kNorm, kActivation: per token, whole width; kLoss: vocabulary
  double query_width = 0;    // attention: heads x head width
  double key_width = 0;      // key-value heads x head width
  double head_width = 0;
  double heads = 0;
  double keys = 0;           // that a row looks at: the sequence, or the window
  double mean_keys = 0;      // the useful ones
  double tokens_per_pe = 0;  // padded
  double expert_tokens_per_pe = 0;  // 0: all tokens; else those of the fullest row that this expert sees
  double tokens = 0;                // of the wafer, real
  double density = 1;
};

struct Price {
  double cycles = 0;
  double low = 0;
  double high = 0;
  std::vector<report::CostTerm> terms;
  std::string limit;
  report::Origin origin = report::Origin::kExtrapolated;
  std::string source;
  std::string note;
  double words_in = 0;   // over the wafer's edge
  double words_out = 0;
  double compute = 0;    // without the edge
  double flops = 0;      // useful
};

class CostModel {
 public:
  virtual ~CostModel() = default;
  virtual Price price(const StepOperator& op) const = 0;
  // Whether kAttention has a price; else a plan has kScores, kSoftmax, kValues.
  virtual bool measures_attention() const = 0;
};

// Constants that nobody publishes and nothing measured yet; each is an assumption of the report with an interval that the tornado walks.
struct CostKnobs {
  double launch_cycles = 8;       // of one vector instruction in a loop of the main thread
  double launch_low = 4;
  double launch_high = 16;
  double assumed_low = 0.5;       // share of an assumed operator's price at the ends of its interval
  double assumed_high = 2;
  double assumed_scale = 1;       // where within it the price is taken
  double imbalance = 1;           // of a sparse matrix: times what is waited for fuller columns (imbalance.h); 0: columns are even
  double imbalance_low = 0.7;     // 1.0 to 1.4 were measured on 8x8 tiles
  double imbalance_high = 1.5;
  double residual[4] = {0, 0, 0, 0}; // forward, delta, gradient, others: -1 low end of the interval, 1 high end
};

class FittedCost : public CostModel {
 public:
  // References must outlive the object.
  FittedCost(const extrapolate::Calibration& calibration, const config::Machine& machine, config::Accumulate accumulate, const CostKnobs& knobs);
  Price price(const StepOperator& op) const override;
  bool measures_attention() const override;

 private:
  Price matmul(const StepOperator& op) const;
  Price attention(const StepOperator& op) const;
  Price elementwise(const StepOperator& op) const;
  Price embedding(const StepOperator& op) const;
  // From a fit and what else widens its interval, as a share; `price` has the words over the edge and the FLOPs.
  Price fitted(Price price, const extrapolate::OperatorFit& fit, const extrapolate::OperatorSize& size, double shift, double more_error) const;
  Price assumed(Price price, double words_bound) const;
  const extrapolate::OperatorFit& fit_of(config::Pass pass) const;
  double chain(double words) const;      // a row's reduction to column 0 and the broadcast back
  double vector_cycles(double instructions, double elements, double passes) const;

  const extrapolate::Calibration& calibration_;
  const config::Machine& machine_;
  config::Accumulate accumulate_;
  const CostKnobs& knobs_;
  double width_ = 1;
  double height_ = 1;
  double edge_ = 1;  // words a cycle
};

}  // namespace waferloom::models
