#pragma once
// What the routers and PEs of a fabric hold at this moment, in the words of the contract (docs/developer/contracts.md, sections 2 and 6), read
// from their registers by name: routes, queues, contexts, tasks. For tools that explain a fabric: nothing here changes it.
//
// Ownership: refers to the fabric, which must outlive it. Threads: the fabric's own. Valid between two steps.
// Errors: an RTL tree that lacks a register which this needs is named by error(); nothing may be read then.
#include <cstdint>
#include <string>

#include "sim/fabric/fabric.h"

namespace waferloom::fabric {

// One named register of every unit of a kind.
class RegisterReader {
 public:
  RegisterReader() = default;
  // Puts the name into *missing, if there is no such register and *missing is empty.
  RegisterReader(const plugin::Unit& unit, WlArena* arena, const char* name, std::string* missing);
  uint64_t operator()(uint32_t tile, uint32_t element = 0) const {
    return plugin::load_value(static_cast<const char*>(api_->state(arena_, tile)) + offset_ + bytes_ * element, bytes_);
  }

 private:
  const WlUnitApi* api_ = nullptr;
  WlArena* arena_ = nullptr;
  uint32_t offset_ = 0;
  uint32_t bytes_ = 0;
};

inline constexpr unsigned kInputQueues = 8;
inline constexpr unsigned kOutputQueues = 4;
inline constexpr unsigned kContexts = 9;     // 0 to 7: microthreads, 8: the main thread's own
inline constexpr unsigned kMainContext = 8;

struct RouteMasks {
  unsigned position = 0;
  unsigned receive = 0;   // bit d: from that direction
  unsigned transmit = 0;
};

struct InputQueue {
  bool bound = false;
  unsigned colour = 0;
  unsigned used = 0;       // wavelets in it
  bool can_start = false;  // the head would start a task (a control wavelet, or the queue starts tasks)
  unsigned task = 0;       // that task
  uint32_t readers = 0;    // contexts that read it, bit by bit
};

struct OutputQueue {
  unsigned used = 0;
  unsigned colour = 0;     // of the head, if used
  uint32_t writers = 0;
};

struct ContextState {
  bool active = false;
  bool needs_input = false;
  bool needs_room = false;
  bool reads = false;      // its input queue means something
  bool writes = false;
  unsigned input_queue = 0;
  unsigned output_queue = 0;
  unsigned colour = 0;     // that it sends
  unsigned on_done = 0;    // spec::OnDone
  unsigned done_task = 0;
  uint16_t pc = 0;         // of its instruction
};

struct MainThread {
  bool runs = false;       // a task, started and not ended
  bool starting = false;
  bool halted = false;
  unsigned task = 0;       // the last that was started
  uint16_t pc = 0;         // of the instruction that waits to issue
  uint64_t activated = 0;  // flags, by task
  uint64_t blocked = 0;
};

class TileState {
 public:
  explicit TileState(const Fabric& fabric);
  // Of units that no fabric composes; `pe` may be null, then the PE's part may not be asked for.
  TileState(const plugin::Unit& router, WlArena* routers, const plugin::Unit* pe, WlArena* pes);
  const std::string& error() const { return error_; }

  // ---- Router.
  uint32_t stored_colours(uint32_t tile) const { return static_cast<uint32_t>(fill_(tile)); }  // bit c: a wavelet of colour c is queued
  uint32_t control_colours(uint32_t tile) const { return static_cast<uint32_t>(control_(tile)); }
  unsigned owed(uint32_t tile, unsigned colour) const;  // directions that the head of this colour is still owed to
  RouteMasks route(uint32_t tile, unsigned colour) const;
  // ---- PE. Requires a fabric with PEs.
  InputQueue input(uint32_t tile, unsigned queue) const;
  OutputQueue output(uint32_t tile, unsigned queue) const;
  ContextState context(uint32_t tile, unsigned context) const;
  // The same of an instruction that may be over: what it read, wrote and sent; `active` as it is now.
  ContextState last(uint32_t tile, unsigned context) const;
  uint32_t active_contexts(uint32_t tile) const { return static_cast<uint32_t>(active_(tile)); }
  MainThread main(uint32_t tile) const;

 private:
  std::string error_;
  RegisterReader fill_, control_, position0_, position1_, owed_[5], receive_[5], transmit_[5];
  RegisterReader binds_, used_, nonempty_, head_control_, starts_, head_task_;
  RegisterReader out_used_, out_read_, out_words_, writer_;
  RegisterReader active_, need_in_, need_out_, reader_, ctl_, tag_;
  RegisterReader run_, asks_, waits_, halted_, task_, task_active_, task_blocked_, pc_, next_pc_, fetched_;
  uint32_t out_stride_ = 4;
};

}  // namespace waferloom::fabric
