#include "host/systemc/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

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

std::string ending_message(Ending ending, const System& system, Wafer& wafer, const MemoryX& memoryx, const config::Limits& limits) {
  switch (ending) {
    case Ending::kTrapped: return wafer.traps();
    case Ending::kDeadlock: return fmt::format("deadlock in cycle {}: nothing can move on any more\n{}{}", wafer.cycle(), system.waiting(), wafer.waiting());
    case Ending::kLivelock: {
      const std::int64_t cycle = wafer.cycle();
      const std::string busy = wafer.busy();
      return fmt::format("livelock in cycle {}: units are busy, but nothing has passed the edge for {} cycles (limits.watchdog_cycles)\n{}{}", cycle, limits.watchdog_cycles, system.waiting(), busy);
    }
    case Ending::kCycleLimit: {
      const bool whole = limits.cycles > 0 && wafer.cycle() >= limits.cycles;
      const std::int64_t cycle = wafer.cycle();
      const std::string who = wafer.quiet() ? wafer.waiting() : wafer.busy();  // busy() runs on
      return fmt::format("the cycle limit is reached: {} cycles {} ({}); cycle {}\n{}{}  hint: raise the limit (0: none) if the wafer was still working; --resume goes on from the last checkpoint\n",
                         whole ? limits.cycles : limits.cycles_per_step, whole ? "in all" : "in one step", whole ? "limits.cycles" : "limits.cycles_per_step", cycle,
                         system.waiting(), who);
    }
    case Ending::kFault: return memoryx.fault().empty() ? "more results left the wafer than the plan has" : memoryx.fault();
    default: return {};
  }
}

}  // namespace

TrainingResult train(const config::Run& run, const config::Dataset& data, const plan::Plan& plan, const Schedule& schedule, Wafer& wafer,
                     const TrainingHooks& hooks, const TrainingOptions& options) {
  TrainingResult result;
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

  // A step has two halves that end apart: on the wafer (cycles) and in MemoryX (what was computed).
  std::deque<StepCycles> on_wafer;
  StepCycles last;
  bool wants_checkpoint = false;
  auto on_step = [&](const StepCycles& cycles) { on_wafer.push_back(cycles); };
  auto on_outcome = [&](const StepOutcome& outcome) {
    if (hooks.on_outcome) hooks.on_outcome(outcome);
    StepRecord record;
    record.spec = schedule.steps[static_cast<std::size_t>(outcome.step)];
    record.loss = outcome.loss;
    record.wrong = outcome.wrong;
    record.loss_scale = outcome.loss_scale;
    record.skipped = outcome.skipped;
    record.not_finite = outcome.not_finite;
    record.cycles = last = on_wafer.front();  // its last result left the wafer before it arrived here
    on_wafer.pop_front();
    if (hooks.on_step) hooks.on_step(record);
    if (hooks.wants_checkpoint && hooks.wants_checkpoint(outcome.step + 1)) wants_checkpoint = true;
    return true;
  };

  System::Parameters port;
  port.latency = link;
  port.quantum = options.quantum > 0 ? std::min(options.quantum, link) : link;
  port.buffer_words = words_per_cycle * round_trip;
  port.limits = {run.limits.cycles, run.limits.cycles_per_step, run.limits.watchdog_cycles};
  System system("system", clock, port, wafer, plan, schedule, on_step, hooks.interrupted);
  SwarmX swarmx("swarmx", clock, tree, link, 1, plan.target.width);
  InputServer server("input_server", clock, link, port.buffer_words, plan, schedule, data, run.loss_scale);
  MemoryX::Settings settings;
  settings.optimiser = run.optimiser;
  settings.loss_scale = run.loss_scale;
  settings.latency = tree;
  settings.credit = port.buffer_words;
  settings.words_per_tick = std::max<std::int64_t>(1, static_cast<std::int64_t>(memoryx_words_per_cycle * kHostPeriod));
  MemoryX memoryx("memoryx", clock, settings, plan, schedule, optimiser::initial_parameters(run.model, run.seed), on_outcome);

  memoryx.to_swarmx.socket.bind(swarmx.from_memoryx.socket);
  memoryx.to_server.socket.bind(server.from_memoryx.socket);
  swarmx.to_memoryx.socket.bind(memoryx.from_swarmx.socket);
  swarmx.to_system[0]->socket.bind(system.from_swarmx.socket);
  system.to_swarmx.socket.bind(swarmx.from_system[0]->socket);
  system.to_server.socket.bind(server.from_system.socket);
  server.to_system.socket.bind(system.from_server.socket);

  system.stop_when([&] {
    if (!memoryx.fault().empty()) return Ending::kFault;
    return memoryx.done() ? Ending::kDone : Ending::kRunning;
  });
  system.host_at_rest_since([&]() -> std::int64_t {
    std::int64_t since = 0;
    for (HostModel* model : {static_cast<HostModel*>(&memoryx), static_cast<HostModel*>(&swarmx), static_cast<HostModel*>(&server)}) {
      if (!model->inbox().empty()) return -1;
      since = std::max(since, model->inbox().last_arrival());
    }
    return since;
  });
  system.pause_when([&] {
    if (!wants_checkpoint && hooks.wants_checkpoint && hooks.wants_checkpoint(0)) wants_checkpoint = true;
    return wants_checkpoint;
  });
  // Between two instants everything is plain data: no model is half-way through anything. `origin`: the cycle of that instant.
  auto transfer = [&](checkpoint::Archive& archive) {
    std::int64_t origin = system.began();
    archive(origin, wafer, on_wafer, last);
    system.transfer(archive, origin);
    swarmx.transfer(archive, origin);
    server.transfer(archive, origin);
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
  // The kernel's own notes ("stopped by user") are not for our users.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  for (;;) {
    sc_core::sc_start();
    if (sc_core::sc_get_status() != sc_core::SC_PAUSED) break;
    wants_checkpoint = false;
    if (hooks.on_checkpoint) {
      checkpoint::Archive archive;
      transfer(archive);
      hooks.on_checkpoint(archive.bytes());
    }
    if (system.ending() != Ending::kRunning) break;
  }

  result.ending = system.ending();
  // A run that is done ends with its last step: what the wafer does until the host has noticed depends on the quantum.
  result.cycles = result.ending == Ending::kDone ? last.end : wafer.cycle();
  result.counters = result.ending == Ending::kDone ? last.counters : wafer.counters();
  result.parameters = memoryx.parameters();
  result.edge_words_in = wafer.taken();
  result.edge_words_out = system.results_sent();
  result.message = ending_message(result.ending, system, wafer, memoryx, run.limits);  // last: to describe a livelock the wafer runs on
  return result;
}

}  // namespace waferloom::systemc

// libsystemc.so refers to the entry point of a SystemC program. The project's programs have a main() of their own and call sc_start; this is never called.
int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
