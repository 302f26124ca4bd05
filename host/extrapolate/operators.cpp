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

// A streamed product with its ring reduction. The first turn of the ring takes a step for each column, and each move of the owner to the next column a step, some cycles less, more.
// A column that owns one output alone has its bias beside few weights: the fewer they are, the less of that is hidden.
std::vector<double> product(const OperatorSize& s, int lanes) {
  const double g = groups(s, lanes);
  return {s.outputs * s.items * g,
          s.outputs * s.items,
          s.outputs * s.tokens,
          s.outputs,
          s.width,
          owners(s) - 1,
          s.height,
          bias_groups(s, lanes),
          s.bias ? owners(s) : 0,
          s.bias && owned(s) == 1 ? owners(s) * g / std::max(1.0, s.items) : 0,
          g == 1 ? s.outputs * s.items : 0,  // a weight of one group costs more than that group
          s.activation ? std::ceil(owned(s) * s.tokens / lanes) : 0,
          s.activation ? 1.0 : 0.0,
          1};
}
// The same where the two accumulators lie in SRAM: banks are shared with the slab, and how often they meet is a matter of addresses. Its interval is wider, and small counts
// cannot be told from that.
std::vector<double> product_in_sram(const OperatorSize& s, int lanes) {
  const double g = groups(s, lanes);
  return {s.outputs * s.items * g, s.outputs * s.items, s.outputs * s.tokens, s.outputs, s.width, owners(s) - 1, s.height, bias_groups(s, lanes), s.activation ? std::ceil(owned(s) * s.tokens / lanes) : 0, 1};
}
// What a delta pass was measured with always owned as many outputs as there are columns, or more: its turns and moves are one term.
std::vector<double> merged(std::vector<double> counts) {
  counts[4] += counts[5];
  counts.erase(counts.begin() + 5);
  return counts;
}
std::vector<double> delta_product(const OperatorSize& s, int lanes) { return merged(product(s, lanes)); }
std::vector<double> delta_product_in_sram(const OperatorSize& s, int lanes) { return merged(product_in_sram(s, lanes)); }
std::vector<std::string> product_terms(bool delta, bool in_sram) {
  std::vector<std::string> terms = {"lane groups", "weights", "reduction", "outputs"};
  const std::vector<std::string> ring = delta ? std::vector<std::string>{"ring steps"} : std::vector<std::string>{"columns", "moves"};
  terms.insert(terms.end(), ring.begin(), ring.end());
  const std::vector<std::string> rest = in_sram ? std::vector<std::string>{"rows", "bias", "activation groups", "start"}
                                                : std::vector<std::string>{"rows", "bias", "biased owners", "sole outputs", "single groups", "activation groups", "activation", "start"};
  terms.insert(terms.end(), rest.begin(), rest.end());
  return terms;
}

// A weight gradient: the multicast of a row of tokens, a dot product for each weight, the column's chain. A row that starts in the bank pair of the
// multicast row waits for it. A row of four tokens is a single line: the next one is read while it is worked with where it lies a bank pair before the multicast row, and costs
// no start then. A row of few tokens is sent faster than the next owner can start.
constexpr double kHiddenGroups = 7;
constexpr double kHiddenGroupsAlone = 16;
std::vector<double> gradient(const OperatorSize& s, int lanes) {
  const double g = groups(s, lanes);
  // An owner has a product more. One that goes on owning waits for it; the next owner starts meanwhile, and what a change hides of it is some groups (4 to 12 were measured), more
  // where each owns but one output.
  const double biases = s.bias ? s.outputs - owners(s) : 0;
  const double shown = s.bias ? owners(s) * std::max(0.0, g - (owned(s) > 1 ? kHiddenGroups : kHiddenGroupsAlone)) : 0;
  const double products = s.outputs * s.items;
  return {products * g,
          s.tokens > 4 ? products : 0,
          s.tokens > 4 ? 0 : products * (1 - s.apart[1]),
          s.tokens > 4 ? products * s.apart[0] : 0,
          s.outputs * s.tokens,
          s.outputs,
          std::fmod(s.tokens, 8) == 0 ? s.outputs : 0,
          (owners(s) - 1) * std::max(0.0, 8 - s.tokens),
          s.height,
          s.width,
          biases * g + shown,
          biases,
          1};
}

// The same where an array is so tall that the column's chain sets the pace. The weights' queues hold the control words of so many outputs (`ahead`): the tile at the north edge
// frees a place only when its own sum is done, which takes the words' way down the column and the chain's way up. So outputs come in turns: each turn takes that way once, and
// the tile's own work for one output; the outputs of the last turn follow each other at the tile's pace.
std::vector<double> tall_gradient(const OperatorSize& s, int lanes) {
  const double turns = std::floor((s.outputs - 1) / s.ahead);
  const double alone = turns + std::fmod(s.outputs - 1, s.ahead) + 1;  // outputs whose own work shows
  const double items = s.items + (s.bias ? 1 : 0);  // the owner sets the pace
  return {s.height * (turns + 1), turns, alone * items * groups(s, lanes), alone * items, alone * s.tokens, alone, 1};
}

// A batch through the column's injector, two values a word, one tile after the other.
std::vector<double> load(const OperatorSize& s, int) { return {s.height * s.features * s.tokens / 2, s.height, s.tokens, 1}; }

// Softmax cross-entropy: vector work on the classes of each column, three chains along the row, one along a column. The chains start where columns hold least.
// Half of the work takes a row of classes and the row of maxima: both are binary32, a line each for two tokens, and a third access writes. Where they do not lie in one bank pair
// these meet.
std::vector<double> loss(const OperatorSize& s, int) {
  const double elements = s.features * s.tokens;
  return {elements, s.even_features * s.tokens, s.tokens, s.width, s.height, elements * (1 - s.apart[0]), 1};
}

// What phases that follow each other without a pause save: the words of the next are under way while the last results leave.
std::vector<double> overlap(const OperatorSize& s, int) { return {s.outputs * s.width, s.outputs * s.height, s.outputs}; }

// Passes over all elements, sums over the row: a chain and a multicast back. Gains stream down the columns; the gradient's dot products take a loop over features.
std::vector<double> norm(const OperatorSize& s, int) { return {s.features * s.tokens, s.features, s.tokens, s.width, s.height, 1}; }

std::vector<double> activation(const OperatorSize& s, int) { return {s.features * s.tokens, s.height, 1}; }

// Two sums of outer products in each step, which has as many keys as a tile has tokens: over features for the scores, over tokens for the output. The last row of a causal sequence takes every step.
std::vector<double> attention(const OperatorSize& s, int lanes) {
  const double launches = 2 * s.outputs * s.features * s.tokens, scores = s.outputs * s.tokens * s.tokens * s.heads;
  return {launches * groups(s, lanes), launches, scores, s.head_columns > 1 ? scores : 0, s.outputs * (s.head_columns - 1), s.outputs * (s.features + s.tokens), s.outputs, 1};
}
// Five of them, two over features; gradients of keys and values go on to the next row when a step is done. The head's columns sum in each step, and once before the first.
std::vector<double> attention_gradient(const OperatorSize& s, int lanes) {
  const double launches = 5 * s.outputs * s.features * s.tokens, scores = s.outputs * s.tokens * s.tokens * s.heads;
  return {launches * groups(s, lanes), launches, scores, s.head_columns > 1 ? scores : 0, (s.outputs + 1) * (s.head_columns - 1), s.outputs * (2 * s.features + 3 * s.tokens),
          s.outputs > 1 ? s.outputs * s.features * s.tokens : 0, s.outputs, 1};
}

}  // namespace

const std::vector<OperatorModel>& operator_models() {
  static const std::vector<OperatorModel> models = {
      {"forward", product_terms(false, false), product},
      {"delta", product_terms(true, false), delta_product},
      {"gradient in tall arrays", {"waiting", "turns", "lane groups", "weights", "multicast", "outputs", "start"}, tall_gradient, 32},
      {"gradient", {"lane groups", "weights", "single lines", "same banks", "multicast", "outputs", "whole lines", "moves", "rows", "columns", "bias groups", "bias", "start"}, gradient},
      {"forward in SRAM", product_terms(false, true), product_in_sram},
      {"delta in SRAM", product_terms(true, true), delta_product_in_sram},
      {"load", {"words", "rows", "tokens", "start"}, load},
      {"loss", {"fullest column", "mean column", "tokens", "columns", "rows", "banks", "start"}, loss},
      {"overlap", {"columns", "rows", "start"}, overlap},
      {"norm", {"elements", "features", "tokens", "columns", "rows", "start"}, norm},
      {"norm gradient", {"elements", "features", "tokens", "columns", "rows", "start"}, norm},
      {"activation", {"elements", "rows", "start"}, activation},
      {"activation gradient", {"elements", "rows", "start"}, activation},
      {"attention", {"lane groups", "launches", "scores", "summed scores", "head columns", "rounds", "steps", "start"}, attention},
      {"attention gradient", {"lane groups", "launches", "scores", "summed scores", "head columns", "rounds", "passed sums", "steps", "start"}, attention_gradient},
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
