#include "host/plan/collector.h"

#include <cassert>
#include <utility>

#include "host/plan/protocol.h"
#include "sim/generated/packet.h"
#include "sim/macros/arith.h"

namespace waferloom::plan {

Collector::Collector(const Plan& plan, StepKind kind, std::vector<LayerWeights> layers) : plan_(plan), kind_(kind), layers_(std::move(layers)) {
  assert(layers_.size() == plan.network.layers.size());
  for (const LinearSpec& spec : plan.network.layers) {
    result_.weight_gradient.emplace_back(kind == StepKind::kTrain ? static_cast<std::size_t>(spec.inputs) * static_cast<std::size_t>(spec.outputs) : 0, 0.0f);
    result_.bias_gradient.emplace_back(kind == StepKind::kTrain && spec.bias ? static_cast<std::size_t>(spec.outputs) : 0, 0.0f);
  }
  for (const PhaseCount& count : count_phases(plan, kind, layers_)) outstanding_ += static_cast<std::int64_t>(count.results);
  cursors_.resize(static_cast<std::size_t>(plan.target.width));
  for (int x = 0; x < plan.target.width; ++x) settle(x);
}

void Collector::settle(int column) {
  Cursor& c = cursors_[static_cast<std::size_t>(column)];
  const std::vector<Phase>& phases = plan_.step(kind_);
  for (; c.phase < phases.size(); ++c.phase, c.output = c.item = 0) {
    const Phase& phase = phases[c.phase];
    if (phase.kind == PhaseKind::kLoss && column == 0 && c.item < 2) return;
    if (phase.kind != PhaseKind::kGradient) continue;
    const std::size_t l = static_cast<std::size_t>(phase.layer);
    const LinearSpec& spec = plan_.network.layers[l];
    const std::uint32_t rows = static_cast<std::uint32_t>(plan_.features[l].size(column));
    const std::uint8_t* stored = spec.stored_only ? layers_[l].stored : nullptr;
    for (; c.output < static_cast<std::uint32_t>(spec.outputs); ++c.output, c.item = 0) {
      for (; c.item < rows; ++c.item) {
        const std::size_t index = std::size_t{c.output} * static_cast<std::size_t>(spec.inputs) +
                                  static_cast<std::size_t>(plan_.features[l].first(column)) + c.item;
        if (stored == nullptr || stored[index] != 0) return;
      }
      if (c.item == rows && spec.bias && plan_.features[l + 1].owner(static_cast<int>(c.output)) == column) return;
    }
  }
}

std::string Collector::accept(int column, std::uint64_t link) {
  const std::string where = "column " + std::to_string(column) + " of the north edge: ";
  if (column < 0 || column >= plan_.target.width) return where + "there is no such column";
  if (spec::link_control(link)) return where + "a control wavelet left the array";
  if (spec::link_colour(link) != kChainYEven) return where + "colour " + std::to_string(spec::link_colour(link)) + " does not leave the array";
  Cursor& c = cursors_[static_cast<std::size_t>(column)];
  const std::vector<Phase>& phases = plan_.step(kind_);
  if (c.phase >= phases.size()) return where + "a word more than the plan has";
  const Phase& phase = phases[c.phase];
  const float value = macros::to_float(spec::link_data(link));
  if (phase.kind == PhaseKind::kLoss) {
    (c.item == 0 ? result_.loss_sum : result_.wrong) = value;
  } else {
    const std::size_t l = static_cast<std::size_t>(phase.layer);
    const std::uint32_t rows = static_cast<std::uint32_t>(plan_.features[l].size(column));
    if (c.item < rows) {
      const std::size_t inputs = static_cast<std::size_t>(plan_.network.layers[l].inputs);
      result_.weight_gradient[l][c.output * inputs + static_cast<std::size_t>(plan_.features[l].first(column)) + c.item] = value;
    } else {
      result_.bias_gradient[l][c.output] = value;
    }
  }
  ++c.item;
  --outstanding_;
  ++accepted_;
  settle(column);
  return {};
}

}  // namespace waferloom::plan
