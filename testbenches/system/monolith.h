#pragma once
// A monolithic model of a whole array, driven with what the composed fabric's border routers see, and compared with it
// register by register. Routes and programs are laid in the composed fabric and taken over by the names of registers.
#include <cstring>
#include <string>
#include <vector>

#include "sim/fabric/fabric.h"
#include "testbenches/lib/bench.h"
#include "testbenches/lib/catch.h"

namespace waferloom::test {

// How the module packs its edge ports and names its tiles.
struct MonolithShape {
  std::string top;
  plugin::UnitSpec spec;
  uint32_t link_stride = 39, ready_stride = 24;  // bits from one link of a side to the next
  bool ramps = false;                            // ramps are ports
  bool edges_are_ports = false;                  // <side>_edge_i
  std::string row, column;                       // "g_y[", "].g_x["
  std::string router, pe;                        // "].u_router."
};

class Monolith {
 public:
  Monolith(fabric::Fabric* f, const MonolithShape& shape) : f_(f), shape_(shape) {
    plugin::UnitSpec spec = shape.spec;
    spec.top = shape.top;
    spec.params.emplace_back("Width", std::to_string(f->width()));
    spec.params.emplace_back("Height", std::to_string(f->height()));
    const std::string error = unit_.open(spec);
    INFO(error);
    REQUIRE(error.empty());
    const WlCreate create{1, WL_RESET_RANDOM, 99};
    arena_ = unit_.api().create(&create);
    REQUIRE(arena_);
    at("rst_ni")[0] = 0;
    tick();
    tick();
    at("rst_ni")[0] = 1;
    match(fabric::UnitKind::kRouter, shape.router);
    if (f->has_pe()) match(fabric::UnitKind::kPe, shape.pe);
    f->credit_all();
    for (const Pair& p : pairs_) std::memcpy(whole(p), part(p), p.bytes);
    for (const MemoryPair& m : memories_) {
      for (uint32_t w = 0; w < m.words; ++w) {
        unit_.api().memory_set(arena_, 0, m.whole, w, part_api(fabric::UnitKind::kPe).memory_get(f_->arena(fabric::UnitKind::kPe), m.tile, m.part, w));
      }
    }
    drive();
    REQUIRE(unit_.api().refresh(arena_, 0) == 0);
  }
  ~Monolith() { unit_.api().destroy(arena_); }
  Monolith(const Monolith&) = delete;
  Monolith& operator=(const Monolith&) = delete;

  // Inputs of the coming edge, as the fabric's border routers see them now.
  void drive() {
    const uint32_t w = f_->width(), h = f_->height();
    for (uint32_t y = 0; y < h; ++y) {
      for (uint32_t x = 0; x < w; ++x) {
        if (y == 0) put("north", x, x, y, 0);
        if (x + 1 == w) put("east", y, x, y, 1);
        if (y + 1 == h) put("south", x, x, y, 2);
        if (x == 0) put("west", y, x, y, 3);
        if (shape_.ramps) put("ramp", y * w + x, x, y, 4);
      }
    }
    if (const WlPort* time = unit_.port("time_i")) {
      plugin::store_value(static_cast<char*>(unit_.api().state(arena_, 0)) + time->offset, time->bytes, f_->cycle());
    }
  }
  void tick() {
    const int failed = unit_.api().tick(arena_, 0);
    INFO(unit_.api().last_error());
    REQUIRE(failed == 0);
  }

  // Name of the first register that differs, "" if none.
  std::string difference(bool counters) const {
    for (const Pair& p : pairs_) {
      if (!counters && p.counter) continue;
      if (std::memcmp(part(p), whole(p), p.bytes) != 0) return p.name;
    }
    return "";
  }
  std::string memory_difference() const {
    for (const MemoryPair& m : memories_) {
      for (uint32_t w = 0; w < m.words; ++w) {
        const uint64_t mine = part_api(fabric::UnitKind::kPe).memory_get(f_->arena(fabric::UnitKind::kPe), m.tile, m.part, w);
        if (mine != unit_.api().memory_get(arena_, 0, m.whole, w)) return "word " + std::to_string(w) + " of tile " + std::to_string(m.tile);
      }
    }
    return "";
  }
  size_t registers() const { return pairs_.size(); }
  const plugin::Unit& unit() const { return unit_; }

 private:
  struct Pair {
    fabric::UnitKind kind;
    uint32_t tile;
    uint32_t part;   // offsets
    uint32_t whole;
    uint32_t bytes;
    bool counter;
    const char* name;
  };
  struct MemoryPair {
    uint32_t tile, part, whole, words;
  };
  const WlUnitApi& part_api(fabric::UnitKind kind) const { return f_->unit(kind).api(); }
  char* part(const Pair& p) const { return static_cast<char*>(part_api(p.kind).state(f_->arena(p.kind), p.tile)) + p.part; }
  char* whole(const Pair& p) const { return static_cast<char*>(unit_.api().state(arena_, 0)) + p.whole; }
  char* at(const std::string& name) {
    const WlPort* port = unit_.port(name);
    INFO(name);
    REQUIRE(port);
    return static_cast<char*>(unit_.api().state(arena_, 0)) + port->offset;
  }
  // Writes `width` bits at bit `lsb` of a port.
  void put_bits(const std::string& port, uint32_t lsb, uint32_t width, uint64_t value) {
    uint8_t* bytes = reinterpret_cast<uint8_t*>(at(port));
    for (uint32_t b = 0; b < width; ++b) {
      uint8_t& byte = bytes[(lsb + b) / 8];
      const uint8_t bit = static_cast<uint8_t>(1u << ((lsb + b) % 8));
      byte = static_cast<uint8_t>((value >> b) & 1 ? byte | bit : byte & ~bit);
    }
  }
  void put(const std::string& side, uint32_t index, uint32_t x, uint32_t y, unsigned d) {
    const auto direction = static_cast<fabric::Direction>(d);
    put_bits(side + "_i", shape_.link_stride * index, 39, f_->port_word(x, y, direction));
    put_bits(side + "_ready_i", shape_.ready_stride * index, 24, f_->port_ready(x, y, direction));
    if (!shape_.edges_are_ports) return;
    put_bits(side + "_edge_i", index, 1, f_->edge_mask(x, y) >> d & 1);
  }
  void match(fabric::UnitKind kind, const std::string& unit_path) {
    const WlUnitApi& api = part_api(kind);
    for (uint32_t tile = 0; tile < f_->tiles(); ++tile) {
      const std::string path = shape_.row + std::to_string(tile / f_->width()) + shape_.column + std::to_string(tile % f_->width()) + unit_path;
      for (uint32_t i = 0; i < api.register_count; ++i) {
        const WlRegister& r = api.registers[i];
        if (!(r.flags & WL_REG_STATE) || (r.flags & WL_REG_HANDLE)) continue;
        const WlRegister* whole = unit_.reg(path + r.name);
        INFO(path + r.name);
        REQUIRE(whole);
        REQUIRE(whole->width == r.width);
        REQUIRE(whole->elements == r.elements);
        pairs_.push_back({kind, tile, r.offset, whole->offset, r.element_bytes * r.elements, (r.flags & WL_REG_COUNTER) != 0, whole->name});
      }
      for (uint32_t m = 0; m < api.memory_count(f_->arena(kind)); ++m) {
        const WlMemory* mine = api.memory(f_->arena(kind), m);
        bool found = false;
        for (uint32_t k = 0; k < unit_.api().memory_count(arena_); ++k) {
          if (path + mine->name != unit_.api().memory(arena_, k)->name) continue;
          memories_.push_back({tile, m, k, mine->words});
          found = true;
        }
        INFO(path + mine->name);
        REQUIRE(found);
      }
    }
  }

  fabric::Fabric* f_;
  MonolithShape shape_;
  plugin::Unit unit_;
  WlArena* arena_ = nullptr;
  std::vector<Pair> pairs_;
  std::vector<MemoryPair> memories_;
};

}  // namespace waferloom::test
