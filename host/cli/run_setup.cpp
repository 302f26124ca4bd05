#include "host/cli/run_setup.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "host/config/resolver.h"

namespace waferloom::cli {
namespace {

// What the resolver lets through and this program cannot run. Empty message: nothing.
std::pair<std::string, std::string> unsupported(const config::Run& run, const config::Dataset& data) {
  if (run.cluster.systems.value != 1) {
    return {fmt::format("the cluster has {} systems; a run simulates one", run.cluster.systems.value), "set `systems: 1` in the cluster"};
  }
  const int depth = run.machine.router_queue_depth.value;
  if (depth != run.machine.hop_cycles.value + 2) {
    return {fmt::format("router_queue_depth is {}; a router with hop_cycles {} needs {}", depth, run.machine.hop_cycles.value, run.machine.hop_cycles.value + 2),
            "set router_queue_depth to hop_cycles + 2"};
  }
  if (run.machine.ramp_cycles.value > depth) {
    return {fmt::format("ramp_cycles is {}; a router queue of {} words allows at most {}", run.machine.ramp_cycles.value, depth, depth), "lower ramp_cycles"};
  }
  const std::int64_t rows = std::int64_t{run.epochs} * (data.train.rows() + data.test.rows());
  if (rows > 100'000'000) {
    return {fmt::format("{} epochs of {} rows are {} rows: more than a run plans ahead (100000000)", run.epochs, data.train.rows() + data.test.rows(), rows),
            "fewer epochs"};
  }
  return {};
}

}  // namespace

config::Diagnostic error_in(const std::string& file, std::string message, std::string hint) {
  config::Diagnostic diagnostic;
  diagnostic.where.file = file;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

config::Result<RunSetup> set_up_run(const std::string& file, const std::string& machine) {
  config::Result<config::Resolved<config::Run>> resolved = machine.empty() ? config::resolve_run(file) : config::resolve_run_on(file, machine);
  if (!resolved) return resolved.errors();
  RunSetup setup;
  setup.run = resolved->value;
  setup.resolved = resolved->yaml;
  config::Result<config::Dataset> data = config::load_dataset(setup.run.data, setup.run.model.inputs, setup.run.model.outputs());
  if (!data) return data.errors();
  setup.data = std::move(data).value();
  const auto [refused, hint] = unsupported(setup.run, setup.data);
  if (!refused.empty()) return error_in(file, refused, hint);
  std::variant<plan::Plan, plan::Refusal> planned = plan::make_plan(plan::network_of(setup.run.model), plan::target_of(setup.run), setup.run.batch);
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&planned)) return error_in(file, refusal->message, refusal->hint);
  setup.plan = std::move(std::get<plan::Plan>(planned));
  return setup;
}

}  // namespace waferloom::cli
