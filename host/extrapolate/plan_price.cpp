#include "host/extrapolate/plan_price.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace waferloom::extrapolate {
namespace {

config::Pass pass_of(plan::PhaseKind kind) {
  if (kind == plan::PhaseKind::kDelta) return config::Pass::kDelta;
  return kind == plan::PhaseKind::kGradient ? config::Pass::kGradient : config::Pass::kForward;
}

std::uint32_t address_of(const plan::Plan& plan, const std::string& name) {
  const auto found = std::find_if(plan.symbols.begin(), plan.symbols.end(), [&](const plan::Symbol& s) { return s.name == name; });
  assert(found != plan.symbols.end());
  return found->address;
}

// Shares of the `rows` rows of `bytes` that start at `first` which lie so many bank pairs before the row at `other`.
void place(const plan::Plan& plan, const std::string& first, const std::string& other, int rows, std::uint32_t bytes, OperatorSize* size) {
  const std::uint32_t from = address_of(plan, first);
  const std::uint32_t to = address_of(plan, other);
  size->apart.fill(0);
  for (std::uint32_t row = 0; row < static_cast<std::uint32_t>(rows); ++row) {
    const std::uint32_t apart = to - from - row * bytes;  // modulo 2^32, of which 32 is a divisor
    size->apart[apart / 8 % 4] += 1.0 / rows;
  }
}

}  // namespace

PhaseOperator phase_operator(const plan::Plan& plan, const plan::Phase& phase) {
  PhaseOperator made;
  OperatorSize& size = made.size;
  size.width = plan.target.width;
  size.height = plan.target.height;
  size.tokens = plan.tokens_padded;
  size.placed = true;
  for (const int id : phase.operators) {
    const plan::Operator& op = plan.operators[static_cast<std::size_t>(id)];
    made.words_in += op.edge_words_in;
    made.words_out += op.edge_words_out;
    size.activation |= op.flavour == plan::Flavour::kRelu || op.flavour == plan::Flavour::kReluGradient;
  }
  switch (phase.kind) {
    case plan::PhaseKind::kLoad:
      made.op = "load";
      size.features = plan.features.front().largest() + 1 + plan.features.back().largest();
      break;
    case plan::PhaseKind::kLoss:
      made.op = "loss";
      size.features = plan.features.back().largest();
      place(plan, "logits", "maximum", plan.features.back().largest(), 4 * static_cast<std::uint32_t>(plan.tokens_padded), &size);
      size.even_features = static_cast<double>(plan.network.classes()) / plan.target.width;
      break;
    case plan::PhaseKind::kForward:
    case plan::PhaseKind::kGradient:
    case plan::PhaseKind::kDelta: {
      const std::size_t layer = static_cast<std::size_t>(phase.layer);
      const bool delta = phase.kind == plan::PhaseKind::kDelta;
      made.op = pass_operator(pass_of(phase.kind), plan.target.window_bytes, size.tokens, plan.target.accumulate);
      size.outputs = delta ? plan.network.layers[layer].inputs : plan.network.layers[layer].outputs;
      size.items = plan.features[delta ? layer + 1 : layer].largest();
      size.bias = plan.network.layers[layer].bias && !delta;
      if (phase.kind == plan::PhaseKind::kGradient) {
        place(plan, "slab" + std::to_string(layer), "received", plan.features[layer].largest(), 2 * static_cast<std::uint32_t>(plan.tokens_padded), &size);
      }
      break;
    }
  }
  return made;
}

PlanPrice price_plan(const plan::Plan& plan, const Calibration& calibration, double io_words_per_cycle) {
  PlanPrice price;
  auto fit_of = [&](const std::string& op) {
    const OperatorFit* fit = calibration.find(op);
    if (fit == nullptr && price.refusal.empty()) price.refusal = "the calibration has no fit of the operator '" + op + "'";
    return fit;
  };
  for (const plan::Phase& phase : plan.train_step) {
    const PhaseOperator made = phase_operator(plan, phase);
    const OperatorFit* fit = fit_of(made.op);
    if (fit == nullptr) return price;
    const Prediction predicted = predict_operator(calibration, *fit, made.size);
    // A batch goes down the columns; what a row reduces crosses it too.
    const double way = plan.target.height + (phase.kind == plan::PhaseKind::kLoad ? 0 : plan.target.width);
    const double at_edge = static_cast<double>(std::max(made.words_in, made.words_out)) / io_words_per_cycle + way;
    PhasePrice row;
    row.phase = phase.name;
    row.op = made.op;
    row.edge = at_edge > predicted.cycles;
    row.cycles = std::max(predicted.cycles, at_edge);
    row.low = std::max(predicted.low, std::min(at_edge, row.cycles));
    row.high = std::max(predicted.high, at_edge);
    if (!row.edge) row.low = predicted.low;
    if (row.edge && phase.kind == plan::PhaseKind::kLoad) {
      // All columns share the edge evenly. One that has fewer words to load sends what comes next meanwhile, so the load takes as if each had as many as the fullest.
      const double width = plan.target.width;
      const double missing = width * (plan.features.front().largest() + plan.features.back().largest()) - plan.network.layers.front().inputs - plan.network.classes();
      price.ahead += missing * plan.tokens_padded / 2 * plan.target.height / io_words_per_cycle;
    }
    price.cycles += row.cycles;
    price.low += row.low;
    price.high += row.high;
    price.phases.push_back(std::move(row));
  }
  const OperatorFit* overlap = fit_of("overlap");
  if (overlap == nullptr) return price;
  OperatorSize size;
  size.width = plan.target.width;
  size.height = plan.target.height;
  size.outputs = static_cast<double>(plan.train_step.size()) - 1;
  const Prediction saved = predict_operator(calibration, *overlap, size);
  price.overlap = saved.cycles;
  price.cycles = std::max(0.0, price.cycles - saved.cycles + price.ahead);
  price.low = std::max(0.0, price.low - saved.high);
  price.high = std::max(0.0, price.high - saved.low + price.ahead);
  return price;
}

}  // namespace waferloom::extrapolate
