#include "host/plan/edge_stream.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "host/plan/protocol.h"
#include "sim/generated/packet.h"
#include "sim/macros/arith.h"

namespace waferloom::plan {
namespace {

EdgeWord to_all(Task task, std::uint32_t argument) {
  return {kEveryColumn, spec::link_word(spec::control_payload(task, spec::Command::kNone, argument), kWeights, true)};
}

std::uint16_t half(float value) { return macros::single_to_half(macros::to_bits(value)); }
bool is_zero(std::uint16_t bits) { return macros::is_zero16(bits); }

// The shape of one pass of a phase: rows of the slab on each column, outputs in order, what is sent for each (row, output).
struct Pass {
  const Plan& plan;
  const Phase& phase;
  const LayerWeights& layer;

  std::size_t l() const { return static_cast<std::size_t>(phase.layer); }
  bool delta() const { return phase.kind == PhaseKind::kDelta; }
  bool gradient() const { return phase.kind == PhaseKind::kGradient; }
  const LinearSpec& spec() const { return plan.network.layers[l()]; }
  const Split& rows() const { return plan.features[delta() ? l() + 1 : l()]; }
  const Split& outputs() const { return plan.features[delta() ? l() : l() + 1]; }
  bool has_bias() const { return !delta() && spec().bias; }
  // Items of the fullest column for one output.
  std::uint32_t most_items() const { return static_cast<std::uint32_t>(rows().largest() + (has_bias() ? 1 : 0)); }

  // Whether column x has this item for this output, and the index of its weight within the layer (or of its bias).
  bool item(int x, std::uint32_t output, std::uint32_t k, std::size_t* index, bool* bias) const {
    const int local = rows().size(x);
    if (static_cast<int>(k) < local) {
      const std::size_t row = static_cast<std::size_t>(rows().first(x)) + k;
      const std::size_t inputs = static_cast<std::size_t>(spec().inputs);
      *index = delta() ? row * inputs + output : std::size_t{output} * inputs + row;
      *bias = false;
      return true;
    }
    if (!has_bias() || static_cast<int>(k) != local || outputs().owner(static_cast<int>(output)) != x) return false;
    *index = output;
    *bias = true;
    return true;
  }

  // Whether the item is sent: forward and delta pass zeros over, a gradient stream sends what is stored.
  bool sent(std::size_t index, bool bias) const {
    if (gradient()) return bias || layer.stored == nullptr || layer.stored[index] != 0;
    return !is_zero(bias ? layer.bias[index] : layer.weights[index]);
  }
};

Task end_task(const Pass& pass, std::uint32_t output) {
  const bool odd = output % 2 == 1;
  if (!pass.gradient()) return odd ? kTaskOutputB : kTaskOutputA;
  if (pass.spec().stored_only) return kTaskStored;
  return odd ? kTaskGradientB : kTaskGradientA;
}

// A block of the load: words of the slab, of the targets, one factor, one control wavelet.
std::uint32_t slab_words(const Plan& plan, int x) { return static_cast<std::uint32_t>((plan.features.front().size(x) + 1) * plan.tokens_padded / 2); }
std::uint32_t target_words(const Plan& plan, int x) { return static_cast<std::uint32_t>(plan.features.back().size(x) * plan.tokens_padded / 2); }
std::uint32_t block_words(const Plan& plan, int x) { return slab_words(plan, x) + target_words(plan, x) + 2; }

std::uint64_t non_zero(const std::uint16_t* values, std::size_t count) {
  return static_cast<std::uint64_t>(std::count_if(values, values + count, [](std::uint16_t v) { return !is_zero(v); }));
}

}  // namespace

EdgeStream::EdgeStream(const Plan& plan, const StepInputs& inputs, std::vector<LayerWeights> layers, EdgeCursor start)
    : plan_(plan), inputs_(inputs), layers_(std::move(layers)), cursor_(start) {
  assert(layers_.size() == plan.network.layers.size());
  assert(inputs_.rows >= 0 && inputs_.rows <= plan.batch);
}

bool EdgeStream::next(EdgeWord& word) {
  const std::vector<Phase>& phases = plan_.step(inputs_.kind);
  while (cursor_.phase < phases.size()) {
    const Phase& phase = phases[cursor_.phase];
    last_phase_ = cursor_.phase;
    if (cursor_.stage == 0) {
      cursor_.stage = 1;
      word = to_all(kTaskPhase, phase.record);
      return true;
    }
    if (cursor_.stage == 1) {
      if (phase.kind == PhaseKind::kLoad ? load_word(word) : phase.kind != PhaseKind::kLoss && pass_word(word)) return true;
      cursor_.stage = 2;
      cursor_.output = cursor_.item = cursor_.column = 0;
      if (phase.finish != 0) {
        word = to_all(kTaskPhase, phase.finish);
        return true;
      }
    }
    ++cursor_.phase;
    cursor_.stage = 0;
  }
  return false;
}

// Rows of tiles one after the other, the columns of a row in turn.
bool EdgeStream::load_word(EdgeWord& word) {
  const int width = plan_.target.width;
  const int n = plan_.tokens_padded;
  const std::uint32_t most = block_words(plan_, 0);
  for (; cursor_.output < static_cast<std::uint32_t>(plan_.target.height); ++cursor_.output, cursor_.item = 0) {
    for (; cursor_.item < most; ++cursor_.item, cursor_.column = 0) {
      while (cursor_.column < static_cast<std::uint32_t>(width)) {
        const int x = static_cast<int>(cursor_.column++);
        const std::uint32_t slab = slab_words(plan_, x);
        const std::uint32_t targets = target_words(plan_, x);
        if (cursor_.item >= slab + targets + 2) continue;
        const int y = static_cast<int>(cursor_.output);
        word.column = static_cast<std::uint16_t>(x);
        if (cursor_.item == slab + targets + 1) {
          const bool last = y == plan_.target.height - 1;
          word.link = spec::link_word(spec::control_payload(kTaskNothing, last ? spec::Command::kReset : spec::Command::kAdvance), kLoad, true);
          return true;
        }
        if (cursor_.item == slab + targets) {
          word.link = spec::link_word(macros::to_bits(inputs_.gradient_factor), kLoad);
          return true;
        }
        const bool in_slab = cursor_.item < slab;
        const int pair = static_cast<int>(in_slab ? cursor_.item : cursor_.item - slab);
        const int row = 2 * pair / n;
        std::uint32_t data = 0;
        for (int i = 0; i < 2; ++i) {
          const int local = 2 * pair % n + i;
          const int token = plan_.tokens.first(y) + local;
          if (local >= plan_.tokens.size(y) || token >= inputs_.rows) continue;
          std::uint16_t value = 0x3c00;  // 1
          if (!in_slab) {
            if (inputs_.labels[token] != plan_.features.back().first(x) + row) continue;
          } else if (row < plan_.features.front().size(x)) {
            value = half(inputs_.samples[static_cast<std::size_t>(token) * static_cast<std::size_t>(plan_.network.inputs()) +
                                         static_cast<std::size_t>(plan_.features.front().first(x) + row)]);
          }
          data |= std::uint32_t{value} << (16 * i);
        }
        word.link = spec::link_word(data, kLoad);
        return true;
      }
    }
  }
  return false;
}

// Outputs one after the other; of each, the first item of every column, then the second, and so on; then the control wavelet. A stored gradient has
// the control wavelet in front and another behind. Within an output: item 0 stands for the control in front, item k + 1 for item k.
bool EdgeStream::pass_word(EdgeWord& word) {
  const Phase& phase = plan_.step(inputs_.kind)[cursor_.phase];
  const Pass pass{plan_, phase, layers_[static_cast<std::size_t>(phase.layer)]};
  const std::uint32_t width = static_cast<std::uint32_t>(plan_.target.width);
  const bool control_first = pass.gradient();
  const bool streams = !pass.gradient() || pass.spec().stored_only;
  const std::uint32_t last_item = streams ? pass.most_items() : 0;
  while (cursor_.output < static_cast<std::uint32_t>(pass.outputs().items)) {
    const std::uint32_t owner = static_cast<std::uint32_t>(pass.outputs().owner(static_cast<int>(cursor_.output)));
    if (cursor_.item == 0) {
      cursor_.item = 1;
      cursor_.column = 0;
      if (control_first) {
        word = to_all(end_task(pass, cursor_.output), owner);
        return true;
      }
    }
    for (; cursor_.item <= last_item; ++cursor_.item, cursor_.column = 0) {
      const std::uint32_t k = cursor_.item - 1;
      while (cursor_.column < width) {
        const int x = static_cast<int>(cursor_.column++);
        std::size_t index = 0;
        bool bias = false;
        if (!pass.item(x, cursor_.output, k, &index, &bias) || !pass.sent(index, bias)) continue;
        const std::uint32_t offset = k * 2u * static_cast<std::uint32_t>(plan_.tokens_padded);
        const std::uint16_t weight = pass.gradient() ? std::uint16_t{0} : bias ? pass.layer.bias[index] : pass.layer.weights[index];
        word.column = static_cast<std::uint16_t>(x);
        word.link = spec::link_word(spec::weight_payload(weight, offset), kWeights);
        return true;
      }
    }
    const std::uint32_t ended = cursor_.output++;
    cursor_.item = 0;
    if (!control_first) {
      word = to_all(end_task(pass, ended), owner);
      return true;
    }
    if (streams) {
      word = to_all(kTaskNothing, 0);
      return true;
    }
  }
  return false;
}

std::vector<PhaseCount> count_phases(const Plan& plan, StepKind kind, const std::vector<LayerWeights>& layers) {
  std::vector<PhaseCount> counts;
  const std::uint64_t width = static_cast<std::uint64_t>(plan.target.width);
  for (const Phase& phase : plan.step(kind)) {
    std::uint64_t controls = 1 + (phase.finish != 0 ? 1 : 0);
    PhaseCount count;
    std::uint64_t data = 0;
    if (phase.kind == PhaseKind::kLoad) {
      for (int x = 0; x < plan.target.width; ++x) data += std::uint64_t{block_words(plan, x)} * static_cast<std::uint64_t>(plan.target.height);
    } else if (phase.kind == PhaseKind::kLoss) {
      count.results = 2;
    } else {
      const std::size_t l = static_cast<std::size_t>(phase.layer);
      const LinearSpec& spec = plan.network.layers[l];
      const LayerWeights& layer = layers[l];
      const std::size_t inputs = static_cast<std::size_t>(spec.inputs);
      const std::size_t outputs = static_cast<std::size_t>(spec.outputs);
      if (phase.kind == PhaseKind::kGradient) {
        std::uint64_t stored = inputs * outputs;
        if (spec.stored_only && layer.stored != nullptr) {
          stored = static_cast<std::uint64_t>(std::count_if(layer.stored, layer.stored + inputs * outputs, [](std::uint8_t s) { return s != 0; }));
        }
        count.results = stored + (spec.bias ? outputs : 0);
        if (spec.stored_only) data = count.results;
        controls += outputs * (spec.stored_only ? 2 : 1);
      } else {
        data = non_zero(layer.weights, inputs * outputs);
        if (phase.kind == PhaseKind::kForward && spec.bias) data += non_zero(layer.bias, outputs);
        controls += phase.kind == PhaseKind::kForward ? outputs : inputs;
      }
    }
    count.words = data + controls;
    count.wavelets = data + controls * width;
    counts.push_back(count);
  }
  return counts;
}

}  // namespace waferloom::plan
