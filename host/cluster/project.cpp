#include "host/cluster/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/cluster/simulate.h"
#include "host/report/numbers.h"

namespace waferloom::cluster {
namespace {

using report::Origin;
using report::Quantity;

constexpr double kDay = 86400;
constexpr double kMemoryBytesPerCycle = 24;       // of a tile: two reads and a write of 64 bits
constexpr double kLinkBitsPerCycle = 4 * 2 * 32;  // of a tile: a wavelet each way on each link

config::Diagnostic refuse(const config::SourceLocation& where, std::string message, std::string hint) {
  config::Diagnostic d;
  d.where = where;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

Quantity quantity(double value, const char* unit, Origin origin, std::string source) { return {value, unit, origin, std::move(source), {}, {}}; }

// The same interval, seen through a decreasing function of the step time.
Quantity inverse(const Quantity& step, double factor, const char* unit, std::string source) {
  Quantity q = quantity(factor / step.value, unit, step.origin, std::move(source));
  q.low = factor / *step.high;
  q.high = factor / *step.low;
  return q;
}
Quantity scaled(const Quantity& step, double factor, const char* unit, std::string source) {
  Quantity q = quantity(factor * step.value, unit, step.origin, std::move(source));
  q.low = factor * *step.low;
  q.high = factor * *step.high;
  return q;
}

std::string interval_text(const Quantity& q) { return report::short_number(*q.low) + " to " + report::short_number(*q.high); }

// Length of the step at one end of a knob.
double step_at(const Point& nominal, const Knob& knob, double value) {
  Point point = nominal;
  knob.set(point, value);
  const Evaluation e = evaluate(point, false);
  return e.refusal.empty() ? e.timing.step_s : 0;
}

void add_model(const ProjectionInputs& inputs, std::int64_t sequence, report::Projection& p) {
  const models::Transformer& m = inputs.model;
  p.model = {m.name, config::to_string(m.architecture), m.parameters, m.active_parameters, m.layers, m.width, m.heads, m.key_value_heads, m.vocabulary, sequence, {}};
  for (const models::Tensor& t : m.tensors) p.model.tensors.push_back({t.name, t.shape, t.count, t.parameters()});
}

}  // namespace

config::Diagnostics check_request(const config::ProjectionRun& run, const models::Transformer& model) {
  config::Diagnostics errors;
  const std::int64_t sequence = run.sequence.value_or(std::min(model.positions, run.batch_tokens));
  if (sequence > model.positions) {
    errors.push_back(refuse(run.sequence_where, fmt::format("a sequence of {} tokens is longer than the {} positions of model '{}'", sequence, model.positions, model.name), "shorten `sequence`"));
    return errors;
  }
  if (run.batch_tokens % sequence != 0) {
    const std::int64_t below = run.batch_tokens / sequence * sequence;
    const std::string least = below > 0 ? std::to_string(below) + " or " : "";
    errors.push_back(refuse(run.batch_where, fmt::format("a batch of {} tokens is not a whole number of sequences of {}", run.batch_tokens, sequence),
                            "write " + least + std::to_string(below + sequence) + ", or give `sequence`"));
    return errors;
  }
  // Each layer is laid out and simulated by itself.
  constexpr std::int64_t kMostLayers = 65536;
  if (model.layers > kMostLayers) {
    errors.push_back(refuse(run.model_where, fmt::format("model '{}' has {} layers, more than the {} that a step is planned for", model.name, report::grouped(model.layers), report::grouped(kMostLayers)),
                            "write fewer `layers`"));
    return errors;
  }
  const std::int64_t sequences = run.batch_tokens / sequence;
  const int systems = run.cluster.systems.value;
  if (sequences < systems) {
    errors.push_back(refuse(run.batch_where, fmt::format("a batch of {} tokens ({} sequences of {}) cannot be split over {} systems", run.batch_tokens, sequences, sequence, systems),
                            fmt::format("at least {} tokens, or at most {} systems", systems * sequence, sequences)));
  }
  const double held = memoryx_bytes(model, run.optimiser, run.density);
  if (held > run.cluster.memoryx_bytes.value) {
    errors.push_back(refuse(run.model_where,
                            fmt::format("model '{}' needs {:.4g} TB of MemoryX ({} parameters, {:.0f} bytes each with {}), cluster '{}' has {:.4g} TB", model.name, held / 1e12,
                                        report::grouped(model.parameters), memoryx_bytes_per_parameter(run.optimiser), config::to_string(run.optimiser), run.cluster.name,
                                        run.cluster.memoryx_bytes.value / 1e12),
                            "a cluster with a larger `memoryx_bytes`"));
  }
  return errors;
}

config::Result<Point> nominal_point(const ProjectionInputs& inputs) {
  const config::ProjectionRun& run = inputs.run;
  config::Diagnostics errors = check_request(run, inputs.model);
  if (inputs.calibration.lanes != run.machine.lanes.value || inputs.calibration.window_bytes != run.machine.accumulator_window_bytes.value ||
      inputs.calibration.key.accumulate != config::to_string(run.accumulate)) {
    errors.push_back(refuse(run.calibration_where, fmt::format("the calibration is of another tile: {} lanes, a window of {} bytes, {} sums; the machine has {}, {}, {}", inputs.calibration.lanes,
                                                               inputs.calibration.window_bytes, inputs.calibration.key.accumulate, run.machine.lanes.value,
                                                               run.machine.accumulator_window_bytes.value, config::to_string(run.accumulate)),
                            "calibrate this machine"));
  }
  if (!errors.empty()) return errors;
  Point point;
  point.model = &inputs.model;
  point.calibration = &inputs.calibration;
  point.machine = run.machine;
  point.cluster = run.cluster;
  point.accumulate = run.accumulate;
  point.optimiser = run.optimiser;
  point.recompute = run.recompute;
  point.density = run.density;
  point.code_bytes = inputs.code_bytes;
  point.sequence = run.sequence.value_or(std::min(inputs.model.positions, run.batch_tokens));
  point.sequences = run.batch_tokens / point.sequence;
  return point;
}

config::Result<report::Projection> project(const ProjectionInputs& inputs) {
  const config::ProjectionRun& run = inputs.run;
  config::Result<Point> checked = nominal_point(inputs);
  if (!checked) return checked.errors();
  Point nominal = std::move(checked).value();
  const Evaluation e = evaluate(nominal, true);
  if (!e.refusal.empty()) return refuse(run.recompute == config::Recompute::kNever ? run.recompute_where : run.batch_where, e.refusal, e.hint);
  const models::StepPlan& plan = e.plan;

  report::Projection p;
  p.name = run.name;
  p.description = run.description;
  p.machine = run.machine.name;
  p.cluster = run.cluster.name;
  p.wafer_width = run.machine.user_width.value;
  p.wafer_height = run.machine.user_height.value;
  p.systems = run.cluster.systems.value;
  p.batch_tokens = static_cast<double>(run.batch_tokens);
  p.density = run.density;
  p.training_tokens = run.training_tokens.value_or(run.tokens_per_parameter * static_cast<double>(inputs.model.parameters));
  p.resolved_yaml = inputs.resolved_yaml;
  p.reproduce = inputs.reproduce;
  p.memory = plan.memory;
  add_model(inputs, nominal.sequence, p);

  // The nominal step: simulated; the analytic one beside it.
  const SimulatedStep simulated = simulate_step(e.tasks, e.fabric, std::min(p.systems, run.cluster.swarmx_fanout.value), inputs.interrupted);
  const StepTiming& shown = simulated.error.empty() ? simulated.timing : e.timing;
  if (!simulated.error.empty()) p.notes.push_back("The cluster was not simulated (" + simulated.error + "): the analytic step stands in its place.");
  const double step_s = shown.step_s;
  const double difference = step_s / e.timing.step_s - 1;

  // Samples keep the cut of the batch that the nominal point chose.
  nominal.micro_batches = plan.micro_batches;
  const bool some_assumed = std::any_of(plan.prices.begin(), plan.prices.end(), [](const models::Price& price) { return price.origin == Origin::kAssumed; });
  const std::vector<Knob> knobs = knobs_of(inputs, nominal, some_assumed);
  double down = std::abs(difference) * step_s;
  double up = down;
  double clock_down = 0;
  double clock_up = 0;
  for (const Knob& knob : knobs) {
    if (inputs.stopped()) break;
    report::TornadoEntry entry = knob.entry;
    // Relative to the analytic nominal, so that what the two models differ by does not enter twice.
    entry.step_at_low_s = step_at(nominal, knob, entry.low_value) * (1 + difference);
    entry.step_at_high_s = step_at(nominal, knob, entry.high_value) * (1 + difference);
    if (entry.step_at_low_s <= 0 || entry.step_at_high_s <= 0) continue;
    const double below = std::max(0.0, step_s - std::min(entry.step_at_low_s, entry.step_at_high_s));
    const double above = std::max(0.0, std::max(entry.step_at_low_s, entry.step_at_high_s) - step_s);
    down += below;
    up += above;
    if (entry.key == "machine.clock_hz") {
      clock_down = below;
      clock_up = above;
    }
    p.tornado.push_back(entry);
  }
  std::stable_sort(p.tornado.begin(), p.tornado.end(), [](const auto& a, const auto& b) { return std::abs(a.step_at_high_s - a.step_at_low_s) > std::abs(b.step_at_high_s - b.step_at_low_s); });

  Quantity step = quantity(step_s, "s", some_assumed ? Origin::kAssumed : Origin::kExtrapolated,
                           some_assumed ? "SystemC at nominal constants; operators extrapolated from RTL where the calibration has them, others assumed; bounds added linearly"
                                        : "SystemC at nominal constants; operators extrapolated from RTL; bounds added linearly");
  step.low = std::max(step_s - down, step_s * 0.01);
  step.high = step_s + up;
  // Cycles do not change with the clock, so neither does the share of the lanes that is used.
  Quantity cycles_only = step;
  cycles_only.low = std::max(step_s - (down - clock_down), step_s * 0.01);
  cycles_only.high = step_s + (up - clock_up);

  const double systems = p.systems;
  const double step_flops = plan.flops * static_cast<double>(plan.micro_batches) * systems * static_cast<double>(nominal.sequences) /
                            (static_cast<double>(plan.micro_batches) * static_cast<double>(plan.micro_sequences) * systems);
  const double peak = static_cast<double>(run.machine.user_tiles()) * run.machine.lanes.value * 2 * run.machine.clock_hz.value;
  const double steps = std::ceil(p.training_tokens / p.batch_tokens);
  const double power = systems * run.machine.system_power_w.value;
  report::Answer& a = p.answer;
  a.step_time = step;
  a.tokens_per_s = inverse(step, p.batch_tokens, "tokens/s", "batch over step time");
  a.days_to_train = scaled(step, steps / kDay, "days", fmt::format("{} steps", report::grouped(static_cast<std::int64_t>(steps))));
  a.mfu = inverse(cycles_only, 100 * step_flops / (peak * systems), "%", "useful FLOPs (recomputation and zeros not counted) over fp16 multiply-adds of all lanes; the clock cancels");
  a.mfu.high = std::min(*a.mfu.high, 100.0);
  a.limit = limit_of(plan, e.fabric, e.timing, run.machine.clock_hz.value);
  a.sentence = fmt::format("{} on {} {}: {} s a step ({}), {} tokens/s, {} days for {} tokens ({} days); limited by {}.", inputs.model.name, p.systems,
                           p.machine + (p.systems == 1 ? " system" : " systems"), report::short_number(step_s), interval_text(step), report::short_number(a.tokens_per_s.value),
                           report::short_number(a.days_to_train.value), report::short_number(p.training_tokens), interval_text(a.days_to_train), a.limit);

  auto figure = [&](const char* key, const char* label, Quantity q) { p.figures.push_back({key, label, std::move(q)}); };
  const Origin extrapolated = step.origin;
  figure("parameters", "parameters", quantity(static_cast<double>(inputs.model.parameters), "", Origin::kPublished, inputs.model.source.empty() ? "counted tensor by tensor" : inputs.model.source));
  figure("batch_tokens", "tokens in a step", quantity(p.batch_tokens, "tokens", Origin::kAssumed, "the run"));
  figure("training_tokens", "tokens in all", quantity(p.training_tokens, "tokens", Origin::kAssumed, run.training_tokens ? "the run" : fmt::format("{} per parameter", run.tokens_per_parameter)));
  figure("steps", "steps", quantity(steps, "", Origin::kAssumed, "tokens in all over tokens in a step"));
  figure("micro_batches", "micro-batches of a system in a step", quantity(static_cast<double>(plan.micro_batches), "", extrapolated, plan.memory.reason));
  figure("tokens_per_pe", "tokens a tile", quantity(plan.tokens_per_pe, "tokens", extrapolated, "of the fullest tile, padded to a multiple of four"));
  figure("step_flops", "useful FLOPs in a step", quantity(step_flops, "FLOP", Origin::kExtrapolated, "2 for each weight, token and pass, attention added; zeros not counted"));
  figure("flops_per_s", "useful FLOP/s", inverse(step, step_flops, "FLOP/s", "of the cluster"));
  figure("dense_flops_per_s", "FLOP/s of the same work on dense weights", inverse(step, step_flops / run.density, "FLOP/s", "useful FLOP/s over density"));
  figure("peak_flops_per_s", "peak of the cluster", quantity(peak * systems, "FLOP/s", Origin::kExtrapolated, "user tiles x lanes x 2 x clock x systems"));
  figure("power_w", "power", quantity(power, "W", run.machine.system_power_w.published() ? Origin::kPublished : Origin::kAssumed, run.machine.system_power_w.source));
  figure("energy_mwh", "energy of the training", scaled(step, steps * power / 3.6e9, "MWh", "system power, MemoryX and SwarmX not included"));
  figure("flops_per_s_per_w", "useful FLOP/s per watt", inverse(step, step_flops / power, "FLOP/s/W", "system power"));
  if (run.price_per_system_hour) figure("cost", "cost of the training", scaled(step, steps * systems * *run.price_per_system_hour / 3600, run.currency.c_str(), "price per system and hour, of the run"));
  const double held = memoryx_bytes(inputs.model, run.optimiser, run.density);
  figure("memoryx_bytes", "held by MemoryX", quantity(held, "B", Origin::kAssumed, fmt::format("{:.0f} bytes a parameter with {}", memoryx_bytes_per_parameter(run.optimiser), config::to_string(run.optimiser))));
  figure("wafer_busy", "share of the step in which the wafer works", quantity(100 * e.timing.wafer_busy_s / e.timing.step_s, "%", extrapolated, "operators over step time"));
  figure("analytic_step", "step of the analytic model", quantity(e.timing.step_s, "s", extrapolated, fmt::format("{:+.2f} % from the simulated step", -100 * difference / (1 + difference))));

  add_operators(nominal, e, p);
  add_timeline(e, shown, p);
  add_curves(inputs, nominal, p);
  if (inputs.stopped()) return refuse({}, "interrupted", {});
  add_accelerators(inputs, step_flops / p.batch_tokens, a.tokens_per_s.value, held, p);
  add_assumptions(inputs, nominal, knobs, p);
  add_calibration(inputs, p);

  auto check = [&](const char* id, std::string what, double expected, double obtained, const char* unit, double tolerance, std::string source) {
    p.validation.push_back({id, std::move(what), expected, obtained, unit, tolerance, std::abs(obtained / expected - 1) <= tolerance, std::move(source)});
  };
  check("S1", "analytic step against the SystemC simulation", step_s, e.timing.step_s, "s", 0.01, "this report");
  if (run.machine.peak_fp16_flops_per_s) check("S2", "peak of a wafer: user tiles x lanes x 2 x clock", run.machine.peak_fp16_flops_per_s->value, peak, "FLOP/s", 0.05, run.machine.peak_fp16_flops_per_s->source);
  if (run.machine.sram_total_bytes) check("S3", "memory of a wafer: user tiles x memory of a tile", run.machine.sram_total_bytes->value,
                                          static_cast<double>(run.machine.user_tiles()) * run.machine.sram_bytes.value, "B", 0.05, run.machine.sram_total_bytes->source);
  // The vendor's clock is not public, and its cores are counted before the spare ones go: these agree no better than that.
  constexpr double kLoose = 0.2;
  const double tiles = static_cast<double>(run.machine.user_tiles());
  const double clock = run.machine.clock_hz.value;
  if (run.machine.cores_marketed) check("S4", "cores of a wafer: fabric width x height", run.machine.cores_marketed->value,
                                        static_cast<double>(run.machine.fabric_width.value) * run.machine.fabric_height.value, "tiles", kLoose, run.machine.cores_marketed->source);
  if (run.machine.memory_bytes_per_s) check("S5", "memory bandwidth: user tiles x 24 bytes a cycle x clock", run.machine.memory_bytes_per_s->value, tiles * kMemoryBytesPerCycle * clock, "B/s", kLoose,
                                            run.machine.memory_bytes_per_s->source);
  if (run.machine.fabric_bits_per_s) check("S6", "fabric bandwidth: user tiles x 4 links x 32 bits, both ways, x clock", run.machine.fabric_bits_per_s->value, tiles * kLinkBitsPerCycle * clock, "bit/s", kLoose,
                                           run.machine.fabric_bits_per_s->source);
  int number = 0;
  for (const extrapolate::OperatorFit& fit : inputs.calibration.fits) {
    ++number;
    if (fit.judged == 0) continue;
    p.validation.push_back({fmt::format("F{}", number), fmt::format("{}: largest error on {} arrays that the fit never saw", fit.name, fit.judged), 0,
                            100 * fit.held_out_error, "%", 0.05, fit.held_out_error <= 0.05, "RTL arrays of this calibration"});
  }
  for (std::size_t i = 0; i < plan.prices.size(); ++i) {
    if (plan.prices[i].note.empty()) continue;
    // A block has several norms of one size: what is said of all of them is said once.
    const models::StepOperator& op = plan.operators[i];
    std::string note = (op.tensor.empty() ? models::to_string(op.kernel) : op.tensor) + ", " + models::to_string(op.pass) + ": " + plan.prices[i].note;
    if (std::find(p.notes.begin(), p.notes.end(), note) == p.notes.end()) p.notes.push_back(std::move(note));
  }
  if (some_assumed) p.notes.push_back("Operators marked as assumed are not in this calibration: priced from rates measured on RTL and a count of instructions, with a factor of two each way.");
  p.notes.push_back("Norms are priced as layer norms, activations as GELU, attention with a key and a value for each query feature: what was measured.");
  p.notes.push_back("Injectors are assumed at the north edge, one for each column. Data parallel only: every system holds the whole layer that is at work.");
  if (std::any_of(inputs.model.tensors.begin(), inputs.model.tensors.end(), [](const models::Tensor& t) { return t.role == models::Role::kExpert; })) {
    p.notes.push_back("Experts: tokens are gathered by expert within a tile, at no cost; the fullest row sets the pace of an expert's weights.");
  }
  const std::vector<std::string> faults = report::check_projection(p);
  if (!faults.empty()) p.notes.push_back("This report does not add up: " + faults.front());
  return p;
}

}  // namespace waferloom::cluster
