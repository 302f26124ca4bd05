#include "host/extrapolate/price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "host/plan/plan.h"

namespace waferloom::extrapolate {
namespace {

constexpr config::Pass kPasses[] = {config::Pass::kForward, config::Pass::kDelta, config::Pass::kGradient};

}  // namespace

report::ExtrapolationRow price_extrapolation(const config::Run& run, const Calibration& calibration, const config::Extrapolation& wanted) {
  const config::Machine& machine = run.machine;
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
    for (const config::Layer& layer : run.model.layers) layers.push_back({layer.inputs, layer.outputs, layers.empty()});
  }
  // What the planner cannot lay out at this size is not priced.
  plan::NetworkSpec network;
  if (wanted.workload == config::Workload::kDense) {
    network.layers.push_back({wanted.name, wanted.inputs, wanted.outputs, false, false, false});
  } else {
    network = plan::network_of(run.model);
  }
  plan::Target target = plan::target_of(run);
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
  double beyond = 1;
  double total = 0;
  double slack = 0;
  double macs = 0;
  double edge_bound = 0;
  for (config::Pass pass : kPasses) {
    if (!wanted.passes.empty() && std::find(wanted.passes.begin(), wanted.passes.end(), pass) == wanted.passes.end()) continue;
    const std::string name = pass_operator(pass, machine.accumulator_window_bytes.value, wanted.tokens_per_pe, run.accumulate);
    const OperatorFit* fit = calibration.find(name);
    if (fit == nullptr) {
      row.bound = "not measured";
      row.note = fmt::format("Refused: the calibration has no operator '{}'.", name);
      return row;
    }
    double cycles = 0;
    double pass_slack = 0;
    double bound_by_edge = 0;
    for (const Layer& layer : layers) {
      if (layer.first && pass == config::Pass::kDelta) continue;  // nobody needs the gradient of the data
      const double weights = static_cast<double>(layer.inputs) * layer.outputs * wanted.density;
      OperatorSize size;
      size.width = width;
      size.height = height;
      size.tokens = wanted.tokens_per_pe;
      size.outputs = pass == config::Pass::kDelta ? layer.inputs : layer.outputs;
      const int rows = pass == config::Pass::kDelta ? layer.outputs : layer.inputs;
      size.items = std::ceil(static_cast<double>(rows) / width) * wanted.density;
      const Prediction compute = predict_operator(calibration, *fit, size);
      beyond = std::max(beyond, compute.beyond);
      // Weights in (forward, delta) or gradients out, and a control word for each output.
      const double words = weights + size.outputs;
      const double at_edge = words / edge + width + height;
      cycles += std::max(compute.cycles, at_edge);
      pass_slack += std::max(compute.high, at_edge) - std::max(compute.cycles, at_edge);
      if (at_edge > compute.cycles) bound_by_edge += at_edge;
      macs += weights * wanted.tokens_per_pe * height;
    }
    if (cycles == 0) continue;
    report::Quantity quantity{cycles, "cycles", report::Origin::kExtrapolated,
                              fmt::format("{} fitted on {} arrays, {:.1f} % at most on {} larger ones", name, fit->samples, 100 * fit->held_out_error, fit->judged), {}, {}};
    quantity.low = std::max(0.0, cycles - pass_slack);
    quantity.high = cycles + pass_slack;
    row.terms.emplace_back(config::to_string(pass), quantity);
    total += cycles;
    slack += pass_slack;
    edge_bound += bound_by_edge;
    row.fit_error = std::max(row.fit_error, fit->held_out_error);
  }
  report::Quantity step{total, "cycles", report::Origin::kExtrapolated, "sum of the passes; bounds added linearly", {}, {}};
  step.low = std::max(0.0, total - slack);
  step.high = total + slack;
  row.figures.emplace_back("matrix passes of a step", step);
  report::Quantity time{total / machine.clock_hz.value * 1e6, "us", report::Origin::kExtrapolated, "at the machine's clock: " + machine.clock_hz.source, {}, {}};
  time.low = std::max(0.0, total - slack) / machine.clock_hz.value * 1e6;
  time.high = (total + slack) / machine.clock_hz.value * 1e6;
  row.figures.emplace_back("time", time);
  const double peak = machine.lanes.value / 2.0 * width * height;
  report::Quantity utilisation{100 * macs / (peak * total), "%", report::Origin::kExtrapolated, "of the lanes at fp32 accumulation", {}, {}};
  utilisation.low = 100 * macs / (peak * (total + slack));
  utilisation.high = std::min(100.0, 100 * macs / (peak * std::max(total - slack, 1.0)));
  row.figures.emplace_back("lane utilisation", utilisation);
  row.figures.emplace_back("edge bandwidth", report::Quantity{edge, "words/cycle", machine.io_bits_per_s.published() ? report::Origin::kPublished : report::Origin::kAssumed, machine.io_bits_per_s.source, {}, {}});
  row.bound = edge_bound > total / 2 ? "edge port" : "lanes and reduction";
  row.note = "Matrix passes only: loading, loss and the host are not in it. Injector positions are assumed (north edge, one per column).";
  if (beyond > 1) row.note += fmt::format(" Sizes per tile are up to {:.1f} times what was measured: the interval is that much wider.", beyond);
  return row;
}

}  // namespace waferloom::extrapolate
