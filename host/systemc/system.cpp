#include "host/systemc/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace waferloom::systemc {

System::System(const sc_core::sc_module_name& name, const CycleClock& clock, const Parameters& parameters, Wafer& wafer,
               const plan::Plan& plan, const Schedule& schedule, std::function<void(const StepCycles&)> on_step,
               std::function<bool()> interrupted)
    : sc_core::sc_module(name),
      to_swarmx("to_swarmx", clock, parameters.latency),
      from_swarmx("from_swarmx", inbox_),
      to_server("to_server", clock, parameters.latency),
      from_server("from_server", inbox_),
      clock_(clock),
      parameters_(parameters),
      wafer_(wafer),
      plan_(plan),
      schedule_(schedule),
      on_step_(std::move(on_step)),
      interrupted_(std::move(interrupted)) {
  for (plan::StepKind kind : {plan::StepKind::kTrain, plan::StepKind::kEvaluate}) {
    std::int64_t due = 0;
    for (int column = 0; column < plan.target.width; ++column) due += plan.words_out(kind, column);
    results_due_.push_back(due);
  }
  current_.phase_cycles.assign(plan.train_step.size(), 0);
  wafer_.allow(static_cast<std::uint64_t>(parameters.buffer_words));
  SC_HAS_PROCESS(System);
  SC_METHOD(run);
  dont_initialize();
  sensitive << wake_;
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void System::run() {
  began_ = wafer_.cycle();
  const std::int64_t end = began_ + parameters_.quantum;
  while (wafer_.cycle() < end && ending_ == Ending::kRunning) {
    receive();
    // To the next cycle at which something enters, leaves or ends.
    std::int64_t next = std::min(end, (wafer_.cycle() / kHostPeriod + 1) * kHostPeriod);
    if (!inbox_.empty()) next = std::min(next, std::max(inbox_.next_arrival(), wafer_.cycle() + 1));
    if (wafer_.run_to(next) == WaferState::kTrapped) {
      ending_ = Ending::kTrapped;
      break;
    }
    if (next % kHostPeriod == 0) boundary();
    // The length of a quantum never changes a result: it may end here.
    if (ending_ == Ending::kRunning && interrupted_()) {
      ending_ = Ending::kInterrupted;
      break;
    }
  }
  const bool goes_on = ending_ == Ending::kRunning || ending_ == Ending::kInterrupted;
  const Ending decided = goes_on && decide_ ? decide_() : Ending::kRunning;
  if (decided != Ending::kRunning) ending_ = decided;
  if (ending_ != Ending::kRunning && ending_ != Ending::kInterrupted) {
    sc_core::sc_stop();
    return;
  }
  wake_.notify(clock_.at(wafer_.cycle()) - clock_.at(began_));
  if (ending_ == Ending::kInterrupted || (pause_ && pause_())) sc_core::sc_pause();
}

void System::transfer(checkpoint::Archive& archive, std::int64_t origin) {
  archive(inbox_, load_, weights_, expect_, offering_, segments_, offered_, taken_, step_results_, results_sent_, current_, taken_before_, last_progress_, last_quiet_, last_busy_, began_,
          to_swarmx, to_server);
  if (!archive.loading()) return;
  wake_.cancel();
  wake_.notify(clock_.at(wafer_.cycle()) - clock_.at(origin));
}

void System::receive() {
  Message message;
  while (inbox_.take(wafer_.cycle(), message)) {
    last_progress_ = wafer_.cycle();
    switch (message.channel) {
      case Channel::kLoad: load_.push_back(std::move(message)); break;
      case Channel::kWeights: weights_.push_back(std::move(message)); break;
      case Channel::kResultsCredit: wafer_.allow(message.words.at(0)); break;
      default: SC_REPORT_FATAL("waferloom/system", "a message on a channel that does not end here");
    }
  }
  offer_in_order();
}

void System::offer_in_order() {
  for (;;) {
    std::deque<Message>& from = expect_ == Channel::kLoad ? load_ : weights_;
    if (from.empty()) return;
    Message& message = from.front();
    if (!message.words.empty()) {
      wafer_.offer(message.words.data(), message.words.size());
      for (std::uint64_t word : message.words) offered_ += static_cast<std::uint64_t>(edge_copies(word, plan_.target.width));
      segments_.push_back({message.channel, message.step, message.phase, offered_});
    }
    if (message.last) {
      expect_ = expect_ == Channel::kLoad ? Channel::kWeights : Channel::kLoad;
      if (message.channel == Channel::kWeights) offering_ = message.step + 1;
    }
    from.pop_front();
  }
}

void System::send_credits() {
  std::uint64_t loads = 0;
  std::uint64_t weights = 0;
  const std::uint64_t taken = wafer_.taken();
  while (taken_ < taken) {
    const Segment& head = segments_.front();
    const std::uint64_t upto = std::min(taken, head.end);
    (head.channel == Channel::kLoad ? loads : weights) += upto - taken_;
    taken_ = upto;
    if (taken_ == head.end) segments_.pop_front();
  }
  if (loads + weights > 0) last_progress_ = wafer_.cycle();
  Message credit;
  credit.source = parameters_.number;
  if (loads > 0) {
    credit.channel = Channel::kLoadCredit;
    credit.words = {loads};
    to_server.send(credit, wafer_.cycle());
  }
  if (weights > 0) {
    credit.channel = Channel::kWeightsCredit;
    credit.words = {weights};
    to_swarmx.send(credit, wafer_.cycle());
  }
}

void System::send_results() {
  Message results;
  results.channel = Channel::kResults;
  results.source = parameters_.number;
  results.step = current_.step;
  results.words = wafer_.results();
  if (results.words.empty()) return;
  last_progress_ = wafer_.cycle();
  step_results_ += static_cast<std::int64_t>(results.words.size());
  results_sent_ += results.words.size();
  to_swarmx.send(std::move(results), wafer_.cycle());
}

void System::attribute_slice() {
  if (!segments_.empty() && segments_.front().step == current_.step) {
    current_.phase_cycles[segments_.front().phase] += kHostPeriod;
  } else if (offering_ > current_.step) {
    current_.drain_cycles += kHostPeriod;
  } else {
    current_.host_cycles += kHostPeriod;
  }
}

void System::end_step() {
  current_.end = wafer_.cycle();
  current_.words_in = static_cast<std::int64_t>(taken_ - taken_before_);
  current_.words_out = step_results_;
  current_.counters = wafer_.counters();
  on_step_(current_);
  const std::int64_t next = current_.step + 1;
  current_ = StepCycles{};
  current_.step = next;
  current_.begin = wafer_.cycle();
  current_.phase_cycles.assign(plan_.train_step.size(), 0);
  taken_before_ = taken_;
  step_results_ = 0;
}

void System::boundary() {
  send_credits();
  send_results();
  check_limits();
  if (current_.step >= static_cast<std::int64_t>(schedule_.steps.size())) return;
  attribute_slice();
  const std::size_t kind = static_cast<std::size_t>(schedule_.steps[static_cast<std::size_t>(current_.step)].kind);
  const std::int64_t due = results_due_[kind];
  if (step_results_ > due) {
    ending_ = Ending::kFault;
  } else if (step_results_ == due && offering_ > current_.step) {
    end_step();
  }
}

std::int64_t System::at_rest_since() const {
  if (!wafer_.quiet() || !inbox_.empty()) return -1;
  return std::max({inbox_.last_arrival(), last_progress_, last_busy_});
}

// Exact: no wafer can move, no message is on its way, and every host model has had a tick since the last one. The models act on messages and on their
// own credit, at each tick; this module is ahead of them by less than a quantum, which is at most the latency. Another system may be ahead of or behind this one: what
// rests with no message on its way stays at rest, and one that is ahead counts from when it came to rest. So the cycle does not depend on the quantum.
bool System::deadlocked() {
  (wafer_.quiet() ? last_quiet_ : last_busy_) = wafer_.cycle();
  const std::int64_t own = at_rest_since();
  if (own < 0) return false;
  const std::int64_t since = rest_of_all_ ? rest_of_all_() : 0;
  if (since < 0) return false;  // a message is on its way, however slowly, or another wafer moves
  return wafer_.cycle() - std::max(since, own) > 2 * parameters_.latency + 4 * kHostPeriod;
}

void System::check_limits() {
  const SystemLimits& limits = parameters_.limits;
  const std::int64_t cycle = wafer_.cycle();
  if (deadlocked()) {
    ending_ = Ending::kDeadlock;
  } else if (limits.watchdog_cycles > 0 && cycle - std::max(last_progress_, last_quiet_) >= limits.watchdog_cycles) {
    ending_ = Ending::kLivelock;
  } else if ((limits.cycles > 0 && cycle >= limits.cycles) || (limits.cycles_per_step > 0 && cycle - current_.begin >= limits.cycles_per_step)) {
    ending_ = Ending::kCycleLimit;
  }
}

std::string System::waiting() const {
  const std::uint64_t taken = wafer_.taken();
  std::string text = fmt::format("step {}: {} of {} results have left the edge; {} copies of words offered at the edge, {} taken", current_.step, step_results_,
                                 current_.step < static_cast<std::int64_t>(schedule_.steps.size())
                                     ? results_due_[static_cast<std::size_t>(schedule_.steps[static_cast<std::size_t>(current_.step)].kind)]
                                     : 0,
                                 offered_, taken);
  if (!segments_.empty()) {
    text += fmt::format("; the next word belongs to step {}, phase {}", segments_.front().step, plan_.train_step[segments_.front().phase].name);
  }
  return text + "\n";
}

}  // namespace waferloom::systemc
