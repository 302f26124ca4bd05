// What a fabric holds beside its units, for checkpoints.
#include "sim/checkpoint/archive.h"
#include "sim/fabric/fabric.h"

namespace waferloom::fabric {

void Budget::transfer(checkpoint::Archive& archive) { archive(cycle_, level_, started_); }

void HostPorts::transfer(checkpoint::Archive& archive) {
  archive(in_, out_, ports_, active_, in_turn_, out_turn_, pending_total_, sent_total_, received_total_);
  std::vector<std::pair<uint64_t, PortId>> timed;
  for (auto copy = timed_; !archive.loading() && !copy.empty(); copy.pop()) timed.push_back(copy.top());
  archive(timed);
  if (!archive.loading()) return;
  timed_ = {};
  for (const auto& entry : timed) timed_.push(entry);
  for (Port& port : ports_) {
    *port.wires.link_in = port.link;
    *port.wires.ready_in = port.ready;
  }
}

void HostPorts::Item::transfer(checkpoint::Archive& archive) { archive(word, not_before, free); }

void HostPorts::Port::transfer(checkpoint::Archive& archive) {
  archive(queue, waiting, last_colour, held_colours, held_until, pending, link, ready, next_link, next_ready, arrived, delivered, capacity, sent, taken, timed, active);
}

void ReceivedWord::transfer(checkpoint::Archive& archive) { archive(cycle, word); }

void Trap::transfer(checkpoint::Archive& archive) { archive(x, y, unit, cycle, cause, colour, port, program_counter); }

void Activity::transfer(checkpoint::Archive& archive) { archive(router_evaluations, pe_evaluations); }

void Fabric::transfer(checkpoint::Archive& archive) {
  archive(cycle_, last_active_, activity_, traps_, error_, *ports_);
  for (Side* s : {&router_, &pe_}) {
    std::vector<uint32_t> due;
    if (s->arena) collect_due(*s, &due);
    archive(due);
    if (!archive.loading() || !s->arena) continue;
    for (uint32_t tile = 0; tile < tiles(); ++tile) set_active(s->kind, tile, false);
    for (const uint32_t tile : due) {
      if (tile < tiles()) wake(s, tile);
    }
    s->api->set_cycle_all(s->arena, cycle_);
  }
}

}  // namespace waferloom::fabric
