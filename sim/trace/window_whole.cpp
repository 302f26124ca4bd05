// A recorded window in one monolithic model of its tiles.
#include <algorithm>
#include <cstring>

#include "sim/generated/fabric.h"
#include "sim/trace/window.h"

namespace waferloom::trace {

using fabric::Region;

namespace {

class Whole {
 public:
  Whole(const plugin::Unit& unit, const Recording& recording) : unit_(unit), api_(unit.api()), recording_(recording), region_(recording.begin.region) {}
  ~Whole() {
    if (arena_) api_.destroy(arena_);
  }
  Whole(const Whole&) = delete;
  Whole& operator=(const Whole&) = delete;

  std::string run() {
    const WlCreate create{1, WL_RESET_ZERO, 1};
    arena_ = api_.create(&create);
    if (!arena_) return api_.last_error();
    put("rst_ni", 0, 1, 0);
    if (api_.tick(arena_, 0) || api_.tick(arena_, 0)) return api_.last_error();
    put("rst_ni", 0, 1, 1);
    put("origin_i", 0, 32, region_.x | region_.y << 16);
    put("outer_i", 0, 32, recording_.begin.array_width | recording_.begin.array_height << 16);
    const std::vector<BorderLink> links = border_links(region_);
    for (const BorderLink& link : links) put(side(link) + "_edge_i", index(link), 1, recording_.begin.edges[link.tile] >> link.direction & 1);
    if (missing_.empty()) exchange(recording_.begin, true);
    if (!missing_.empty()) return missing_;
    if (api_.refresh(arena_, 0)) return api_.last_error();
    size_t next = 0;
    for (uint64_t cycle = recording_.begin.cycle; cycle < recording_.end.cycle; ++cycle) {
      for (; next < recording_.changes.size() && recording_.changes[next].cycle == cycle; ++next) {
        const Recording::Change& change = recording_.changes[next];
        put(side(links[change.link]) + "_i", 39 * index(links[change.link]), 39, change.input.word);
        put(side(links[change.link]) + "_ready_i", 24 * index(links[change.link]), 24, change.input.ready);
      }
      put("time_i", 0, 48, cycle);
      if (api_.tick(arena_, 0)) return api_.last_error();
    }
    exchange(recording_.end, false);
    return missing_;
  }

 private:
  static std::string side(const BorderLink& link) { return spec::kDirectionNames[link.direction]; }
  uint32_t index(const BorderLink& link) const { return link.direction % 2 == 0 ? link.tile % region_.width : link.tile / region_.width; }

  // Writes `width` bits at bit `lsb` of an input.
  void put(const std::string& name, uint32_t lsb, uint32_t width, uint64_t value) {
    const WlPort* port = unit_.port(name);
    if (!port) {
      if (missing_.empty()) missing_ = std::string(api_.top) + " has no port " + name;
      return;
    }
    uint8_t* bytes = static_cast<uint8_t*>(api_.state(arena_, 0)) + port->offset;
    for (uint32_t b = 0; b < width; ++b) {
      uint8_t& byte = bytes[(lsb + b) / 8];
      const uint8_t bit = static_cast<uint8_t>(1u << ((lsb + b) % 8));
      byte = static_cast<uint8_t>((value >> b) & 1 ? byte | bit : byte & ~bit);
    }
  }

  void exchange(const WindowState& state, bool load) {
    exchange(state.router, "].u_tile.u_router.", load);
    if (!state.pe.registers.empty()) exchange(state.pe, "].u_tile.u_pe.", load);
  }
  // Loads the states into the model, or looks for the first difference from them.
  void exchange(const UnitStates& states, const std::string& unit, bool load) {
    char* const base = static_cast<char*>(api_.state(arena_, 0));
    for (uint32_t tile = 0; tile < states.registers.size() && missing_.empty(); ++tile) {
      const std::string path = "g_row[" + std::to_string(tile / region_.width) + "].g_tile[" + std::to_string(tile % region_.width) + unit;
      const uint8_t* bytes = states.registers[tile].data();
      for (size_t r = 0; r < states.names.size(); bytes += states.bytes[r], ++r) {
        const WlRegister* reg = unit_.reg(path + states.names[r]);
        if (!reg || reg->element_bytes * reg->elements != states.bytes[r]) {
          missing_ = std::string(api_.top) + " has no register " + path + states.names[r];
          return;
        }
        if (load) {
          std::memcpy(base + reg->offset, bytes, states.bytes[r]);
        } else if (std::memcmp(base + reg->offset, bytes, states.bytes[r]) != 0) {
          missing_ = "after " + std::to_string(recording_.end.cycle - recording_.begin.cycle) + " cycles the monolithic array differs in " + path + states.names[r];
          return;
        }
      }
      for (size_t m = 0; m < states.memories.size(); ++m) memory(path + states.memories[m], states.words[tile][m], load);
    }
  }
  void memory(const std::string& name, const std::vector<uint64_t>& words, bool load) {
    for (uint32_t m = 0; m < api_.memory_count(arena_); ++m) {
      if (name != api_.memory(arena_, m)->name) continue;
      for (uint32_t w = 0; w < words.size() && missing_.empty(); ++w) {
        if (api_.memory_get(arena_, 0, m, w) == words[w]) continue;
        if (load) {
          api_.memory_set(arena_, 0, m, w, words[w]);
        } else {
          missing_ = "the monolithic array differs in " + name + "[" + std::to_string(w) + "]";
        }
      }
      return;
    }
    if (missing_.empty()) missing_ = std::string(api_.top) + " has no memory " + name;
  }

  const plugin::Unit& unit_;
  const WlUnitApi& api_;
  const Recording& recording_;
  Region region_;
  WlArena* arena_ = nullptr;
  std::string missing_;  // the first fault: something the model lacks, or a difference
};

}  // namespace

std::string replay_whole(const Recording& recording, const plugin::Unit& array) { return Whole(array, recording).run(); }

}  // namespace waferloom::trace
