#include "sim/trace/window.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "sim/generated/fabric.h"

namespace waferloom::trace {

using fabric::Direction;
using fabric::Fabric;
using fabric::Region;
using fabric::UnitKind;

namespace {

unsigned opposite(unsigned direction) { return direction == 4 ? 4 : direction ^ 2u; }

bool is_state(const WlRegister& r) { return (r.flags & WL_REG_STATE) != 0 && (r.flags & (WL_REG_HANDLE | WL_REG_MEMORY)) == 0; }

UnitStates take_units(const Fabric& fabric, const Region& region, UnitKind kind) {
  UnitStates out;
  const WlUnitApi& api = fabric.unit(kind).api();
  WlArena* arena = fabric.arena(kind);
  std::vector<const WlRegister*> registers;
  for (uint32_t i = 0; i < api.register_count; ++i) {
    const WlRegister& r = api.registers[i];
    if (!is_state(r)) continue;
    registers.push_back(&r);
    out.names.emplace_back(r.name);
    out.bytes.push_back(r.element_bytes * r.elements);
  }
  for (uint32_t m = 0; m < api.memory_count(arena); ++m) out.memories.emplace_back(api.memory(arena, m)->name);
  for (uint32_t y = region.y; y < region.y + region.height; ++y) {
    for (uint32_t x = region.x; x < region.x + region.width; ++x) {
      const uint32_t tile = y * fabric.width() + x;
      api.credit(arena, tile, fabric.cycle());
      const char* state = static_cast<const char*>(api.state(arena, tile));
      std::vector<uint8_t>& bytes = out.registers.emplace_back();
      for (const WlRegister* r : registers) bytes.insert(bytes.end(), state + r->offset, state + r->offset + r->element_bytes * r->elements);
      std::vector<std::vector<uint64_t>>& memories = out.words.emplace_back();
      for (uint32_t m = 0; m < api.memory_count(arena); ++m) {
        std::vector<uint64_t>& words = memories.emplace_back(api.memory(arena, m)->words);
        for (uint32_t w = 0; w < words.size(); ++w) words[w] = api.memory_get(arena, tile, m, w);
      }
    }
  }
  return out;
}

int memory_index(const WlUnitApi& api, WlArena* arena, const std::string& name) {
  for (uint32_t m = 0; m < api.memory_count(arena); ++m) {
    if (name == api.memory(arena, m)->name) return static_cast<int>(m);
  }
  return -1;
}

std::string place(const Region& region, uint32_t tile) {
  return "(" + std::to_string(region.x + tile % region.width) + "," + std::to_string(region.y + tile / region.width) + ")";
}

}  // namespace

WindowState take_state(const Fabric& fabric, const Region& region) {
  assert(region.width > 0 && region.height > 0 && region.x + region.width <= fabric.width() && region.y + region.height <= fabric.height());
  WindowState state;
  state.region = region;
  state.array_width = fabric.width();
  state.array_height = fabric.height();
  state.cycle = fabric.cycle();
  for (uint32_t y = region.y; y < region.y + region.height; ++y) {
    for (uint32_t x = region.x; x < region.x + region.width; ++x) state.edges.push_back(static_cast<uint8_t>(fabric.edge_mask(x, y)));
  }
  state.router = take_units(fabric, region, UnitKind::kRouter);
  if (fabric.has_pe()) state.pe = take_units(fabric, region, UnitKind::kPe);
  return state;
}

std::vector<BorderLink> border_links(const Region& region) {
  std::vector<BorderLink> links;
  for (uint32_t y = 0; y < region.height; ++y) {
    for (uint32_t x = 0; x < region.width; ++x) {
      const bool out[4] = {y == 0, x + 1 == region.width, y + 1 == region.height, x == 0};
      for (unsigned d = 0; d < 4; ++d) {
        if (out[d]) links.push_back({y * region.width + x, d});
      }
    }
  }
  return links;
}

BorderInput border_input(const Fabric& fabric, const Region& region, const BorderLink& link) {
  const uint32_t x = region.x + link.tile % region.width, y = region.y + link.tile / region.width;
  const auto d = static_cast<Direction>(link.direction);
  return {fabric.port_word(x, y, d), fabric.port_ready(x, y, d)};
}

// ---- Grid.

TileGrid::~TileGrid() {
  for (unsigned k = 0; k < 2; ++k) {
    if (arenas_[k]) units_[k].api().destroy(arenas_[k]);
  }
}

std::unique_ptr<TileGrid> TileGrid::create(const plugin::Unit& router, const plugin::Unit& pe, const WindowState& state, std::string* error) {
  std::unique_ptr<TileGrid> grid(new TileGrid);
  grid->region_ = state.region;
  grid->units_[0] = router;
  if (!state.pe.registers.empty()) grid->units_[1] = pe;
  for (unsigned k = 0; k < 2; ++k) {
    if (!grid->units_[k].loaded()) continue;
    const WlCreate create{grid->tiles(), WL_RESET_ZERO, 1};
    grid->arenas_[k] = grid->units_[k].api().create(&create);
    if (!grid->arenas_[k]) {
      *error = grid->units_[k].api().last_error();
      return nullptr;
    }
  }
  for (uint32_t tile = 0; tile < grid->tiles(); ++tile) grid->all_.push_back(tile);
  grid->changed_.resize(grid->tiles());
  grid->links_ = border_links(state.region);
  *error = grid->connect(state);
  if (error->empty()) *error = grid->take_over(state);
  if (!error->empty()) return nullptr;
  return grid;
}

std::string TileGrid::take_over(const WindowState& state) {
  std::string error = load(state.router, UnitKind::kRouter);
  if (error.empty() && has_pe()) error = load(state.pe, UnitKind::kPe);
  for (unsigned k = 0; k < 2; ++k) {
    for (uint32_t tile = 0; arenas_[k] && tile < tiles(); ++tile) units_[k].api().set_cycle(arenas_[k], tile, state.cycle);
  }
  return error;
}

std::string TileGrid::connect(const WindowState& state) {
  std::string missing;
  const auto port = [&](UnitKind kind, uint32_t tile, const std::string& name, uint32_t bytes) -> char* {
    const WlPort* p = unit(kind).port(name);
    if (!p || p->bytes != bytes) {
      if (missing.empty()) missing = std::string(unit(kind).api().top) + " has no port " + name + " of the contract's width";
      p = &unit(kind).api().ports[0];
    }
    return static_cast<char*>(unit(kind).api().state(arena(kind), tile)) + p->offset;
  };
  const auto copy = [&](char* from, char* to, uint32_t bytes) { copies_.push_back({from, to, bytes}); };
  for (uint32_t tile = 0; tile < tiles(); ++tile) {
    const uint32_t x = tile % region_.width, y = tile / region_.width;
    plugin::store_value(port(UnitKind::kRouter, tile, "rst_ni", 1), 1, 1);
    plugin::store_value(port(UnitKind::kRouter, tile, "edge_i", 1), 1, state.edges[tile]);
    const bool out[4] = {y == 0, x + 1 == region_.width, y + 1 == region_.height, x == 0};
    for (unsigned d = 0; d < 4; ++d) {
      const std::string name = spec::kDirectionNames[d], other = spec::kDirectionNames[opposite(d)];
      char* const word = port(UnitKind::kRouter, tile, name + "_i", 8);
      char* const ready = port(UnitKind::kRouter, tile, name + "_ready_i", 4);
      if (out[d]) {
        inputs_.emplace_back(word, ready);
        continue;
      }
      const uint32_t next = d == 0 ? tile - region_.width : d == 1 ? tile + 1 : d == 2 ? tile + region_.width : tile - 1;
      copy(port(UnitKind::kRouter, next, other + "_o", 8), word, 8);
      copy(port(UnitKind::kRouter, next, other + "_ready_o", 4), ready, 4);
    }
    if (!has_pe()) continue;
    plugin::store_value(port(UnitKind::kPe, tile, "rst_ni", 1), 1, 1);
    plugin::store_value(port(UnitKind::kPe, tile, "coord_i", 4), 4, (region_.x + x) | (region_.y + y) << 16);
    plugin::store_value(port(UnitKind::kPe, tile, "dims_i", 4), 4, state.array_width | state.array_height << 16);
    copy(port(UnitKind::kRouter, tile, "ramp_o", 8), port(UnitKind::kPe, tile, "ramp_i", 8), 8);
    copy(port(UnitKind::kRouter, tile, "ramp_ready_o", 4), port(UnitKind::kPe, tile, "ramp_ready_i", 4), 4);
    copy(port(UnitKind::kPe, tile, "ramp_o", 8), port(UnitKind::kRouter, tile, "ramp_i", 8), 8);
    copy(port(UnitKind::kPe, tile, "ramp_ready_o", 4), port(UnitKind::kRouter, tile, "ramp_ready_i", 4), 4);
    copy(port(UnitKind::kPe, tile, "cfg_o", 8), port(UnitKind::kRouter, tile, "cfg_i", 8), 8);
  }
  return missing;
}

std::string TileGrid::load(const UnitStates& states, UnitKind kind) {
  const WlUnitApi& api = unit(kind).api();
  std::vector<const WlRegister*> registers;
  for (size_t r = 0; r < states.names.size(); ++r) {
    const WlRegister* own = unit(kind).reg(states.names[r]);
    if (!own || own->element_bytes * own->elements != states.bytes[r]) return std::string(api.top) + " of this build has no register " + states.names[r];
    registers.push_back(own);
  }
  for (uint32_t tile = 0; tile < tiles(); ++tile) {
    char* const state = static_cast<char*>(api.state(arena(kind), tile));
    const uint8_t* from = states.registers[tile].data();
    for (const WlRegister* r : registers) {
      std::memcpy(state + r->offset, from, r->element_bytes * r->elements);
      from += r->element_bytes * r->elements;
    }
    for (size_t m = 0; m < states.memories.size(); ++m) {
      const int own = memory_index(api, arena(kind), states.memories[m]);
      if (own < 0) return std::string(api.top) + " of this build has no memory " + states.memories[m];
      const std::vector<uint64_t>& words = states.words[tile][m];
      for (uint32_t w = 0; w < words.size(); ++w) {
        if (api.memory_get(arena(kind), tile, static_cast<uint32_t>(own), w) != words[w]) api.memory_set(arena(kind), tile, static_cast<uint32_t>(own), w, words[w]);
      }
    }
    if (api.refresh(arena(kind), tile)) return api.last_error();
  }
  return "";
}

void TileGrid::set_input(size_t link, const BorderInput& input) {
  plugin::store_value(inputs_[link].first, 8, input.word);
  plugin::store_value(inputs_[link].second, 4, input.ready);
}

void TileGrid::settle() {
  for (const Copy& copy : copies_) std::memcpy(copy.to, copy.from, copy.bytes);
}

std::string TileGrid::step(uint64_t cycle) {
  for (unsigned k = 0; k < 2; ++k) {
    if (!arenas_[k]) continue;
    if (units_[k].api().tick_batch(arenas_[k], all_.data(), tiles(), cycle, changed_.data())) return units_[k].api().last_error();
  }
  return "";
}

std::string TileGrid::difference(const WindowState& state) {
  for (const UnitKind kind : {UnitKind::kRouter, UnitKind::kPe}) {
    if (!arena(kind)) continue;
    const WlUnitApi& api = unit(kind).api();
    const UnitStates& states = kind == UnitKind::kRouter ? state.router : state.pe;
    for (uint32_t tile = 0; tile < tiles(); ++tile) {
      api.credit(arena(kind), tile, state.cycle);
      const char* const own = this->state(kind, tile);
      const uint8_t* expected = states.registers[tile].data();
      for (size_t r = 0; r < states.names.size(); ++r) {
        const WlRegister* reg = unit(kind).reg(states.names[r]);
        if (std::memcmp(own + reg->offset, expected, states.bytes[r]) != 0) return std::string(api.top) + " " + place(region_, tile) + " " + states.names[r];
        expected += states.bytes[r];
      }
      for (size_t m = 0; m < states.memories.size(); ++m) {
        const uint32_t index = static_cast<uint32_t>(memory_index(api, arena(kind), states.memories[m]));
        for (uint32_t w = 0; w < states.words[tile][m].size(); ++w) {
          if (api.memory_get(arena(kind), tile, index, w) != states.words[tile][m][w]) {
            return std::string(api.top) + " " + place(region_, tile) + " " + states.memories[m] + "[" + std::to_string(w) + "]";
          }
        }
      }
    }
  }
  return "";
}

// ---- Recording and replay.

Recorder::Recorder(const Fabric& fabric, const Region& region) : links_(border_links(region)), last_(links_.size()) {
  recording_.begin = take_state(fabric, region);
}

void Recorder::before(const Fabric& fabric) {
  for (uint32_t k = 0; k < links_.size(); ++k) {
    const BorderInput input = border_input(fabric, recording_.begin.region, links_[k]);
    if (input == last_[k]) continue;
    last_[k] = input;
    recording_.changes.push_back({fabric.cycle(), k, input});
  }
}

Recording Recorder::finish(const Fabric& fabric) {
  recording_.end = take_state(fabric, recording_.begin.region);
  return std::move(recording_);
}

std::string replay(const Recording& recording, const plugin::Unit& router, const plugin::Unit& pe) {
  std::string error;
  const std::unique_ptr<TileGrid> grid = TileGrid::create(router, pe, recording.begin, &error);
  if (!grid) return error;
  size_t next = 0;
  for (uint64_t cycle = recording.begin.cycle; cycle < recording.end.cycle; ++cycle) {
    for (; next < recording.changes.size() && recording.changes[next].cycle == cycle; ++next) grid->set_input(recording.changes[next].link, recording.changes[next].input);
    grid->settle();
    error = grid->step(cycle);
    if (!error.empty()) return error;
  }
  error = grid->difference(recording.end);
  return error.empty() ? "" : "after " + std::to_string(recording.end.cycle - recording.begin.cycle) + " cycles the replay differs in " + error;
}

}  // namespace waferloom::trace
