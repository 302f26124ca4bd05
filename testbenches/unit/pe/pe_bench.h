#pragma once
// One wl_pe with its surroundings: an image, a queue of wavelets that the router side sends as ready allows, a sink for what the PE sends.
//
// The link obeys contracts.md section 1: a wavelet is presented at the edge after a cycle in which ready of its colour was high. With `skip` the
// PE is evaluated as the fabric engine does it: not in cycles in which quiet_o is high and no input has changed; skipped cycles are credited
// to the class that class_o names.
#include <deque>
#include <string>
#include <vector>

#include "testbenches/lib/bench.h"
#include "testbenches/unit/pe/program.h"

namespace waferloom::pe {

struct Machine {
  int lanes = 4;
  int sram_bytes = 49152;
  int window_bytes = 256;
  int colours = 24;
  Params params() const;
};

inline uint64_t data(uint32_t colour, uint32_t payload) { return (1ull << 38) | (uint64_t{colour} << 32) | payload; }
inline uint64_t control(uint32_t colour, uint32_t payload) { return data(colour, payload) | (1ull << 37); }

uint32_t f32(float value);
float as_f32(uint32_t bits);
uint32_t f16(float value);  // exact values only
float as_f16(uint32_t bits);

enum ClassId { kIdle, kAxpy, kDot, kReduce, kElementwise, kScalar, kStream, kWaitBank, kWaitHazard, kWaitOut, kWaitIn, kControl, kStopped };
enum EventId { kWaveletsIn, kWaveletsOut, kLaneSlots, kMacs, kZeroSkips, kSaturations, kTasks, kInstructions };

class PeBench {
 public:
  explicit PeBench(const Machine& machine = {}, uint32_t reset = WL_RESET_RANDOM, bool skip = false, const BenchOptions& options = {});

  // ---- image ----
  void word(uint32_t address, uint32_t value);
  void half(uint32_t address, uint32_t value);
  uint32_t word(uint32_t address);
  uint32_t half(uint32_t address);
  void words(uint32_t address, const std::vector<uint32_t>& values);
  void desc(uint32_t address, const Desc& d) { words(address, d.words()); }
  void entry(uint32_t task, uint32_t address) { half(2 * task, address); }
  // Loads the boot task at 0x100 and activates it.
  void boot(const std::vector<uint32_t>& code);

  // ---- traffic ----
  std::deque<uint64_t> to_pe;       // sent in order, one per cycle at most, from cycle `send_from`
  uint64_t send_from = 100;
  std::vector<uint64_t> from_pe;    // every wavelet that left
  std::vector<uint64_t> from_pe_cycle;
  uint32_t sink_ready = 0xffffff;   // ready of the router
  std::vector<uint64_t> configs;    // router configuration words
  uint64_t first_sent_cycle = 0;    // cycle in which the first wavelet of to_pe was on ramp_i

  // One cycle; `edge` is how the PE is evaluated.
  void cycle();
  void (*edge)(Bench& bench) = [](Bench& b) { b.tick(); };
  // Until the PE has halted or trapped, and is quiet. False: not within `most` cycles.
  bool run(uint64_t most = 20000);

  uint64_t now() const { return now_; }
  uint64_t evaluated() const { return evaluated_; }
  uint32_t trap() { return static_cast<uint32_t>(trap_.get()); }
  bool quiet() { return quiet_.get() != 0; }
  uint32_t reg(uint32_t r) { return static_cast<uint32_t>(bench.reg("u_scalar.regs_q", r)); }
  bool halted() { return bench.reg("u_tasks.halted_q") != 0; }
  uint64_t count(ClassId c);
  uint64_t event(EventId e) { return bench.reg("u_mmio.event_cnt_q", e); }
  uint64_t total();  // of all classes

  Bench bench;

 private:
  bool skip_;
  bool was_quiet_ = false;
  int fresh_ = 0;
  uint64_t now_ = 0, evaluated_ = 0;
  uint64_t skipped_[16] = {};
  uint64_t last_ramp_ = 0, last_ready_ = 0;
  Bench::Port ramp_i_, ramp_ready_o_, ramp_o_, ramp_ready_i_, cfg_, quiet_, class_, trap_, time_;
};

}  // namespace waferloom::pe
