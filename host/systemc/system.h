// One wafer system: the port that feeds the wafer's edge and gathers what leaves it, and the clock of the wafer's cycles.
//
// The wafer runs in quanta: one call of SystemC's scheduler advances it by up to `quantum` cycles, which may not exceed the least latency of a link
// into or out of the system. Messages enter in the cycle in which they arrive; credits and results leave at multiples of kHostPeriod. So the quantum never changes a result.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host/plan/plan.h"
#include "host/systemc/host_model.h"
#include "host/systemc/schedule.h"
#include "host/systemc/wafer.h"

namespace waferloom::systemc {

// Why the simulation ended.
// kDeadlock: nothing can move on any more; kLivelock: units stay busy and nothing has passed the edge for the watchdog's time.
enum class Ending { kRunning, kDone, kTrapped, kDeadlock, kLivelock, kCycleLimit, kInterrupted, kFault };

struct SystemLimits {
  std::int64_t cycles = 0;           // 0: none
  std::int64_t cycles_per_step = 0;  // 0: none
  std::int64_t watchdog_cycles = 0;  // of a busy wafer without a word taken, a result or a message; 0: none
};

// What a step cost on this system: from the end of the step before to its own end (a multiple of kHostPeriod). Every slice of kHostPeriod cycles has one cause.
struct StepCycles {
  std::int64_t step = 0;
  std::int64_t begin = 0;  // wafer cycles
  std::int64_t end = 0;
  std::int64_t words_in = 0;   // edge words taken; load words of the next step may be among them
  std::int64_t words_out = 0;
  std::vector<std::int64_t> phase_cycles;  // per phase of the plan's step: the port had words of that phase to give
  std::int64_t host_cycles = 0;            // the port had nothing to give and words of the step were still to come
  std::int64_t drain_cycles = 0;           // all words had entered, results were still to come
  WaferCounters counters;                  // at its end, since reset

  void transfer(checkpoint::Archive& archive) {
    archive(step, begin, end, words_in, words_out, phase_cycles, host_cycles, drain_cycles, counters);
  }
};

class System : public sc_core::sc_module {
 public:
  LinkSource to_swarmx;
  LinkSink from_swarmx;
  LinkSource to_server;
  LinkSink from_server;

  struct Parameters {
    std::uint16_t number = 0;
    std::int64_t latency = 1;       // cycles of the host link, each way
    std::int64_t quantum = 1;       // 1 to latency
    std::int64_t buffer_words = 1;  // per channel, in and out
    SystemLimits limits;
  };

  // `on_step` is called at the end of each step; `interrupted` is polled every kHostPeriod cycles and ends the quantum early.
  System(const sc_core::sc_module_name& name, const CycleClock& clock, const Parameters& parameters, Wafer& wafer, const plan::Plan& plan,
         const Schedule& schedule, std::function<void(const StepCycles&)> on_step, std::function<bool()> interrupted);

  Ending ending() const { return ending_; }
  // What the port waits for, for a person to read.
  std::string waiting() const;
  // Asked once per quantum; anything but kRunning ends the simulation. To be set before it starts.
  void stop_when(std::function<Ending()> decide) { decide_ = std::move(decide); }
  // What everything around does (host models, other systems), for telling a pause from a deadlock. To be set before it starts: the cycle since which no message
  // is on its way to any of it and no other wafer can move, or -1 while one is or can.
  void rest_of_all_since(std::function<std::int64_t()> since) { rest_of_all_ = std::move(since); }
  // The cycle since which this wafer has been seen at rest with no message on its way to it, or -1 if it is not.
  std::int64_t at_rest_since() const;
  std::uint64_t results_sent() const { return results_sent_; }
  // Asked once per quantum: whether to pause the simulation (sc_start then returns) when this instant is over. To be set before it starts.
  void pause_when(std::function<bool()> decide) { pause_ = std::move(decide); }

  // Wafer cycle at which the last quantum began: the SystemC time of a paused simulation.
  std::int64_t began() const { return began_; }
  // As HostModel::transfer. The wafer itself is saved and loaded by its owner.
  void transfer(checkpoint::Archive& archive, std::int64_t origin);

 private:
  struct Segment {  // words offered to the wafer and not yet all taken
    Channel channel = Channel::kLoad;
    std::int64_t step = 0;
    std::uint16_t phase = 0;
    std::uint64_t end = 0;  // running number of the word after the last
    void transfer(checkpoint::Archive& archive) { archive(channel, step, phase, end); }
  };

  void run();
  void receive();         // messages that have arrived
  void offer_in_order();  // words to the wafer: a step's load words, then its weight words, then the next step's
  void boundary();        // at a multiple of kHostPeriod
  void send_credits();
  void send_results();
  void attribute_slice();
  void end_step();
  void check_limits();
  bool deadlocked();

  const CycleClock& clock_;
  Parameters parameters_;
  Wafer& wafer_;
  const plan::Plan& plan_;
  const Schedule& schedule_;
  std::function<void(const StepCycles&)> on_step_;
  std::function<bool()> interrupted_;
  std::function<Ending()> decide_;
  std::function<bool()> pause_;
  std::int64_t began_ = 0;
  std::function<std::int64_t()> rest_of_all_;
  sc_core::sc_event wake_;
  Inbox inbox_;
  Ending ending_ = Ending::kRunning;

  // The two channels in.
  std::deque<Message> load_;
  std::deque<Message> weights_;
  Channel expect_ = Channel::kLoad;
  std::int64_t offering_ = 0;  // the step whose words are being offered
  std::deque<Segment> segments_;
  std::uint64_t offered_ = 0;  // copies
  std::uint64_t taken_ = 0;  // words whose credit has been sent

  // The step whose results leave.
  std::int64_t step_results_ = 0;
  std::uint64_t results_sent_ = 0;
  std::vector<std::int64_t> results_due_;  // per kind of step
  StepCycles current_;
  std::uint64_t taken_before_ = 0;  // at the beginning of the step
  std::int64_t last_progress_ = 0;
  std::int64_t last_quiet_ = 0;  // boundary at which the wafer was last seen at rest
  std::int64_t last_busy_ = 0;   // and not at rest
};

}  // namespace waferloom::systemc
