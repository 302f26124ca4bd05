// What the host models have in common: an inbox, and one SC_METHOD that runs every `period` cycles. All state is plain data, so that it can be saved.
//
// A model acts only at its ticks and only on messages that have arrived by then; a message takes at least one cycle. So results depend on periods and latencies, which are
// parameters of the cluster, and not on the order in which SystemC runs the models or on the quantum of the wafer.
#pragma once

#include <cstdint>
#include <systemc>

#include "host/systemc/cycle_clock.h"
#include "host/systemc/inbox.h"
#include "host/systemc/link.h"

namespace waferloom::systemc {

// Cycles between two ticks of a host model, and the granularity of its credits and of step boundaries.
inline constexpr std::int64_t kHostPeriod = 64;

class HostModel : public sc_core::sc_module {
 public:
  HostModel(const sc_core::sc_module_name& name, const CycleClock& clock) : sc_core::sc_module(name), clock_(clock) {
    SC_HAS_PROCESS(HostModel);
    SC_METHOD(run);
    dont_initialize();
    sensitive << wake_;
    wake_.notify(clock_.at(kHostPeriod));
  }

  // No further ticks.
  void finish() { finished_ = true; }
  Inbox& inbox() { return inbox_; }
  // Cycle of the current tick.
  std::int64_t now() const { return now_; }

  // Saves or loads the model, between two instants of the simulation. Loading comes before the simulation starts, whose SystemC time 0 is then wafer
  // cycle `origin`: the next tick is set for its own cycle.
  void transfer(checkpoint::Archive& archive, std::int64_t origin) {
    archive(now_, finished_, inbox_);
    state(archive);
    if (!archive.loading()) return;
    wake_.cancel();
    if (!finished_) wake_.notify(clock_.at(now_ + kHostPeriod) - clock_.at(origin));
  }

 protected:
  virtual void tick() = 0;
  // Saves or loads what the model itself holds, links included.
  virtual void state(checkpoint::Archive& archive) = 0;

 private:
  void run() {
    now_ += kHostPeriod;
    tick();
    if (!finished_) wake_.notify(clock_.at(now_ + kHostPeriod) - clock_.at(now_));
  }

  const CycleClock& clock_;
  Inbox inbox_;
  sc_core::sc_event wake_;
  std::int64_t now_ = 0;
  bool finished_ = false;
};

}  // namespace waferloom::systemc
