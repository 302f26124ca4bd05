#include "host/extrapolate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <variant>

#include "host/extrapolate/measurements.h"
#include "host/plan/plan.h"
#include "host/systemc/small_step.h"
#include "host/systemc/units.h"
#include "sim/generated/counters.h"

namespace waferloom::extrapolate {
namespace {

// Sizes per tile cover what layers of the target sizes put on one; widths and heights stay small.
constexpr Shape kSeen[] = {
    {2, 2, 4, 6, 4},  {2, 2, 8, 6, 16}, {4, 2, 4, 8, 8},   {2, 4, 4, 8, 8},  {4, 4, 2, 8, 4},   {4, 4, 8, 8, 16},  {3, 3, 6, 9, 12}, {6, 2, 4, 12, 8},
    {2, 6, 3, 6, 16}, {5, 4, 3, 10, 4}, {4, 3, 12, 8, 8},  {6, 4, 5, 12, 12}, {8, 2, 2, 16, 16}, {2, 8, 8, 4, 4},   {4, 4, 20, 4, 16}, {6, 6, 1, 24, 8},
    // What layers of large models put on a tile: many features, many tokens, accumulators that leave the window.
    {2, 2, 40, 6, 32}, {2, 3, 20, 6, 48}, {3, 2, 12, 9, 64}, {2, 2, 64, 4, 16}, {3, 2, 30, 6, 24}, {2, 2, 24, 4, 96}, {2, 2, 100, 4, 8}, {4, 2, 16, 8, 40},
};
constexpr Shape kUnseen[] = {{8, 8, 4, 16, 8}, {8, 8, 17, 8, 16}, {12, 4, 3, 12, 16}, {4, 12, 6, 8, 12}, {6, 6, 24, 12, 48}, {8, 4, 40, 8, 64}, {12, 8, 12, 12, 32}};
// The largest of them is shown as a map.
constexpr std::size_t kMapped = 6;

// The largest sizes per tile among kSeen.
constexpr int kMostItems = 100;
constexpr int kMostTokens = 96;

constexpr std::int64_t kCycleLimit = 10'000'000;
constexpr config::Pass kPasses[] = {config::Pass::kForward, config::Pass::kDelta, config::Pass::kGradient};

double largest(const std::vector<double>& values) { return values.empty() ? 0 : *std::max_element(values.begin(), values.end()); }

const char* name_of(config::Pass pass) { return config::to_string(pass); }

}  // namespace

const std::vector<std::string>& term_names() {
  static const std::vector<std::string> names = {"lane groups", "memory groups", "weights", "reduction", "outputs", "columns", "rows", "start"};
  return names;
}

bool accumulators_in_memory(int window_bytes, double tokens, config::Accumulate accumulate, config::Pass pass) {
  if (window_bytes == 0 || pass == config::Pass::kGradient) return false;
  return 2 * tokens * (accumulate == config::Accumulate::kFp32 ? 4 : 2) > window_bytes;
}

std::vector<double> terms_of(const PassSize& size, int lanes) {
  const double groups = std::ceil(2.0 * size.tokens / lanes);
  const double reduction = size.pass == config::Pass::kGradient ? std::ceil(size.tokens / 2) : size.tokens;
  const double all_groups = size.outputs * size.items * groups;
  return {all_groups, size.in_memory ? all_groups : 0, size.outputs * size.items, size.outputs * reduction, size.outputs, size.width, size.height, 1};
}

Calibrator::Calibrator(const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe) : run_(run), router_(router), pe_(pe) {}

PassSize Calibrator::size_of(const Shape& shape, config::Pass pass) const {
  PassSize size;
  size.pass = pass;
  size.width = shape.width;
  size.height = shape.height;
  size.tokens = shape.tokens_per_pe;
  const bool delta = pass == config::Pass::kDelta;
  size.outputs = delta ? shape.inputs_per_column * shape.width : shape.outputs;
  size.items = delta ? std::ceil(static_cast<double>(shape.outputs) / shape.width) : shape.inputs_per_column;
  size.in_memory = accumulators_in_memory(run_.machine.accumulator_window_bytes.value, size.tokens, run_.accumulate, pass);
  return size;
}

std::string Calibrator::measure_shape(const Shape& shape, bool with_map, const std::function<bool()>& interrupted, Measured* measured) const {
  // The second layer has all three passes. The first is as small as it can be.
  systemc::SmallStepSpec spec;
  spec.width = shape.width;
  spec.height = shape.height;
  spec.inputs = 1;
  spec.hidden = shape.inputs_per_column * shape.width;
  spec.outputs = shape.outputs;
  spec.batch = shape.height * shape.tokens_per_pe;
  spec.offer = systemc::Offer::kByPhase;
  spec.io_words_per_cycle = static_cast<std::uint32_t>(2 * shape.width + 2);  // so that the edge is not what is measured
  spec.out_buffer_words = 0;
  systemc::SmallStep step;
  const std::string refused = step.prepare(spec, run_);
  if (!refused.empty()) return refused;
  // Cycles by pass, then the busy cycles of each tile if they are wanted.
  const std::size_t tiles = with_map ? static_cast<std::size_t>(shape.width) * static_cast<std::size_t>(shape.height) : 0;
  const std::string name = step.name(router_, pe_) + (with_map ? "-map" : "");
  std::vector<std::int64_t> counts;
  if (!recall(name, 3 + tiles, &counts)) {
    counts.assign(3, 0);
    const WlRegister* classes = pe_.reg_ending("class_cnt_q");
    if (classes == nullptr) return "the PE has no register class_cnt_q";
    const systemc::DirectResult result = step.run(router_, pe_, kCycleLimit, interrupted, nullptr, [&](fabric::Fabric& fabric) {
      if (!with_map) return;
      fabric.credit_all();
      for (std::uint32_t tile = 0; tile < tiles; ++tile) {
        std::uint64_t busy = 0;
        for (spec::PeClass cause : {spec::PeClass::kAxpy, spec::PeClass::kDot, spec::PeClass::kReduce, spec::PeClass::kElementwise, spec::PeClass::kScalar}) {
          busy += fabric.get_register(fabric::UnitKind::kPe, tile % fabric.width(), tile / fabric.width(), classes->name, static_cast<std::uint32_t>(cause));
        }
        counts.push_back(static_cast<std::int64_t>(busy));
      }
    });
    if (!result.error.empty()) return fmt::format("{}x{} array: {}", shape.width, shape.height, result.error);
    for (std::size_t p = 0; p < step.plan().train_step.size(); ++p) {
      const plan::Phase& phase = step.plan().train_step[p];
      if (phase.layer != 1) continue;
      for (config::Pass pass : kPasses) {
        const plan::PhaseKind kind = pass == config::Pass::kForward ? plan::PhaseKind::kForward : pass == config::Pass::kDelta ? plan::PhaseKind::kDelta : plan::PhaseKind::kGradient;
        if (phase.kind == kind) counts[static_cast<std::size_t>(pass)] = result.phase_cycles[p];
      }
    }
    remember(name, counts);
  }
  measured->shape = shape;
  std::copy(counts.begin(), counts.begin() + 3, measured->cycles);
  if (with_map) {
    measured->busy = {fmt::format("issue cycles of each tile in one step of a layer of {} x {}, {} tokens a tile", spec.hidden, shape.outputs, shape.tokens_per_pe), "cycles", shape.width, shape.height, {}};
    measured->busy.values.assign(counts.begin() + 3, counts.end());
  }
  return {};
}

std::string Calibrator::measure(const std::function<bool(int, int)>& progress) {
  std::vector<Measured> seen;
  std::vector<Measured> unseen;
  const int all = static_cast<int>(std::size(kSeen) + std::size(kUnseen));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < all; ++i) {
    if (!progress(i, all)) return "interrupted";
    const bool known = i < static_cast<int>(std::size(kSeen));
    Measured measured;
    const std::size_t index = known ? static_cast<std::size_t>(i) : static_cast<std::size_t>(i) - std::size(kSeen);
    const std::string error = measure_shape(known ? kSeen[index] : kUnseen[index], !known && index == kMapped, [&] { return !progress(i, all); }, &measured);
    if (!error.empty()) return error;
    if (!measured.busy.values.empty()) heat_maps_.push_back(measured.busy);
    (known ? seen : unseen).push_back(measured);
  }
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return fit_all(seen, unseen);
}

void Calibrator::keep_shape(const Sample& sample, const Measured& measured, config::Pass pass, double predicted, bool held_out) {
  report::MeasuredShape shape;
  shape.label = sample.label;
  shape.pass = name_of(pass);
  shape.width = measured.shape.width;
  shape.height = measured.shape.height;
  shape.held_out = held_out;
  shape.measured_cycles = sample.cycles;
  shape.predicted_cycles = predicted;
  shape.error = predicted / sample.cycles - 1;
  shapes_.push_back(std::move(shape));
}

std::string Calibrator::fit_all(const std::vector<Measured>& seen, const std::vector<Measured>& unseen) {
  for (config::Pass pass : kPasses) {
    const std::size_t p = static_cast<std::size_t>(pass);
    auto sample = [&](const Measured& measured) {
      const Shape& s = measured.shape;
      return Sample{terms_of(size_of(s, pass), run_.machine.lanes.value), measured.cycles[p],
                    fmt::format("{} {}x{}, {} x {}, {} tokens", name_of(pass), s.width, s.height, s.inputs_per_column, s.outputs, s.tokens_per_pe)};
    };
    std::vector<Sample> samples;
    for (const Measured& measured : seen) samples.push_back(sample(measured));
    // A term that no sample of this pass has (no window, or no accumulators) is left out and costs nothing.
    std::vector<std::string> names;
    std::vector<std::size_t> used;
    for (std::size_t t = 0; t < term_names().size(); ++t) {
      if (std::none_of(samples.begin(), samples.end(), [&](const Sample& s) { return s.terms[t] != 0; })) continue;
      used.push_back(t);
      names.push_back(term_names()[t]);
    }
    std::vector<Sample> moved = samples;
    for (Sample& s : moved) {
      std::vector<double> kept;
      for (std::size_t t : used) kept.push_back(s.terms[t]);
      s.terms = std::move(kept);
    }
    FitOutcome outcome = fit_cycles(names, moved);
    if (!outcome.ok) return fmt::format("{} pass: {}", name_of(pass), outcome.reason);
    std::vector<double> coefficients(term_names().size(), 0);
    for (std::size_t t = 0; t < used.size(); ++t) coefficients[used[t]] = outcome.fit.coefficients[t];
    outcome.fit.coefficients = std::move(coefficients);
    fits_[p] = outcome.fit;
    for (std::size_t i = 0; i < samples.size(); ++i) keep_shape(samples[i], seen[i], pass, predict(fits_[p].coefficients, samples[i].terms), false);
    std::vector<double> errors;
    for (const Measured& measured : unseen) {
      const Sample judged = sample(measured);
      const double predicted = predict(fits_[p].coefficients, judged.terms);
      errors.push_back(std::abs(predicted / judged.cycles - 1));
      keep_shape(judged, measured, pass, predicted, true);
    }
    held_out_[p] = largest(errors);
  }
  return {};
}

CalibrationKey calibration_key(const config::Machine& machine, config::Accumulate accumulate, const std::string& rtl_root, std::string* error) {
  systemc::UnitChoice choice;
  choice.rtl_root = rtl_root;
  choice.view = plugin::View::kRtl;
  CalibrationKey key;
  key.router_hash = plugin::unit_source_hash(systemc::router_spec(machine, choice), error);
  if (error->empty()) key.pe_hash = plugin::unit_source_hash(systemc::pe_spec(machine, choice), error);
  if (error->empty()) key.firmware_hash = firmware_hash(plan::default_firmware(), error);
  key.accumulate = config::to_string(accumulate);
  return key;
}

Calibration Calibrator::calibration(const CalibrationKey& key) const {
  Calibration c;
  c.key = key;
  c.machine = run_.machine.name;
  c.lanes = run_.machine.lanes.value;
  c.window_bytes = run_.machine.accumulator_window_bytes.value;
  c.terms = term_names();
  for (config::Pass pass : kPasses) {
    const Fit& fitted = fit(pass);
    c.fits.push_back({pass, fitted.coefficients, fitted.worst_error, held_out_error(pass), fitted.condition, fitted.rank});
  }
  c.most_items = kMostItems;
  c.most_tokens = kMostTokens;
  c.seconds = seconds_;
  c.shapes = shapes_;
  c.heat_maps = heat_maps_;
  return c;
}

report::ExtrapolationRow Calibrator::price(const config::Extrapolation& wanted) const {
  const config::Machine& machine = run_.machine;
  const int width = machine.user_width.value;
  const int height = machine.user_height.value;
  const double edge = machine.edge_words_per_cycle();
  report::ExtrapolationRow row;
  row.name = wanted.name;
  row.machine = machine.name;
  row.width = width;
  row.height = height;

  struct Layer {
    int inputs;
    int outputs;
    bool first;
  };
  std::vector<Layer> layers;
  if (wanted.workload == config::Workload::kDense) {
    layers.push_back({wanted.inputs, wanted.outputs, false});
  } else {
    for (const config::Layer& layer : run_.model.layers) layers.push_back({layer.inputs, layer.outputs, layers.empty()});
  }
  // What the planner cannot lay out at this size is not priced.
  plan::NetworkSpec network;
  if (wanted.workload == config::Workload::kDense) {
    network.layers.push_back({wanted.name, wanted.inputs, wanted.outputs, false, false, false});
  } else {
    network = plan::network_of(run_.model);
  }
  plan::Target target = plan::target_of(run_);
  target.width = width;
  target.height = height;
  const std::int64_t batch = std::int64_t{wanted.tokens_per_pe} * height;
  if (batch > INT32_MAX) {
    row.bound = "does not fit";
    row.note = fmt::format("Refused: a batch of {} tokens is more than a plan can hold.", batch);
    return row;
  }
  const std::variant<plan::Plan, plan::Refusal> planned = plan::make_plan(network, target, static_cast<int>(batch));
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&planned)) {
    row.bound = "does not fit";
    row.note = "Refused: " + refusal->message + ".";
    return row;
  }
  double most_items = 0;
  double total = 0;
  double slack = 0;
  double macs = 0;
  double edge_bound = 0;
  for (config::Pass pass : kPasses) {
    if (!wanted.passes.empty() && std::find(wanted.passes.begin(), wanted.passes.end(), pass) == wanted.passes.end()) continue;
    double cycles = 0;
    double bound_by_edge = 0;
    for (const Layer& layer : layers) {
      if (layer.first && pass == config::Pass::kDelta) continue;  // nobody needs the gradient of the data
      const double weights = static_cast<double>(layer.inputs) * layer.outputs * wanted.density;
      PassSize size;
      size.pass = pass;
      size.width = width;
      size.height = height;
      size.tokens = wanted.tokens_per_pe;
      size.outputs = pass == config::Pass::kDelta ? layer.inputs : layer.outputs;
      const int rows = pass == config::Pass::kDelta ? layer.outputs : layer.inputs;
      size.items = std::ceil(static_cast<double>(rows) / width) * wanted.density;
      size.in_memory = accumulators_in_memory(machine.accumulator_window_bytes.value, size.tokens, run_.accumulate, pass);
      most_items = std::max(most_items, size.items);
      const double compute = predict(fits_[static_cast<std::size_t>(pass)].coefficients, terms_of(size, machine.lanes.value));
      // Weights in (forward, delta) or gradients out, and a control word for each output.
      const double words = weights + size.outputs;
      const double at_edge = words / edge + width + height;
      cycles += std::max(compute, at_edge);
      if (at_edge > compute) bound_by_edge += at_edge;
      macs += weights * wanted.tokens_per_pe * height;
    }
    if (cycles == 0) continue;
    const double error = held_out_[static_cast<std::size_t>(pass)];
    report::Quantity quantity{cycles, "cycles", report::Origin::kExtrapolated, fmt::format("fit on arrays up to 8x8, judged up to 12x8: {:.1f} %", 100 * error), {}, {}};
    quantity.low = cycles * (1 - error);
    quantity.high = cycles * (1 + error);
    row.terms.emplace_back(name_of(pass), quantity);
    total += cycles;
    slack += cycles * error;
    edge_bound += bound_by_edge;
    row.fit_error = std::max(row.fit_error, error);
  }
  report::Quantity step{total, "cycles", report::Origin::kExtrapolated, "sum of the passes; bounds added linearly", {}, {}};
  step.low = total - slack;
  step.high = total + slack;
  row.figures.emplace_back("matrix passes of a step", step);
  report::Quantity time{total / machine.clock_hz.value * 1e6, "us", report::Origin::kExtrapolated, "at the machine's clock: " + machine.clock_hz.source, {}, {}};
  time.low = (total - slack) / machine.clock_hz.value * 1e6;
  time.high = (total + slack) / machine.clock_hz.value * 1e6;
  row.figures.emplace_back("time", time);
  const double peak = machine.lanes.value / 2.0 * width * height;
  report::Quantity utilisation{100 * macs / (peak * total), "%", report::Origin::kExtrapolated, "of the lanes at fp32 accumulation", {}, {}};
  utilisation.low = 100 * macs / (peak * (total + slack));
  utilisation.high = 100 * macs / (peak * (total - slack));
  row.figures.emplace_back("lane utilisation", utilisation);
  row.figures.emplace_back("edge bandwidth", report::Quantity{edge, "words/cycle", machine.io_bits_per_s.published() ? report::Origin::kPublished : report::Origin::kAssumed, machine.io_bits_per_s.source, {}, {}});
  row.bound = edge_bound > total / 2 ? "edge port" : "lanes and reduction";
  row.note = "Matrix passes only: loading, loss and the host are not in it. Injector positions are assumed (north edge, one per column).";
  if (most_items > kMostItems || wanted.tokens_per_pe > kMostTokens) {
    row.note += fmt::format(" Sizes per tile leave what was measured ({} weights per column and output, {} tokens): the interval does not cover that.", kMostItems, kMostTokens);
  }
  return row;
}

}  // namespace waferloom::extrapolate
