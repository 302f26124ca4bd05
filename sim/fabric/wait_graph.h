#pragma once
// The places of a fabric that can wait, and what each of them waits for: the graph that waits_for.h searches. One look at a place costs a few
// registers of one or two tiles, so edges are made when they are asked for. Ownership: refers to the fabric. Threads: the fabric's own.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sim/fabric/program_readers.h"
#include "sim/fabric/tile_state.h"
#include "sim/fabric/waits_for.h"
#include "sim/generated/fabric.h"
#include "sim/generated/registers.h"

namespace waferloom::fabric::waiting {

enum class Place : uint8_t { kRouter, kInput, kContext, kOutput, kMain, kTask, kHostSends };

// A place as a number: place, index (colour, queue, context, task; of a host port: direction * 32 + colour), tile.
inline uint64_t key_of(Place place, uint32_t tile, unsigned index) { return uint64_t(tile) << 16 | uint64_t(index) << 8 | static_cast<uint64_t>(place); }
inline Place place_of(uint64_t key) { return static_cast<Place>(key & 0xff); }
inline unsigned index_of(uint64_t key) { return static_cast<unsigned>(key >> 8) & 0xff; }
inline uint32_t tile_of(uint64_t key) { return static_cast<uint32_t>(key >> 16); }

// One reason to wait. Without a target it is a cause.
struct Edge {
  uint64_t to = 0;
  bool cause = false;
  std::string sentence;
  bool maybe = false;  // one of several that could end the wait
};

inline std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

inline std::string directions(unsigned mask) {
  std::vector<std::string> names;
  for (unsigned d = 0; d < 5; ++d) {
    if ((mask >> d) & 1) names.emplace_back(d == 4 ? "its PE" : spec::kDirectionNames[d]);
  }
  return names.empty() ? "nowhere" : list(names);
}

inline std::string hex(uint16_t value) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%04x", value);
  return text;
}

class Graph {
 public:
  Graph(const Fabric& fabric, const TaskNames& names) : fabric_(fabric), names_(names), state_(fabric), readers_(fabric), width_(fabric.width()) {}
  const std::string& error() const { return state_.error(); }

  // Every place that holds or wants a wavelet, or a task that cannot start.
  std::vector<uint64_t> waiting() const {
    std::vector<uint64_t> places;
    for (uint32_t tile = 0; tile < fabric_.tiles(); ++tile) {
      for (uint32_t c = state_.stored_colours(tile); c != 0; c &= c - 1) places.push_back(key_of(Place::kRouter, tile, static_cast<unsigned>(__builtin_ctz(c))));
      if (!fabric_.has_pe()) continue;
      for (uint32_t k = state_.active_contexts(tile); k != 0; k &= k - 1) places.push_back(key_of(Place::kContext, tile, static_cast<unsigned>(__builtin_ctz(k))));
      for (unsigned q = 0; q < kInputQueues; ++q) {
        if (state_.input(tile, q).used != 0) places.push_back(key_of(Place::kInput, tile, q));
      }
      for (unsigned q = 0; q < kOutputQueues; ++q) {
        if (state_.output(tile, q).used != 0) places.push_back(key_of(Place::kOutput, tile, q));
      }
      const MainThread main = state_.main(tile);
      if ((main.runs || main.starting) && !main.halted) places.push_back(key_of(Place::kMain, tile, 0));
      for (uint64_t t = main.activated & main.blocked; t != 0 && !main.halted; t &= t - 1) places.push_back(key_of(Place::kTask, tile, static_cast<unsigned>(__builtin_ctzll(t))));
    }
    fabric_.each_port([&](uint32_t tile, Direction d, PortId port) {
      for (uint32_t c = fabric_.ports().blocked_colours(port); c != 0; c &= c - 1) {
        places.push_back(key_of(Place::kHostSends, tile, static_cast<unsigned>(d) * 32 + static_cast<unsigned>(__builtin_ctz(c))));
      }
    });
    return places;
  }

  std::vector<Edge> edges(uint64_t key) const {
    std::vector<Edge> out;
    const uint32_t tile = tile_of(key);
    switch (place_of(key)) {
      case Place::kRouter: router(tile, index_of(key), &out); break;
      case Place::kInput: input(tile, index_of(key), &out); break;
      case Place::kContext: context(tile, index_of(key), &out); break;
      case Place::kOutput: output(tile, index_of(key), &out); break;
      case Place::kMain: main_thread(tile, &out); break;
      case Place::kTask: task(tile, index_of(key), &out); break;
      case Place::kHostSends: host_sends(tile, index_of(key) / 32, index_of(key) % 32, &out); break;
    }
    return out;
  }

  std::pair<uint32_t, uint32_t> position(uint64_t key) const { return {tile_of(key) % width_, tile_of(key) / width_}; }

 private:
  std::string at(uint32_t tile) const { return "(" + std::to_string(tile % width_) + "," + std::to_string(tile / width_) + ")"; }
  std::string task_name(uint32_t tile, unsigned task) const {
    const std::string name = names_ ? names_(tile % width_, tile / width_, task) : "";
    return "task " + std::to_string(task) + (name.empty() ? "" : " (" + name + ")");
  }
  std::string context_name(uint32_t tile, unsigned k) const {
    const std::string pc = " (instruction at " + hex(state_.context(tile, k).pc) + ")";
    return k == kMainContext ? "the main thread's instruction at " + hex(state_.context(tile, k).pc) : "microthread " + std::to_string(k) + pc;
  }
  static std::string colour_name(unsigned colour) { return "colour " + std::to_string(colour); }
  bool leads_out(uint32_t tile, unsigned d) const {
    const uint32_t x = tile % width_, y = tile / width_;
    return d < 4 && (d == 0 ? y == 0 : d == 1 ? x + 1 == width_ : d == 2 ? y + 1 == fabric_.height() : x == 0);
  }
  uint32_t neighbour(uint32_t tile, unsigned d) const { return d == 0 ? tile - width_ : d == 1 ? tile + 1 : d == 2 ? tile + width_ : tile - 1; }

  // Why router `to` does not take `colour` from its side `port`.
  void not_taken(const std::string& subject, uint32_t to, unsigned port, unsigned colour, std::vector<Edge>* out) const {
    const RouteMasks masks = state_.route(to, colour);
    const bool stored = (state_.stored_colours(to) >> colour) & 1;
    if (((masks.receive >> port) & 1) == 0) {
      const std::string why = "the router of tile " + at(to) + " takes " + colour_name(colour) + " only from " + directions(masks.receive) + " (switch position " +
                              std::to_string(masks.position) + ")";
      if (stored) {
        out->push_back({key_of(Place::kRouter, to, colour), false, subject + "; " + why + " and holds wavelets of it"});
      } else {
        out->push_back({0, true, subject + "; " + why + ", and no control wavelet moves its switch"});
      }
      return;
    }
    const bool control = (state_.control_colours(to) >> colour) & 1;
    out->push_back({key_of(Place::kRouter, to, colour), false,
                    subject + "; in the router of tile " + at(to) + (control ? " a control wavelet of " + colour_name(colour) + " waits" : " the queue of " + colour_name(colour) + " is full")});
  }

  void router(uint32_t tile, unsigned colour, std::vector<Edge>* out) const {
    const uint32_t x = tile % width_, y = tile / width_;
    const unsigned owed = state_.owed(tile, colour);
    unsigned wanted = 0;  // sides that would take it
    for (unsigned d = 0; d < 5; ++d) {
      if (((owed >> d) & 1) == 0) continue;
      if (((fabric_.port_ready(x, y, static_cast<Direction>(d)) >> colour) & 1) != 0) {
        wanted |= 1u << d;
        continue;
      }
      const std::string subject = "tile " + at(tile) + ": the router holds " + colour_name(colour) + " for " + (d == 4 ? "the ramp" : std::string("the ") + spec::kDirectionNames[d]);
      PortId port = 0;
      if (fabric_.find_port(x, y, static_cast<Direction>(d), &port)) {
        out->push_back({0, true, subject + "; the host does not take what leaves there (" + std::to_string(fabric_.ports().received(port)) + " words lie unread)"});
      } else if (d < 4 && !leads_out(tile, d)) {
        not_taken(subject, neighbour(tile, d), opposite(d), colour, out);
      } else if (d == 4 && fabric_.has_pe()) {
        to_pe(subject, tile, colour, out);
      } else {
        out->push_back({0, true, subject + "; nothing is attached there"});
      }
    }
    // Right RTL at rest never gets here; a user's edit may.
    if (out->empty() && wanted != 0) {
      out->push_back({0, true, "tile " + at(tile) + ": the router holds " + colour_name(colour) + " for " + directions(wanted) + ", where it would be taken, and does not send it: an error in the router"});
    }
  }

  void to_pe(const std::string& subject, uint32_t tile, unsigned colour, std::vector<Edge>* out) const {
    for (unsigned q = 0; q < kInputQueues; ++q) {
      const InputQueue queue = state_.input(tile, q);
      if (!queue.bound || queue.colour != colour) continue;
      out->push_back({key_of(Place::kInput, tile, q), false, subject + "; the PE's input queue " + std::to_string(q) + " is full"});
      return;
    }
    out->push_back({0, true, subject + "; the PE takes nothing any more"});
  }

  void input(uint32_t tile, unsigned q, std::vector<Edge>* out) const {
    const InputQueue queue = state_.input(tile, q);
    const std::string subject = "tile " + at(tile) + ": input queue " + std::to_string(q) + " holds " + std::to_string(queue.used) + (queue.used == 1 ? " wavelet of " : " wavelets of ") + colour_name(queue.colour);
    for (uint32_t k = queue.readers; k != 0; k &= k - 1) {
      const unsigned context = static_cast<unsigned>(__builtin_ctz(k));
      out->push_back({key_of(Place::kContext, tile, context), false, subject + ", which " + context_name(tile, context) + " reads"});
    }
    if (queue.readers != 0) return;
    const MainThread main = state_.main(tile);
    if (queue.can_start && ((main.blocked >> queue.task) & 1) != 0) {
      out->push_back({key_of(Place::kTask, tile, queue.task), false, subject + "; the first would start " + task_name(tile, queue.task) + ", which is blocked"});
    } else if (main.halted) {
      out->push_back({0, true, subject + "; nobody reads it: the PE has halted"});
    } else if (main.runs || main.starting) {
      out->push_back({key_of(Place::kMain, tile, 0), false, subject + (queue.can_start ? "; the first starts " + task_name(tile, queue.task) + " when the main thread is free" : "; no instruction under way reads it")});
    } else {
      nobody_reads(subject, tile, q, queue, out);
    }
  }

  // A queue without a reader beside an idle main thread.
  void nobody_reads(const std::string& subject, uint32_t tile, unsigned q, const InputQueue& queue, std::vector<Edge>* out) const {
    const MainThread main = state_.main(tile);
    for (uint64_t t = main.activated & main.blocked; t != 0; t &= t - 1) {
      const unsigned id = static_cast<unsigned>(__builtin_ctzll(t));
      out->push_back({key_of(Place::kTask, tile, id), false, subject + "; nobody reads it, and " + task_name(tile, id) + " is activated but blocked"});
    }
    for (uint32_t k = state_.active_contexts(tile); k != 0; k &= k - 1) {
      const unsigned context = static_cast<unsigned>(__builtin_ctz(k));
      const ContextState c = state_.context(tile, context);
      if (c.on_done == 0) continue;
      out->push_back({key_of(Place::kContext, tile, context), false,
                      subject + "; nobody reads it; " + context_name(tile, context) + (c.on_done == 1 ? " activates " : " unblocks ") + task_name(tile, c.done_task) + " when it is done"});
    }
    if (!out->empty()) return;
    std::string only;
    for (const unsigned id : readers_.tasks_reading(tile, q)) {
      only += (only.empty() ? "; its PE reads queue " + std::to_string(q) + " only in " : ", ") + task_name(tile, id) + (((main.blocked >> id) & 1) != 0 ? " (blocked)" : " (not activated)");
    }
    out->push_back({0, true, subject + "; nobody reads it: no task can start, none is activated" + (queue.bound ? "" : ", and the queue is no longer bound") + only});
  }

  void context(uint32_t tile, unsigned k, std::vector<Edge>* out) const {
    const ContextState c = state_.context(tile, k);
    if (!c.active) return;
    const std::string subject = "tile " + at(tile) + ": " + context_name(tile, k);
    if (c.needs_room && state_.output(tile, c.output_queue).used != 0) {
      out->push_back({key_of(Place::kOutput, tile, c.output_queue), false, subject + " waits for room in output queue " + std::to_string(c.output_queue)});
    }
    if (!c.needs_input) return;
    const InputQueue queue = state_.input(tile, c.input_queue);
    if (queue.used != 0) return;
    sources(subject + " waits for a wavelet of " + colour_name(queue.colour) + " (input queue " + std::to_string(c.input_queue) + ")", tile, queue.colour, out);
  }

  // Back along the route of a colour, from a PE that waits for it: whoever would have to send.
  void sources(const std::string& subject, uint32_t tile, unsigned colour, std::vector<Edge>* out) const {
    if ((state_.stored_colours(tile) >> colour) & 1) {
      out->push_back({key_of(Place::kRouter, tile, colour), false, subject + "; the router holds it for others first"});
      return;
    }
    if (((state_.route(tile, colour).transmit >> 4) & 1) == 0) {
      out->push_back({0, true, subject + "; its router sends " + colour_name(colour) + " to " + directions(state_.route(tile, colour).transmit) + " (switch position " + std::to_string(state_.route(tile, colour).position) + "), not to the PE"});
      return;
    }
    std::vector<uint32_t> todo{tile};
    std::unordered_set<uint32_t> seen{tile};
    while (!todo.empty()) {
      const uint32_t here = todo.back();
      todo.pop_back();
      const RouteMasks masks = state_.route(here, colour);
      for (unsigned d = 0; d < 5; ++d) {
        if (((masks.receive >> d) & 1) == 0) continue;
        if (d == 4) {
          from_pe(subject, here, colour, out);
        } else if (leads_out(here, d)) {
          PortId port = 0;
          if (!fabric_.find_port(here % width_, here / width_, static_cast<Direction>(d), &port)) continue;
          const bool blocked = (fabric_.ports().blocked_colours(port) >> colour) & 1;
          if (blocked) {
            out->push_back({key_of(Place::kHostSends, here, d * 32 + colour), false, subject + ", which the host port at tile " + at(here) + " cannot send"});
          } else {
            out->push_back({0, true, subject + "; the host has sent no more of it into tile " + at(here) + " from the " + spec::kDirectionNames[d]});
          }
        } else {
          const uint32_t next = neighbour(here, d);
          const RouteMasks other = state_.route(next, colour);
          if ((state_.stored_colours(next) >> colour) & 1) {
            out->push_back({key_of(Place::kRouter, next, colour), false, subject + "; the router of tile " + at(next) + " holds one"});
          } else if (((other.transmit >> opposite(d)) & 1) == 0) {
            out->push_back({0, true, subject + "; the router of tile " + at(next) + ", from where it would come, sends " + colour_name(colour) + " to " + directions(other.transmit) + " (switch position " + std::to_string(other.position) + ")"});
          } else if (seen.insert(next).second) {
            todo.push_back(next);
          }
        }
      }
    }
    if (out->empty()) out->push_back({0, true, subject + "; no route leads it here"});
  }

  // The PE that would have to send.
  void from_pe(const std::string& subject, uint32_t tile, unsigned colour, std::vector<Edge>* out) const {
    const size_t before = out->size();
    if (!fabric_.has_pe()) {
      out->push_back({0, true, subject + "; the host has sent no more of it into the ramp of tile " + at(tile)});
      return;
    }
    for (unsigned q = 0; q < kOutputQueues; ++q) {
      const OutputQueue queue = state_.output(tile, q);
      if (queue.used != 0 && queue.colour == colour) out->push_back({key_of(Place::kOutput, tile, q), false, subject + ", which output queue " + std::to_string(q) + " of tile " + at(tile) + " holds"});
    }
    for (uint32_t k = state_.active_contexts(tile); k != 0; k &= k - 1) {
      const unsigned context = static_cast<unsigned>(__builtin_ctz(k));
      const ContextState c = state_.context(tile, context);
      if (c.writes && c.colour == colour) out->push_back({key_of(Place::kContext, tile, context), false, subject + ", which " + context_name(tile, context) + " of tile " + at(tile) + " would send"});
    }
    if (out->size() != before) return;
    out->push_back({key_of(Place::kMain, tile, 0), false, subject + "; no instruction under way at tile " + at(tile) + " sends it"});
  }

  void output(uint32_t tile, unsigned q, std::vector<Edge>* out) const {
    const OutputQueue queue = state_.output(tile, q);
    if (queue.used == 0) return;
    const uint32_t x = tile % width_, y = tile / width_;
    if ((fabric_.ready(x, y, Direction::kRamp) >> queue.colour) & 1) return;
    not_taken("tile " + at(tile) + ": output queue " + std::to_string(q) + " holds " + std::to_string(queue.used) + (queue.used == 1 ? " wavelet of " : " wavelets of ") + colour_name(queue.colour), tile, 4, queue.colour, out);
  }

  void main_thread(uint32_t tile, std::vector<Edge>* out) const {
    const MainThread main = state_.main(tile);
    const std::string subject = "tile " + at(tile) + ": the main thread";
    if (main.halted) {
      out->push_back({0, true, subject + " has halted in " + task_name(tile, main.task)});
      return;
    }
    const uint32_t active = state_.active_contexts(tile);
    if (main.runs || main.starting) {
      const std::string where = subject + ", in " + task_name(tile, main.task) + " at " + hex(main.pc) + ",";
      if ((active >> kMainContext) & 1) {
        out->push_back({key_of(Place::kContext, tile, kMainContext), false, where + " waits for its instruction at " + hex(state_.context(tile, kMainContext).pc)});
        return;
      }
      for (uint32_t k = active; k != 0; k &= k - 1) {
        const unsigned context = static_cast<unsigned>(__builtin_ctz(k));
        out->push_back({key_of(Place::kContext, tile, context), false, where + " cannot launch its next instruction while " + context_name(tile, context) + " is under way"});
      }
      if (active == 0) out->push_back({0, true, where + " is under way"});
      return;
    }
    for (uint64_t t = main.activated & main.blocked; t != 0; t &= t - 1) {
      const unsigned id = static_cast<unsigned>(__builtin_ctzll(t));
      out->push_back({key_of(Place::kTask, tile, id), false, subject + " runs no task; " + task_name(tile, id) + " is activated but blocked"});
    }
    for (uint32_t k = active; k != 0; k &= k - 1) {
      const unsigned context = static_cast<unsigned>(__builtin_ctz(k));
      const ContextState c = state_.context(tile, context);
      if (c.on_done == static_cast<unsigned>(spec::OnDone::kActivate)) out->push_back({key_of(Place::kContext, tile, context), false, subject + " runs no task; " + task_name(tile, c.done_task) + " is activated when " + context_name(tile, context) + " is done"});
    }
    for (unsigned q = 0; q < kInputQueues; ++q) {
      const InputQueue queue = state_.input(tile, q);
      if (queue.can_start && queue.readers == 0 && ((main.blocked >> queue.task) & 1) != 0) out->push_back({key_of(Place::kTask, tile, queue.task), false, subject + " runs no task; input queue " + std::to_string(q) + " would start " + task_name(tile, queue.task) + ", which is blocked"});
    }
    if (!out->empty()) return;
    // What could still start a task: a wavelet in a queue that nobody reads.
    for (unsigned q = 0; q < kInputQueues; ++q) {
      const InputQueue queue = state_.input(tile, q);
      if (!queue.bound || queue.used != 0 || queue.readers != 0) continue;
      sources(subject + " runs no task until a wavelet of " + colour_name(queue.colour) + " (input queue " + std::to_string(q) + ") starts one", tile, queue.colour, out);
    }
    for (Edge& edge : *out) edge.maybe = true;
    if (out->empty()) out->push_back({0, true, subject + " has nothing to do: it runs no task, none is activated, and no queue could start one"});
  }

  void task(uint32_t tile, unsigned id, std::vector<Edge>* out) const {
    for (uint32_t k = state_.active_contexts(tile); k != 0; k &= k - 1) {
      const unsigned context = static_cast<unsigned>(__builtin_ctz(k));
      const ContextState c = state_.context(tile, context);
      if (c.on_done != static_cast<unsigned>(spec::OnDone::kUnblock) || c.done_task != id) continue;
      out->push_back({key_of(Place::kContext, tile, context), false, "tile " + at(tile) + ": " + task_name(tile, id) + " is blocked until " + context_name(tile, context) + " is done"});
    }
    const MainThread main = state_.main(tile);
    if (out->empty() && main.runs) out->push_back({key_of(Place::kMain, tile, 0), false, "tile " + at(tile) + ": " + task_name(tile, id) + " is blocked; only " + task_name(tile, main.task) + " could unblock it"});
    if (out->empty()) out->push_back({0, true, "tile " + at(tile) + ": " + task_name(tile, id) + " is blocked and nothing under way unblocks it"});
  }

  void host_sends(uint32_t tile, unsigned d, unsigned colour, std::vector<Edge>* out) const {
    not_taken("the host cannot send " + colour_name(colour) + " into tile " + at(tile) + " from the " + std::string(spec::kDirectionNames[d]), tile, d, colour, out);
  }

  const Fabric& fabric_;
  const TaskNames& names_;
  TileState state_;
  ProgramReaders readers_;
  uint32_t width_;
};

}  // namespace waferloom::fabric::waiting
