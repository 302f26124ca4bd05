#include "host/systemc/input_server.h"

#include "sim/macros/arith.h"

namespace waferloom::systemc {

InputServer::InputServer(const sc_core::sc_module_name& name, const CycleClock& clock, const Share& share, std::int64_t latency, std::int64_t credit,
                         const plan::Plan& plan, const Schedule& schedule, const config::Dataset& data, const config::LossScale& loss_scale)
    : HostModel(name, clock),
      to_system("to_system", clock, latency),
      from_system("from_system", inbox()),
      from_memoryx("from_memoryx", inbox()),
      share_(share),
      plan_(plan),
      schedule_(schedule),
      data_(data),
      credit_(credit),
      dynamic_scale_(loss_scale.mode == config::LossScaleMode::kDynamic),
      scale_(static_cast<float>(loss_scale.initial)) {}

void InputServer::open_stream(plan::EdgeCursor from) {
  const StepSpec& step = schedule_.steps[step_];
  const Rows rows = rows_of(step, share_.number, share_.systems);
  batch_ = gather(step, data_, rows);
  plan::StepInputs inputs;
  inputs.kind = step.kind;
  inputs.samples = batch_.samples.data();
  inputs.labels = batch_.labels.data();
  inputs.rows = rows.count;
  inputs.gradient_factor = scale_ / static_cast<float>(step.rows.size());  // the mean is over the rows of all systems
  stream_.emplace(plan_, inputs, std::vector<plan::LayerWeights>(plan_.network.layers.size()), from);
}

void InputServer::state(checkpoint::Archive& archive) {
  bool open = stream_.has_value();
  plan::EdgeCursor cursor = open ? stream_->cursor() : plan::EdgeCursor{};
  archive(credit_, scale_, scaled_step_, step_, open, cursor, to_system);
  if (!archive.loading()) return;
  stream_.reset();
  if (open && step_ < schedule_.steps.size()) open_stream(cursor);
}

bool InputServer::fetch(std::uint64_t& word) {
  if (!stream_) open_stream({});
  plan::EdgeWord next;
  if (!stream_->next(next) || stream_->phase() != 0) return false;
  word = pack_edge(next.column, next.link);
  return true;
}

void InputServer::tick() {
  Message message;
  while (inbox().take(now(), message)) {
    if (message.channel == Channel::kScale) {
      scale_ = macros::to_float(static_cast<std::uint32_t>(message.words.at(0)));
      scaled_step_ = message.step;
    } else {
      credit_ += static_cast<std::int64_t>(message.words.at(0));
    }
  }
  while (credit_ > 0 && step_ < schedule_.steps.size() && (!dynamic_scale_ || scaled_step_ == static_cast<std::int64_t>(step_))) {
    Message load;
    load.channel = Channel::kLoad;
    load.step = static_cast<std::int64_t>(step_);
    std::uint64_t word = 0;
    while (credit_ > 0 && !load.last) {
      if (fetch(word)) {
        load.words.push_back(word);
        credit_ -= edge_copies(word, plan_.target.width);
      } else {
        load.last = true;
      }
    }
    if (load.last) {
      stream_.reset();
      ++step_;
    }
    to_system.send(std::move(load), now());
  }
}

}  // namespace waferloom::systemc
