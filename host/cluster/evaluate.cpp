#include "host/cluster/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace waferloom::cluster {
namespace {

// Bytes that the optimiser reads and writes for one parameter: master weight, gradient, moments; then master weight, moments and the binary16 copy.
double update_bytes(config::UpdateRule rule) { return rule == config::UpdateRule::kAdam ? 16 + 14 : 12 + 10; }
// Gradients of a further micro-batch: the sum is read and written.
constexpr double kAccumulateBytes = 8;

}  // namespace

double memoryx_bytes_per_parameter(config::UpdateRule rule) {
  // Master weight, gradient sum, binary16 copy, and one (momentum) or two (Adam) moments.
  return 4 + 4 + 2 + (rule == config::UpdateRule::kAdam ? 8 : 4);
}

double memoryx_bytes(const models::Transformer& model, config::UpdateRule rule, double density) {
  const double each = memoryx_bytes_per_parameter(rule);
  double bytes = 0;
  for (const models::Tensor& t : model.tensors) {
    const bool pruned = density < 1 && (t.role == models::Role::kMatmul || t.role == models::Role::kExpert);
    // A stored weight of a pruned tensor has an index of four bytes.
    bytes += static_cast<double>(t.parameters()) * (pruned ? density * (each + 4) : each);
  }
  return bytes;
}

std::string limit_of(const models::StepPlan& plan, const Fabric& fabric, const StepTiming& timing, double clock_hz) {
  std::map<std::string, double> seconds;
  for (std::size_t i = 0; i < plan.operators.size(); ++i) {
    seconds[plan.prices[i].limit] += plan.prices[i].cycles * static_cast<double>(plan.counts[i]) * static_cast<double>(plan.micro_batches) / clock_hz;
  }
  const double scale = timing.modelled_s > 0 ? timing.step_s / timing.modelled_s : 1;
  seconds["optimiser"] += timing.wait_update_s;
  // A wait no longer than the way there and back for every tensor is latency; more is the slower link.
  const double waited = timing.wait_weights_s * scale;
  const bool slow_link = waited > 0.01 * timing.step_s && timing.down_busy_s > 0.5 * timing.step_s;
  seconds[slow_link ? (fabric.memoryx_bytes_per_s <= fabric.swarmx_bytes_per_s ? "MemoryX" : "SwarmX") : "latency"] += waited;
  std::string best = "lanes";
  double most = 0;
  for (const auto& [name, time] : seconds) {
    if (time > most) {
      most = time;
      best = name;
    }
  }
  return best;
}

Evaluation evaluate(const Point& p, bool keep) {
  Evaluation e;
  if (p.sequences < p.cluster.systems.value) {
    e.refusal = fmt::format("a batch of {} sequences cannot be split over {} systems", p.sequences, p.cluster.systems.value);
    e.hint = "each system needs at least one sequence: more tokens in a step, or fewer systems";
    return e;
  }
  const models::FittedCost cost(*p.calibration, p.machine, p.accumulate, p.knobs);
  models::StepRequest request;
  request.model = p.model;
  request.machine = &p.machine;
  request.accumulate = p.accumulate;
  request.sequence = p.sequence;
  request.sequences = p.sequences_of_one();
  request.density = p.density;
  request.recompute = p.recompute;
  request.code_bytes = p.code_bytes;
  request.micro_batches = p.micro_batches;
  models::StepOutcome planned = models::plan_step(request, cost);
  if (!planned.refusal.empty()) {
    e.refusal = planned.refusal;
    e.hint = planned.hint;
    return e;
  }
  e.plan = std::move(planned.plan);
  e.fabric = fabric_of(p.cluster, p.cluster.systems.value);
  const double held = memoryx_bytes(*p.model, p.optimiser, p.density);
  const double dram = p.cluster.memoryx_dram_bytes ? p.cluster.memoryx_dram_bytes->value : p.cluster.memoryx_bytes.value;
  const double in_dram = std::min(1.0, dram / held);
  e.update_bytes_per_s = 1 / (in_dram / p.cluster.memoryx_dram_bytes_per_s.value + (1 - in_dram) / p.cluster.memoryx_flash_bytes_per_s.value);
  UpdateCost update;
  update.seconds_per_parameter = update_bytes(p.optimiser) / e.update_bytes_per_s;
  update.seconds_per_accumulated_parameter = kAccumulateBytes / e.update_bytes_per_s;
  e.tasks = make_tasks(e.plan, p.machine.clock_hz.value, update, keep ? 3 : 2);
  e.timing = analytic_step(e.tasks, e.fabric, keep);
  e.limit = limit_of(e.plan, e.fabric, e.timing, p.machine.clock_hz.value);
  return e;
}

}  // namespace waferloom::cluster
