#include "host/systemc/direct.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/systemc/message.h"

namespace waferloom::systemc {
namespace {

// Cycles between two looks at `interrupted`.
constexpr std::uint64_t kLook = 256;

// Runs until nothing can move, taking what leaves the edge; returns an error or "".
std::string run_to_rest(FabricWafer& wafer, std::int64_t limit, plan::Collector& collector, std::uint64_t* words_out, const std::function<bool()>& interrupted) {
  fabric::Fabric& fabric = wafer.fabric();
  const std::uint64_t until = fabric.cycle() + static_cast<std::uint64_t>(limit);
  for (;;) {
    if (interrupted && interrupted()) return "interrupted";
    const fabric::Stop stop = fabric.run(std::min(until, fabric.cycle() + kLook));
    if (stop == fabric::Stop::kTrap || stop == fabric::Stop::kFault) return wafer.traps();
    if (stop == fabric::Stop::kCycle && fabric.cycle() < until) continue;
    if (stop == fabric::Stop::kCycle) return fmt::format("not at rest after {} cycles\n{}", limit, wafer.waiting());
    const std::vector<std::uint64_t> results = wafer.results();
    for (std::uint64_t result : results) {
      const std::string error = collector.accept(edge_column(result), edge_link(result));
      if (!error.empty()) return error;
    }
    *words_out += results.size();
    if (results.empty() || !fabric.can_move()) return {};
  }
}

}  // namespace

DirectResult run_step(FabricWafer& wafer, const plan::Plan& plan, const plan::StepInputs& inputs, const std::vector<plan::LayerWeights>& layers, Offer offer,
                      std::int64_t limit, const std::function<bool()>& interrupted) {
  DirectResult outcome;
  const std::vector<plan::Phase>& phases = plan.step(inputs.kind);
  outcome.phase_cycles.assign(phases.size(), 0);
  plan::Collector collector(plan, inputs.kind, layers);
  plan::EdgeStream stream(plan, inputs, layers);
  const std::uint64_t taken_before = wafer.taken();
  wafer.allow(UINT64_MAX / 4);
  // Let the tiles boot, so that the first phase does not pay for it.
  outcome.error = run_to_rest(wafer, static_cast<std::int64_t>(plan.boot_cycles) + limit, collector, &outcome.words_out, interrupted);
  if (outcome.error.empty() && wafer.fabric().cycle() < plan.boot_cycles) wafer.run_to(static_cast<std::int64_t>(plan.boot_cycles));
  const std::int64_t start = wafer.cycle();

  plan::EdgeWord word;
  bool more = stream.next(word);
  for (std::size_t phase = 0; phase < phases.size() && outcome.error.empty(); ++phase) {
    const std::int64_t phase_start = wafer.cycle();
    while (more && (offer == Offer::kWhole || stream.phase() == phase)) {
      const std::uint64_t packed = pack_edge(word.column, word.link);
      wafer.offer(&packed, 1);
      more = stream.next(word);
    }
    outcome.error = run_to_rest(wafer, limit, collector, &outcome.words_out, interrupted);
    outcome.phase_cycles[phase] = static_cast<std::int64_t>(wafer.fabric().last_active_cycle()) - phase_start;
    if (offer == Offer::kWhole) break;
  }
  if (outcome.error.empty() && !collector.complete()) {
    outcome.error = fmt::format("at rest with {} results still to come\n{}", collector.outstanding(), wafer.waiting());
  }
  outcome.result = collector.result();
  outcome.cycles = static_cast<std::int64_t>(wafer.fabric().last_active_cycle()) - start;
  outcome.words_in = wafer.taken() - taken_before;
  return outcome;
}

}  // namespace waferloom::systemc
