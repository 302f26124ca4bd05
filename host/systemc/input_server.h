// Streams its rows of each batch to one system: the load phase of every step, as far ahead as the system's buffer allows.
#pragma once

#include <memory>
#include <optional>

#include "host/systemc/host_model.h"
#include "host/systemc/schedule.h"

namespace waferloom::systemc {

class InputServer : public HostModel {
 public:
  LinkSource to_system;
  LinkSink from_system;
  LinkSink from_memoryx;

  // Which share of the rows of a step it has: that of system `number` of `systems`.
  struct Share {
    int number = 0;
    int systems = 1;
  };

  // The references must outlive the module. `credit`: words that the system buffers. With a dynamic loss scale a step waits for MemoryX to say its scale.
  InputServer(const sc_core::sc_module_name& name, const CycleClock& clock, const Share& share, std::int64_t latency, std::int64_t credit,
              const plan::Plan& plan, const Schedule& schedule, const config::Dataset& data, const config::LossScale& loss_scale);

  std::uint64_t words_sent() const { return to_system.words(); }

 protected:
  void tick() override;
  void state(checkpoint::Archive& archive) override;

 private:
  void open_stream(plan::EdgeCursor from);
  bool fetch(std::uint64_t& word);  // the next word of the current step; false at the end of its load phase

  const Share share_;
  const plan::Plan& plan_;
  const Schedule& schedule_;
  const config::Dataset& data_;
  std::int64_t credit_;
  bool dynamic_scale_;
  float scale_;
  std::int64_t scaled_step_ = -1;  // the last step whose dynamic scale is known
  std::size_t step_ = 0;
  StepBatch batch_;
  std::optional<plan::EdgeStream> stream_;
};

}  // namespace waferloom::systemc
