#include "host/extrapolate/operators.h"

#include <algorithm>
#include <cmath>

namespace waferloom::extrapolate {
namespace {

// Groups of products for one weight: S/2 a cycle with fp32 sums.
double groups(const OperatorSize& s, int lanes) { return std::ceil(2 * s.tokens / lanes); }

// Columns that own an output, and the outputs of the one that owns most.
double owners(const OperatorSize& s) { return std::min(s.outputs, s.width); }
double owned(const OperatorSize& s) { return std::ceil(s.outputs / s.width); }

// An owner has the bias's weight more than the others. What a wait of the ring hides of that, for each owner: some 24 cycles (15 to 33 were measured), and no less than the two
// outputs and a bit that two accumulators run ahead.
constexpr double kHiddenCycles = 24;
constexpr double kHiddenOutputs = 2.4;
double bias_groups(const OperatorSize& s, int lanes) {
  const double g = groups(s, lanes);
  return s.bias ? owners(s) * std::max(0.0, owned(s) * g - std::max(kHiddenCycles, kHiddenOutputs * g)) : 0;
}

// A streamed product with its ring reduction. Each move of the owner to the next column costs the ring a step more, as the first turn costs one for each column.
std::vector<double> product(const OperatorSize& s, int lanes) {
  const double g = groups(s, lanes);
  return {s.outputs * s.items * g,
          s.outputs * s.items,
          s.outputs * s.tokens,
          s.outputs,
          s.width + owners(s) - 1,
          s.height,
          bias_groups(s, lanes),
          s.activation ? std::ceil(owned(s) * s.tokens / lanes) : 0,
          s.activation ? 1.0 : 0.0,
          1};
}
// The same where the two accumulators lie in SRAM: banks are shared with the slab, and how often they meet is a matter of addresses. Its interval is wider, and small counts
// cannot be told from that.
std::vector<double> product_in_sram(const OperatorSize& s, int lanes) {
  const double g = groups(s, lanes);
  return {s.outputs * s.items * g, s.outputs * s.items, s.outputs * s.tokens, s.outputs, s.width + owners(s) - 1, bias_groups(s, lanes), s.activation ? std::ceil(owned(s) * s.tokens / lanes) : 0, 1};
}
const std::vector<std::string> kProductInSram = {"lane groups", "weights", "reduction", "outputs", "ring steps", "bias", "activation groups", "start"};
const std::vector<std::string> kProduct = {"lane groups", "weights", "reduction", "outputs", "ring steps", "rows", "bias", "activation groups", "activation", "start"};

// A weight gradient: the multicast of a row of tokens, a dot product for each weight, the column's chain. Rows whose tokens fill whole 16-byte lines meet each other in
// the banks.
std::vector<double> gradient(const OperatorSize& s, int lanes) {
  const double g = groups(s, lanes);
  const double biases = s.bias ? s.outputs - owners(s) : 0;  // the first of each owner is hidden by the multicast of the one before
  return {s.outputs * s.items * g, s.outputs * s.items, s.outputs * s.tokens, s.outputs, std::fmod(s.tokens, 8) == 0 ? s.outputs : 0, s.height, s.width, biases * g, biases, 1};
}

// The same where an array is so tall that the column's chain sets the pace: a tile may be no more outputs ahead of the tile below than its queue and two rows of results hold, and
// a result takes a step of the chain for each row.
std::vector<double> tall_gradient(const OperatorSize& s, int lanes) { 
  return {s.outputs * s.height, s.outputs, s.outputs * s.items * groups(s, lanes), s.outputs * s.items, s.outputs * s.tokens, 1};
}

// A batch through the column's injector, two values a word, one tile after the other.
std::vector<double> load(const OperatorSize& s, int) { return {s.height * s.features * s.tokens / 2, s.height, s.tokens, 1}; }

// Softmax cross-entropy: vector work on the classes of each column, three chains along the row, one along a column. The chains start where columns hold least.
std::vector<double> loss(const OperatorSize& s, int) { return {s.features * s.tokens, s.even_features * s.tokens, s.tokens, s.width, s.height, 1}; }

// What phases that follow each other without a pause save: the words of the next are under way while the last results leave.
std::vector<double> overlap(const OperatorSize& s, int) { return {s.outputs * s.width, s.outputs * s.height, s.outputs}; }

}  // namespace

const std::vector<OperatorModel>& operator_models() {
  static const std::vector<OperatorModel> models = {
      {"forward", kProduct, product},
      {"delta", kProduct, product},
      {"gradient", {"lane groups", "weights", "multicast", "outputs", "whole lines", "rows", "columns", "bias groups", "bias", "start"}, gradient},
      {"forward in SRAM", kProductInSram, product_in_sram},
      {"delta in SRAM", kProductInSram, product_in_sram},
      {"gradient in tall arrays", {"waiting", "outputs", "lane groups", "weights", "multicast", "start"}, tall_gradient},
      {"load", {"words", "rows", "tokens", "start"}, load},
      {"loss", {"fullest column", "mean column", "tokens", "columns", "rows", "start"}, loss},
      {"overlap", {"columns", "rows", "start"}, overlap},
  };
  return models;
}

const OperatorModel* find_operator(const std::string& name) {
  for (const OperatorModel& model : operator_models()) {
    if (name == model.name) return &model;
  }
  return nullptr;
}

std::string pass_operator(config::Pass pass, int window_bytes, double tokens, config::Accumulate accumulate) {
  const std::string name = config::to_string(pass);
  const bool outside = window_bytes > 0 && pass != config::Pass::kGradient && 2 * tokens * (accumulate == config::Accumulate::kFp32 ? 4 : 2) > window_bytes;
  return outside ? name + " in SRAM" : name;
}

}  // namespace waferloom::extrapolate
