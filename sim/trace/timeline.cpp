#include "sim/trace/timeline.h"

#include <cstdio>

#include "sim/generated/fabric.h"

namespace waferloom::trace {

using fabric::UnitKind;

namespace {

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return out + "\"";
}

std::string place(uint32_t tile, unsigned track) { return "\"pid\":" + std::to_string(tile + 1) + ",\"tid\":" + std::to_string(track); }

}  // namespace

void Timeline::event(const std::string& text) {
  file_.write((first_ ? "\n" : ",\n") + text);
  first_ = false;
}

std::string Timeline::open(const std::string& path, const TileGrid& grid, const fabric::TaskNames& names, Disassembler disassembler) {
  std::string error = file_.open(path);
  if (!error.empty()) return error;
  names_ = names;
  disassembler_ = std::move(disassembler);
  region_ = grid.region();
  const plugin::Unit* pe = grid.has_pe() ? &grid.unit(UnitKind::kPe) : nullptr;
  state_.emplace_back(grid.unit(UnitKind::kRouter), grid.arena(UnitKind::kRouter), pe, grid.arena(UnitKind::kPe));
  if (!state_[0].error().empty()) return state_[0].error();
  for (unsigned d = 0; d < 5; ++d) {
    const WlPort* port = grid.unit(UnitKind::kRouter).port(std::string(spec::kDirectionNames[d]) + "_o");
    if (!port) return std::string("wl_router has no port ") + spec::kDirectionNames[d] + "_o";
    link_offset_[d] = port->offset;
  }
  if (pe) code_ = CodeReader(grid);
  tracks_.resize(grid.tiles());
  file_.write("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":\"one microsecond is one wafer cycle\"},\"traceEvents\":[");
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
    const std::string name = "tile (" + std::to_string(region_.x + tile % region_.width) + "," + std::to_string(region_.y + tile / region_.width) + ")";
    event("{\"ph\":\"M\",\"name\":\"process_name\"," + place(tile, 0) + ",\"args\":{\"name\":" + json_text(name) + "}}");
    for (unsigned t = pe ? 0 : kLinks; t < kTracks; ++t) {
      std::string text = "tasks";
      if (t >= kLinks) {
        text = std::string("link ") + spec::kDirectionNames[t - kLinks];
      } else if (t >= kOutputs) {
        text = "output queue " + std::to_string(t - kOutputs);
      } else if (t >= kInputs) {
        text = "input queue " + std::to_string(t - kInputs);
      } else if (t >= kContexts) {
        text = t - kContexts == fabric::kMainContext ? "main thread's vector instruction" : "microthread " + std::to_string(t - kContexts);
      }
      event("{\"ph\":\"M\",\"name\":\"thread_name\"," + place(tile, t) + ",\"args\":{\"name\":" + json_text(text) + "}}");
      event("{\"ph\":\"M\",\"name\":\"thread_sort_index\"," + place(tile, t) + ",\"args\":{\"sort_index\":" + std::to_string(t) + "}}");
    }
  }
  return "";
}

template <typename Name>
void Timeline::track(uint32_t tile, unsigned track, uint64_t key, uint64_t cycle, Name&& name) {
  Track& t = tracks_[tile][track];
  if (t.key != key && t.key != 0) {
    const std::string args = track >= kLinks ? ",\"args\":{\"wavelets\":" + std::to_string(t.count) + "}" : "";
    event("{\"ph\":\"E\"," + place(tile, track) + ",\"ts\":" + std::to_string(cycle) + args + "}");
    t.count = 0;
  }
  if (t.key != key && key != 0) event("{\"ph\":\"B\"," + place(tile, track) + ",\"ts\":" + std::to_string(cycle) + ",\"name\":" + json_text(name()) + "}");
  t.key = key;
  ++t.count;
}

std::string Timeline::instruction(const TileGrid& grid, uint32_t tile, uint16_t pc) {
  uint32_t word = 0;
  if (disassembler_ && code_.word(grid, tile, pc, &word)) return disassembler_(word);
  char text[24];
  std::snprintf(text, sizeof text, "at 0x%04x", pc);
  return text;
}

void Timeline::show(const TileGrid& grid, uint64_t cycle) {
  const fabric::TileState& state = state_[0];
  const auto colour_name = [](unsigned colour) { return "colour " + std::to_string(colour); };
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
    const char* router = grid.state(UnitKind::kRouter, tile);
    for (unsigned d = 0; d < 5; ++d) {
      const uint64_t word = plugin::load_value(router + link_offset_[d], 8);
      const unsigned colour = fabric::colour_of(word);
      track(tile, kLinks + d, word == 0 ? 0 : colour + 1, cycle, [&] { return colour_name(colour); });
    }
    if (!grid.has_pe()) continue;
    const fabric::MainThread main = state.main(tile);
    track(tile, kMain, (main.runs || main.starting) && !main.halted ? main.task + 1 : 0, cycle, [&] {
      const std::string name = names_ ? names_(region_.x + tile % region_.width, region_.y + tile / region_.width, main.task) : "";
      return "task " + std::to_string(main.task) + (name.empty() ? "" : " " + name);
    });
    for (unsigned k = 0; k < fabric::kContexts; ++k) {
      const bool active = (state.active_contexts(tile) >> k) & 1;
      const uint16_t pc = active ? state.context(tile, k).pc : 0;
      track(tile, kContexts + k, active ? pc + 1u : 0, cycle, [&] { return instruction(grid, tile, pc); });
    }
    for (unsigned q = 0; q < fabric::kInputQueues; ++q) {
      const fabric::InputQueue queue = state.input(tile, q);
      track(tile, kInputs + q, queue.used != 0 ? queue.colour + 1 : 0, cycle, [&] { return colour_name(queue.colour); });
    }
    for (unsigned q = 0; q < fabric::kOutputQueues; ++q) {
      const fabric::OutputQueue queue = state.output(tile, q);
      track(tile, kOutputs + q, queue.used != 0 ? queue.colour + 1 : 0, cycle, [&] { return colour_name(queue.colour); });
    }
  }
}

std::string Timeline::close(uint64_t cycle) {
  for (uint32_t tile = 0; tile < tracks_.size(); ++tile) {
    for (unsigned t = 0; t < kTracks; ++t) track(tile, t, 0, cycle, [] { return std::string(); });
  }
  file_.write("\n]}\n");
  return file_.close();
}

}  // namespace waferloom::trace
