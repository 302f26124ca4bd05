// Runs a laid out kernel on verilated tiles, checks every result word against what the golden order of additions gives, and measures.
//
// How time is taken. All tiles boot, prepare their descriptors and fall idle; then one register write activates the task `start` in all of them at one wafer
// cycle, as after a hardware barrier. A tile reads the wafer cycle with its first instruction (unless that one sends: all first instructions issue in the same
// cycle) and again when its last instruction has completed, and stores both. Time is the last end less the first start, less what two readings with nothing
// between them differ by on the same units (`empty_cycles`).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/kernels/case_run.h"
#include "host/kernels/kernel_layout.h"
#include "sim/fabric/transport.h"
#include "sim/plugin/unit.h"

namespace waferloom::kernels {

struct MachineOptions {
  plugin::Unit router;
  plugin::Unit pe;
  unsigned hop = 1;
  bool skip = true;
  bool audit = false;
  unsigned threads = 1;            // never changes a result
  fabric::Transport* ranks = nullptr;  // other processes that share the array; nor do they
  std::uint64_t limit_cycles = 0;  // 0: none
  std::uint64_t empty_cycles = 0;  // see measure_empty
  CaseHooks hooks;
  std::function<void(const fabric::Fabric&)> observer;  // after each evaluated cycle from the start on
  // All tiles start in the coming cycle; all have come to rest. May read the fabric and set its hooks, not change it.
  std::function<void(fabric::Fabric&)> started, ended;
};

struct Difference {
  std::uint32_t x = 0, y = 0, word = 0;
  std::uint32_t found = 0, expected = 0;

  void transfer(checkpoint::Archive& archive);
};

// On the wall, for the seconds of a Measurement.
inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Measurement {
  Ending ending = Ending::kDone;
  std::string message;           // for anything but kDone
  std::uint64_t cycles = 0;      // last end - first start - empty_cycles
  std::uint64_t first_start = 0;  // wafer cycle
  std::uint64_t last_end = 0;
  std::uint64_t checked_words = 0;
  std::uint64_t wrong_words = 0;
  std::vector<Difference> differences;  // the first few
  // Of the simulation.
  std::uint64_t router_evaluations = 0;
  std::uint64_t pe_evaluations = 0;
  double load_s = 0;
  double run_s = 0;
  double check_s = 0;

  void transfer(checkpoint::Archive& archive);
};

// Runs a single tile that only reads the clock twice. Returns "" or what is wrong.
std::string measure_empty(const config::Machine& machine, MachineOptions* options);

// What the tiles are made of, for a case of this size.
fabric::FabricOptions fabric_options(const MachineOptions& options, std::uint32_t width, std::uint32_t height);

Measurement run_layout(const KernelLayout& layout, const MachineOptions& options);

}  // namespace waferloom::kernels
