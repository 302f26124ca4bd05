#include "host/cluster/analytic.h"

#include <algorithm>
#include <cmath>

namespace waferloom::cluster {
namespace {

// Everything that one step leaves to the next.
struct State {
  double down = 0;  // each resource is free from then on
  double wafer = 0;
  double up = 0;
  double update = 0;
  std::vector<double> ready;    // of each tensor: its update of the step before is done
  std::vector<double> updated;  // the same of this step: its own later streams still carry the old weights
};

// Runs the tasks of one step after the other; the prefetch buffer runs on from step to step.
class Sweep {
 public:
  Sweep(const StepTasks& all, const Fabric& around) : tasks(all), fabric(around) {}

  // Returns when the first task begins on the wafer. What was done is added to `timing`.
  double run(State& s, StepTiming* timing) {
    const double rate = std::min(fabric.memoryx_bytes_per_s, fabric.swarmx_bytes_per_s);
    double begin_first = -1;
    s.ready = s.updated;
    for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
      const Task& task = tasks.tasks[i];
      double arrive_begin = 0;
      double arrive_end = 0;
      double waits_update = 0;
      if (task.down_bytes > 0) {
        const double room = buffer_room(task.down_bytes);
        const double updated = task.tensor >= 0 ? s.ready[static_cast<std::size_t>(task.tensor)] : 0;
        const double free = std::max(s.down, room);
        const double begin = std::max(free, updated);
        waits_update = begin - free;
        const double end = begin + task.down_bytes / rate;
        s.down = end;
        arrive_begin = begin + fabric.latency_s;
        arrive_end = end + fabric.latency_s;
        keep(timing->down, begin, end, i);
      }
      const double begin = std::max(s.wafer, arrive_begin);
      double end = std::max(begin + task.wafer_s, arrive_end);
      if (task.up_bytes > 0) {
        const double up_begin = std::max(s.up, begin);
        end = std::max(end, up_begin + task.up_bytes / rate);
        s.up = end;
        keep(timing->up, up_begin, end, i);
      }
      const double late = std::max(0.0, end - s.wafer - task.wafer_s);
      timing->wait_update_s += std::min(late, waits_update);
      timing->wait_weights_s += late - std::min(late, waits_update);
      keep(timing->wafer, begin, end, i);
      if (begin_first < 0) begin_first = begin;
      s.wafer = end;
      if (task.update_s > 0 || task.update) {
        const double begin_update = std::max(s.update, end + fabric.latency_s);
        s.update = begin_update + task.update_s;
        keep(timing->update, begin_update, s.update, i);
        if (task.update) s.updated[static_cast<std::size_t>(task.tensor)] = s.update;
      }
      consumed_.push_back({task.down_bytes, end});
    }
    return begin_first;
  }

 private:
  struct Consumed {
    double bytes = 0;
    double end = 0;
  };
  std::vector<Consumed> consumed_;
  std::size_t held_ = 0;   // first task whose bytes still count against the buffer for the stream at hand
  double held_bytes_ = 0;

  // From when the buffer has room for `bytes` more: tasks before it must have been consumed until the rest fits.
  double buffer_room(double bytes) {
    while (counted_ < consumed_.size()) held_bytes_ += consumed_[counted_++].bytes;
    double from = 0;
    if (held_ > 0) from = consumed_[held_ - 1].end;
    while (held_ < consumed_.size() && held_bytes_ + bytes > fabric.prefetch_bytes) {
      held_bytes_ -= consumed_[held_].bytes;
      from = consumed_[held_].end;
      ++held_;
    }
    return from;
  }
  std::size_t counted_ = 0;  // tasks whose bytes are in held_bytes_

  static void keep(std::vector<Busy>& list, double begin, double end, std::size_t task) { list.push_back({begin, end, task}); }

  const StepTasks& tasks;
  const Fabric& fabric;
};

}  // namespace

StepTiming analytic_step(const StepTasks& tasks, const Fabric& fabric, bool keep) {
  StepTiming timing;
  State state;
  state.updated.assign(static_cast<std::size_t>(std::max(tasks.tensors, 1)), 0);
  Sweep sweep(tasks, fabric);
  double previous = 0;
  double length = 0;
  double begin = 0;
  for (int step = 0; step < 8; ++step) {
    timing = {};
    begin = sweep.run(state, &timing);
    const double next = begin - previous;
    const bool steady = step >= 2 && std::abs(next - length) <= 1e-9 * next;
    length = next;
    previous = begin;
    if (steady) break;
  }
  timing.modelled_s = length;
  // A further micro-batch: the distance of the last two on the wafer.
  const std::size_t per = tasks.tasks_per_batch;
  if (tasks.modelled >= 2 && per > 0) {
    const std::size_t last = tasks.tasks.size() - per;
    timing.batch_s = timing.wafer[last].begin - timing.wafer[last - per].begin;
  }
  timing.step_s = length + static_cast<double>(tasks.micro_batches - tasks.modelled) * timing.batch_s;
  const double rate = std::min(fabric.memoryx_bytes_per_s, fabric.swarmx_bytes_per_s);
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    // What the first modelled micro-batch does, those that are not modelled do too.
    const double times = 1 + (i < per ? static_cast<double>(tasks.micro_batches - tasks.modelled) : 0.0);
    const Task& task = tasks.tasks[i];
    timing.wafer_busy_s += times * task.wafer_s;
    timing.down_busy_s += times * task.down_bytes / rate;
    timing.up_busy_s += times * task.up_bytes / rate;
    timing.update_busy_s += times * task.update_s;
  }
  if (keep) {
    for (std::vector<Busy>* list : {&timing.down, &timing.wafer, &timing.up, &timing.update}) {
      for (Busy& busy : *list) {
        busy.begin -= begin;
        busy.end -= begin;
      }
    }
  } else {
    timing.down.clear();
    timing.wafer.clear();
    timing.up.clear();
    timing.update.clear();
  }
  return timing;
}

}  // namespace waferloom::cluster
