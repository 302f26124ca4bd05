// The step of a cluster: the SystemC simulation against the analytic recurrence and both against bounds that need neither, on task lists made up at random and on corners
// whose answer is plain arithmetic.
// Left out: what the tasks are (test_projection.cpp).
#include <sys/wait.h>

#include <chrono>
#include <random>

#include "host/cluster/analytic.h"
#include "host/cluster/simulate.h"
#include "testbenches/lib/catch.h"

using namespace waferloom::cluster;

namespace {

Fabric fabric(double rate = 1e9, double latency = 1e-6, double prefetch = 1e12) {
  Fabric f;
  f.memoryx_bytes_per_s = rate;
  f.swarmx_bytes_per_s = rate;
  f.latency_s = latency;
  f.prefetch_bytes = prefetch;
  f.levels = 3;
  return f;
}

// Forward and backward over some tensors, as a micro-batch has them.
StepTasks random_tasks(unsigned seed, int tensors, int batches) {
  std::mt19937 draw(seed);
  std::uniform_real_distribution<double> share(0.1, 1);
  std::vector<double> size;
  for (int t = 0; t < tensors; ++t) size.push_back(1e6 * share(draw));
  StepTasks tasks;
  tasks.tensors = tensors;
  tasks.micro_batches = batches;
  tasks.modelled = std::min(batches, 3);
  for (int b = 0; b < tasks.modelled; ++b) {
    for (int t = 0; t < tensors; ++t) tasks.tasks.push_back({"forward", "forward", t, 1e-3 * share(draw), size[static_cast<std::size_t>(t)], 0, t, 0, false});
    for (int t = tensors - 1; t >= 0; --t) {
      const bool last = b + 1 == tasks.modelled;
      tasks.tasks.push_back({"gradient", "gradient", t, 1e-3 * share(draw), 10, size[static_cast<std::size_t>(t)], t, (last ? 4e-4 : 1e-4) * share(draw), last});
      tasks.tasks.push_back({"delta", "delta", t, 1e-3 * share(draw), size[static_cast<std::size_t>(t)], 0, t, 0, false});
    }
    if (b == 0) tasks.tasks_per_batch = tasks.tasks.size();
  }
  return tasks;
}

}  // namespace

TEST_CASE("simulated and analytic steps agree, within bounds that neither knows") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    for (double rate : {2e8, 1e9, 1e10}) {
      for (double prefetch : {1.5e6, 1e12}) {
        const StepTasks tasks = random_tasks(seed, 3 + static_cast<int>(seed), static_cast<int>(seed % 4) + 1);
        const Fabric f = fabric(rate, seed % 2 == 0 ? 1e-6 : 2e-4, prefetch);
        const StepTiming analytic = analytic_step(tasks, f, true);
        const SimulatedStep simulated = simulate_step(tasks, f, 2);
        INFO("seed " << seed << " rate " << rate << " prefetch " << prefetch << " " << simulated.error);
        REQUIRE(simulated.error.empty());
        CHECK(simulated.timing.step_s == Approx(analytic.step_s).epsilon(0.02));
        const StepBounds bounds = bounds_of(tasks, f);
        CHECK(simulated.timing.modelled_s >= bounds.lower_s * (1 - 1e-9));
        CHECK(simulated.timing.modelled_s <= bounds.upper_s);
        CHECK(analytic.modelled_s >= bounds.lower_s * (1 - 1e-9));
        CHECK(analytic.modelled_s <= bounds.upper_s);
      }
    }
  }
}

TEST_CASE("more systems below a node change nothing but the messages") {
  const StepTasks tasks = random_tasks(5, 6, 1);
  const SimulatedStep one = simulate_step(tasks, fabric(), 1);
  const SimulatedStep many = simulate_step(tasks, fabric(), 16);
  REQUIRE(one.error.empty());
  REQUIRE(many.error.empty());
  CHECK(one.timing.step_s == many.timing.step_s);
  CHECK(one.messages == many.messages);  // a node passes a stream on once, to all its children
}

TEST_CASE("a wafer that is never kept waiting takes the sum of its tasks") {
  StepTasks tasks = random_tasks(3, 5, 1);
  double sum = 0;
  for (Task& task : tasks.tasks) {
    task.wafer_s = 1;
    task.update_s = 0;
    sum += 1;
  }
  CHECK(analytic_step(tasks, fabric(1e12, 0), false).step_s == Approx(sum).epsilon(1e-6));
  CHECK(simulate_step(tasks, fabric(1e12, 1e-12), 1).timing.step_s == Approx(sum).epsilon(1e-6));
}

TEST_CASE("the boundary between steps costs the last update, the way there and back, and the first stream") {
  // One tensor: nothing can overlap the update of step s with the forward pass of step s + 1.
  StepTasks tasks;
  tasks.tensors = 1;
  tasks.tasks = {{"f", "forward", 0, 1e-3, 1000, 0, 0, 0, false}, {"g", "gradient", 0, 2e-3, 0, 1000, 0, 5e-3, true}};
  tasks.tasks_per_batch = 2;
  const Fabric f = fabric(1e9, 1e-4);
  const double expected = 1e-3 + 2e-3 + 1e-4 + 5e-3 + 1e-4;
  CHECK(analytic_step(tasks, f, false).step_s == Approx(expected).epsilon(1e-9));
  CHECK(simulate_step(tasks, f, 1).timing.step_s == Approx(expected).epsilon(1e-6));
  CHECK(analytic_step(tasks, f, false).wait_update_s > 4e-3);
}

TEST_CASE("a slow link sets the step") {
  StepTasks tasks = random_tasks(9, 8, 1);
  const double rate = 1e6;
  double bytes = 0;
  for (const Task& task : tasks.tasks) bytes += task.down_bytes;
  const StepTiming timing = analytic_step(tasks, fabric(rate), false);
  CHECK(timing.step_s >= bytes / rate);
  CHECK(timing.step_s <= bytes / rate * 1.6);
  CHECK(simulate_step(tasks, fabric(rate), 1).timing.step_s == Approx(timing.step_s).epsilon(0.02));
}

TEST_CASE("micro-batches that are not modelled repeat the last one") {
  StepTasks few = random_tasks(2, 4, 3);
  StepTasks many = few;
  many.micro_batches = 10;
  const StepTiming three = analytic_step(few, fabric(), false);
  const StepTiming ten = analytic_step(many, fabric(), false);
  CHECK(ten.step_s == Approx(three.step_s + 7 * three.batch_s));
  CHECK(ten.wafer_busy_s > 3 * three.wafer_busy_s);
}

TEST_CASE("levels of the tree grow with its logarithm") {
  waferloom::config::Cluster cluster;
  cluster.memoryx_link_bits_per_s.value = 8;
  cluster.swarmx_link_bits_per_s.value = 16;
  cluster.swarmx_fanout.value = 4;
  cluster.swarmx_node_latency_s.value = 1;
  cluster.host_link_latency_s.value = 0.5;
  for (const auto& [systems, levels] : {std::pair(1, 1), std::pair(4, 1), std::pair(5, 2), std::pair(16, 2), std::pair(192, 4), std::pair(2048, 6)}) {
    INFO(systems);
    CHECK(fabric_of(cluster, systems).levels == levels);
    CHECK(fabric_of(cluster, systems).latency_s == levels + 1.0);
  }
  CHECK(fabric_of(cluster, 1).memoryx_bytes_per_s == 1);
}

TEST_CASE("a simulation that is to stop stops, and its process with it") {
  const StepTasks tasks = random_tasks(1, 20000, 3);  // half a minute
  const auto begin = std::chrono::steady_clock::now();
  const SimulatedStep stopped = simulate_step(tasks, fabric(), 64, [&] { return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(150); });
  CHECK(stopped.error == "interrupted");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));
  CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);
  CHECK(simulate_step(random_tasks(1, 2, 1), fabric(), 1, [] { return false; }).error.empty());
}

TEST_CASE("nothing to simulate is said, not simulated") {
  CHECK_FALSE(simulate_step({}, fabric(), 1).error.empty());
  CHECK_FALSE(simulate_step(random_tasks(1, 2, 1), fabric(), 0).error.empty());
}
