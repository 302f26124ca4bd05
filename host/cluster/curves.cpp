// The tables and curves of a projection: operators, timeline, scaling, sparsity, roofline, other accelerators, calibration.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/cluster/project.h"

namespace waferloom::cluster {
namespace {

using report::Origin;
using report::Quantity;

constexpr std::size_t kMostIntervals = 2000;

Quantity seconds(double value, double low, double high, Origin origin) {
  Quantity q{value, "s", origin, "analytic step", {}, {}};
  q.low = std::min(low, value);
  q.high = std::max(high, value);
  return q;
}

// Low and high step of a point: all operators at the ends of their intervals at once.
std::pair<double, double> ends_of(const Point& point, const Evaluation& e) {
  Point p = point;
  p.micro_batches = e.plan.micro_batches;
  for (double& residual : p.knobs.residual) residual = -1;
  p.knobs.assumed_scale = p.knobs.assumed_low;
  const double low = evaluate(p, false).timing.step_s;
  for (double& residual : p.knobs.residual) residual = 1;
  p.knobs.assumed_scale = p.knobs.assumed_high;
  const double high = evaluate(p, false).timing.step_s;
  return {low, high};
}

Origin step_origin(const Evaluation& e) {
  const bool assumed = std::any_of(e.plan.prices.begin(), e.plan.prices.end(), [](const models::Price& price) { return price.origin == Origin::kAssumed; });
  return assumed ? Origin::kAssumed : Origin::kExtrapolated;
}

report::ScalingPoint scaling_point(const Point& point) {
  report::ScalingPoint out;
  out.systems = point.cluster.systems.value;
  out.batch_tokens = static_cast<double>(point.sequences) * static_cast<double>(point.sequence);
  const Evaluation e = evaluate(point, false);
  out.step_time.unit = "s";
  out.tokens_per_s.unit = "tokens/s";
  if (!e.refusal.empty()) {
    out.refused = e.refusal;
    return out;
  }
  const auto [low, high] = ends_of(point, e);
  out.step_time = seconds(e.timing.step_s, low, high, step_origin(e));
  out.tokens_per_s = {out.batch_tokens / out.step_time.value, "tokens/s", out.step_time.origin, "batch over step time", out.batch_tokens / *out.step_time.high,
                      out.batch_tokens / *out.step_time.low};
  out.limit = e.limit;
  return out;
}

void set_efficiency(std::vector<report::ScalingPoint>& points) {
  const auto first = std::find_if(points.begin(), points.end(), [](const auto& p) { return p.refused.empty(); });
  if (first == points.end()) return;
  const double each = first->tokens_per_s.value / first->systems;
  for (report::ScalingPoint& p : points) {
    if (p.refused.empty()) p.efficiency = p.tokens_per_s.value / p.systems / each;
  }
}

// Neighbours of one layer and pass become one; more than can be shown are merged further.
std::vector<report::Interval> merged(const std::vector<Busy>& list, const StepTasks& tasks) {
  std::vector<report::Interval> out;
  for (const Busy& busy : list) {
    const Task& task = tasks.tasks[busy.task];
    if (busy.end <= busy.begin) continue;
    if (!out.empty() && out.back().layer == task.layer && out.back().pass == task.pass && busy.begin <= out.back().end_s + 1e-9) {
      out.back().end_s = std::max(out.back().end_s, busy.end);
      continue;
    }
    out.push_back({busy.begin, busy.end, task.layer >= 0 ? fmt::format("layer {}: {}", task.layer, task.pass) : task.label + ": " + task.pass, task.pass, task.layer});
  }
  while (out.size() > kMostIntervals) {
    std::vector<report::Interval> fewer;
    for (std::size_t i = 0; i < out.size(); i += 2) {
      fewer.push_back(out[i]);
      if (i + 1 == out.size()) continue;
      fewer.back().end_s = out[i + 1].end_s;
      if (out[i + 1].layer != out[i].layer && out[i].layer >= 0 && out[i + 1].layer >= 0) fewer.back().label = fmt::format("layers {} and {}: {}", out[i].layer, out[i + 1].layer, out[i].pass);
    }
    out = std::move(fewer);
  }
  return out;
}

}  // namespace

void add_operators(const Point& nominal, const Evaluation& e, report::Projection& p) {
  const models::StepPlan& plan = e.plan;
  const double clock = nominal.machine.clock_hz.value;
  const double batches = static_cast<double>(plan.micro_batches);
  const double link = std::min(e.fabric.memoryx_bytes_per_s, e.fabric.swarmx_bytes_per_s);
  double all = 0;
  for (std::size_t i = 0; i < plan.operators.size(); ++i) all += plan.prices[i].cycles * static_cast<double>(plan.counts[i]) * batches;
  for (std::size_t i = 0; i < plan.operators.size(); ++i) {
    const models::StepOperator& op = plan.operators[i];
    const models::Price& price = plan.prices[i];
    report::OperatorRow row;
    row.layer = op.layer;
    row.tensor = op.tensor;
    row.name = models::to_string(op.kernel);
    row.pass = models::to_string(op.pass);
    row.count = plan.counts[i] * plan.micro_batches;
    row.cycles = {price.cycles, "cycles", price.origin, price.source, price.low, price.high};
    row.total_cycles = price.cycles * static_cast<double>(row.count);
    row.share = all > 0 ? row.total_cycles / all : 0;
    row.flops = price.flops;
    row.edge_words = price.words_in + price.words_out;
    // A link slower than the wafer's edge is what the operator really waits for.
    const double at_link = std::max(price.words_in, price.words_out) * 4 / link * clock;
    row.limit = at_link > price.cycles * (1 + 1e-9) ? (e.fabric.memoryx_bytes_per_s <= e.fabric.swarmx_bytes_per_s ? "MemoryX" : "SwarmX") : price.limit;
    row.terms = price.terms;
    row.note = price.note;
    if (price.flops > 0) {
      p.roofline.push_back({(op.tensor.empty() ? row.name : op.tensor) + ", " + row.pass, row.edge_words > 0 ? price.flops / row.edge_words : 0, price.flops / (price.cycles / clock), row.limit, row.share});
    }
    p.operators.push_back(std::move(row));
  }
  report::OperatorRow update;
  update.layer = "all";
  update.name = "optimiser";
  update.pass = "update";
  update.cycles = {e.timing.update_busy_s * clock, "cycles", Origin::kAssumed, "MemoryX: bytes of optimiser state over memory bandwidth", {}, {}};
  update.total_cycles = update.cycles.value;
  update.limit = "optimiser";
  update.note = "On MemoryX, beside the wafer: not in its share.";
  p.operators.push_back(std::move(update));
  const double tiles = static_cast<double>(nominal.machine.user_tiles());
  p.ceilings = {{"fp16 lanes", tiles * nominal.machine.lanes.value * 2 * clock, 0},
                {"binary32 accumulation", tiles * nominal.machine.lanes.value * clock, 0},
                {"edge I/O", 0, nominal.machine.io_bits_per_s.value / 32}};
}

void add_timeline(const Evaluation& e, const StepTiming& timing, report::Projection& p) {
  p.step_s = timing.modelled_s;
  const double step = e.timing.step_s;
  p.timeline = {{"MemoryX and SwarmX down", std::min(1.0, e.timing.down_busy_s / step), merged(timing.down, e.tasks)},
                {"wafer", std::min(1.0, e.timing.wafer_busy_s / step), merged(timing.wafer, e.tasks)},
                {"SwarmX up", std::min(1.0, e.timing.up_busy_s / step), merged(timing.up, e.tasks)},
                {"MemoryX update", std::min(1.0, e.timing.update_busy_s / step), merged(timing.update, e.tasks)}};
  if (e.tasks.modelled < e.tasks.micro_batches) {
    p.notes.push_back(fmt::format("The timeline shows {} of {} micro-batches; the others repeat the second of them, {:.4g} s each.", e.tasks.modelled, e.tasks.micro_batches, timing.batch_s));
  }
}

void add_curves(const ProjectionInputs& inputs, const Point& nominal, report::Projection& p) {
  Point point = nominal;
  point.micro_batches = 0;
  const std::int64_t each = nominal.sequences_of_one();
  const int own = nominal.cluster.systems.value;
  std::vector<int> systems = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};
  if (std::find(systems.begin(), systems.end(), own) == systems.end()) systems.push_back(own);
  std::sort(systems.begin(), systems.end());
  // Weak: every system has the same share, so the cut of the batch stays what it is and only the tree grows.
  for (int count : systems) {
    if (inputs.stopped()) return;
    point.cluster.systems.value = count;
    point.sequences = each * count;
    point.micro_batches = nominal.micro_batches;
    p.weak_scaling.push_back(scaling_point(point));
    point.micro_batches = 0;
    point.sequences = nominal.sequences;
    p.strong_scaling.push_back(scaling_point(point));
  }
  set_efficiency(p.weak_scaling);
  set_efficiency(p.strong_scaling);

  point = nominal;
  double dense = 0;
  std::string before;
  for (double density : {1.0, 0.75, 0.5, 0.35, 0.25, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01}) {
    if (inputs.stopped()) return;
    point.density = density;
    const Evaluation e = evaluate(point, false);
    if (!e.refusal.empty()) continue;
    const auto [low, high] = ends_of(point, e);
    report::SparsityPoint out;
    out.density = density;
    out.step_time = seconds(e.timing.step_s, low, high, step_origin(e));
    if (dense == 0) dense = e.timing.step_s;
    out.speedup = {dense / e.timing.step_s, "x", out.step_time.origin, "against all weights, nominal", {}, {}};
    // Even columns are the best that can be; every output waiting for the fullest column the worst.
    Point even = point;
    even.knobs.imbalance = 0;
    const double best = evaluate(even, false).timing.step_s;
    out.speedup.low = out.speedup.value;
    out.speedup.high = std::max(out.speedup.value, dense / best);
    out.limit = e.limit;
    if (!before.empty() && before != out.limit && p.sparsity_knee.empty()) {
      p.sparsity_knee = fmt::format("Below a density of about {:.2g} {} takes over from {}: the speed-up there is {:.2f} of {:.2f} at most.", density, out.limit, before, out.speedup.value, 1 / density);
    }
    before = out.limit;
    p.sparsity.push_back(std::move(out));
  }
  if (p.sparsity_knee.empty() && !p.sparsity.empty()) {
    p.sparsity_knee = fmt::format("At every density from 1 to 0.01 {} limits the step; at 0.01 the speed-up is {:.2f}.", before, p.sparsity.back().speedup.value);
  }
}

void add_accelerators(const ProjectionInputs& inputs, double flops_per_token, double tokens_per_s, double memory_bytes, report::Projection& p) {
  for (const config::AcceleratorFigures& a : inputs.accelerators) {
    report::Accelerator out;
    out.name = a.name;
    out.peak_fp16_flops_per_s = a.peak_fp16_flops_per_s.value;
    out.memory_bytes_per_s = a.memory_bytes_per_s.value;
    out.memory_bytes = a.memory_bytes.value;
    out.power_w = a.power_w.value;
    out.utilisation = a.utilisation.value;
    // Dense work: such a part has no use for single zeros.
    out.tokens_per_s = a.utilisation.value * a.peak_fp16_flops_per_s.value / (flops_per_token / p.density);
    out.count_for_equal = tokens_per_s / out.tokens_per_s;
    out.days_one = p.training_tokens / out.tokens_per_s / 86400;
    out.least_for_memory = std::ceil(memory_bytes / a.memory_bytes.value);
    out.source = a.peak_fp16_flops_per_s.source + "; utilisation: " + a.utilisation.source;
    p.accelerators.push_back(std::move(out));
  }
}

void add_calibration(const ProjectionInputs& inputs, report::Projection& p) {
  const extrapolate::Calibration& c = inputs.calibration;
  report::CalibrationInfo& out = p.calibration;
  out.machine = c.machine;
  out.router_hash = c.key.router_hash;
  out.pe_hash = c.key.pe_hash;
  out.firmware_hash = c.key.firmware_hash;
  out.from = inputs.calibration_from;
  out.seconds = inputs.calibration_seconds;
  for (const extrapolate::OperatorFit& fit : c.fits) {
    report::FitRow row;
    row.pass = fit.name;
    const std::vector<std::string>& terms = extrapolate::find_operator(fit.name)->terms;
    for (std::size_t t = 0; t < terms.size(); ++t) row.coefficients.emplace_back(terms[t], fit.coefficients[t]);
    row.worst_error = fit.worst_error;
    row.held_out_error = fit.held_out_error;
    row.condition = fit.condition;
    row.rank = fit.rank;
    out.fits.push_back(std::move(row));
  }
  out.shapes = c.shapes;
  out.heat_maps = c.heat_maps;
}

}  // namespace waferloom::cluster
