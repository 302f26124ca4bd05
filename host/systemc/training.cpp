#include "host/systemc/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <deque>
#include <utility>

#include "host/systemc/input_server.h"
#include "host/systemc/swarmx.h"

namespace waferloom::systemc {
namespace {

// Levels of a tree of `fanout` children that reaches `systems` leaves, at least 1.
int tree_levels(int systems, int fanout) {
  int levels = 1;
  for (std::int64_t reach = fanout; reach < systems; reach *= fanout) ++levels;
  return levels;
}

// What all systems and their wafers wait for, or, with `busy`, what those that are not at rest do (which runs on).
std::string all_waiting(const std::vector<std::unique_ptr<System>>& systems, const std::vector<Wafer*>& wafers, bool busy) {
  std::string text;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    if (systems.size() > 1) text += fmt::format("system {}: ", i);
    text += systems[i]->waiting();
    text += busy && !wafers[i]->quiet() ? wafers[i]->busy() : wafers[i]->waiting();
  }
  return text;
}

// `who`: the system that ended the run.
std::string ending_message(std::size_t who, const std::vector<std::unique_ptr<System>>& systems, const std::vector<Wafer*>& wafers, const MemoryX& memoryx, const config::Limits& limits) {
  const std::int64_t cycle = wafers[who]->cycle();
  const std::string in = systems.size() > 1 ? fmt::format(" of system {}", who) : std::string();
  switch (systems[who]->ending()) {
    case Ending::kTrapped: return (systems.size() > 1 ? fmt::format("system {}: ", who) : std::string()) + wafers[who]->traps();
    case Ending::kDeadlock: return fmt::format("deadlock in cycle {}: nothing can move on any more\n{}", cycle, all_waiting(systems, wafers, false));
    case Ending::kLivelock: {
      const std::string busy = wafers[who]->busy();
      return fmt::format("livelock in cycle {}{}: units are busy, but nothing has passed the edge for {} cycles (limits.watchdog_cycles)\n{}{}", cycle, in, limits.watchdog_cycles, systems[who]->waiting(), busy);
    }
    case Ending::kCycleLimit: {
      const bool whole = limits.cycles > 0 && cycle >= limits.cycles;
      return fmt::format("the cycle limit is reached: {} cycles {} ({}); cycle {}\n{}  hint: raise the limit (0: none) if the wafer was still working; --resume goes on from the last checkpoint\n",
                         whole ? limits.cycles : limits.cycles_per_step, whole ? "in all" : "in one step", whole ? "limits.cycles" : "limits.cycles_per_step", cycle, all_waiting(systems, wafers, true));
    }
    case Ending::kFault: return memoryx.fault().empty() ? fmt::format("more results left the wafer{} than the plan has", in) : memoryx.fault();
    default: return {};
  }
}

// The system whose ending is the run's: a fault before the end, the earliest before later ones, the first of equals.
std::size_t ended_first(const std::vector<std::unique_ptr<System>>& systems, const std::vector<Wafer*>& wafers) {
  const auto rank = [&](std::size_t i) {
    switch (systems[i]->ending()) {
      case Ending::kRunning: return 3;
      case Ending::kInterrupted: return 2;
      case Ending::kDone: return 1;
      default: return 0;
    }
  };
  std::size_t first = 0;
  for (std::size_t i = 1; i < systems.size(); ++i) {
    if (std::pair(rank(i), wafers[i]->cycle()) < std::pair(rank(first), wafers[first]->cycle())) first = i;
  }
  return first;
}

}  // namespace

TrainingResult train(const config::Run& run, const config::Dataset& data, const plan::Plan& plan, const Schedule& schedule, const std::vector<Wafer*>& wafers,
                     const TrainingHooks& hooks, const TrainingOptions& options) {
  TrainingResult result;
  const std::size_t count = wafers.size();
  assert(count >= 1 && count == static_cast<std::size_t>(run.cluster.systems.value));
  if (sc_core::sc_start_of_simulation_invoked()) {
    result.message = "one simulation per process: SystemC elaborates once";
    return result;
  }
  const CycleClock clock(run.machine.clock_hz.value);
  const std::int64_t link = clock.cycles(run.cluster.host_link_latency_s.value);
  const std::int64_t tree = clock.cycles(run.cluster.swarmx_node_latency_s.value) * tree_levels(run.cluster.systems.value, run.cluster.swarmx_fanout.value);
  // A buffer holds what the port can take while a credit travels to MemoryX and a word comes back.
  const std::int64_t round_trip = 2 * (link + tree) + 4 * kHostPeriod;
  const std::int64_t words_per_cycle = std::max(run.io_words_per_cycle, 1) + plan.target.width;  // controls are copied to every column
  const double memoryx_words_per_cycle = run.cluster.memoryx_link_bits_per_s.value / 32.0 / run.machine.clock_hz.value;

  // A step has two halves that end apart: on the wafers (cycles) and in MemoryX (what was computed).
  std::vector<std::deque<StepCycles>> on_wafer(count);
  std::vector<StepCycles> last(count);
  bool wants_checkpoint = false;
  auto on_outcome = [&](const StepOutcome& outcome) {
    if (hooks.on_outcome) hooks.on_outcome(outcome);
    StepRecord record;
    record.spec = schedule.steps[static_cast<std::size_t>(outcome.step)];
    record.loss = outcome.loss;
    record.wrong = outcome.wrong;
    record.loss_scale = outcome.loss_scale;
    record.skipped = outcome.skipped;
    record.not_finite = outcome.not_finite;
    for (std::size_t i = 0; i < count; ++i) {
      last[i] = on_wafer[i].front();  // its last result left the wafer before it arrived here
      on_wafer[i].pop_front();
    }
    record.cycles = last;
    if (hooks.on_step) hooks.on_step(record);
    if (hooks.wants_checkpoint && hooks.wants_checkpoint(outcome.step + 1)) wants_checkpoint = true;
    return true;
  };

  System::Parameters port;
  port.latency = link;
  port.quantum = options.quantum > 0 ? std::min(options.quantum, link) : link;
  port.buffer_words = words_per_cycle * round_trip;
  port.limits = {run.limits.cycles, run.limits.cycles_per_step, run.limits.watchdog_cycles};
  SwarmX swarmx("swarmx", clock, tree, link, static_cast<int>(count), plan.target.width);
  MemoryX::Settings settings;
  settings.optimiser = run.optimiser;
  settings.loss_scale = run.loss_scale;
  settings.pruning = run.pruning;
  settings.systems = static_cast<int>(count);
  settings.latency = tree;
  settings.credit = port.buffer_words;
  settings.words_per_tick = std::max<std::int64_t>(1, static_cast<std::int64_t>(memoryx_words_per_cycle * kHostPeriod));
  MemoryX memoryx("memoryx", clock, settings, plan, schedule, optimiser::initial_parameters(run.model, run.seed), on_outcome);
  memoryx.to_swarmx.socket.bind(swarmx.from_memoryx.socket);
  swarmx.to_memoryx.socket.bind(memoryx.from_swarmx.socket);

  std::vector<std::unique_ptr<System>> systems;
  std::vector<std::unique_ptr<InputServer>> servers;
  std::vector<HostModel*> hosts = {&memoryx, &swarmx};
  for (std::size_t i = 0; i < count; ++i) {
    port.number = static_cast<std::uint16_t>(i);
    systems.push_back(std::make_unique<System>(fmt::format("system{}", i).c_str(), clock, port, *wafers[i], plan, schedule,
                                               [&on_wafer, i](const StepCycles& cycles) { on_wafer[i].push_back(cycles); }, hooks.interrupted));
    servers.push_back(std::make_unique<InputServer>(fmt::format("input_server{}", i).c_str(), clock, InputServer::Share{static_cast<int>(i), static_cast<int>(count)}, link,
                                                    port.buffer_words, plan, schedule, data, run.loss_scale));
    System& system = *systems[i];
    InputServer& server = *servers[i];
    hosts.push_back(&server);
    memoryx.to_server[i]->socket.bind(server.from_memoryx.socket);
    swarmx.to_system[i]->socket.bind(system.from_swarmx.socket);
    system.to_swarmx.socket.bind(swarmx.from_system[i]->socket);
    system.to_server.socket.bind(server.from_system.socket);
    server.to_system.socket.bind(system.from_server.socket);
    system.stop_when([&] {
      if (!memoryx.fault().empty()) return Ending::kFault;
      return memoryx.done() ? Ending::kDone : Ending::kRunning;
    });
    system.rest_of_all_since([&, i]() -> std::int64_t {
      std::int64_t since = 0;
      for (HostModel* model : hosts) {
        if (!model->inbox().empty()) return -1;
        since = std::max(since, model->inbox().last_arrival());
      }
      for (std::size_t other = 0; other < count; ++other) {
        if (other == i) continue;
        const std::int64_t rest = systems[other]->at_rest_since();
        if (rest < 0) return -1;
        since = std::max(since, rest);
      }
      return since;
    });
    system.pause_when([&] {
      if (!wants_checkpoint && hooks.wants_checkpoint && hooks.wants_checkpoint(0)) wants_checkpoint = true;
      return wants_checkpoint;
    });
  }
  // Between two instants everything is plain data: no model is half-way through anything. `origin`: the cycle of that instant, at which the
  // system that paused began a quantum; no other has begun one later.
  auto transfer = [&](checkpoint::Archive& archive) {
    std::int64_t origin = 0;
    for (const auto& system : systems) origin = std::max(origin, system->began());
    archive(origin, on_wafer, last);
    for (std::size_t i = 0; i < count; ++i) {
      archive(*wafers[i]);
      systems[i]->transfer(archive, origin);
      servers[i]->transfer(archive, origin);
    }
    swarmx.transfer(archive, origin);
    memoryx.transfer(archive, origin);
  };
  if (!options.resume.empty()) {
    checkpoint::Archive archive(options.resume);
    transfer(archive);
    if (!archive.complete()) {
      result.message = "the state of the host models has another size";
      return result;
    }
  }
  // The kernel's own notes ("stopped by user") are not for our users. Several systems may end in one instant: each stops the simulation.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_SIMULATION_STOP_CALLED_TWICE_, sc_core::SC_DO_NOTHING);
  for (;;) {
    sc_core::sc_start();
    if (sc_core::sc_get_status() != sc_core::SC_PAUSED) break;
    wants_checkpoint = false;
    if (hooks.on_checkpoint) {
      checkpoint::Archive archive;
      transfer(archive);
      hooks.on_checkpoint(archive.bytes());
    }
    if (std::any_of(systems.begin(), systems.end(), [](const auto& system) { return system->ending() != Ending::kRunning; })) break;
  }

  const std::size_t who = ended_first(systems, wafers);
  result.ending = systems[who]->ending();
  // A run that is done ends with its last step: what a wafer does until the host has noticed depends on the quantum.
  const bool done = result.ending == Ending::kDone;
  for (std::size_t i = 0; i < count; ++i) {
    result.systems.push_back({done ? last[i].end : wafers[i]->cycle(), done ? last[i].counters : wafers[i]->counters(), wafers[i]->taken(), systems[i]->results_sent()});
    result.cycles = std::max(result.cycles, result.systems.back().cycles);
  }
  result.parameters = memoryx.parameters();
  result.message = ending_message(who, systems, wafers, memoryx, run.limits);  // last: to describe a livelock the wafer runs on
  return result;
}

}  // namespace waferloom::systemc

// libsystemc.so refers to the entry point of a SystemC program. The project's programs have a main() of their own and call sc_start; this is never called.
int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
