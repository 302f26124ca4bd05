#include "sim/golden/router.h"

#include <cassert>

namespace waferloom::golden {

void Router::configure(uint32_t colour, uint32_t word, uint32_t data) {
  if (colour >= static_cast<uint32_t>(spec::kColours)) return;
  RouterColour& c = colours_[colour];
  if (word < static_cast<uint32_t>(spec::kSwitchPositions)) {
    c.route[word] = static_cast<uint16_t>(data & 0x3ffu);
  } else if (word == spec::kControlWordIndex) {
    c.position = data & 3u;
    c.last = (data >> 2) & 3u;
    c.ring = ((data >> 4) & 1u) != 0;
  }
}

bool Router::accepts(uint32_t colour, spec::Direction port) const {
  if (trap_ != spec::RouterTrap::kNone) return false;
  if (colour >= static_cast<uint32_t>(spec::kColours)) return true;
  const RouterColour& c = colours_[colour];
  if (c.receive() == 0 && c.transmit() == 0) return true;
  if ((c.receive() & spec::direction_bit(port)) == 0) return false;
  return c.queue.size() < depth_ && (c.queue.empty() || !c.queue.at(c.queue.size() - 1).wavelet.control);
}

void Router::take(const Wavelet& w, spec::Direction port) {
  assert(accepts(w.colour, port));
  if (w.colour >= spec::kColours) {
    raise(spec::RouterTrap::kReservedColour, w.colour, port);
    return;
  }
  RouterColour& c = colours_[w.colour];
  const uint32_t owed = c.transmit();
  if (c.receive() == 0 && owed == 0) {
    raise(spec::RouterTrap::kNoRoute, w.colour, port);
  } else if ((owed & edge_) != 0) {
    raise(spec::RouterTrap::kOverEdge, w.colour, port);
  } else {
    c.queue.push({w, static_cast<uint8_t>(owed)});
    stored_ |= 1u << w.colour;
    if (owed == 0) leave(w.colour);
  }
}

bool Router::sent(uint32_t colour, spec::Direction d) {
  RouterColour& c = colours_[colour];
  RouterColour::Entry& head = c.queue.front_mutable();
  assert((head.owed & spec::direction_bit(d)) != 0);
  head.owed = static_cast<uint8_t>(head.owed & ~spec::direction_bit(d));
  if (head.owed != 0) return false;
  leave(colour);
  return true;
}

void Router::leave(uint32_t colour) {
  RouterColour& c = colours_[colour];
  const Wavelet w = c.queue.pop().wavelet;
  if (c.queue.empty()) stored_ &= ~(1u << colour);
  if (!w.control) return;
  switch (spec::control_command(w.data)) {
    case spec::Command::kAdvance:
      if (c.position != c.last) {
        c.position = (c.position + 1u) & 3u;
      } else if (c.ring) {
        c.position = 0;
      }
      break;
    case spec::Command::kReset: c.position = 0; break;
    default: break;
  }
}

void Router::raise(spec::RouterTrap cause, uint32_t colour, spec::Direction port) {
  if (trap_ != spec::RouterTrap::kNone) return;
  trap_ = cause;
  trap_colour_ = colour;
  trap_port_ = port;
}

}  // namespace waferloom::golden
