#include "host/models/cost_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "host/extrapolate/operators.h"

namespace waferloom::models {
namespace {

config::Pass fitted_pass(StepPass pass) {
  if (pass == StepPass::kDelta) return config::Pass::kDelta;
  if (pass == StepPass::kGradient) return config::Pass::kGradient;
  return config::Pass::kForward;
}

// What a term of the fit stands for, in the words of limit_names().
const char* resource_of(const std::string& term) {
  for (const char* lanes : {"lane groups", "weights", "bias", "bias groups", "activation groups", "single groups", "launches", "scores", "elements", "features", "tokens", "fullest column", "mean column"}) {
    if (term == lanes) return "lanes";
  }
  if (term == "whole lines" || term == "half lines") return "SRAM";
  if (term == "reduction" || term == "multicast" || term == "waiting" || term == "summed scores") return "reduction";
  if (term == "passed sums") return "link";
  return "latency";
}

std::string largest_resource(const std::vector<report::CostTerm>& terms) {
  const char* names[] = {"lanes", "SRAM", "reduction", "link", "latency"};
  std::string best = "lanes";
  double most = -1;
  for (const char* name : names) {
    double sum = 0;
    for (const report::CostTerm& term : terms) sum += resource_of(term.name) == std::string(name) ? term.cycles : 0;
    if (sum > most) {
      most = sum;
      best = name;
    }
  }
  return best;
}

}  // namespace

const char* to_string(Kernel kernel) {
  switch (kernel) {
    case Kernel::kStreamMatmul: return "stream_matmul";
    case Kernel::kAttention: return "attention";
    case Kernel::kScores: return "attention_scores";
    case Kernel::kValues: return "attention_values";
    case Kernel::kSoftmax: return "softmax";
    case Kernel::kNorm: return "norm";
    case Kernel::kActivation: return "activation";
    case Kernel::kEmbedding: return "embedding";
    case Kernel::kLoss: return "loss";
  }
  return "";
}

const char* to_string(StepPass pass) {
  switch (pass) {
    case StepPass::kForward: return "forward";
    case StepPass::kRecompute: return "recompute";
    case StepPass::kLoss: return "loss";
    case StepPass::kDelta: return "delta";
    case StepPass::kGradient: return "gradient";
  }
  return "";
}

FittedCost::FittedCost(const extrapolate::Calibration& calibration, const config::Machine& machine, config::Accumulate accumulate, const CostKnobs& knobs)
    : calibration_(calibration), machine_(machine), accumulate_(accumulate), knobs_(knobs) {
  width_ = machine.user_width.value;
  height_ = machine.user_height.value;
  edge_ = machine.edge_words_per_cycle();
}

Price FittedCost::price(const StepOperator& op) const {
  switch (op.kernel) {
    case Kernel::kStreamMatmul: return matmul(op);
    case Kernel::kAttention:
    case Kernel::kScores:
    case Kernel::kValues:
    case Kernel::kSoftmax: return attention(op);
    case Kernel::kNorm:
    case Kernel::kActivation:
    case Kernel::kLoss: return elementwise(op);
    case Kernel::kEmbedding: return embedding(op);
  }
  return {};
}

Price FittedCost::matmul(const StepOperator& op) const {
  const config::Pass pass = fitted_pass(op.pass);
  const bool delta = pass == config::Pass::kDelta;
  const bool gradient = pass == config::Pass::kGradient;
  extrapolate::OperatorSize size;
  size.width = width_;
  size.height = height_;
  size.tokens = op.expert_tokens_per_pe > 0 ? op.expert_tokens_per_pe : op.tokens_per_pe;
  size.outputs = delta ? op.inputs : op.outputs;
  size.bias = op.bias && !delta;
  const double dense_items = std::ceil((delta ? op.outputs : op.inputs) / width_);
  const double even = dense_items * op.density;
  const double fullest = expected_fullest(dense_items, op.density, width_);
  const std::string wanted = extrapolate::pass_operator(pass, machine_.accumulator_window_bytes.value, size.tokens, accumulate_);
  const extrapolate::OperatorFit* found = calibration_.find(wanted);
  const extrapolate::OperatorFit& fit = found != nullptr ? *found : fit_of(pass);
  // Rows of a gradient do not run ahead of each other: every output waits for its fullest column.
  const double waited = op.density >= 1 || gradient ? 1
                                                    : share_waited_for(dense_items, op.density,
                                                                       {fit.coefficient("lane groups") * std::ceil(2 * size.tokens / machine_.lanes.value) + fit.coefficient("weights"),
                                                                        fit.coefficient("reduction") * size.tokens + fit.coefficient("outputs"), fit.coefficient("columns") + fit.coefficient("ring steps")});
  size.items = even + std::min(1.0, knobs_.imbalance * waited) * (fullest - even);

  Price price;
  const double weights = op.inputs * op.outputs * op.density;
  const bool stored_only = gradient && op.density < 1;
  price.words_in = gradient ? size.outputs + (stored_only ? weights : 0) : weights + size.outputs;
  price.words_out = gradient ? weights : 0;
  price.flops = 2 * weights * op.tokens;
  price = fitted(std::move(price), fit, size, knobs_.residual[static_cast<std::size_t>(pass)], found == nullptr ? 1.0 / 3 : 0);
  if (found == nullptr) price.note += (price.note.empty() ? "'" : " '") + wanted + "' was not measured: priced as '" + fit.name + "', a third more or less.";
  return price;
}

Price FittedCost::fitted(Price price, const extrapolate::OperatorFit& fit, const extrapolate::OperatorSize& size, double shift, double more_error) const {
  const extrapolate::Prediction predicted = extrapolate::predict_operator(calibration_, fit, size);
  price.compute = predicted.cycles;
  for (const auto& [name, cycles] : predicted.terms) price.terms.push_back({name, cycles});
  double error = price.compute > 0 ? (predicted.high - predicted.cycles) / predicted.cycles : 0;
  // Sizes per tile are interpolated; what leaves the measured range widens the interval in proportion.
  if (predicted.beyond > 1) {
    price.note = size.features > 1 ? fmt::format("{:.0f} values for each token, {:.0f} tokens a tile: beyond what was measured ({:.0f}, {:.0f}), interval widened {:.1f} times.", size.features,
                                                 size.tokens, fit.most_features, fit.most_tokens, predicted.beyond)
                                   : fmt::format("{:.0f} weights per column and output, {:.0f} tokens a tile: beyond what was measured ({:.0f}, {:.0f}), interval widened {:.1f} times.", size.items,
                                                 size.tokens, fit.most_items, fit.most_tokens, predicted.beyond);
  }
  error += more_error;
  const double compute = price.compute * std::max(0.0, 1 + shift * error);
  const double at_edge = std::max(price.words_in, price.words_out) / edge_ + width_ + height_;
  price.cycles = std::max(compute, at_edge);
  price.low = std::max(price.compute * std::max(0.0, 1 - error), at_edge);
  price.high = std::max(price.compute * (1 + error), at_edge);
  price.low = std::min(price.low, price.cycles);
  price.high = std::max(price.high, price.cycles);
  price.limit = at_edge > compute ? "edge I/O" : largest_resource(price.terms);
  if (at_edge > compute) price.terms.push_back({"edge words", at_edge});
  price.origin = report::Origin::kExtrapolated;
  price.source = fmt::format("{}: fitted on {} RTL arrays, at most {:.1f} % off on {} larger ones", fit.name, fit.samples, 100 * fit.held_out_error, fit.judged);
  return price;
}

bool FittedCost::measures_attention() const { return calibration_.find("attention") != nullptr && calibration_.find("attention gradient") != nullptr; }

const extrapolate::OperatorFit& FittedCost::fit_of(config::Pass pass) const {
  const extrapolate::OperatorFit* fit = calibration_.find(config::to_string(pass));
  assert(fit != nullptr);  // every calibration that can be read has the three passes
  return *fit;
}

double FittedCost::chain(double words) const {
  const double step = 2 * machine_.ramp_cycles.value + 1 + machine_.hop_cycles.value;
  return width_ * step + words + width_ * machine_.hop_cycles.value + words;
}

// `instructions` launches over `elements` each, that pass the lanes (S/2 a cycle, 32-bit groups) `passes` times.
double FittedCost::vector_cycles(double instructions, double elements, double passes) const {
  const double group = fit_of(config::Pass::kForward).coefficient("lane groups");
  return instructions * knobs_.launch_cycles + passes * elements * 2 / machine_.lanes.value * std::max(group, 0.5);
}

Price FittedCost::assumed(Price price, double words_bound) const {
  price.compute = 0;
  for (const report::CostTerm& term : price.terms) price.compute += term.cycles;
  const double scaled = price.compute * knobs_.assumed_scale;
  price.cycles = std::max(scaled, words_bound);
  price.low = std::min(std::max(price.compute * knobs_.assumed_low, words_bound), price.cycles);
  price.high = std::max(std::max(price.compute * knobs_.assumed_high, words_bound), price.cycles);
  if (words_bound > scaled) {
    price.limit = "edge I/O";
    price.terms.push_back({"edge words", words_bound});
  } else if (price.limit.empty()) {
    const auto most = std::max_element(price.terms.begin(), price.terms.end(), [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
    const std::string name = most == price.terms.end() ? "" : most->name;
    price.limit = name == "chain" ? "latency" : name == "reduction" ? "reduction" : name == "rotation" ? "link" : "lanes";
  }
  price.origin = report::Origin::kAssumed;
  price.source = "not run on RTL: measured cycles of a lane group, of a reduced token and of a chain step times an instruction count";
  return price;
}

Price FittedCost::attention(const StepOperator& op) const {
  const double n = op.tokens_per_pe;
  const double group = std::ceil(2 * n / machine_.lanes.value) * std::max(fit_of(config::Pass::kForward).coefficient("lane groups"), 0.5);
  const double reduced = fit_of(config::Pass::kForward).coefficient("reduction");
  const double query_features = std::ceil(op.query_width / width_);
  const double key_features = std::ceil(op.key_width / width_);
  const double head_columns = std::max(1.0, std::ceil(op.head_width / query_features));
  const bool back = op.pass == StepPass::kDelta;
  Price price;
  if (op.kernel == Kernel::kAttention) {
    extrapolate::OperatorSize size;
    size.width = width_;
    size.height = height_;
    size.tokens = n;
    size.features = query_features;
    size.outputs = std::ceil(op.keys / n);
    size.head_columns = head_columns;
    size.heads = std::max(1.0, std::floor(query_features / op.head_width));
    price.words_in = 1;
    price.flops = (back ? 8 : 4) * op.mean_keys * op.query_width * op.tokens;
    return fitted(std::move(price), *calibration_.find(back ? "attention gradient" : "attention"), size, knobs_.residual[3], 0);
  }
  if (op.kernel == Kernel::kSoftmax) {
    // Scores of a head are spread over its columns; one exponential a cycle, and four passes of vector work (maximum, difference, sum, scale).
    const double scores = n * op.keys * op.heads / width_;
    const double passes = back ? 3 : 4;
    price.terms.push_back({"special function", back ? 0 : scores});
    price.terms.push_back({"lane groups", vector_cycles((back ? 3 : 5) * std::max(1.0, scores / std::max(n, 1.0)), scores, passes)});
    price.flops = 0;
    return assumed(std::move(price), 0);
  }
  // Scores: for each key a multiply-add of its local features over the local queries, then a reduction over the head's columns. Values: the weighted sum, after the weights
  // were passed to the head's columns. Keys and values rotate along y meanwhile. On the way back each forward product has two, and the scores are made once more.
  const bool scores = op.kernel == Kernel::kScores;
  const double products = back ? (scores ? 3 : 2) : 1;
  price.terms.push_back({"lane groups", products * op.keys * query_features * (group + knobs_.launch_cycles)});
  if (head_columns > 1) {
    const double share = scores ? (back ? 2 : 1) * reduced : 0.5;
    price.terms.push_back({"reduction", op.keys * n * share * std::max(1.0, op.heads * head_columns / width_)});
  }
  price.terms.push_back({"rotation", (back ? 2 : 1) * op.keys * key_features / 2 + height_ * machine_.hop_cycles.value});
  price.flops = (back ? 2 : 1) * 2 * op.mean_keys * op.query_width * op.tokens;
  return assumed(std::move(price), 0);
}

Price FittedCost::elementwise(const StepOperator& op) const {
  const double n = op.tokens_per_pe;
  const double local = std::ceil(op.features / width_);
  const bool back = op.pass == StepPass::kDelta;
  Price price;
  const char* name = op.kernel == Kernel::kLoss ? "loss" : op.kernel == Kernel::kNorm ? (back ? "norm gradient" : "norm") : back ? "activation gradient" : "activation";
  if (const extrapolate::OperatorFit* fit = calibration_.find(name)) {
    extrapolate::OperatorSize size;
    size.width = width_;
    size.height = height_;
    size.tokens = n;
    size.features = std::max(1.0, local);
    size.even_features = std::max(1.0, op.features / width_);
    // Gains and biases of a norm stream in, their gradients leave; of the loss its sum and the count of wrong tokens.
    price.words_in = op.kernel == Kernel::kNorm ? 2 * op.features + 1 : 1;
    price.words_out = op.kernel == Kernel::kNorm && back ? 2 * op.features : op.kernel == Kernel::kLoss ? 2 : 0;
    return fitted(std::move(price), *fit, size, knobs_.residual[3], 0);
  }
  switch (op.kernel) {
    case Kernel::kNorm:
      // Sum and sum of squares in one pass each, a row's chain for both, then difference, scale, gain, bias.
      price.terms.push_back({"lane groups", vector_cycles((back ? 9 : 6) * local, local * n, back ? 9 : 6)});
      price.terms.push_back({"chain", chain(2 * n)});
      break;
    case Kernel::kActivation:
      // exp2 and a reciprocal on the special function unit, eight passes of vector work (six on the way back, where the exponential is kept).
      price.terms.push_back({"special function", (back ? 1 : 2) * local * n});
      price.terms.push_back({"lane groups", vector_cycles((back ? 10 : 8) * std::max(1.0, local), local * n, back ? 10 : 8)});
      break;
    default:  // loss: maximum and sum by two chains, an exponential for each logit, then the gradient
      price.terms.push_back({"special function", local * n});
      price.terms.push_back({"lane groups", vector_cycles(6 * local, local * n, 6)});
      price.terms.push_back({"chain", 2 * chain(n)});
      break;
  }
  return assumed(std::move(price), 0);
}

Price FittedCost::embedding(const StepOperator& op) const {
  // Vectors of the batch's tokens enter as binary16, two to a word; their gradients leave as binary32.
  Price price;
  const double words = op.tokens * op.features;
  if (op.pass == StepPass::kGradient) {
    price.words_out = words;
  } else {
    price.words_in = words / 2;
  }
  price.terms.push_back({"lane groups", vector_cycles(std::ceil(op.features / width_), op.tokens_per_pe * std::ceil(op.features / width_), 1)});
  const double at_edge = std::max(price.words_in, price.words_out) / edge_ + width_ + height_;
  price = assumed(std::move(price), at_edge);
  if (price.compute * knobs_.assumed_high <= at_edge) {
    // Whatever the vector work costs within its interval, the edge takes longer.
    price.origin = report::Origin::kExtrapolated;
    price.source = "words over the wafer's edge; the tiles' own work is below that by its whole interval";
  }
  return price;
}

}  // namespace waferloom::models
