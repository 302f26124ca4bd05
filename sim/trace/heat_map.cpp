#include "sim/trace/heat_map.h"

#include <algorithm>
#include <cassert>
#include <cstdio>

#include "sim/generated/counters.h"
#include "sim/generated/fabric.h"

namespace waferloom::trace {

using fabric::UnitKind;

namespace {

// Adds an array of counters of one tile.
void add(const plugin::Unit& unit, WlArena* arena, uint32_t tile, const WlRegister* r, std::vector<uint64_t>* sums) {
  if (!r) return;
  const char* at = static_cast<const char*>(unit.api().state(arena, tile)) + r->offset;
  const uint32_t count = std::min<uint32_t>(r->elements, static_cast<uint32_t>(sums->size()));
  for (uint32_t e = 0; e < count; ++e) (*sums)[e] += plugin::load_value(at + r->element_bytes * e, r->element_bytes);
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", value);
  return text;
}

// From dark (0) over red to light (1): readable in print and to most eyes that tell few colours.
std::string colour(double share) {
  static const int stops[5][3] = {{27, 24, 66}, {113, 31, 108}, {202, 62, 79}, {245, 139, 51}, {252, 236, 140}};
  const double at = std::min(1.0, std::max(0.0, share)) * 4;
  const int low = std::min(3, static_cast<int>(at));
  char text[8];
  int rgb[3];
  for (int c = 0; c < 3; ++c) rgb[c] = static_cast<int>(stops[low][c] + (stops[low + 1][c] - stops[low][c]) * (at - low) + 0.5);
  std::snprintf(text, sizeof text, "#%02x%02x%02x", static_cast<unsigned>(rgb[0]), static_cast<unsigned>(rgb[1]), static_cast<unsigned>(rgb[2]));
  return text;
}

}  // namespace

CounterMap count_tiles(fabric::Fabric* fabric, uint32_t side, uint64_t back) {
  CounterMap map;
  map.array_width = fabric->width();
  map.array_height = fabric->height();
  const uint32_t block_width = (map.array_width + side - 1) / side, block_height = (map.array_height + side - 1) / side;
  map.columns = (map.array_width + block_width - 1) / block_width;
  map.rows = (map.array_height + block_height - 1) / block_height;
  assert(back <= fabric->cycle());
  map.cycles = fabric->cycle() - back;
  fabric->credit_all();
  const plugin::Unit& router = fabric->unit(UnitKind::kRouter);
  const plugin::Unit& pe = fabric->unit(UnitKind::kPe);
  const WlRegister* router_classes = router.reg_ending("class_cnt_q");
  const WlRegister* links = router.reg_ending("link_cnt_q");
  const WlRegister* classes = fabric->has_pe() ? pe.reg_ending("class_cnt_q") : nullptr;
  const WlRegister* events = fabric->has_pe() ? pe.reg_ending("event_cnt_q") : nullptr;
  for (uint32_t row = 0; row < map.rows; ++row) {
    for (uint32_t column = 0; column < map.columns; ++column) {
      CounterCell cell;
      cell.x = column * block_width;
      cell.y = row * block_height;
      cell.width = std::min(block_width, map.array_width - cell.x);
      cell.height = std::min(block_height, map.array_height - cell.y);
      cell.pe_classes.resize(spec::kPeClassCount);
      cell.pe_events.resize(spec::kPeEventCount);
      cell.router_classes.resize(spec::kRouterClassCount);
      cell.links.resize(spec::kDirections);
      for (uint32_t y = cell.y; y < cell.y + cell.height; ++y) {
        for (uint32_t x = cell.x; x < cell.x + cell.width; ++x) {
          const uint32_t tile = y * map.array_width + x;
          if (back != 0) {  // what a unit that rested was credited with; sums are modulo 2^64 until all is added
            cell.router_classes[fabric->get_output(UnitKind::kRouter, x, y, "class_o") % spec::kRouterClassCount] -= back;
            if (classes) cell.pe_classes[fabric->get_output(UnitKind::kPe, x, y, "class_o") % spec::kPeClassCount] -= back;
          }
          add(router, fabric->arena(UnitKind::kRouter), tile, router_classes, &cell.router_classes);
          add(router, fabric->arena(UnitKind::kRouter), tile, links, &cell.links);
          add(pe, fabric->arena(UnitKind::kPe), tile, classes, &cell.pe_classes);
          add(pe, fabric->arena(UnitKind::kPe), tile, events, &cell.pe_events);
        }
      }
      map.cells.push_back(std::move(cell));
    }
  }
  return map;
}

CounterMap difference(const CounterMap& before, const CounterMap& after) {
  assert(before.cells.size() == after.cells.size());
  CounterMap map = after;
  map.first_cycle = before.first_cycle + before.cycles;
  map.cycles = after.cycles - before.cycles;
  for (size_t i = 0; i < map.cells.size(); ++i) {
    const auto take = [](const std::vector<uint64_t>& from, std::vector<uint64_t>* of) {
      for (size_t k = 0; k < of->size(); ++k) (*of)[k] -= from[k];
    };
    take(before.cells[i].pe_classes, &map.cells[i].pe_classes);
    take(before.cells[i].pe_events, &map.cells[i].pe_events);
    take(before.cells[i].router_classes, &map.cells[i].router_classes);
    take(before.cells[i].links, &map.cells[i].links);
  }
  return map;
}

std::string counters_csv(const CounterMap& map) {
  std::string out = "x,y,width,height,first_cycle,cycles";
  for (const spec::CounterRow& row : spec::kPeClasses) out += std::string(",pe_") + row.name;
  for (const spec::CounterRow& row : spec::kPeEvents) out += std::string(",pe_") + row.name;
  for (const spec::CounterRow& row : spec::kRouterClasses) out += std::string(",router_") + row.name;
  for (const char* direction : spec::kDirectionNames) out += std::string(",link_") + direction;
  out += "\n";
  for (const CounterCell& cell : map.cells) {
    out += std::to_string(cell.x) + "," + std::to_string(cell.y) + "," + std::to_string(cell.width) + "," + std::to_string(cell.height) + "," + std::to_string(map.first_cycle) + "," + std::to_string(map.cycles);
    for (const auto* list : {&cell.pe_classes, &cell.pe_events, &cell.router_classes, &cell.links}) {
      for (const uint64_t value : *list) out += "," + std::to_string(value);
    }
    out += "\n";
  }
  return out;
}

const char* to_string(HeatKind kind) { return kind == HeatKind::kUtilisation ? "utilisation" : kind == HeatKind::kStalls ? "stalls" : "link load"; }
const char* file_stem(HeatKind kind) { return kind == HeatKind::kLinkLoad ? "link-load" : to_string(kind); }

double heat(const CounterMap& map, const CounterCell& cell, HeatKind kind) {
  const auto of = [&](spec::PeClass c) { return cell.pe_classes[static_cast<size_t>(c)]; };
  const double tile_cycles = static_cast<double>(map.cycles) * cell.width * cell.height;
  if (tile_cycles == 0) return 0;
  using spec::PeClass;
  uint64_t sum = 0;
  switch (kind) {
    case HeatKind::kUtilisation: sum = of(PeClass::kAxpy) + of(PeClass::kDot) + of(PeClass::kReduce) + of(PeClass::kElementwise) + of(PeClass::kScalar); break;
    case HeatKind::kStalls: sum = of(PeClass::kWaitBank) + of(PeClass::kWaitHazard) + of(PeClass::kWaitOut) + of(PeClass::kWaitIn); break;
    case HeatKind::kLinkLoad: {
      for (unsigned d = 0; d < 4; ++d) sum += cell.links[d];
      return static_cast<double>(sum) / (4 * tile_cycles);
    }
  }
  return static_cast<double>(sum) / tile_cycles;
}

std::string heat_map_svg(const CounterMap& map, HeatKind kind) {
  constexpr uint32_t kTop = 44, kLeft = 8, kLegend = 46;
  const uint32_t longer = std::max(map.columns, map.rows);
  const uint32_t size = std::max(3u, std::min(40u, 560 / std::max(1u, longer)));  // of a cell, in pixels
  const uint32_t width = std::max(300u, kLeft * 2 + size * map.columns), height = kTop + size * map.rows + kLegend;
  double most = 0, sum = 0, tiles = 0;
  for (const CounterCell& cell : map.cells) {
    const double value = heat(map, cell, kind);
    most = std::max(most, value);
    sum += value * cell.width * cell.height;
    tiles += double(cell.width) * cell.height;
  }
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + std::to_string(width) + " " + std::to_string(height) + "\" width=\"" + std::to_string(width) + "\" height=\"" +
                    std::to_string(height) + "\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#6b7488\">\n";
  const std::string unit = kind == HeatKind::kLinkLoad ? "wavelets per link and cycle" : "share of cycles";
  std::string title = std::string(to_string(kind)) + ": " + unit;
  out += "<title>" + title + "</title>\n";
  out += "<text x=\"8\" y=\"16\" font-size=\"14\" font-weight=\"600\">" + title + "</text>\n";
  out += "<text x=\"8\" y=\"34\">" + std::to_string(map.array_width) + " x " + std::to_string(map.array_height) + " tiles, cycles " + std::to_string(map.first_cycle) + " to " +
         std::to_string(map.first_cycle + map.cycles) + ", mean " + number(tiles > 0 ? sum / tiles : 0) + "</text>\n";
  for (uint32_t i = 0; i < map.cells.size(); ++i) {
    const CounterCell& cell = map.cells[i];
    const std::string value = number(heat(map, cell, kind));
    const double share = most > 0 ? heat(map, cell, kind) / most : 0;
    out += "<rect x=\"" + std::to_string(kLeft + size * (i % map.columns)) + "\" y=\"" + std::to_string(kTop + size * (i / map.columns)) + "\" width=\"" + std::to_string(size) + "\" height=\"" +
           std::to_string(size) + "\" fill=\"" + colour(share) + "\" data-value=\"" + value + "\"><title>(" + std::to_string(cell.x) + "," + std::to_string(cell.y) + ")" +
           (cell.width * cell.height > 1 ? " to (" + std::to_string(cell.x + cell.width - 1) + "," + std::to_string(cell.y + cell.height - 1) + ")" : "") + ": " + value + "</title></rect>\n";
  }
  const uint32_t below = kTop + size * map.rows + 12;
  for (unsigned k = 0; k < 40; ++k) {
    out += "<rect x=\"" + std::to_string(kLeft + 5 * k) + "\" y=\"" + std::to_string(below) + "\" width=\"5\" height=\"10\" fill=\"" + colour(k / 39.0) + "\"/>\n";
  }
  out += "<text x=\"8\" y=\"" + std::to_string(below + 24) + "\">0</text>\n";
  out += "<text x=\"208\" y=\"" + std::to_string(below + 24) + "\" text-anchor=\"end\">" + number(most) + "</text>\n</svg>\n";
  return out;
}

}  // namespace waferloom::trace
