#include "host/systemc/memoryx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/optimiser/pruning.h"
#include "sim/macros/arith.h"

namespace waferloom::systemc {
namespace {

void quantise(const std::vector<float>& from, std::vector<std::uint16_t>& to) {
  to.resize(from.size());
  std::transform(from.begin(), from.end(), to.begin(), [](float v) { return macros::single_to_half(macros::to_bits(v)); });
}

// Index of the first element that is not finite, or the size.
std::size_t first_not_finite(const std::vector<float>& values) {
  return static_cast<std::size_t>(std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); }) - values.begin());
}

}  // namespace

MemoryX::MemoryX(const sc_core::sc_module_name& name, const CycleClock& clock, const Settings& settings, const plan::Plan& plan,
                 const Schedule& schedule, optimiser::Parameters parameters, std::function<bool(const StepOutcome&)> on_outcome)
    : HostModel(name, clock),
      to_swarmx("to_swarmx", clock, settings.latency),
      from_swarmx("from_swarmx", inbox()),
      settings_(settings),
      plan_(plan),
      schedule_(schedule),
      parameters_(std::move(parameters)),
      on_outcome_(std::move(on_outcome)),
      scaler_(settings.loss_scale),
      weights16_(plan.network.layers.size()),
      bias16_(plan.network.layers.size()),
      credit_(settings.credit) {
  for (int i = 0; i < settings.systems; ++i) to_server.push_back(std::make_unique<LinkSource>(("to_server" + std::to_string(i)).c_str(), clock, settings.latency));
}

std::vector<plan::LayerWeights> MemoryX::wire() const {
  std::vector<plan::LayerWeights> layers(weights16_.size());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    layers[l].weights = weights16_[l].data();
    layers[l].bias = bias16_[l].empty() ? nullptr : bias16_[l].data();
  }
  return layers;
}

void MemoryX::quantise_parameters() {
  for (std::size_t l = 0; l < parameters_.layers.size(); ++l) {
    quantise(parameters_.layers[l].weights.master, weights16_[l]);
    quantise(parameters_.layers[l].bias.master, bias16_[l]);
    if (settings_.pruning.active(schedule_.steps[step_].epoch)) optimiser::prune(settings_.pruning, parameters_.layers[l].weights.master, weights16_[l]);
  }
}

void MemoryX::open_step(plan::EdgeCursor from) {
  const StepSpec& step = schedule_.steps[step_];
  plan::StepInputs inputs;
  inputs.kind = step.kind;
  inputs.rows = 0;  // the load phase is the input servers'
  stream_.emplace(plan_, inputs, wire(), from);
  collector_.emplace(plan_, step.kind, wire());
}

void MemoryX::state(checkpoint::Archive& archive) {
  for (optimiser::LayerParameters& layer : parameters_.layers) archive(layer.weights, layer.bias);
  // Within a step the parameters stand still, so the wire's copy and the collector's frame follow from them.
  plan::EdgeCursor cursor = stream_ ? stream_->cursor() : plan::EdgeCursor{};
  archive(scaler_, credit_, step_, streaming_, in_step_, done_, cursor, held_, held_phase_, words_, fault_, to_swarmx);
  for (auto& link : to_server) archive(*link);
  if (archive.loading() && in_step_ && step_ < schedule_.steps.size()) {
    quantise_parameters();
    open_step(cursor);
  }
  if (in_step_ && collector_) archive(*collector_);
}

void MemoryX::begin_step() {
  quantise_parameters();
  plan::EdgeCursor after_load;
  after_load.phase = 1;
  open_step(after_load);
  in_step_ = streaming_ = true;
  words_ = 0;
  if (settings_.loss_scale.mode == config::LossScaleMode::kDynamic) {
    Message scale;
    scale.channel = Channel::kScale;
    scale.step = static_cast<std::int64_t>(step_);
    scale.words.push_back(macros::to_bits(static_cast<float>(scaler_.scale())));
    for (auto& link : to_server) link->send(scale, now());
  }
}

void MemoryX::stream() {
  std::int64_t budget = std::min(credit_, settings_.words_per_tick);
  while (streaming_ && budget > 0) {
    Message message;
    message.channel = Channel::kWeights;
    message.step = static_cast<std::int64_t>(step_);
    for (;;) {
      if (!held_) {
        plan::EdgeWord word;
        if (!stream_->next(word)) {
          message.last = true;
          streaming_ = false;
          break;
        }
        held_ = word;
        held_phase_ = stream_->phase();
      }
      if (message.words.empty()) message.phase = static_cast<std::uint16_t>(held_phase_);
      if (budget <= 0 || message.phase != held_phase_) break;
      message.words.push_back(pack_edge(held_->column, held_->link));
      const std::int64_t copies = edge_copies(message.words.back(), plan_.target.width);
      held_.reset();
      budget -= copies;
      credit_ -= copies;
    }
    words_ += message.words.size();
    to_swarmx.send(std::move(message), now());
  }
}

void MemoryX::update(StepOutcome& outcome) {
  const plan::StepResult& result = *outcome.result;
  if (!std::isfinite(outcome.loss)) outcome.not_finite = fmt::format("the loss is not finite (outputs of {})", parameters_.layers.back().name);
  for (std::size_t l = 0; l < parameters_.layers.size() && outcome.not_finite.empty(); ++l) {
    const optimiser::LayerParameters& layer = parameters_.layers[l];
    const std::size_t inputs = static_cast<std::size_t>(layer.inputs);
    const std::size_t weight = first_not_finite(result.weight_gradient[l]);
    const std::size_t bias = first_not_finite(result.bias_gradient[l]);
    if (weight < result.weight_gradient[l].size()) {
      const int input = static_cast<int>(weight % inputs);
      outcome.not_finite = fmt::format("the gradient of {}.weight [{}][{}] is not finite (column {} of the array)", layer.name, weight / inputs, input,
                                       plan_.features[l].owner(input));
    } else if (bias < result.bias_gradient[l].size()) {
      outcome.not_finite = fmt::format("the gradient of {}.bias [{}] is not finite (column {} of the array)", layer.name, bias,
                                       plan_.features[l + 1].owner(static_cast<int>(bias)));
    }
  }
  const optimiser::StepVerdict verdict = scaler_.judge(std::isfinite(outcome.loss), outcome.not_finite.empty());
  outcome.skipped = verdict != optimiser::StepVerdict::kApply;
  outcome.stop = verdict == optimiser::StepVerdict::kStop;
  if (outcome.skipped) return;
  const optimiser::SgdRule rule{static_cast<float>(settings_.optimiser.learning_rate), static_cast<float>(settings_.optimiser.momentum),
                                static_cast<float>(settings_.optimiser.weight_decay)};
  const float unscale = static_cast<float>(1.0 / outcome.loss_scale);
  for (std::size_t l = 0; l < parameters_.layers.size(); ++l) {
    optimiser::LayerParameters& layer = parameters_.layers[l];
    optimiser::apply(rule, result.weight_gradient[l], unscale, layer.weights);
    if (!layer.bias.master.empty()) optimiser::apply(rule, result.bias_gradient[l], unscale, layer.bias);
  }
}

void MemoryX::finish_step() {
  const StepSpec& step = schedule_.steps[step_];
  StepOutcome outcome;
  outcome.step = static_cast<std::int64_t>(step_);
  outcome.result = &collector_->result();
  outcome.parameters = &parameters_;
  outcome.loss = static_cast<double>(outcome.result->loss_sum) / static_cast<double>(step.rows.size());
  outcome.wrong = static_cast<int>(outcome.result->wrong);
  outcome.loss_scale = scaler_.scale();
  outcome.words = words_;
  if (step.kind == plan::StepKind::kTrain) update(outcome);
  in_step_ = false;
  ++step_;
  if (!on_outcome_(outcome) || outcome.stop || step_ == schedule_.steps.size()) done_ = true;
}

void MemoryX::tick() {
  Message message;
  while (inbox().take(now(), message)) {
    if (message.channel == Channel::kWeightsCredit) {
      credit_ += static_cast<std::int64_t>(message.words.at(0));
      continue;
    }
    for (std::uint64_t word : message.words) {
      if (fault_.empty()) {
        fault_ = collector_ ? collector_->accept(edge_column(word), edge_link(word)) : "a result before the first step";
      }
    }
    Message credit;
    credit.channel = Channel::kResultsCredit;
    credit.words = {message.words.size()};
    to_swarmx.send(std::move(credit), now());
  }
  if (done_ || !fault_.empty()) return;
  if (in_step_ && !streaming_ && collector_->complete()) finish_step();
  if (done_) return;
  if (!in_step_) begin_step();
  if (streaming_) stream();
}

}  // namespace waferloom::systemc
