// Replays the order in which a traced PE issued on a golden PE, and compares every effect: registers, memory, wavelets, router
// configuration, traps. The first difference is kept; after it nothing is checked any more.
//
// The order of issue is taken from the hardware, everything else from the golden model: what an instruction does, whether it was legal
// to issue it now (a context that waits for a wavelet it does not have, a task that is blocked), how many elements there are.
// Ownership: the checker owns its golden PE. Threads: none of its own.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>

#include "sim/golden/pe.h"
#include "sim/lockstep/trace_event.h"

namespace waferloom::lockstep {

struct Finding {
  uint32_t x = 0, y = 0;
  uint64_t cycle = 0;        // of the edge at which the difference showed
  uint16_t pc = 0;           // of the instruction, as far as it is known
  std::string instruction;   // disassembled
  std::string operands;      // its descriptors, as the registers hold them now
  std::string what;          // "register r3", "memory 0x2004", "output queue 1", "order of issue"
  std::string expected;
  std::string got;
  std::string text() const;
};

// An instruction word as text: its name and fields.
std::string describe_instruction(uint32_t word);
std::string describe_descriptor(const golden::Descriptor& descriptor);

class Checker {
 public:
  // `golden` must be in the state of the hardware at `cycle` 0 of the trace (just loaded). Its queue depths must be 0.
  Checker(golden::Pe golden, uint32_t x, uint32_t y);

  // How the finding shows instructions; describe_instruction by default.
  void set_disassembler(std::function<std::string(uint32_t word)> disassembler) { disassemble_ = std::move(disassembler); }

  // False once a difference has been found.
  bool edge(const EdgeTrace& trace);
  // At the end, when the hardware is quiet: no effect may be due. False if there is a difference.
  bool finish(uint64_t cycle);

  bool ok() const { return ok_; }
  const Finding& finding() const { return finding_; }
  golden::Pe& golden() { return golden_; }
  const golden::Pe& golden() const { return golden_; }
  uint64_t scalars() const { return scalars_; }    // instructions of the main thread replayed
  uint64_t elements() const { return elements_; }  // elements of vector instructions replayed
  // Instructions launched or executed, by opcode: what a random program has reached.
  const std::array<uint64_t, 128>& executed() const { return executed_; }

 private:
  struct Due {
    uint32_t value = 0;
    uint16_t pc = 0;
    uint64_t cycle = 0;
    bool any = false;  // the model cannot know the value: time, counters
  };
  struct DueWavelet {
    golden::Wavelet wavelet;
    uint16_t pc = 0;
    uint64_t cycle = 0;
  };
  bool fail(uint64_t cycle, uint16_t pc, const std::string& what, const std::string& expected, const std::string& got);
  void take_effects(uint64_t cycle);
  void start(const EdgeTrace& t);
  void scalar(const EdgeTrace& t);
  void context(const EdgeTrace& t);
  void trap(const EdgeTrace& t);
  void register_write(const EdgeTrace& t, const RegisterWrite& w);
  void memory_write(const EdgeTrace& t);
  void push(const EdgeTrace& t);
  void ramp(const EdgeTrace& t);
  bool reads_unknown(uint16_t pc) const;
  std::string operands_at(uint16_t pc) const;

  golden::Pe golden_;
  uint32_t x_, y_;
  std::function<std::string(uint32_t)> disassemble_ = describe_instruction;
  bool ok_ = true;
  bool trapped_ = false;
  Finding finding_;
  golden::Effects effects_;
  std::array<std::deque<Due>, 16> registers_;
  std::unordered_map<uint32_t, std::deque<Due>> memory_;  // by half-word address
  uint64_t memory_due_ = 0;
  std::array<std::deque<DueWavelet>, golden::kOutputQueues> pushes_;
  std::array<std::deque<golden::Wavelet>, golden::kOutputQueues> queued_;  // pushed, perhaps on the ramp already
  // How many of each queue have been on the ramp: every possibility, since equal wavelets may head several queues.
  using Sent = std::array<uint32_t, golden::kOutputQueues>;
  std::vector<Sent> sent_{Sent{}};
  std::deque<Due> configs_;
  bool unknown_next_ = false;
  uint64_t scalars_ = 0;
  uint64_t elements_ = 0;
  std::array<uint64_t, 128> executed_{};
};

}  // namespace waferloom::lockstep
