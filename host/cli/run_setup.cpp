#include "host/cli/run_setup.h"

#include <fmt/format.h>

#include <variant>

#include "host/config/resolver.h"
#include "host/plan/protocol.h"
#include "host/systemc/schedule.h"

namespace waferloom::cli {
namespace {

// What is refused after the file has been resolved, and the key of the run that it is about.
struct Refused {
  std::string key;
  std::string message;  // empty: nothing
  std::string hint;
};

// What the resolver lets through and this program cannot run.
Refused unsupported(const config::Run& run, const config::Dataset& data) {
  if (run.machine.colours.value < plan::kColoursUsed) {
    return {"machine", fmt::format("machine '{}' has {} colours; the training program needs {}", run.machine.name, run.machine.colours.value, plan::kColoursUsed),
            "take wse1, wse2 or wse3; kernel runs need fewer"};
  }
  const int depth = run.machine.router_queue_depth.value;
  if (depth != run.machine.hop_cycles.value + 2) {
    return {"machine", fmt::format("router_queue_depth is {}; a router with hop_cycles {} needs {}", depth, run.machine.hop_cycles.value, run.machine.hop_cycles.value + 2),
            "set router_queue_depth to hop_cycles + 2"};
  }
  const std::int64_t rows = std::int64_t{run.epochs} * (data.train.rows() + data.test.rows());
  if (rows > 100'000'000) {
    return {"epochs", fmt::format("{} epochs of {} rows are {} rows: more than a run plans ahead (100000000)", run.epochs, data.train.rows() + data.test.rows(), rows),
            "fewer epochs"};
  }
  return {};
}

// What does not fit the tiles' SRAM is about the array; the planner's other refusals that the resolver lets through are about no key (microcode that does not
// assemble).
Refused unplanned(const plan::Refusal& refusal) { return {refusal.needed_bytes > 0 ? "array" : "", refusal.message, refusal.hint}; }

config::Diagnostic error_of(const std::string& file, const std::string& machine, const Refused& refused) {
  if (refused.key.empty()) return error_in(file, refused.message, refused.hint);
  if (refused.key == "machine" && !machine.empty()) return error_in("--machine", refused.message, refused.hint);
  return config::error_at_key(file, refused.key, refused.message, refused.hint);
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
  const Refused refused = unsupported(setup.run, setup.data);
  if (!refused.message.empty()) return error_of(file, machine, refused);
  std::variant<plan::Plan, plan::Refusal> planned = plan::make_plan(plan::network_of(setup.run.model), plan::target_of(setup.run), systemc::rows_per_system(setup.run));
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&planned)) return error_of(file, machine, unplanned(*refusal));
  setup.plan = std::move(std::get<plan::Plan>(planned));
  return setup;
}

}  // namespace waferloom::cli
