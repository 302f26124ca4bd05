// What all cases of a kernel run have in common, whatever their program: tiles that run until they rest, that can be looked into on the way, be saved, and go on
// from what was saved.
//
// Ownership: CaseRun owns its fabric. Threads: one drives it. Errors: texts; how a rest ended is an Ending.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sim/checkpoint/archive.h"
#include "sim/fabric/fabric.h"
#include "sim/fabric/waits_for.h"

namespace waferloom::kernels {

enum class Ending : std::uint8_t { kDone, kTrap, kDeadlock, kCycleLimit, kFault, kInterrupted, kLivelock };

// What the caller does with a case on its way. Nothing of it changes a result; all may be empty.
struct CaseHooks {
  // Asked about ten times a second.
  std::function<bool()> interrupted;
  // Whether the state should be saved now: asked as often, and in every cycle that is a multiple of `checkpoint_cycles` (0: none is).
  std::function<bool(std::uint64_t cycle)> wants_checkpoint;
  std::uint64_t checkpoint_cycles = 0;
  // Saves the fabric, and `progress`: what the case carries beside it. Also called once when a case is interrupted.
  std::function<void(fabric::Fabric& fabric, const std::string& progress)> on_checkpoint;
  // Goes on from a checkpoint: its progress (empty: from the beginning), and what loads the fabric. False: it cannot be loaded, the caller knows why.
  std::string progress;
  std::function<bool(fabric::Fabric& fabric)> restore;
  // The tiles stand before their first cycle, or where they go on. False: do not run them, the caller knows why. The names hold until `finished`.
  std::function<bool(fabric::Fabric& fabric, const fabric::TaskNames& names)> ready;
  // Runs `change`, which writes into the fabric from outside, and returns what it returns.
  std::function<std::string(const std::function<std::string()>& change)> around_write;
  // The case has ended, however; the fabric still is there.
  std::function<void()> finished;
};

class CaseRun {
 public:
  // Saves or loads what a checkpoint carries beside the tiles.
  using Transfer = std::function<void(checkpoint::Archive&)>;

  // `limit_cycles`: of each rest; 0: none. References and what `transfer` refers to must outlive the object.
  CaseRun(const CaseHooks& hooks, std::uint64_t limit_cycles, Transfer transfer);
  ~CaseRun();
  CaseRun(const CaseRun&) = delete;
  CaseRun& operator=(const CaseRun&) = delete;

  // Makes the tiles, empty. "" or what is wrong.
  std::string create(const fabric::FabricOptions& build);
  // Whether the case goes on from a checkpoint: then nothing need be loaded into the tiles.
  bool goes_on() const { return !hooks_.progress.empty(); }
  // All is loaded: takes the checkpoint up, if there is one, and calls `ready`. False: the caller wants no run.
  bool start();
  // Activates a task in all tiles, in the coming cycle.
  std::string activate(unsigned task);
  // Until nothing can move any more. `may_wait`: tiles may wait for words from the edge, if none is pending; otherwise waiting is a deadlock. After start() of a
  // case that goes on the first call continues the rest that was saved.
  Ending rest(bool may_wait = false);
  // Of the last rest that did not end well: lines of text.
  const std::string& message() const { return message_; }
  // The message of a deadlock, of tiles that rest.
  std::string stuck() const;
  // Cycles from where the last rest began until the last unit came to rest.
  std::uint64_t rest_cycles() const { return fabric_->last_active_cycle() > begin_ ? fabric_->last_active_cycle() - begin_ : 0; }

  fabric::Fabric& fabric() { return *fabric_; }
  const fabric::Fabric& fabric() const { return *fabric_; }
  // The PE's SRAM: its largest memory, of 32-bit words.
  const std::string& memory() const { return memory_; }
  std::uint32_t word(std::uint32_t x, std::uint32_t y, std::uint32_t address) const;
  void set_word(std::uint32_t x, std::uint32_t y, std::uint32_t address, std::uint32_t value);
  // For messages.
  void name_tasks(fabric::TaskNames names) { names_ = std::move(names); }

 private:
  void save();
  void finish();
  Ending ended(Ending how, std::string message);

  const CaseHooks& hooks_;
  const std::uint64_t limit_cycles_;
  Transfer transfer_;
  std::unique_ptr<fabric::Fabric> fabric_;
  WlArena* arena_ = nullptr;
  const WlUnitApi* api_ = nullptr;
  std::uint32_t sram_ = 0;
  std::string memory_, active_;
  fabric::TaskNames names_;
  std::uint64_t begin_ = 0;   // of the present rest
  std::uint64_t slice_ = 1;   // cycles between looks at the clock and the caller
  bool continues_ = false;    // the coming rest has begun before the checkpoint
  bool started_ = false, finished_ = false;
  std::string message_;
};

}  // namespace waferloom::kernels
