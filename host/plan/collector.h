// Takes the words that leave the north edge and puts them where they belong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/plan/edge_stream.h"
#include "host/plan/plan.h"

namespace waferloom::plan {

// What one step gives. Gradients carry the factor that the step was given (loss scale / rows). Never-stored weights keep gradient 0.
struct StepResult {
  float loss_sum = 0;      // sum over real tokens of the cross-entropy (natural logarithm), not scaled
  float wrong = 0;         // number of real tokens whose label does not have the largest output
  std::vector<std::vector<float>> weight_gradient;  // per layer [outputs][inputs]
  std::vector<std::vector<float>> bias_gradient;    // per layer [outputs] (empty without a bias)

  void transfer(checkpoint::Archive& archive) { archive(loss_sum, wrong, weight_gradient, bias_gradient); }
};

// Words of one column must arrive in order; columns may be mixed in any way.
class Collector {
 public:
  // `layers`: needed for their `stored` masks only.
  Collector(const Plan& plan, StepKind kind, std::vector<LayerWeights> layers);

  // Empty, or what is wrong with the word (a colour that does not leave there, more words than the plan has, a control wavelet).
  std::string accept(int column, std::uint64_t link);

  bool complete() const { return outstanding_ == 0; }
  std::int64_t outstanding() const { return outstanding_; }
  const StepResult& result() const { return result_; }
  std::uint64_t accepted() const { return accepted_; }

  // Saves or loads what has arrived; into a collector of the same plan, kind and layers.
  void transfer(checkpoint::Archive& archive) { archive(cursors_, result_, outstanding_, accepted_); }

 private:
  struct Cursor {
    std::uint32_t phase = 0;
    std::uint32_t output = 0;
    std::uint32_t item = 0;
    void transfer(checkpoint::Archive& archive) { archive(phase, output, item); }
  };
  void settle(int column);  // moves the cursor to the next place that takes a word

  const Plan& plan_;
  StepKind kind_;
  std::vector<LayerWeights> layers_;
  std::vector<Cursor> cursors_;  // per column
  StepResult result_;
  std::int64_t outstanding_ = 0;
  std::uint64_t accepted_ = 0;
};

}  // namespace waferloom::plan
