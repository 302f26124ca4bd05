#pragma once
// The whole array as one verilated model (rtl/array/wl_array.sv), taken over from a composed fabric in whatever state that is in, and then run on its own
// with host ports like the fabric's. What the composed engine is measured against.
//
// Ownership: owns its instance, refers to nothing of the fabric afterwards. Threads: one. Errors: returned as text.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/fabric/fabric.h"

namespace waferloom::bench {

class WholeArray {
 public:
  // `unit`: wl_array of the fabric's size and parameters. Host ports at the north edge where the fabric has them; the fabric's own must be empty.
  static std::unique_ptr<WholeArray> take_over(const plugin::Unit& unit, fabric::Fabric& fabric, std::string* error);
  ~WholeArray();
  WholeArray(const WholeArray&) = delete;
  WholeArray& operator=(const WholeArray&) = delete;

  fabric::HostPorts& ports() { return *ports_; }  // by column
  std::uint64_t cycle() const { return cycle_; }
  // One cycle after another until cycle() == until. Returns "" or what the model said.
  std::string run(std::uint64_t until);
  // The first register (counters too) or memory word that is not what the fabric has; "" if all are equal.
  std::string difference(fabric::Fabric& fabric) const;

 private:
  struct Pair {
    fabric::UnitKind kind;
    std::uint32_t tile, part, whole, bytes;  // offsets
    const char* name;
  };
  struct MemoryPair {
    std::uint32_t tile, part, whole, words;
  };
  // A packed port of the model and, per column, what it holds.
  struct Packed {
    char* at = nullptr;
    std::uint32_t bytes = 0;
    std::uint32_t stride = 0;
    std::vector<char> seen;  // the port's bytes and room for a whole word behind them
    std::uint64_t get(std::uint32_t column) const;
    void put(std::uint32_t column, std::uint64_t value);
    void write() const;
  };

  WholeArray(const plugin::Unit& unit, std::uint32_t width) : unit_(unit), width_(width) {}
  std::string start(fabric::Fabric& fabric);
  std::string match(fabric::Fabric& fabric, fabric::UnitKind kind, const std::string& path);
  std::string bind(Packed* packed, const char* port, std::uint32_t stride);
  void read_outputs();
  void write_inputs();
  char* state() const { return static_cast<char*>(unit_.api().state(arena_, 0)); }

  plugin::Unit unit_;
  std::uint32_t width_;
  WlArena* arena_ = nullptr;
  std::unique_ptr<fabric::HostPorts> ports_;
  std::vector<std::uint64_t> link_out_, link_in_;
  std::vector<std::uint32_t> ready_out_, ready_in_;
  Packed north_i_, north_ready_i_, north_o_, north_ready_o_;
  std::vector<Pair> pairs_;
  std::vector<MemoryPair> memories_;
  std::uint32_t time_offset_ = 0;
  std::uint64_t cycle_ = 0;
};

}  // namespace waferloom::bench
