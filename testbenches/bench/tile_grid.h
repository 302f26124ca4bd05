#pragma once
// What one does by hand: one verilated tile (rtl/tile/wl_tile.sv, router and PE in one model) instantiated N x N, links copied directly, every tile
// evaluated in every cycle. Taken over from a composed fabric in whatever state that is in, and then run on its own with host ports like the fabric's.
// The other thing that the composed engine is measured against.
//
// Ownership: owns its instances, refers to nothing of the fabric afterwards. Threads: one. Errors: returned as text.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/fabric/fabric.h"

namespace waferloom::bench {

// Whose turn it is at each port, and what has passed: without it two sides would serve colours in another order. Ports of both by column.
void copy_ports(fabric::HostPorts& from, fabric::HostPorts& to);

class TileGrid {
 public:
  // `unit`: wl_tile of the fabric's parameters. Host ports at the north edge where the fabric has them; the fabric's own must be empty.
  static std::unique_ptr<TileGrid> take_over(const plugin::Unit& unit, fabric::Fabric& fabric, std::string* error);
  ~TileGrid();
  TileGrid(const TileGrid&) = delete;
  TileGrid& operator=(const TileGrid&) = delete;

  fabric::HostPorts& ports() { return *ports_; }  // by column
  std::uint64_t cycle() const { return cycle_; }
  // One cycle after another until cycle() == until. Returns "" or what the model said.
  std::string run(std::uint64_t until);
  // The first register (counters too) or memory word that is not what the fabric has; "" if all are equal.
  std::string difference(fabric::Fabric& fabric) const;

 private:
  struct Pair {
    fabric::UnitKind kind;
    std::uint32_t tile, part, bytes;  // offset in the tile, offset in the unit
    std::string name;
  };
  TileGrid(const plugin::Unit& unit, std::uint32_t width, std::uint32_t height) : unit_(unit), width_(width), height_(height) {}
  std::string start(fabric::Fabric& fabric);
  std::string match(fabric::Fabric& fabric, fabric::UnitKind kind, const std::string& prefix);
  std::uint32_t offset(const std::string& port, std::string* error) const;
  char* state(std::uint32_t tile) const { return base_ + stride_ * tile; }
  void copy_links();
  std::pair<std::uint64_t, std::uint32_t> driven(std::uint32_t x) const;  // by the router at the north edge, towards its port

  plugin::Unit unit_;
  std::uint32_t width_, height_;
  WlArena* arena_ = nullptr;
  char* base_ = nullptr;
  std::uint64_t stride_ = 0;
  std::unique_ptr<fabric::HostPorts> ports_;  // as many as the fabric has
  std::vector<std::pair<std::uint64_t, std::uint32_t>> seen_;  // per port: what it was last told of
  std::vector<Pair> pairs_;
  std::uint32_t memory_ = 0;  // of the tile; the PE's is its first
  std::uint32_t link_out_[4] = {}, ready_out_[4] = {}, link_in_[4] = {}, ready_in_[4] = {};
  std::uint32_t time_offset_ = 0;
  std::uint64_t cycle_ = 0;
};

}  // namespace waferloom::bench
