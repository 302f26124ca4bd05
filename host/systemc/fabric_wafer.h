// The wafer over the fabric engine: verilated tiles with a host port on the north edge of every column.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/plan/plan.h"
#include "host/systemc/wafer.h"
#include "sim/fabric/fabric.h"
#include "sim/fabric/waits_for.h"
#include "sim/trace/heat_map.h"

namespace waferloom::systemc {

struct FabricWaferOptions {
  plugin::Unit router;
  plugin::Unit pe;
  unsigned hop = 1;
  std::uint32_t io_words_per_cycle = 1;  // in, and the same again out
  std::uint32_t out_buffer_words = 64;   // of each port; then the wafer waits for the host
  bool skip = true;
  bool audit = false;
  std::uint64_t shuffle_seed = 0;
  std::uint32_t reset_value = 0;  // WL_RESET_*
  std::uint64_t seed = 1;
  unsigned threads = 1;  // at most; results do not depend on it
  fabric::Transport* ranks = nullptr;  // other processes that share the array; nor on them
};

class FabricWafer : public Wafer {
 public:
  // Builds the array, loads the plan's images and starts the boot tasks. Null and *error on failure. `plan` must outlive it.
  static std::unique_ptr<FabricWafer> create(const FabricWaferOptions& options, const plan::Plan& plan, std::string* error);

  std::int64_t cycle() const override { return static_cast<std::int64_t>(fabric_->cycle()); }
  void offer(const std::uint64_t* words, std::size_t count) override;
  std::uint64_t taken() const override { return offered_ - fabric_->ports().pending_total(); }
  void allow(std::uint64_t words) override { allowance_ += words; }
  std::vector<std::uint64_t> results() override;
  WaferState run_to(std::int64_t cycle) override;
  bool quiet() const override { return !fabric_->can_move(); }
  std::string traps() const override;
  std::string waiting() const override;
  std::string busy() override;
  WaferCounters counters() override;
  void transfer(checkpoint::Archive& archive) override { archive(offered_, allowance_); }

  fabric::Fabric& fabric() { return *fabric_; }
  // Counters by place when counters() was last called, in at most 48 cells a side.
  const trace::CounterMap& counter_map() const { return counter_map_; }
  // The 32-bit word of a tile's SRAM that holds the byte at `address`.
  std::uint32_t sram_word(int x, int y, std::uint32_t address) const;
  // A sentence that names the tile with the most overflows to infinity: where to look when training diverges.
  std::string most_saturated();

 private:
  FabricWafer(const plan::Plan& plan) : plan_(plan) {}
  std::string load();
  std::string load_images();
  fabric::TaskNames task_names() const;

  const plan::Plan& plan_;
  std::unique_ptr<fabric::Fabric> fabric_;
  std::vector<fabric::PortId> ports_;  // by column
  std::string event_register_;         // names of registers of the PE, found in its table
  std::string link_register_;
  std::string sram_;                   // the memory that holds programs and data
  std::uint32_t sram_word_bytes_ = 4;
  trace::CounterMap counter_map_;
  std::uint64_t offered_ = 0;
  std::uint64_t allowance_ = 0;
};

}  // namespace waferloom::systemc
