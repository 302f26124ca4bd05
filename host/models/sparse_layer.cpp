#include "host/models/sparse_layer.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "host/optimiser/parameters.h"
#include "host/systemc/direct.h"
#include "host/systemc/small_step.h"
#include "sim/macros/arith.h"

namespace waferloom::models {
namespace {

constexpr std::int64_t kCycleLimit = 20'000'000;
constexpr std::uint64_t kActiveDomain = 0x61637476;
constexpr std::uint64_t kDeadDomain = 0x64656164;
constexpr std::uint64_t kValueDomain = 0x76616c75;

double drawn(std::uint64_t seed, std::uint64_t domain, std::uint64_t index) { return static_cast<double>(optimiser::hash_random(seed, domain, index) >> 11U) * 0x1p-53; }

std::uint32_t io_words(const LayerCase& layer) { return static_cast<std::uint32_t>(layer.io_words_per_cycle > 0 ? layer.io_words_per_cycle : 2 * layer.width + 2); }

// Non-zeros of each column for each output of a pass: `rows` features over columns, `loops` outputs.
template <class Stored>
void count(const plan::Split& rows, int loops, const Stored& stored, double* even, double* fullest) {
  std::int64_t all = 0;
  std::int64_t most = 0;
  for (int o = 0; o < loops; ++o) {
    int largest = 0;
    for (int x = 0; x < rows.parts; ++x) {
      int here = 0;
      for (int i = rows.first(x); i < rows.first(x) + rows.size(x); ++i) here += stored(o, i) ? 1 : 0;
      all += here;
      largest = std::max(largest, here);
    }
    most += largest;
  }
  *even = static_cast<double>(all) / (static_cast<double>(loops) * rows.parts);
  *fullest = static_cast<double>(most) / loops;
}

}  // namespace

WeightRun run_sparse_weights(const LayerCase& layer, double density, const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe, const Interrupted& interrupted) {
  WeightRun out;
  systemc::SmallStepSpec spec;  // the second layer has all three passes; the first is as small as it can be
  spec.width = layer.width;
  spec.height = layer.height;
  spec.inputs = 1;
  spec.hidden = layer.inputs_per_column * layer.width;
  spec.outputs = layer.outputs;
  spec.batch = layer.height * layer.tokens_per_pe;
  spec.density = density;
  spec.seed = layer.seed;
  spec.offer = systemc::Offer::kByPhase;
  spec.io_words_per_cycle = io_words(layer);
  spec.out_buffer_words = 0;
  systemc::SmallStep step;
  out.error = step.prepare(spec, run);
  if (!out.error.empty()) return out;
  const std::vector<std::uint16_t>& weights = step.weights();
  const auto stored = [&](int output, int input) { return !macros::is_zero16(weights[static_cast<std::size_t>(output) * static_cast<std::size_t>(spec.hidden) + static_cast<std::size_t>(input)]); };
  count(step.plan().features[1], spec.outputs, stored, &out.even[0], &out.fullest[0]);
  count(step.plan().features[2], spec.hidden, [&](int input, int output) { return stored(output, input); }, &out.even[1], &out.fullest[1]);
  out.density = out.even[0] * layer.width / spec.hidden;
  const systemc::DirectResult result = step.run(router, pe, kCycleLimit, interrupted);
  out.error = result.error;
  if (!out.error.empty()) return out;
  for (std::size_t p = 0; p < step.plan().train_step.size(); ++p) {
    const plan::Phase& phase = step.plan().train_step[p];
    if (phase.layer != 1) continue;
    if (phase.kind == plan::PhaseKind::kForward) out.cycles[0] = result.phase_cycles[p];
    if (phase.kind == plan::PhaseKind::kDelta) out.cycles[1] = result.phase_cycles[p];
    if (phase.kind == plan::PhaseKind::kGradient) out.cycles[2] = result.phase_cycles[p];
  }
  return out;
}

DenseLine dense_line(const LayerCase& layer, const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe, const Interrupted& interrupted) {
  DenseLine line;
  LayerCase narrow = layer;
  narrow.inputs_per_column = std::max(1, layer.inputs_per_column / 2);
  LayerCase low = layer;
  low.outputs = std::max(layer.width, layer.outputs / 2);
  const WeightRun full = run_sparse_weights(layer, 1, run, router, pe, interrupted);
  const WeightRun halves[] = {run_sparse_weights(narrow, 1, run, router, pe, interrupted), run_sparse_weights(low, 1, run, router, pe, interrupted)};
  for (int pass = 0; pass < 2; ++pass) {
    const WeightRun& half = halves[pass];
    if (!full.error.empty() || !half.error.empty()) {
      line.error = full.error.empty() ? half.error : full.error;
      return line;
    }
    line.slope[pass] = static_cast<double>(full.cycles[pass] - half.cycles[pass]) / (full.fullest[pass] - half.fullest[pass]);
    line.start[pass] = static_cast<double>(full.cycles[pass]) - line.slope[pass] * full.fullest[pass];
  }
  return line;
}

ActivationRun run_sparse_activations(const LayerCase& layer, const ActivationCase& activations, const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe,
                                     const Interrupted& interrupted) {
  ActivationRun out;
  const int inputs = layer.inputs_per_column * layer.width;
  const int batch = layer.height * layer.tokens_per_pe;
  plan::NetworkSpec network;
  network.layers.push_back({"only", inputs, layer.outputs, false, false, false});
  plan::Target target = plan::target_of(run);
  target.width = layer.width;
  target.height = layer.height;
  std::variant<plan::Plan, plan::Refusal> planned = plan::make_plan(network, target, batch);
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&planned)) {
    out.error = refusal->message;
    return out;
  }
  const plan::Plan& plan = std::get<plan::Plan>(planned);

  std::vector<float> samples;
  std::vector<int> labels;
  std::vector<char> alive(static_cast<std::size_t>(inputs), 0);
  std::size_t active = 0;
  for (int t = 0; t < batch; ++t) {
    labels.push_back(t % layer.outputs);
    for (int i = 0; i < inputs; ++i) {
      const bool dead = drawn(layer.seed, kDeadDomain, static_cast<std::uint64_t>(i)) < activations.dead;
      const bool zero = dead || drawn(layer.seed, kActiveDomain, samples.size()) >= activations.active;
      samples.push_back(zero ? 0.0F : static_cast<float>(0.0625 + drawn(layer.seed, kValueDomain, samples.size())));
      active += zero ? 0 : 1;
      if (!zero) alive[static_cast<std::size_t>(i)] = 1;
    }
  }
  out.active = static_cast<double>(active) / static_cast<double>(samples.size());
  out.union_active = static_cast<double>(std::count(alive.begin(), alive.end(), 1)) / inputs;

  std::vector<std::uint16_t> weights;
  for (int o = 0; o < layer.outputs; ++o) {
    for (int i = 0; i < inputs; ++i) {
      const std::uint16_t value = static_cast<std::uint16_t>(0x2c00U | (optimiser::hash_random(layer.seed, kValueDomain + 1, weights.size()) & 0x83ffU));
      weights.push_back(activations.leave_out && alive[static_cast<std::size_t>(i)] == 0 ? std::uint16_t{0} : value);
    }
  }

  systemc::FabricWaferOptions options;
  options.router = router;
  options.pe = pe;
  options.hop = static_cast<unsigned>(run.machine.hop_cycles.value);
  options.io_words_per_cycle = io_words(layer);
  options.out_buffer_words = 0;
  const std::unique_ptr<systemc::FabricWafer> wafer = systemc::FabricWafer::create(options, plan, &out.error);
  if (wafer == nullptr) return out;
  plan::StepInputs step;
  step.samples = samples.data();
  step.labels = labels.data();
  step.rows = batch;
  step.gradient_factor = 1.0F / static_cast<float>(batch);
  systemc::DirectResult result = systemc::run_step(*wafer, plan, step, {{weights.data(), nullptr, nullptr}}, systemc::Offer::kByPhase, kCycleLimit, interrupted);
  out.error = result.error;
  if (!out.error.empty()) return out;
  for (std::size_t p = 0; p < plan.train_step.size(); ++p) {
    if (plan.train_step[p].kind == plan::PhaseKind::kForward) out.cycles = result.phase_cycles[p];
  }
  out.result = std::move(result.result);
  return out;
}

}  // namespace waferloom::models
