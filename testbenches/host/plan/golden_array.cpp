#include "testbenches/host/plan/golden_array.h"

#include <cassert>
#include <cmath>

#include "sim/macros/arith.h"

namespace waferloom::testing {
namespace {

// A hash of (seed, index) to [0, 1): no state, no order.
double uniform(std::uint64_t seed, std::uint64_t domain, std::uint64_t index) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15ull + domain * 0xd1b54a32d192ed03ull + index * 0x8cb92ba72f3d8dd7ull + 0x2545f4914f6cdd1dull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

std::string describe(const golden::Fabric& fabric, golden::Halt halt) {
  std::string text;
  switch (halt) {
    case golden::Halt::kIdle: text = "idle"; break;
    case golden::Halt::kDeadlock: text = "deadlock"; break;
    case golden::Halt::kTrap: text = "trap"; break;
    case golden::Halt::kBudget: text = "out of steps"; break;
  }
  for (const golden::FabricTrap& trap : fabric.traps()) text += "\n  " + trap.text();
  for (const golden::Waiting& w : fabric.waiting(16)) text += "\n  (" + std::to_string(w.x) + ", " + std::to_string(w.y) + ") " + w.text;
  return text;
}

}  // namespace

double half_value(std::uint16_t bits) { return static_cast<double>(macros::to_float(macros::half_to_single(bits))); }

std::vector<plan::LayerWeights> Weights::view() const {
  std::vector<plan::LayerWeights> views;
  for (const Layer& layer : layers) {
    views.push_back({layer.weights.data(), layer.bias.empty() ? nullptr : layer.bias.data(), layer.stored.empty() ? nullptr : layer.stored.data()});
  }
  return views;
}

plan::NetworkSpec network(const std::vector<int>& sizes) {
  plan::NetworkSpec spec;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    spec.layers.push_back({"layer" + std::to_string(l), sizes[l], sizes[l + 1], true, l + 2 < sizes.size(), false});
  }
  return spec;
}

Weights random_weights(const plan::NetworkSpec& spec, std::uint64_t seed, double density) {
  Weights weights;
  for (std::size_t l = 0; l < spec.layers.size(); ++l) {
    const plan::LinearSpec& layer = spec.layers[l];
    const double limit = std::sqrt(6.0 / layer.inputs);
    Weights::Layer made;
    const std::size_t count = static_cast<std::size_t>(layer.inputs) * static_cast<std::size_t>(layer.outputs);
    for (std::size_t i = 0; i < count; ++i) {
      const bool stored = uniform(seed, 100 + l, i) < density;
      made.weights.push_back(stored ? macros::double_to_half((2 * uniform(seed, l, i) - 1) * limit) : 0);
      if (layer.stored_only) made.stored.push_back(stored ? 1 : 0);
    }
    if (layer.bias) {
      for (int o = 0; o < layer.outputs; ++o) made.bias.push_back(macros::double_to_half(0.2 * (2 * uniform(seed, 50 + l, static_cast<std::uint64_t>(o)) - 1)));
    }
    weights.layers.push_back(std::move(made));
  }
  return weights;
}

Batch random_batch(const plan::NetworkSpec& spec, int rows, std::uint64_t seed, float loss_scale) {
  Batch batch;
  batch.rows = rows;
  batch.factor = loss_scale / static_cast<float>(rows);
  for (int t = 0; t < rows; ++t) {
    for (int i = 0; i < spec.inputs(); ++i) {
      const double value = 2 * uniform(seed, 200, static_cast<std::uint64_t>(t) * 1000003u + static_cast<std::uint64_t>(i)) - 1;
      batch.samples.push_back(static_cast<float>(half_value(macros::double_to_half(value))));
    }
    batch.labels.push_back(static_cast<int>(uniform(seed, 201, static_cast<std::uint64_t>(t)) * spec.classes()));
  }
  return batch;
}

reference::Step reference_of(const plan::Plan& plan, const Weights& weights, const Batch& batch) {
  std::vector<reference::Layer> layers;
  for (std::size_t l = 0; l < weights.layers.size(); ++l) {
    const plan::LinearSpec& spec = plan.network.layers[l];
    reference::Layer layer;
    layer.inputs = spec.inputs;
    layer.outputs = spec.outputs;
    layer.relu = spec.relu;
    for (const std::uint16_t w : weights.layers[l].weights) layer.weights.push_back(half_value(w));
    for (const std::uint16_t b : weights.layers[l].bias) layer.bias.push_back(half_value(b));
    layers.push_back(std::move(layer));
  }
  reference::Batch b;
  b.rows = batch.rows;
  b.samples.assign(batch.samples.begin(), batch.samples.end());
  b.labels = batch.labels;
  b.gradient_factor = static_cast<double>(batch.factor);
  reference::Step step = reference::run_step(layers, b, {plan.target.width, plan.target.height, plan.target.accumulate == config::Accumulate::kFp16});
  for (std::size_t l = 0; l < layers.size(); ++l) {  // where nothing is stored no gradient is wanted
    const std::vector<std::uint8_t>& stored = weights.layers[l].stored;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      if (stored[i] == 0) step.weight_gradient[l].value[i] = step.weight_gradient[l].bound[i] = 0;
    }
  }
  return step;
}

GoldenArray::GoldenArray(const plan::Plan& plan, std::uint64_t shuffle_seed) : plan_(plan) {
  golden::FabricOptions options;
  options.width = static_cast<std::uint32_t>(plan.target.width);
  options.height = static_cast<std::uint32_t>(plan.target.height);
  options.pe.lanes = static_cast<std::uint32_t>(plan.target.lanes);
  options.pe.sram_bytes = static_cast<std::uint32_t>(plan.target.sram_bytes);
  options.pe.window_bytes = static_cast<std::uint32_t>(plan.target.window_bytes);
  options.shuffle_seed = shuffle_seed;
  fabric_ = std::make_unique<golden::Fabric>(options);
  for (std::uint32_t x = 0; x < options.width; ++x) {
    golden::PortId port = 0;
    boot_problem_ += fabric_->attach_port(x, 0, spec::Direction::kNorth, &port);
    ports_.push_back(port);
  }
  for (std::uint32_t y = 0; y < options.height; ++y) {
    for (std::uint32_t x = 0; x < options.width; ++x) {
      boot_problem_ += fabric_->load({x, y, 1, 1}, {plan.image(static_cast<int>(x), static_cast<int>(y)).bytes, 0, {}});
    }
  }
  boot_problem_ += fabric_->boot({0, 0, options.width, options.height});
  const golden::Halt halt = fabric_->run();
  if (halt != golden::Halt::kIdle) boot_problem_ += describe(*fabric_, halt);
}

GoldenArray::Outcome GoldenArray::step(plan::StepKind kind, const Weights& weights, const Batch& batch, const Change& change) {
  Outcome outcome;
  if (!boot_problem_.empty()) {
    outcome.problem = "boot: " + boot_problem_;
    return outcome;
  }
  plan::EdgeStream stream(plan_, {kind, batch.samples.data(), batch.labels.data(), batch.rows, batch.factor}, weights.view());
  plan::Collector collector(plan_, kind, weights.view());
  outcome.sent.resize(plan_.step(kind).size());
  std::uint64_t number = 0;
  plan::EdgeWord word;
  while (stream.next(word)) {
    if (change) change(number, word);
    ++number;
    plan::PhaseCount& count = outcome.sent[stream.phase()];
    ++count.words;
    if (word.column == plan::kEveryColumn) {
      for (const golden::PortId port : ports_) fabric_->send(port, word.link);
      count.wavelets += ports_.size();
    } else {
      fabric_->send(ports_[word.column], word.link);
      ++count.wavelets;
    }
  }
  const golden::Halt halt = fabric_->run(400'000'000);
  for (std::size_t x = 0; x < ports_.size(); ++x) {
    std::uint64_t link = 0;
    while (fabric_->receive(ports_[x], &link)) {
      ++outcome.received;
      const std::string wrong = collector.accept(static_cast<int>(x), link);
      if (!wrong.empty() && outcome.problem.empty()) outcome.problem = wrong;
    }
  }
  if (!collector.complete() && outcome.problem.empty()) outcome.problem = std::to_string(collector.outstanding()) + " results are missing";
  if (halt != golden::Halt::kIdle || !outcome.problem.empty()) outcome.problem += "\n" + describe(*fabric_, halt);
  for (const golden::PortId port : ports_) {
    if (fabric_->pending(port) != 0 && outcome.problem.empty()) outcome.problem = "words wait at the edge: " + describe(*fabric_, halt);
  }
  outcome.result = collector.result();
  return outcome;
}

}  // namespace waferloom::testing
