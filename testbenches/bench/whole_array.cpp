#include "testbenches/bench/whole_array.h"
#include "testbenches/bench/tile_grid.h"

#include <cstring>

namespace waferloom::bench {

using fabric::Direction;
using fabric::Fabric;
using fabric::UnitKind;

std::uint64_t WholeArray::Packed::get(std::uint32_t column) const {
  std::uint64_t word = 0;
  std::memcpy(&word, seen.data() + column * stride / 8, sizeof word);
  return word >> (column * stride % 8) & ((std::uint64_t{1} << stride) - 1);
}

void WholeArray::Packed::put(std::uint32_t column, std::uint64_t value) {
  std::uint64_t word = 0;
  const std::uint32_t shift = column * stride % 8;
  std::memcpy(&word, seen.data() + column * stride / 8, sizeof word);
  word &= ~(((std::uint64_t{1} << stride) - 1) << shift);
  word |= value << shift;
  std::memcpy(seen.data() + column * stride / 8, &word, sizeof word);
}

void WholeArray::Packed::write() const { std::memcpy(at, seen.data(), bytes); }

std::string WholeArray::bind(Packed* packed, const char* port, std::uint32_t stride) {
  const WlPort* found = unit_.port(port);
  if (found == nullptr) return std::string("wl_array has no port ") + port;
  packed->at = state() + found->offset;
  packed->bytes = found->bytes;
  packed->stride = stride;
  packed->seen.assign(found->bytes + 8, 0);
  return {};
}

std::unique_ptr<WholeArray> WholeArray::take_over(const plugin::Unit& unit, Fabric& fabric, std::string* error) {
  std::unique_ptr<WholeArray> whole(new WholeArray(unit, fabric.width()));
  *error = whole->start(fabric);
  return error->empty() ? std::move(whole) : nullptr;
}

WholeArray::~WholeArray() {
  if (arena_ != nullptr) unit_.api().destroy(arena_);
}

std::string WholeArray::start(Fabric& fabric) {
  const WlCreate create{1, WL_RESET_ZERO, 1};
  arena_ = unit_.api().create(&create);
  if (arena_ == nullptr) return unit_.api().last_error();
  std::string error;
  for (const auto& [packed, name, stride] : {std::tuple(&north_i_, "north_i", 39U), std::tuple(&north_ready_i_, "north_ready_i", 24U),
                                             std::tuple(&north_o_, "north_o", 39U), std::tuple(&north_ready_o_, "north_ready_o", 24U)}) {
    if (error.empty()) error = bind(packed, name, stride);
  }
  if (!error.empty()) return error;
  std::uint64_t closed = 0;
  for (std::uint32_t x = 0; x < width_; ++x) closed |= std::uint64_t{fabric.edge_mask(x, 0) & 1U} << x;
  for (const char* side : {"north", "east", "south", "west"}) {
    const WlPort* edge = unit_.port(std::string(side) + "_edge_i");
    if (edge == nullptr) return "wl_array has no static edge ports";
    const std::uint64_t all = (std::uint64_t{1} << edge->width) - 1;
    plugin::store_value(state() + edge->offset, edge->bytes, side[0] == 'n' ? closed : all);
  }
  const WlPort* reset = unit_.port("rst_ni");
  const WlPort* time = unit_.port("time_i");
  if (reset == nullptr || time == nullptr) return "wl_array has no ports rst_ni and time_i";
  time_offset_ = time->offset;
  for (const int level : {0, 0}) {
    state()[reset->offset] = static_cast<char>(level);
    if (unit_.api().tick(arena_, 0) != 0) return unit_.api().last_error();
  }
  state()[reset->offset] = 1;

  error = match(fabric, UnitKind::kRouter, "u_router.");
  if (error.empty()) error = match(fabric, UnitKind::kPe, "u_pe.");
  if (!error.empty()) return error;
  fabric.credit_all();
  for (const Pair& p : pairs_) {
    std::memcpy(state() + p.whole, static_cast<char*>(fabric.unit(p.kind).api().state(fabric.arena(p.kind), p.tile)) + p.part, p.bytes);
  }
  const WlUnitApi& pe = fabric.unit(UnitKind::kPe).api();
  for (const MemoryPair& m : memories_) {
    for (std::uint32_t w = 0; w < m.words; ++w) {
      const std::uint64_t value = pe.memory_get(fabric.arena(UnitKind::kPe), m.tile, m.part, w);
      if (value != 0) unit_.api().memory_set(arena_, 0, m.whole, w, value);
    }
  }
  link_out_.assign(width_, 0);
  link_in_.assign(width_, 0);
  ready_out_.assign(width_, 0);
  ready_in_.assign(width_, 0);
  ports_ = std::make_unique<fabric::HostPorts>(fabric.options().edge_in, fabric.options().edge_out, fabric.options().hop);
  for (std::uint32_t x = 0; x < width_; ++x) {
    if (fabric.ports().size() == 0) {
      ready_in_[x] = fabric.port_ready(x, 0, Direction::kNorth);
      continue;
    }
    link_in_[x] = fabric.port_word(x, 0, Direction::kNorth);
    ready_in_[x] = fabric.port_ready(x, 0, Direction::kNorth);
    fabric::PortWires wires;
    wires.link_out = &link_out_[x];
    wires.ready_out = &ready_out_[x];
    wires.link_in = &link_in_[x];
    wires.ready_in = &ready_in_[x];
    wires.tile = x;
    ports_->add(wires);
  }
  copy_ports(fabric.ports(), *ports_);
  write_inputs();
  cycle_ = fabric.cycle();
  if (unit_.api().refresh(arena_, 0) != 0) return unit_.api().last_error();
  read_outputs();
  return difference(fabric);
}

std::string WholeArray::match(Fabric& fabric, UnitKind kind, const std::string& path) {
  const WlUnitApi& api = fabric.unit(kind).api();
  for (std::uint32_t tile = 0; tile < fabric.tiles(); ++tile) {
    const std::string prefix = "g_row[" + std::to_string(tile / fabric.width()) + "].g_tile[" + std::to_string(tile % fabric.width()) + "].u_tile." + path;
    for (std::uint32_t i = 0; i < api.register_count; ++i) {
      const WlRegister& r = api.registers[i];
      if ((r.flags & WL_REG_STATE) == 0 || (r.flags & WL_REG_HANDLE) != 0) continue;
      const WlRegister* whole = unit_.reg(prefix + r.name);
      if (whole == nullptr || whole->width != r.width || whole->elements != r.elements) return "wl_array has no register like " + prefix + r.name;
      pairs_.push_back({kind, tile, r.offset, whole->offset, r.element_bytes * r.elements, whole->name});
    }
    for (std::uint32_t m = 0; m < api.memory_count(fabric.arena(kind)); ++m) {
      const WlMemory* mine = api.memory(fabric.arena(kind), m);
      bool found = false;
      for (std::uint32_t k = 0; k < unit_.api().memory_count(arena_); ++k) {
        if (prefix + mine->name != unit_.api().memory(arena_, k)->name) continue;
        memories_.push_back({tile, m, k, mine->words});
        found = true;
      }
      if (!found) return "wl_array has no memory " + prefix + mine->name;
    }
  }
  return {};
}

void WholeArray::read_outputs() {
  for (Packed* packed : {&north_o_, &north_ready_o_}) {
    if (std::memcmp(packed->at, packed->seen.data(), packed->bytes) == 0) continue;
    std::memcpy(packed->seen.data(), packed->at, packed->bytes);
    for (std::uint32_t x = 0; x < width_; ++x) {
      const std::uint64_t value = packed->get(x);
      if (packed == &north_o_ ? value == link_out_[x] : value == ready_out_[x]) continue;
      if (packed == &north_o_) {
        link_out_[x] = value;
      } else {
        ready_out_[x] = static_cast<std::uint32_t>(value);
      }
      if (ports_->size() != 0) ports_->touch(x);
    }
  }
}

void WholeArray::write_inputs() {
  for (std::uint32_t x = 0; x < width_; ++x) {
    north_i_.put(x, link_in_[x]);
    north_ready_i_.put(x, ready_in_[x]);
  }
  north_i_.write();
  north_ready_i_.write();
}

std::string WholeArray::run(std::uint64_t until) {
  while (cycle_ < until) {
    ports_->evaluate(cycle_);
    *reinterpret_cast<std::uint64_t*>(state() + time_offset_) = cycle_;
    if (unit_.api().tick(arena_, 0) != 0) return unit_.api().last_error();
    read_outputs();
    bool changed = false;
    ports_->commit([&changed](std::uint32_t) { changed = true; });
    if (changed) write_inputs();
    ++cycle_;
  }
  return {};
}

std::string WholeArray::difference(Fabric& fabric) const {
  fabric.credit_all();
  for (const Pair& p : pairs_) {
    const char* part = static_cast<char*>(fabric.unit(p.kind).api().state(fabric.arena(p.kind), p.tile)) + p.part;
    if (std::memcmp(part, state() + p.whole, p.bytes) != 0) return std::string(p.name) + " differs";
  }
  const WlUnitApi& pe = fabric.unit(UnitKind::kPe).api();
  for (const MemoryPair& m : memories_) {
    for (std::uint32_t w = 0; w < m.words; ++w) {
      if (pe.memory_get(fabric.arena(UnitKind::kPe), m.tile, m.part, w) == unit_.api().memory_get(arena_, 0, m.whole, w)) continue;
      return "word " + std::to_string(w) + " of the memory of tile " + std::to_string(m.tile) + " differs";
    }
  }
  return {};
}

}  // namespace waferloom::bench
