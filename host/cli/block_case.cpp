#include "host/cli/block_case.h"

#include <fmt/format.h>

#include "host/block/checked_run.h"

namespace waferloom::cli {
namespace {

block::Shape shape_of(const config::KernelCase& c) {
  block::Shape shape;
  shape.width = c.width;
  shape.height = c.height;
  shape.tokens = c.tokens;
  shape.features = c.features;
  shape.hidden = c.hidden;
  shape.heads = c.heads;
  shape.sequences = c.sequences;
  shape.causal = c.causal;
  shape.lanes = c.machine.lanes.value;
  shape.sram_bytes = c.machine.sram_bytes.value;
  shape.window_bytes = c.machine.accumulator_window_bytes.value;
  return shape;
}

}  // namespace

std::optional<config::Diagnostic> refuse_block(const config::KernelCase& c, std::string* images) {
  const auto located = [&](const block::Refusal& refusal) { return c.error_at(refusal.key, refusal.message, refusal.hint); };
  if (const std::optional<block::Refusal> refusal = block::refuse(shape_of(c))) return located(*refusal);
  const auto made = block::make_program(shape_of(c));
  if (const auto* refusal = std::get_if<block::Refusal>(&made)) return located(*refusal);
  for (const block::TileImage& tile : std::get<block::Program>(made).tiles) images->append(tile.bytes.begin(), tile.bytes.end());
  return std::nullopt;
}

BlockCase run_block(const config::KernelCase& c, std::uint64_t repetition, const kernels::MachineOptions& options) {
  BlockCase result;
  const auto made = block::make_program(shape_of(c));
  const auto& program = std::get<block::Program>(made);
  block::RtlOptions rtl;
  rtl.router = options.router;
  rtl.pe = options.pe;
  rtl.hop = options.hop;
  rtl.skip = options.skip;
  rtl.audit = options.audit;
  rtl.threads = options.threads;
  rtl.ranks = options.ranks;
  rtl.limit_cycles = options.limit_cycles;
  rtl.hooks = options.hooks;
  const block::CheckedRun run = block::run_checked(program, c.seed + repetition, rtl);
  kernels::Measurement& m = result.measurement;
  m.cycles = run.cycles();
  m.last_end = m.cycles;
  m.checked_words = run.compared;
  m.wrong_words = run.different;
  m.message = run.problem;
  if (!run.problem.empty()) {
    switch (run.pass.ended) {
      case block::Ended::kTrap: m.ending = kernels::Ending::kTrap; break;
      case block::Ended::kDeadlock: m.ending = kernels::Ending::kDeadlock; break;
      case block::Ended::kLivelock: m.ending = kernels::Ending::kLivelock; break;
      case block::Ended::kLimit: m.ending = kernels::Ending::kCycleLimit; break;
      case block::Ended::kInterrupted: m.ending = kernels::Ending::kInterrupted; break;
      case block::Ended::kRest:
      case block::Ended::kFault: m.ending = kernels::Ending::kFault; break;
    }
  } else if (run.different != 0) {
    m.ending = kernels::Ending::kFault;
    m.message = fmt::format("{} of {} values differ from the golden fabric's: {}", run.different, run.compared, run.first_difference);
  } else if (!run.within()) {
    m.ending = kernels::Ending::kFault;
    m.message = "a tensor is farther from the reference than its bound\n" + block::error_table(run);
  }
  result.tables = fmt::format("{}, seed {}\n\n{}\n{}", c.name, c.seed + repetition, block::phase_table(run), block::error_table(run));
  result.json = block::checked_run_json(run, c.name, c.seed + repetition);
  return result;
}

}  // namespace waferloom::cli
