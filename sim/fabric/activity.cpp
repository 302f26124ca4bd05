#include "sim/fabric/activity.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/fabric/tile_state.h"
#include "sim/generated/counters.h"
#include "sim/generated/fabric.h"

namespace waferloom::fabric {
namespace {

// Cycles so far that a unit spent on something, by tile.
std::vector<uint64_t> busy_cycles(Fabric* fabric, UnitKind kind) {
  std::vector<uint64_t> out(fabric->tiles(), 0);
  const plugin::Unit& unit = fabric->unit(kind);
  const WlRegister* counter = fabric->arena(kind) ? unit.reg_ending("class_cnt_q") : nullptr;
  if (!counter) return out;
  fabric->credit_all();
  for (uint32_t tile = 0; tile < fabric->tiles(); ++tile) {
    const char* at = static_cast<const char*>(unit.api().state(fabric->arena(kind), tile)) + counter->offset;
    const auto count = [&](unsigned id) { return plugin::load_value(at + counter->element_bytes * id, counter->element_bytes); };
    if (kind == UnitKind::kRouter) {
      out[tile] = count(static_cast<unsigned>(spec::RouterClass::kForward));
      continue;
    }
    for (unsigned id = 0; id < spec::kPeClassCount; ++id) {
      const auto c = static_cast<spec::PeClass>(id);
      const bool rests = c == spec::PeClass::kIdle || c == spec::PeClass::kStopped || c == spec::PeClass::kWaitIn || c == spec::PeClass::kWaitOut;
      if (!rests) out[tile] += count(id);
    }
  }
  return out;
}

Stop run_on(Fabric* fabric, uint64_t cycles) { return fabric->run(fabric->cycle() + cycles, true); }

std::string place(uint32_t width, uint32_t tile) { return "(" + std::to_string(tile % width) + "," + std::to_string(tile / width) + ")"; }

// A closed way among the links on which a colour was seen; "" if there is none.
std::string circle(const Fabric& fabric, unsigned colour, const std::set<std::pair<uint32_t, unsigned>>& links) {
  const uint32_t width = fabric.width();
  const auto next_of = [&](uint32_t tile, unsigned d) { return d == 0 ? tile - width : d == 1 ? tile + 1 : d == 2 ? tile + width : tile - 1; };
  for (const auto& start : links) {
    std::vector<std::pair<uint32_t, unsigned>> way{start};
    while (way.size() <= links.size()) {
      const uint32_t at = next_of(way.back().first, way.back().second);
      if (at == start.first) {
        std::string text = "colour " + std::to_string(colour) + ":";
        for (const auto& [tile, d] : way) text += " " + place(width, tile) + " " + spec::kDirectionNames[d] + " ->";
        return text + " " + place(width, at);
      }
      const auto next = links.lower_bound({at, 0});
      if (next == links.end() || next->first != at) break;
      way.push_back(*next);
    }
  }
  return "";
}

}  // namespace

ActivityReport watch_activity(Fabric* fabric, uint64_t cycles, size_t tiles_at_most) {
  ActivityReport report;
  const uint64_t first = fabric->cycle();
  const auto words = [&] { return fabric->ports().sent_total() + fabric->ports().received_total(); };
  const uint64_t words_before = words();
  const std::vector<uint64_t> pe_before = busy_cycles(fabric, UnitKind::kPe), router_before = busy_cycles(fabric, UnitKind::kRouter);
  report.ended = run_on(fabric, cycles);
  const std::vector<uint64_t> pe_after = busy_cycles(fabric, UnitKind::kPe), router_after = busy_cycles(fabric, UnitKind::kRouter);
  const uint32_t width = fabric->width();
  for (uint32_t tile = 0; tile < fabric->tiles(); ++tile) {
    BusyTile busy;
    busy.x = tile % width;
    busy.y = tile / width;
    busy.pe_cycles = pe_after[tile] - pe_before[tile];
    busy.router_cycles = router_after[tile] - router_before[tile];
    if (busy.pe_cycles != 0) ++report.busy_pes;
    if (busy.router_cycles != 0) ++report.busy_routers;
    if (busy.pe_cycles + busy.router_cycles != 0) report.tiles.push_back(std::move(busy));
  }
  std::stable_sort(report.tiles.begin(), report.tiles.end(), [](const BusyTile& a, const BusyTile& b) { return a.pe_cycles + a.router_cycles > b.pe_cycles + b.router_cycles; });
  std::vector<uint32_t> watched;  // for links: where wavelets moved
  for (const BusyTile& tile : report.tiles) {
    if (tile.router_cycles != 0 && watched.size() < 4096) watched.push_back(tile.y * width + tile.x);
  }
  if (report.tiles.size() > tiles_at_most) report.tiles.resize(tiles_at_most);

  const TileState state(*fabric);
  std::map<unsigned, std::set<std::pair<uint32_t, unsigned>>> links;  // by colour
  std::vector<std::map<unsigned, uint64_t>> starts(report.tiles.size());
  std::vector<bool> starting(report.tiles.size(), false);
  const uint64_t until = fabric->cycle() + cycles;
  while (report.ended == Stop::kCycle && fabric->cycle() < until && fabric->can_move()) {
    const Stop stop = fabric->step();
    if (stop != Stop::kCycle) {
      report.ended = stop;
      break;
    }
    fabric->collect(false);  // registers are read where they are
    for (const uint32_t tile : watched) {
      for (unsigned d = 0; d < 4; ++d) {
        const uint64_t word = fabric->link(tile % width, tile / width, static_cast<Direction>(d));
        PortId port = 0;
        if (word != 0 && !fabric->find_port(tile % width, tile / width, static_cast<Direction>(d), &port)) links[colour_of(word)].insert({tile, d});
      }
    }
    for (size_t i = 0; i < starts.size() && fabric->has_pe() && state.error().empty(); ++i) {
      const MainThread main = state.main(report.tiles[i].y * width + report.tiles[i].x);
      if (main.starting && !starting[i]) ++starts[i][main.task];
      starting[i] = main.starting;
    }
  }
  for (size_t i = 0; i < starts.size(); ++i) {
    for (const auto& [task, count] : starts[i]) report.tiles[i].tasks.push_back({task, count});
  }
  for (const auto& [colour, seen] : links) {
    const std::string text = circle(*fabric, colour, seen);
    if (!text.empty()) report.circles.push_back(text);
  }
  report.edge_words = words() - words_before;
  report.cycles = fabric->cycle() - first;
  return report;
}

std::string ActivityReport::text(const TaskNames& names) const {
  std::string out = "in " + std::to_string(cycles) + " more cycles " + std::to_string(busy_pes) + (busy_pes == 1 ? " PE" : " PEs") + " and " + std::to_string(busy_routers) +
                    (busy_routers == 1 ? " router" : " routers") + " kept working, " + std::to_string(edge_words) + " words passed the edge\n";
  for (const std::string& way : circles) out += "  a wavelet goes round on a closed route: " + way + "\n";
  for (const BusyTile& tile : tiles) {
    out += "  tile (" + std::to_string(tile.x) + "," + std::to_string(tile.y) + "): PE busy in " + std::to_string(tile.pe_cycles) + " cycles, router in " + std::to_string(tile.router_cycles);
    for (size_t i = 0; i < tile.tasks.size(); ++i) {
      const std::string name = names ? names(tile.x, tile.y, tile.tasks[i].task) : "";
      out += (i == 0 ? "; started task " : ", task ") + std::to_string(tile.tasks[i].task) + (name.empty() ? "" : " (" + name + ")") + " " + std::to_string(tile.tasks[i].starts) + " times";
    }
    out += "\n";
  }
  return out;
}

}  // namespace waferloom::fabric
