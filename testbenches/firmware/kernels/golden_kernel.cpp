#include "testbenches/firmware/kernels/golden_kernel.h"

#include "sim/golden/fabric.h"

namespace waferloom::testing {
namespace {

void describe(const golden::Fabric& fabric, const std::string& what, std::vector<std::string>& problems) {
  problems.push_back(what);
  for (const golden::FabricTrap& trap : fabric.traps()) problems.push_back(trap.text());
  for (const golden::Waiting& w : fabric.waiting(16)) problems.push_back("(" + std::to_string(w.x) + ", " + std::to_string(w.y) + ") " + w.text);
}

}  // namespace

KernelRun run_kernel(const plan::Kernel& kernel, std::uint64_t shuffle_seed) {
  KernelRun run;
  golden::FabricOptions options;
  options.width = static_cast<std::uint32_t>(kernel.target.width);
  options.height = static_cast<std::uint32_t>(kernel.target.height);
  options.pe.lanes = static_cast<std::uint32_t>(kernel.target.lanes);
  options.pe.sram_bytes = static_cast<std::uint32_t>(kernel.target.sram_bytes);
  options.pe.window_bytes = static_cast<std::uint32_t>(kernel.target.window_bytes);
  options.shuffle_seed = shuffle_seed;
  golden::Fabric fabric(options);
  std::vector<golden::PortId> ports(options.width);
  const auto note = [&](const std::string& error) {
    if (!error.empty()) run.problems.push_back(error);
  };
  for (std::uint32_t x = 0; x < options.width; ++x) note(fabric.attach_port(x, 0, spec::Direction::kNorth, &ports[x]));
  for (std::uint32_t y = 0; y < options.height; ++y) {
    for (std::uint32_t x = 0; x < options.width; ++x) note(fabric.load({x, y, 1, 1}, {kernel.image(static_cast<int>(x), static_cast<int>(y)), 0, {}}));
  }
  note(fabric.boot({0, 0, options.width, options.height}));
  const std::uint64_t budget = 10'000'000;
  if (fabric.run(budget) != golden::Halt::kIdle) describe(fabric, "the tiles do not come to rest after booting", run.problems);
  for (const plan::EdgeWord& word : kernel.edge) {
    for (std::uint32_t x = 0; x < options.width; ++x) {
      if (word.column == plan::kEveryColumn || word.column == x) fabric.send(ports[x], word.link);
    }
  }
  const golden::Halt halt = fabric.run(budget);
  if (halt == golden::Halt::kTrap) describe(fabric, "a trap", run.problems);
  if (halt == golden::Halt::kBudget) describe(fabric, "no end within " + std::to_string(budget) + " steps", run.problems);
  run.edge.resize(options.width);
  for (std::uint32_t x = 0; x < options.width; ++x) {
    std::uint64_t link = 0;
    while (fabric.receive(ports[x], &link)) run.edge[x].push_back(link);
  }
  plan::KernelOutcome outcome;
  outcome.edge = run.edge;
  outcome.peek = [&](int x, int y, std::uint16_t address, std::uint32_t bytes) {
    return fabric.pe(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)).peek(address, bytes);
  };
  std::vector<std::string> differences = plan::check_kernel(kernel, outcome);
  if (!differences.empty() && halt == golden::Halt::kDeadlock) describe(fabric, "a deadlock", run.problems);
  run.problems.insert(run.problems.end(), differences.begin(), differences.end());
  return run;
}

}  // namespace waferloom::testing
