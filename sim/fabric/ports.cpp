#include "sim/fabric/ports.h"

#include <algorithm>

namespace waferloom::fabric {
namespace {
// Ready drops when this many words wait for the outgoing budget; the loop of two cycles may add two more.
constexpr size_t kArrivedLimit = 2;
}  // namespace

void Budget::refill(uint64_t cycle) {
  // What is kept is less than one word beside this cycle's own: the average is exact and a pause earns no burst.
  const uint64_t cap = uint64_t(rate_.words) + rate_.cycles - 1;
  if (!started_) {
    level_ = cap;
    started_ = true;
  } else if (cycle > cycle_) {
    const uint64_t elapsed = std::min<uint64_t>(cycle - cycle_, rate_.cycles);
    level_ = std::min(cap, level_ + elapsed * rate_.words);
  }
  cycle_ = cycle;
}

bool Budget::take(uint64_t cycle) {
  if (rate_.words == 0) return true;
  if (!started_ || cycle != cycle_) refill(cycle);
  if (level_ < rate_.cycles) return false;
  level_ -= rate_.cycles;
  return true;
}

HostPorts::HostPorts(Rate in, Rate out, unsigned hop) : in_(in), out_(out), hold_cycles_(2 * hop - 1) {}

PortId HostPorts::add(const PortWires& wires) {
  const PortId id = static_cast<PortId>(ports_.size());
  ports_.emplace_back();
  ports_.back().wires = wires;
  *wires.ready_in = kAllColours;
  return id;
}

void HostPorts::activate(PortId id) {
  Port& port = ports_[id];
  if (port.active) return;
  port.active = true;
  active_.push_back(id);
}

void HostPorts::send(PortId id, uint64_t word, uint64_t not_before, bool free) {
  Port& port = ports_[id];
  const unsigned colour = colour_of(word);
  if (colour >= kColours) return;
  port.queue[colour].push_back({word | kValidBit, not_before, free});
  port.waiting |= 1u << colour;
  ++port.pending;
  ++pending_total_;
  activate(id);
}

bool HostPorts::receive(PortId id, ReceivedWord* word) {
  Port& port = ports_[id];
  if (port.delivered.empty()) return false;
  *word = port.delivered.front();
  port.delivered.pop_front();
  if (!port.arrived.empty()) activate(id);
  return true;
}

void HostPorts::set_capacity(PortId id, uint64_t words) {
  ports_[id].capacity = words;
  activate(id);
}

uint32_t HostPorts::blocked_colours(PortId id) const {
  const Port& port = ports_[id];
  return port.waiting & ~*port.wires.ready_out;
}

// Chooses the link word of the next cycle. Returns whether the port must be looked at again at once.
bool HostPorts::send_side(PortId id, Port* port, uint64_t cycle) {
  port->next_link = 0;
  if (port->waiting == 0) return port->link != 0;
  uint32_t eligible = port->waiting & *port->wires.ready_out;
  const bool held = port->held_colours != 0 && cycle <= port->held_until;
  if (held) eligible &= ~port->held_colours;
  if (!held) port->held_colours = 0;
  uint64_t earliest = UINT64_MAX;
  for (uint32_t colours = eligible; colours != 0; colours &= colours - 1) {
    const uint32_t colour = static_cast<uint32_t>(__builtin_ctz(colours));
    const uint64_t time = port->queue[colour].front().not_before;
    if (time <= cycle) continue;
    eligible &= ~(1u << colour);
    earliest = std::min(earliest, time);
  }
  bool again = port->link != 0 || held;
  if (eligible != 0) {
    const uint32_t above = port->last_colour >= 31 ? 0 : eligible & ~((2u << port->last_colour) - 1);
    const uint32_t colour = static_cast<uint32_t>(__builtin_ctz(above != 0 ? above : eligible));
    std::deque<Item>& queue = port->queue[colour];
    const bool free = queue.front().free;
    if (free || in_.take(cycle)) {
      if (!free) in_turn_ = id + 1;
      port->next_link = queue.front().word;
      queue.pop_front();
      if (queue.empty()) port->waiting &= ~(1u << colour);
      if (port->next_link & kControlBit) {
        port->held_colours |= 1u << colour;
        port->held_until = cycle + hold_cycles_;
      }
      port->last_colour = colour;
      --port->pending;
      --pending_total_;
      ++port->sent;
      ++sent_total_;
    }
    again = true;
  } else if (earliest != UINT64_MAX) {
    if (earliest < port->timed) {
      port->timed = earliest;
      timed_.emplace(earliest, id);
    }
  }
  return again;
}

bool HostPorts::receive_side(PortId id, Port* port, uint64_t cycle) {
  const uint64_t word = *port->wires.link_out;
  if (word != 0) port->arrived.push_back(word);
  bool full = false;
  while (!port->arrived.empty()) {
    full = port->capacity != 0 && port->delivered.size() >= port->capacity;
    if (full || !out_.take(cycle)) break;
    out_turn_ = id + 1;
    port->delivered.push_back({cycle, port->arrived.front()});
    port->arrived.pop_front();
    ++port->taken;
    ++received_total_;
  }
  port->next_ready = port->arrived.size() < kArrivedLimit ? kAllColours : 0;
  return word != 0 || (!port->arrived.empty() && !full) || port->next_ready != port->ready;
}

void HostPorts::evaluate(uint64_t cycle) {
  while (!timed_.empty() && timed_.top().first <= cycle) {
    ports_[timed_.top().second].timed = UINT64_MAX;
    activate(timed_.top().second);
    timed_.pop();
  }
  evaluated_.swap(active_);
  active_.clear();
  if (evaluated_.empty()) return;
  // The budgets go round, whatever the order of activation was.
  std::sort(evaluated_.begin(), evaluated_.end());
  const auto from = [&](PortId turn) {
    const auto first = std::lower_bound(evaluated_.begin(), evaluated_.end(), turn);
    std::rotate(evaluated_.begin(), first, evaluated_.end());
  };
  from(in_turn_);
  for (const PortId id : evaluated_) {
    ports_[id].active = false;
    if (send_side(id, &ports_[id], cycle)) activate(id);
  }
  std::sort(evaluated_.begin(), evaluated_.end());
  from(out_turn_);
  for (const PortId id : evaluated_) {
    Port& port = ports_[id];
    if (receive_side(id, &port, cycle) || port.next_link != 0) activate(id);
  }
}

void HostPorts::commit(const std::function<void(uint32_t)>& changed) {
  for (const PortId id : evaluated_) {
    Port& port = ports_[id];
    const bool differs = port.next_link != port.link || port.next_ready != port.ready;
    port.link = port.next_link;
    port.ready = port.next_ready;
    *port.wires.link_in = port.link;
    *port.wires.ready_in = port.ready;
    if (differs) changed(port.wires.tile);
  }
  evaluated_.clear();
}

}  // namespace waferloom::fabric
