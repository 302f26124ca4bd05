// MemoryX: holds the master weights and the optimiser's state, streams weights for every pass without the zeros and without those that a rule drops as too small, gathers the summed gradients and applies the optimiser.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/optimiser/loss_scale.h"
#include "host/optimiser/parameters.h"
#include "host/plan/collector.h"
#include "host/systemc/host_model.h"
#include "host/systemc/schedule.h"

namespace waferloom::systemc {

// What a step gave.
struct StepOutcome {
  std::int64_t step = 0;
  double loss = 0;   // mean over the step's rows
  int wrong = 0;     // rows whose label does not have the largest output
  double loss_scale = 1;
  bool skipped = false;        // a training step whose gradients were not finite: parameters unchanged
  bool stop = false;           // the loss is not finite, or the loss scale cannot go lower
  std::string not_finite;      // the first tensor that is not finite, or empty
  std::uint64_t words = 0;     // edge words that MemoryX streamed for it
  const plan::StepResult* result = nullptr;  // valid during the call
  const optimiser::Parameters* parameters = nullptr;  // after the update; valid during the call
};

class MemoryX : public HostModel {
 public:
  LinkSource to_swarmx;
  LinkSink from_swarmx;
  std::vector<std::unique_ptr<LinkSource>> to_server;  // one input server for each system

  struct Settings {
    config::Optimiser optimiser;
    config::LossScale loss_scale;
    config::Pruning pruning;
    int systems = 1;
    std::int64_t latency = 1;       // cycles to SwarmX and to the input servers
    std::int64_t credit = 1;        // words that every system buffers
    std::int64_t words_per_tick = 1;  // of its link, per kHostPeriod
  };

  // `on_outcome` is called at the end of each step and says whether to go on. References must outlive the module.
  MemoryX(const sc_core::sc_module_name& name, const CycleClock& clock, const Settings& settings, const plan::Plan& plan,
          const Schedule& schedule, optimiser::Parameters parameters, std::function<bool(const StepOutcome&)> on_outcome);

  const optimiser::Parameters& parameters() const { return parameters_; }
  // A fault in what arrived (a result that the plan does not have), or empty.
  const std::string& fault() const { return fault_; }
  // All steps are done, or on_outcome said stop.
  bool done() const { return done_; }

 protected:
  void tick() override;
  void state(checkpoint::Archive& archive) override;

 private:
  void quantise_parameters();
  void open_step(plan::EdgeCursor from);
  void begin_step();
  void stream();
  void finish_step();
  void update(StepOutcome& outcome);
  std::vector<plan::LayerWeights> wire() const;

  Settings settings_;
  const plan::Plan& plan_;
  const Schedule& schedule_;
  optimiser::Parameters parameters_;
  std::function<bool(const StepOutcome&)> on_outcome_;
  optimiser::LossScaler scaler_;
  std::vector<std::vector<std::uint16_t>> weights16_;  // as the wire carries them, per layer
  std::vector<std::vector<std::uint16_t>> bias16_;
  std::int64_t credit_;
  std::size_t step_ = 0;
  bool streaming_ = false;
  bool in_step_ = false;
  bool done_ = false;
  std::optional<plan::EdgeStream> stream_;
  std::optional<plan::EdgeWord> held_;  // fetched, not yet sent
  std::uint32_t held_phase_ = 0;
  std::uint64_t words_ = 0;
  std::optional<plan::Collector> collector_;
  std::string fault_;
};

}  // namespace waferloom::systemc
