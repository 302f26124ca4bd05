#include "sim/trace/waves.h"

#include <algorithm>
#include <cstring>

namespace waferloom::trace {

using fabric::UnitKind;

namespace {

constexpr uint32_t kElementsAtMost = 1024;  // of an array; longer ones are memories in all but name

struct Named {
  std::vector<std::string> scopes;
  std::string name;
  uint32_t offset = 0, element_bytes = 0, width = 0, elements = 1;
  FstWriter::Kind kind = FstWriter::Kind::kWire;
};

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// What is shown of a unit, in order of its hierarchy.
std::vector<Named> signals_of(const WlUnitApi& api) {
  std::vector<Named> out;
  for (uint32_t i = 0; i < api.port_count; ++i) {
    const WlPort& p = api.ports[i];
    if (static_cast<int32_t>(i) == api.clock_port) continue;
    out.push_back({{}, p.name, p.offset, p.bytes, p.width, 1, p.direction == WL_DIR_OUT ? FstWriter::Kind::kOutput : FstWriter::Kind::kInput});
  }
  for (uint32_t i = 0; i < api.register_count; ++i) {
    const WlRegister& r = api.registers[i];
    const std::string path = r.name;
    if ((r.flags & (WL_REG_HANDLE | WL_REG_MEMORY)) != 0 || r.elements > kElementsAtMost || path.find("__V") != std::string::npos) continue;
    Named n;
    n.scopes = split(path);
    n.name = n.scopes.back();
    n.scopes.pop_back();
    n.offset = r.offset;
    n.element_bytes = r.element_bytes;
    n.width = r.width;
    n.elements = r.elements;
    n.kind = (r.flags & WL_REG_STATE) != 0 ? FstWriter::Kind::kRegister : FstWriter::Kind::kWire;
    out.push_back(std::move(n));
  }
  // A signal stands before the modules below its own, so that each scope is entered once.
  std::stable_sort(out.begin(), out.end(), [](const Named& a, const Named& b) { return a.scopes != b.scopes ? a.scopes < b.scopes : a.name < b.name; });
  return out;
}

}  // namespace

void Waves::declare(const TileGrid& grid, Unit* unit) {
  std::vector<Item>& items = items_[static_cast<unsigned>(unit->kind)];
  const bool fill = items.empty();
  uint32_t shadow = 0;
  std::vector<std::string> open;
  for (const Named& n : signals_of(grid.unit(unit->kind).api())) {
    size_t common = 0;
    while (common < open.size() && common < n.scopes.size() && open[common] == n.scopes[common]) ++common;
    for (; open.size() > common; open.pop_back()) file_.leave();
    for (; open.size() < n.scopes.size(); open.push_back(n.scopes[open.size()])) file_.enter(n.scopes[open.size()]);
    for (uint32_t e = 0; e < n.elements; ++e) {
      unit->signals.push_back(file_.signal(n.elements == 1 ? n.name : n.name + "[" + std::to_string(e) + "]", n.width, n.kind));
      if (fill) items.push_back({n.offset + e * n.element_bytes, n.element_bytes, n.width, shadow});
      shadow += n.element_bytes;
      ++count_;
    }
  }
  for (; !open.empty(); open.pop_back()) file_.leave();
  unit->shadow.resize(shadow);
}

std::string Waves::open(const std::string& path, const TileGrid& grid) {
  const std::string error = file_.open(path);
  if (!error.empty()) return error;
  const fabric::Region& region = grid.region();
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
    file_.enter("tile_" + std::to_string(region.x + tile % region.width) + "_" + std::to_string(region.y + tile / region.width));
    for (const UnitKind kind : {UnitKind::kRouter, UnitKind::kPe}) {
      if (!grid.arena(kind)) continue;
      file_.enter(kind == UnitKind::kRouter ? "router" : "pe");
      Unit unit;
      unit.kind = kind;
      unit.tile = tile;
      declare(grid, &unit);
      units_.push_back(std::move(unit));
      file_.leave();
    }
    file_.leave();
  }
  return "";
}

void Waves::show(const TileGrid& grid, uint64_t cycle) {
  file_.time(cycle);
  for (Unit& unit : units_) {
    const char* const state = grid.state(unit.kind, unit.tile);
    const std::vector<Item>& items = items_[static_cast<unsigned>(unit.kind)];
    for (size_t i = 0; i < items.size(); ++i) {
      const Item& item = items[i];
      uint8_t* const last = unit.shadow.data() + item.shadow;
      if (!first_ && std::memcmp(last, state + item.offset, item.bytes) == 0) continue;
      std::memcpy(last, state + item.offset, item.bytes);
      file_.value(unit.signals[i], last, item.width);
    }
  }
  first_ = false;
}

}  // namespace waferloom::trace
