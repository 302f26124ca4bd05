#pragma once
// What the benchmarks run: one training step of a network, and a program that keeps every lane and link at work.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/config/machine.h"
#include "host/plan/edge_stream.h"
#include "host/plan/plan.h"
#include "host/systemc/fabric_wafer.h"
#include "sim/fabric/fabric.h"
#include "sim/plugin/builder.h"

namespace waferloom::bench {

// Units of one machine in both views, and its tiles as one model. Throws std::runtime_error with the message, as all here does.
struct Units {
  plugin::Unit router, fast_pe, rtl_pe;
  config::Machine machine;
};
Units open_units(const std::string& rtl_root);
// The tile as one model: made one function of an edge by our own pass (sim/plugin/one_pass.h), or left as Verilator writes it and evaluated as its
// interface asks: the whole evaluation with the clock low and again with the clock high. Same RTL, views and compiler flags.
enum class TileForm { kOnePass, kVerilator };
plugin::Unit open_tile(const config::Machine& machine, const std::string& rtl_root, TileForm form);
plugin::Unit open_whole(const config::Machine& machine, const std::string& rtl_root, std::uint32_t width, std::uint32_t height);

// A word that left the wafer: cycle since the start of the step, column, word.
struct EdgeResult {
  std::uint64_t cycle;
  std::uint32_t column;
  std::uint64_t word;
  bool operator==(const EdgeResult& o) const { return cycle == o.cycle && column == o.column && word == o.word; }
};

// How a step is simulated.
struct StepMode {
  bool rtl_view = false;
  bool skip = true;
  bool audit = false;
  fabric::Transport* ranks = nullptr;
};

// Gives packed edge words to the ports (one for each column), as the wafer does.
void offer_words(const std::vector<std::uint64_t>& words, fabric::HostPorts& ports, std::uint64_t not_before);

// The step of the digits network (64-32-10, batch 64) with seeded data; its words are made beforehand and all offered at once, without a host.
class StepWorkload {
 public:
  StepWorkload(const config::Machine& machine, int width, int height);

  // A booted wafer.
  std::unique_ptr<systemc::FabricWafer> wafer(const Units& units, const StepMode& mode) const;
  const std::vector<std::uint64_t>& words() const { return words_; }  // packed edge words of the step, in order
  // Takes what has left. Ports are numbered by column.
  static std::vector<EdgeResult> take(fabric::HostPorts& ports, std::uint64_t start);
  // What the host would say to these results; "" if they are a whole step.
  std::string judge(const std::vector<EdgeResult>& results) const;
  const plan::Plan& plan() const { return plan_; }

 private:
  plan::Plan plan_;
  std::vector<std::vector<std::uint16_t>> weights_, biases_;
  std::vector<plan::LayerWeights> layers_;
  std::vector<std::uint64_t> words_;
};

// Array with the all-busy program, its circles closed and full. Sizes of at least 2.
std::unique_ptr<fabric::Fabric> busy_fabric(const Units& units, bool rtl_view, bool skip, std::uint32_t width, std::uint32_t height, unsigned threads = 1,
                                             fabric::Transport* ranks = nullptr);

// How busy a fabric was between two moments: shares of what is possible.
struct BusyCounts {
  std::uint64_t link_words = 0;  // on links between tiles
  std::uint64_t lane_slots = 0;
  std::uint64_t evaluations = 0;
  std::uint64_t cycle = 0;
};
BusyCounts count_busy(fabric::Fabric& fabric);

}  // namespace waferloom::bench
