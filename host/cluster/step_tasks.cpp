#include "host/cluster/step_tasks.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace waferloom::cluster {

Fabric fabric_of(const config::Cluster& cluster, int systems) {
  Fabric f;
  f.memoryx_bytes_per_s = cluster.memoryx_link_bits_per_s.value / 8;
  f.swarmx_bytes_per_s = cluster.swarmx_link_bits_per_s.value / 8;
  f.prefetch_bytes = cluster.prefetch_bytes.value;
  f.levels = 1;
  for (double reached = cluster.swarmx_fanout.value; reached < systems; reached *= cluster.swarmx_fanout.value) ++f.levels;
  f.latency_s = f.levels * cluster.swarmx_node_latency_s.value + 2 * cluster.host_link_latency_s.value;
  return f;
}

StepTasks make_tasks(const models::StepPlan& plan, double clock_hz, const UpdateCost& update, std::int64_t modelled_batches) {
  StepTasks out;
  out.micro_batches = plan.micro_batches;
  out.modelled = std::min(plan.micro_batches, modelled_batches);
  out.tasks_per_batch = plan.tasks.size();
  std::map<std::pair<std::string, int>, int> tensors;
  for (std::int64_t batch = 0; batch < out.modelled; ++batch) {
    const bool last = batch + 1 == out.modelled;
    for (const models::StepTask& planned : plan.tasks) {
      const models::StepOperator& op = plan.operators[planned.op];
      const models::Price& price = plan.prices[planned.op];
      const double repeats = static_cast<double>(planned.repeats);
      Task task;
      task.label = op.tensor.empty() ? models::to_string(op.kernel) : op.tensor;
      task.pass = models::to_string(op.pass);
      task.layer = planned.layer;
      task.wafer_s = repeats * price.cycles / clock_hz;
      task.down_bytes = repeats * price.words_in * 4;
      task.up_bytes = repeats * price.words_out * 4;
      if (op.kernel == models::Kernel::kStreamMatmul) {
        const auto [it, fresh] = tensors.emplace(std::pair(op.layer + "/" + op.tensor, planned.layer), out.tensors);
        if (fresh) ++out.tensors;
        task.tensor = it->second;
        if (op.pass == models::StepPass::kGradient) {
          const double parameters = repeats * op.inputs * op.outputs * op.density;
          task.update = last;
          task.update_s = parameters * (last ? update.seconds_per_parameter : update.seconds_per_accumulated_parameter);
        }
      }
      out.tasks.push_back(std::move(task));
    }
  }
  return out;
}

StepBounds bounds_of(const StepTasks& tasks, const Fabric& fabric) {
  StepBounds b;
  const double down_rate = std::min(fabric.memoryx_bytes_per_s, fabric.swarmx_bytes_per_s);
  double wafer = 0;
  double down = 0;
  double up = 0;
  double update = 0;
  for (const Task& task : tasks.tasks) {
    wafer += task.wafer_s;
    down += task.down_bytes / down_rate;
    up += task.up_bytes / down_rate;
    update += task.update_s;
    b.upper_s += task.wafer_s + task.down_bytes / down_rate + task.up_bytes / down_rate + task.update_s + 2 * fabric.latency_s;
  }
  b.lower_s = std::max({wafer, down, up, update});
  return b;
}

}  // namespace waferloom::cluster
