// Where the block runs: an array of tiles that can be loaded, fed at the north edge and read. Two kinds: verilated tiles, and the golden functional fabric.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "host/block/program.h"
#include "host/kernels/case_run.h"
#include "sim/fabric/transport.h"
#include "sim/plugin/unit.h"

namespace waferloom::block {

// Why a machine does not go on.
enum class Ended : std::uint8_t { kRest, kTrap, kDeadlock, kLivelock, kLimit, kInterrupted, kFault };

class Machine {
 public:
  virtual ~Machine() = default;
  // What a checkpoint of the machine carries of the pass that it runs; before start(). A machine that keeps no checkpoints ignores it.
  virtual void carry(kernels::CaseRun::Transfer /*transfer*/) {}
  // Loads the images and boots, or goes on from a checkpoint. "" or what is wrong.
  virtual std::string start(const Program& program) = 0;
  // After start(): the machine stands within a phase, whose words it has been sent; the coming rest() goes on with it.
  virtual bool goes_on() const { return false; }
  virtual void send(const plan::EdgeWord& word) = 0;
  // Runs until nothing can move. "" or what stopped it: a trap, a fault, a limit of cycles, an interrupt. `may_wait`: tiles may wait for words from the
  // edge (the streamed AXPY does, after a product); otherwise waiting is a deadlock.
  virtual std::string rest(bool may_wait) = 0;
  // How the last rest() ended.
  Ended ended() const { return ended_; }
  virtual bool receive(int column, std::uint64_t* link) = 0;
  virtual std::uint32_t peek(int x, int y, std::uint32_t address, std::uint32_t bytes) const = 0;
  // Cycles from the first word of a phase until the last unit came to rest; 0 where there is no time.
  virtual std::uint64_t phase_cycles() const = 0;

 protected:
  std::string end(Ended how, std::string text) {
    ended_ = how;
    return text;
  }

 private:
  Ended ended_ = Ended::kRest;
};

struct RtlOptions {
  plugin::Unit router;
  plugin::Unit pe;
  unsigned hop = 1;
  std::uint32_t io_words_per_cycle = 0;  // into the edge; 0: one per column
  bool skip = true;
  bool audit = false;
  unsigned threads = 1;
  fabric::Transport* ranks = nullptr;    // other processes that share the array; they change no result
  std::uint64_t limit_cycles = 0;        // of a phase; 0: none
  kernels::CaseHooks hooks;
};
std::unique_ptr<Machine> rtl_machine(const RtlOptions& options);

// `shuffle_seed`: another order of events, the same bits.
std::unique_ptr<Machine> golden_machine(std::uint64_t shuffle_seed = 0);

}  // namespace waferloom::block
