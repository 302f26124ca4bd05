#pragma once
// The true traffic of the training steps of configs/runs/digits-8x8.yaml: recorded at the wafer's edge while the whole host (MemoryX, SwarmX, input
// server, links, the limits of the edge) trains on a composed fabric, then given cycle by cycle to whatever is measured, without the host.
//
// A word enters no earlier than the host gave it, and a word that has left is taken from the edge's buffer in the cycle in which the host took it:
// the back-pressure is the recorded one too. So whoever is exact gives the recorded words in the recorded cycles.
// Errors: std::runtime_error with the message.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/bench/workloads.h"

namespace waferloom::bench {

// What the host did at the edge in one cycle.
struct EdgeMoment {
  std::uint64_t cycle = 0;
  std::vector<std::uint64_t> given;  // packed edge words
  std::vector<std::uint64_t> taken;  // packed, in the order in which they were taken

  void transfer(checkpoint::Archive& archive) { archive(cycle, given, taken); }
};

class DigitsSteps {
 public:
  // Records `steps` steps (at least 2) on width x height tiles, in a child process: SystemC elaborates once per process.
  DigitsSteps(const Units& units, int width, int height, int steps);

  // Steps that can be replayed, from 1: the one before the first of them starts from a cold wafer and full buffers of the host.
  std::size_t steps() const { return ends_.size(); }
  // Wafer cycles of a step: from the end of the step before to its own.
  std::uint64_t begin(std::size_t step) const { return ends_[step - 1]; }
  std::uint64_t end(std::size_t step) const { return ends_[step]; }
  std::size_t words_in(std::size_t step) const;
  std::size_t words_out(std::size_t step) const;

  // A wafer at begin(1), where the recorded one was then.
  std::unique_ptr<systemc::FabricWafer> wafer(const Units& units, const StepMode& mode) const;
  // Drives a side over one step: it must stand at begin(step). Ports by column; `run(until)` advances it. Returns what the host took.
  template <typename Run>
  std::vector<EdgeResult> replay(std::size_t step, fabric::HostPorts& ports, const Run& run) const {
    std::vector<EdgeResult> results;
    for (std::size_t i = first_moment(begin(step)); i < moments_.size() && moments_[i].cycle < end(step); ++i) {
      run(moments_[i].cycle);
      act(moments_[i], ports, &results);
    }
    run(end(step));
    return results;
  }

 private:
  std::size_t first_moment(std::uint64_t cycle) const;
  void act(const EdgeMoment& moment, fabric::HostPorts& ports, std::vector<EdgeResult>* results) const;
  std::string record(const Units& units, int steps);  // in the child; the archive's bytes

  config::Run run_;
  plan::Plan plan_;
  std::vector<EdgeMoment> moments_;
  std::vector<std::uint64_t> ends_;  // of each step, 0 first
};

}  // namespace waferloom::bench
