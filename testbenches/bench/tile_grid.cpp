#include "testbenches/bench/tile_grid.h"

#include <cstring>

#include "sim/checkpoint/archive.h"

namespace waferloom::bench {

using fabric::Direction;
using fabric::Fabric;
using fabric::UnitKind;

namespace {
const char* const kNames[4] = {"north", "east", "south", "west"};
}

void copy_ports(fabric::HostPorts& from, fabric::HostPorts& to) {
  checkpoint::Archive saved;
  from.transfer(saved);
  checkpoint::Archive loaded(saved.bytes());
  to.transfer(loaded);
}

std::unique_ptr<TileGrid> TileGrid::take_over(const plugin::Unit& unit, Fabric& fabric, std::string* error) {
  std::unique_ptr<TileGrid> grid(new TileGrid(unit, fabric.width(), fabric.height()));
  *error = grid->start(fabric);
  return error->empty() ? std::move(grid) : nullptr;
}

TileGrid::~TileGrid() {
  if (arena_ != nullptr) unit_.api().destroy(arena_);
}

std::uint32_t TileGrid::offset(const std::string& port, std::string* error) const {
  const WlPort* found = unit_.port(port);
  if (found == nullptr && error->empty()) *error = "wl_tile has no port " + port;
  return found == nullptr ? 0 : found->offset;
}

std::string TileGrid::start(Fabric& fabric) {
  const std::uint32_t tiles = width_ * height_;
  const WlUnitApi& api = unit_.api();
  const WlCreate create{tiles, WL_RESET_ZERO, 1};
  arena_ = api.create(&create);
  if (arena_ == nullptr) return api.last_error();
  base_ = static_cast<char*>(api.state(arena_, 0));
  stride_ = api.stride(arena_);
  std::string error;
  for (unsigned d = 0; d < 4; ++d) {
    link_out_[d] = offset(std::string(kNames[d]) + "_o", &error);
    ready_out_[d] = offset(std::string(kNames[d]) + "_ready_o", &error);
    link_in_[d] = offset(std::string(kNames[d]) + "_i", &error);
    ready_in_[d] = offset(std::string(kNames[d]) + "_ready_i", &error);
  }
  time_offset_ = offset("time_i", &error);
  const std::uint32_t edge = offset("edge_i", &error), reset = offset("rst_ni", &error), coord = offset("coord_i", &error), dims = offset("dims_i", &error);
  if (!error.empty()) return error;
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    const std::uint32_t x = tile % width_, y = tile / width_;
    plugin::store_value(state(tile) + edge, 1, fabric.edge_mask(x, y));
    plugin::store_value(state(tile) + coord, 4, x | y << 16);
    plugin::store_value(state(tile) + dims, 4, width_ | height_ << 16);
    for (int k = 0; k < 2; ++k) {
      if (api.tick(arena_, tile) != 0) return api.last_error();
    }
    state(tile)[reset] = 1;
  }
  error = match(fabric, UnitKind::kRouter, "u_router.");
  if (error.empty()) error = match(fabric, UnitKind::kPe, "u_pe.");
  if (!error.empty()) return error;
  fabric.credit_all();
  for (const Pair& p : pairs_) {
    const WlUnitApi& unit = fabric.unit(p.kind).api();
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      std::memcpy(state(tile) + p.tile, static_cast<char*>(unit.state(fabric.arena(p.kind), tile)) + p.part, p.bytes);
    }
  }
  const WlUnitApi& pe = fabric.unit(UnitKind::kPe).api();
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    for (std::uint32_t w = 0; w < api.memory(arena_, memory_)->words; ++w) {
      const std::uint64_t value = pe.memory_get(fabric.arena(UnitKind::kPe), tile, 0, w);
      if (value != 0) api.memory_set(arena_, tile, memory_, w, value);
    }
  }
  ports_ = std::make_unique<fabric::HostPorts>(fabric.options().edge_in, fabric.options().edge_out, fabric.options().hop);
  const bool with_ports = fabric.ports().size() != 0;
  for (std::uint32_t x = 0; x < width_ && with_ports; ++x) {
    fabric::PortWires wires;
    wires.link_out = reinterpret_cast<std::uint64_t*>(state(x) + link_out_[0]);
    wires.ready_out = reinterpret_cast<std::uint32_t*>(state(x) + ready_out_[0]);
    wires.link_in = reinterpret_cast<std::uint64_t*>(state(x) + link_in_[0]);
    wires.ready_in = reinterpret_cast<std::uint32_t*>(state(x) + ready_in_[0]);
    wires.tile = x;
    ports_->add(wires);
    *wires.link_in = fabric.port_word(x, 0, Direction::kNorth);
    *wires.ready_in = fabric.port_ready(x, 0, Direction::kNorth);
  }
  copy_ports(fabric.ports(), *ports_);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    if (api.refresh(arena_, tile) != 0) return api.last_error();
  }
  for (std::uint32_t x = 0; x < ports_->size(); ++x) seen_.push_back(driven(x));
  cycle_ = fabric.cycle();
  return difference(fabric);
}

std::string TileGrid::match(Fabric& fabric, UnitKind kind, const std::string& prefix) {
  const WlUnitApi& api = fabric.unit(kind).api();
  for (std::uint32_t i = 0; i < api.register_count; ++i) {
    const WlRegister& r = api.registers[i];
    if ((r.flags & WL_REG_STATE) == 0 || (r.flags & WL_REG_HANDLE) != 0) continue;
    const WlRegister* tile = unit_.reg(prefix + r.name);
    if (tile == nullptr || tile->width != r.width || tile->elements != r.elements) return "wl_tile has no register like " + prefix + r.name;
    pairs_.push_back({kind, tile->offset, r.offset, r.element_bytes * r.elements, prefix + r.name});
  }
  if (kind == UnitKind::kRouter) return {};
  const std::string name = prefix + api.memory(fabric.arena(kind), 0)->name;
  for (std::uint32_t k = 0; k < unit_.api().memory_count(arena_); ++k) {
    memory_ = k;
    if (name == unit_.api().memory(arena_, k)->name) return {};
  }
  return "wl_tile has no memory " + name;
}

std::pair<std::uint64_t, std::uint32_t> TileGrid::driven(std::uint32_t x) const {
  return {plugin::load_value(state(x) + link_out_[0], 8), static_cast<std::uint32_t>(plugin::load_value(state(x) + ready_out_[0], 4))};
}

void TileGrid::copy_links() {
  const auto link = [this](std::uint32_t from, unsigned direction, std::uint32_t to) {
    const unsigned back = direction ^ 2U;
    std::memcpy(state(to) + link_in_[back], state(from) + link_out_[direction], 8);
    std::memcpy(state(to) + ready_in_[back], state(from) + ready_out_[direction], 4);
  };
  for (std::uint32_t y = 0; y < height_; ++y) {
    for (std::uint32_t x = 0; x < width_; ++x) {
      const std::uint32_t tile = y * width_ + x;
      if (x + 1 < width_) {
        link(tile, 1, tile + 1);
        link(tile + 1, 3, tile);
      }
      if (y + 1 < height_) {
        link(tile, 2, tile + width_);
        link(tile + width_, 0, tile);
      }
    }
  }
}

std::string TileGrid::run(std::uint64_t until) {
  const WlUnitApi& api = unit_.api();
  const std::uint32_t tiles = width_ * height_;
  while (cycle_ < until) {
    copy_links();
    for (std::uint32_t x = 0; x < seen_.size(); ++x) {
      const std::pair<std::uint64_t, std::uint32_t> now = driven(x);
      if (now == seen_[x]) continue;
      seen_[x] = now;
      ports_->touch(x);
    }
    ports_->evaluate(cycle_);
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      *reinterpret_cast<std::uint64_t*>(state(tile) + time_offset_) = cycle_;
      if (api.tick(arena_, tile) != 0) return api.last_error();
    }
    ports_->commit([](std::uint32_t) {});
    ++cycle_;
  }
  return {};
}

std::string TileGrid::difference(Fabric& fabric) const {
  fabric.credit_all();
  for (std::uint32_t tile = 0; tile < width_ * height_; ++tile) {
    const std::string place = " of tile " + std::to_string(tile % width_) + "," + std::to_string(tile / width_) + " differs";
    for (const Pair& p : pairs_) {
      const char* part = static_cast<char*>(fabric.unit(p.kind).api().state(fabric.arena(p.kind), tile)) + p.part;
      if (std::memcmp(part, state(tile) + p.tile, p.bytes) != 0) return p.name + place;
    }
    const WlUnitApi& pe = fabric.unit(UnitKind::kPe).api();
    for (std::uint32_t w = 0; w < unit_.api().memory(arena_, memory_)->words; ++w) {
      if (pe.memory_get(fabric.arena(UnitKind::kPe), tile, 0, w) != unit_.api().memory_get(arena_, tile, memory_, w)) return "memory word " + std::to_string(w) + place;
    }
  }
  return {};
}

}  // namespace waferloom::bench
