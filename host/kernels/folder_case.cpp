#include "host/kernels/folder_case.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "sim/fabric/tile_state.h"
#include "sim/generated/registers.h"

namespace waferloom::kernels {
namespace {

class FolderRunner {
 public:
  FolderRunner(const plan::Kernel& kernel, const MachineOptions& options)
      : kernel_(kernel), options_(options), run_(options.hooks, options.limit_cycles, [this](checkpoint::Archive& archive) { archive(booted_, before_, m_.load_s, m_.run_s); }) {}

  Measurement run() {
    auto begin = std::chrono::steady_clock::now();
    std::string error = load();
    if (!error.empty()) return failed(error);
    if (!run_.start()) return failed({});
    if (!booted_) {
      error = run_.goes_on() ? std::string() : run_.activate(spec::kBootTask);
      if (!error.empty()) return failed(error);
      if (ended(run_.rest())) return m_;
      booted_ = true;
      before_ = run_.fabric().activity();
      send();
    }
    m_.load_s += seconds_since(begin);
    begin = std::chrono::steady_clock::now();
    const Ending ending = run_.rest();
    m_.run_s += seconds_since(begin);
    m_.router_evaluations = run_.fabric().activity().router_evaluations - before_.router_evaluations;
    m_.pe_evaluations = run_.fabric().activity().pe_evaluations - before_.pe_evaluations;
    if (ending != Ending::kDone && ending != Ending::kDeadlock) {
      ended(ending);
      return m_;
    }
    begin = std::chrono::steady_clock::now();
    run_.fabric().collect();
    if (!run_.fabric().error().empty()) return failed(run_.fabric().error());
    const std::vector<std::string> differences = compare();
    if (left_over() || (ending == Ending::kDeadlock && !differences.empty())) {
      m_.ending = Ending::kDeadlock;
      m_.message = run_.stuck();
      return m_;
    }
    m_.cycles = run_.rest_cycles();
    m_.last_end = run_.fabric().last_active_cycle();
    m_.first_start = m_.last_end - m_.cycles;
    m_.checked_words = plan::expected_values(kernel_);
    m_.wrong_words = differences.size();
    for (const std::string& line : differences) m_.message += (m_.message.empty() ? "" : "\n") + line;
    m_.check_s = seconds_since(begin);
    if (options_.audit && run_.fabric().audit_report().violations != 0) return failed("skipping is not exact: " + run_.fabric().audit_report().first_violation);
    return m_;
  }

 private:
  Measurement failed(const std::string& message) {
    m_.ending = Ending::kFault;
    m_.message = message;
    return m_;
  }

  bool ended(Ending ending) {
    m_.ending = ending;
    if (ending != Ending::kDone) m_.message = run_.message();
    return ending != Ending::kDone;
  }

  std::string load() {
    const auto width = static_cast<std::uint32_t>(kernel_.target.width), height = static_cast<std::uint32_t>(kernel_.target.height);
    std::string error = run_.create(fabric_options(options_, width, height));
    if (!error.empty()) return error;
    run_.name_tasks([this](std::uint32_t /*x*/, std::uint32_t /*y*/, unsigned task) { return task < kernel_.task_names.size() ? kernel_.task_names[task] : std::string(); });
    for (std::uint32_t x = 0; x < width; ++x) {
      fabric::PortId port = 0;
      if (!run_.fabric().attach_port(x, 0, fabric::Direction::kNorth, &port, &error)) return error;
      ports_.push_back(port);
      for (std::uint32_t y = 0; y < height && !run_.goes_on(); ++y) {
        const std::vector<std::uint8_t>& image = kernel_.image(static_cast<int>(x), static_cast<int>(y));
        std::vector<std::uint64_t> words((image.size() + 3) / 4, 0);
        for (std::size_t i = 0; i < image.size(); ++i) words[i / 4] |= std::uint64_t{image[i]} << (8 * (i % 4));
        error = run_.fabric().load_image({x, y, 1, 1}, run_.memory(), 0, words);
        if (!error.empty()) return error;
      }
    }
    return {};
  }

  void send() {
    for (const plan::EdgeWord& word : kernel_.edge) {
      for (std::size_t x = 0; x < ports_.size(); ++x) {
        const bool all = word.column == plan::kEveryColumn;
        if (all || word.column == x) run_.fabric().ports().send(ports_[x], word.link, run_.fabric().cycle(), all && x != 0);
      }
    }
  }

  std::vector<std::string> compare() {
    plan::KernelOutcome outcome;
    outcome.edge.resize(ports_.size());
    for (std::size_t x = 0; x < ports_.size(); ++x) {
      fabric::ReceivedWord word;
      while (run_.fabric().ports().receive(ports_[x], &word)) outcome.edge[x].push_back(word.word);
    }
    outcome.peek = [this](int x, int y, std::uint16_t address, std::uint32_t bytes) {
      const std::uint32_t word = run_.word(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), address) >> (8 * (address % 4));
      return bytes == 2 ? word & 0xffffU : word;
    };
    return plan::check_kernel(kernel_, outcome);
  }

  // Anything that nobody has taken, at the edge, in a router, in a queue of a PE; a task that has been activated and is blocked.
  bool left_over() const {
    const fabric::Fabric& fabric = run_.fabric();
    if (fabric.ports().pending_total() != 0) return true;
    const fabric::TileState state(fabric);
    if (!state.error().empty()) return true;
    for (std::uint32_t tile = 0; tile < fabric.tiles(); ++tile) {
      const fabric::MainThread main = state.main(tile);
      if (state.stored_colours(tile) != 0 || (!main.halted && (main.activated & main.blocked) != 0)) return true;
      for (unsigned q = 0; q < fabric::kInputQueues; ++q) {
        if (state.input(tile, q).used != 0) return true;
      }
      for (unsigned q = 0; q < fabric::kOutputQueues; ++q) {
        if (state.output(tile, q).used != 0) return true;
      }
    }
    return false;
  }

  const plan::Kernel& kernel_;
  const MachineOptions& options_;
  Measurement m_;
  bool booted_ = false;
  fabric::Activity before_;  // of the words' entry
  std::vector<fabric::PortId> ports_;
  CaseRun run_;  // the last: it calls back while it ends
};

}  // namespace

config::Result<plan::Kernel> load_folder(const config::KernelCase& wanted) {
  plan::Target target;
  target.lanes = wanted.machine.lanes.value;
  target.sram_bytes = wanted.machine.sram_bytes.value;
  target.window_bytes = wanted.machine.accumulator_window_bytes.value;
  if (std::error_code code; !std::filesystem::exists(std::filesystem::path(wanted.folder) / "layout.yaml", code)) {
    config::Diagnostic missing = wanted.error_at("folder", fmt::format("'{}' holds no layout.yaml", wanted.folder), "a kernel folder is relative to the file that names it");
    missing.fault = config::Fault::kInputOutput;
    return config::Diagnostics{missing};
  }
  config::Result<plan::Kernel> kernel = plan::load_kernel(wanted.folder, target);
  if (!kernel) return kernel;
  const plan::Target& there = kernel->target;
  const auto refused = [&](const char* what, int layout, int machine) {
    return config::Diagnostics{wanted.error_at("folder", fmt::format("the layout is for {} = {}; machine '{}' has {}", what, layout, wanted.machine.name, machine), "leave it out of the layout, or name another machine")};
  };
  if (there.lanes != target.lanes) return refused("lanes", there.lanes, target.lanes);
  if (there.sram_bytes != target.sram_bytes) return refused("sram_bytes", there.sram_bytes, target.sram_bytes);
  if (there.window_bytes != target.window_bytes) return refused("window_bytes", there.window_bytes, target.window_bytes);
  return kernel;
}

Measurement run_folder(const plan::Kernel& kernel, const MachineOptions& options) { return FolderRunner(kernel, options).run(); }

}  // namespace waferloom::kernels
