// The function of one processing element: what instructions, tasks and wavelets do to its state (docs/developer/contracts.md,
// section 6). There is no clock: the caller chooses what happens next among what is legal, one retirement at a time, and every
// choice gives the result that the hardware gives for that order of issue.
//
// Ownership: a Pe owns all its state. Threads: none of its own; different objects are independent.
// Errors: a fault of the program becomes a trap (trap()), after which nothing happens any more. Calling a step that is not legal
// (its function says when it is) is an error of the caller and asserts, or returns false where stated.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/generated/counters.h"
#include "sim/generated/fabric.h"
#include "sim/golden/context.h"
#include "sim/golden/effects.h"
#include "sim/golden/fifo.h"
#include "sim/golden/program.h"

namespace waferloom::golden {

using Trap = spec::Trap;
using Event = spec::PeEvent;

using spec::kInputQueues;
using spec::kOutputQueues;

struct PeParameters {
  uint32_t lanes = 8;
  uint32_t sram_bytes = 49152;
  uint32_t window_bytes = 512;
  // Wavelets that an input queue, an output queue holds before it refuses more; 0: any number.
  uint32_t input_depth = 4;
  uint32_t output_depth = 4;
};

struct TrapRecord {
  Trap cause = Trap::kNone;
  uint16_t pc = 0;
};

// A task that can be started now.
struct TaskStart {
  enum class Source : uint8_t { kLocal, kData, kControl };
  uint8_t id = 0;
  Source source = Source::kLocal;
  uint8_t queue = 0;  // kData, kControl
};

// Why the main thread does not step.
struct MainWait {
  enum class Kind : uint8_t {
    kNone,        // it can
    kNoTask,      // runs no task
    kSync,        // waits for its own vector instruction
    kContext,     // launch: microthread `index` is busy
    kInputQueue,  // launch: another context reads queue `index`
    kOutputQueue, // launch: another context writes queue `index`
    kWaitu,       // waitu: microthread `index` is busy
    kStopped,     // halted or trapped
  };
  Kind kind = Kind::kNone;
  uint8_t index = 0;
};

class Pe {
 public:
  explicit Pe(const PeParameters& parameters = {}, uint16_t x = 0, uint16_t y = 0, uint16_t width = 1, uint16_t height = 1);

  // ---- set-up and inspection ----
  // False if the bytes do not fit or a register cannot be set; `error` (may be null) says which.
  bool load(const Program& program, std::string* error);
  void boot() { set_activated(spec::kBootTask, true); }
  const PeParameters& parameters() const { return parameters_; }
  uint32_t reg(int r) const { return r == 0 ? 0 : regs_[static_cast<size_t>(r)]; }
  void set_reg(int r, uint32_t value);
  const Descriptor& dsr(int d) const { return dsrs_[static_cast<size_t>(d)]; }
  void set_dsr_word(int d, uint32_t index, uint32_t value);
  bool in_memory(uint16_t address, uint32_t bytes) const;
  // Little-endian value of 2 or 4 bytes. Requires in_memory.
  uint32_t peek(uint16_t address, uint32_t bytes) const;
  void poke(uint16_t address, uint32_t bytes, uint32_t value);
  uint16_t pc() const { return pc_; }
  bool runs_task() const { return running_; }
  uint8_t current_task() const { return task_; }  // the last one started
  bool halted() const { return halted_; }
  const TrapRecord& trap() const { return trap_; }
  bool stopped() const { return halted_ || trap_.cause != Trap::kNone; }
  const Context& context(int index) const { return contexts_[static_cast<size_t>(index)]; }
  uint64_t events(Event e) const { return events_[static_cast<size_t>(e)]; }
  void count(Event e, uint64_t n) { events_[static_cast<size_t>(e)] += n; }
  void set_time(uint64_t cycle) { time_ = cycle; }
  // Bits of registers.yaml `queue_bind`.
  uint32_t binding(int queue) const { return binds_[static_cast<size_t>(queue)]; }
  bool activated(uint8_t task) const { return ((activated_ >> task) & 1u) != 0; }
  bool blocked(uint8_t task) const { return ((blocked_ >> task) & 1u) != 0; }

  // ---- wavelets ----
  // The queue bound to the colour, the lowest if several are; -1: none.
  int queue_of(uint8_t colour) const;
  // Whether deliver may be called: the colour's queue has room, or no queue is bound (then deliver traps).
  bool accepts(uint8_t colour) const;
  void deliver(const Wavelet& w);
  const Fifo<Wavelet>& input(int queue) const { return inputs_[static_cast<size_t>(queue)]; }
  const Fifo<Wavelet>& output(int queue) const { return outputs_[static_cast<size_t>(queue)]; }
  Wavelet take_output(int queue);

  // ---- router configuration ----
  // Stores to `route` since the last call, oldest first.
  struct ConfigWrite {
    uint8_t colour = 0;
    uint8_t word = 0;
    uint32_t data = 0;
  };
  bool has_configs() const { return !configs_.empty(); }
  std::vector<ConfigWrite> take_configs();

  // ---- tasks ----
  // Every task that could be started now, in ascending order of id. Empty while one runs, or after a stop.
  std::vector<TaskStart> startable() const;
  bool can_start(const TaskStart& start) const;
  // The one that starts next: the lowest id (of equal ids local before wavelets, then the lowest queue). False: none.
  bool next_task(TaskStart* start) const;
  // Requires can_start.
  void start_task(const TaskStart& start, Effects* effects = nullptr);

  // ---- main thread ----
  MainWait main_wait() const;
  // Executes (a vector instruction: launches) the instruction at pc. Requires main_wait().kind == kNone.
  void step(Effects* effects = nullptr);

  // ---- contexts ----
  // Issues up to `count` elements of an active context; returns how many.
  uint32_t issue(int context, uint32_t count, Stop* stop, Effects* effects = nullptr);
  // Writes the result of a reduction. False: not due, or no room in the output queue.
  bool issue_result(int context, Effects* effects = nullptr);
  // Ends the context: takes the control wavelet, sends a pending half, saves, notifies. False: it cannot end now.
  bool complete(int context, Effects* effects = nullptr);
  // What the context waits for, found without changing anything but zero weights already at hand.
  Stop state_of(int context);

  // ---- for the meanings of instructions ----
  void raise(Trap cause);
  bool load_scalar(uint16_t address, uint32_t bytes, uint32_t* value);
  void store_scalar(uint16_t address, uint32_t bytes, uint32_t value);
  void set_activated(uint8_t task, bool on);
  void set_blocked(uint8_t task, bool on);
  void end_task() { running_ = false; }
  void halt() { halted_ = true; running_ = false; }

 private:
  bool read_mmio(uint16_t address, uint32_t* value);
  bool write_mmio(uint16_t address, uint32_t value);
  void log(const Effect& effect) {
    if (effects_ != nullptr) effects_->push_back(effect);
  }

  bool wavelet_task(int queue, TaskStart* start) const;
  bool stopped_by_trap() const { return trap_.cause != Trap::kNone; }

  // launch.cpp
  Trap bind_operands(Context* context) const;
  bool bind_source(Operand* operand, bool whole) const;
  bool bind_elements(Context* context, const Operand& first, const Operand& second) const;
  bool bind_stream(Context* context, const Operand& stream, const Operand& slab, const Operand& vector) const;
  void launch(const spec::Decoded& ins, const Meaning& meaning);

  // context_elements.cpp. A step returns kCount when it has issued one element.
  Stop advance(Context& c, uint32_t count);
  Stop probe_elements(Context& c);
  Stop element_step(Context& c);
  Stop reduce_step(Context& c);
  Stop source_ready(Context& c, const Operand& o);
  bool read_operand(Operand& o, uint32_t* bits);
  bool room(const Operand& dest, bool last) const;
  bool write_operand(Operand& dest, uint32_t bits, bool last);
  bool check_vector_access(uint16_t address, uint32_t bytes);
  void accumulate(Context& c, uint64_t k, Type ta, uint32_t a, Type tb, uint32_t b);
  void push(Operand& dest, uint32_t data);
  void count_element(const Context& c);

  // context_stream.cpp
  Stop saxpy_wavelet(Context& c);
  Stop saxpy_step(Context& c);
  uint32_t saxpy_run(Context& c, uint32_t wanted);
  Stop sdot_index(Context& c);
  Stop sdot_step(Context& c);

  PeParameters parameters_;
  uint32_t coord_ = 0;
  uint32_t dims_ = 0;
  uint64_t time_ = 0;
  std::array<uint32_t, 16> regs_{};
  std::array<Descriptor, 16> dsrs_{};
  std::vector<uint8_t> memory_;
  std::array<uint32_t, kInputQueues> binds_{};
  std::array<Fifo<Wavelet>, kInputQueues> inputs_;
  std::array<Fifo<Wavelet>, kOutputQueues> outputs_;
  std::array<Context, kContexts> contexts_;
  uint64_t activated_ = 0;
  uint64_t blocked_ = 0;
  std::array<uint64_t, spec::kPeEventCount> events_{};
  std::vector<ConfigWrite> configs_;
  uint16_t pc_ = 0;
  uint8_t task_ = 0;
  bool running_ = false;
  bool halted_ = false;
  TrapRecord trap_;
  uint16_t fault_pc_ = 0;  // of the step that is being executed
  Effects* effects_ = nullptr;
};

}  // namespace waferloom::golden
