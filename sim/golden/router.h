// The function of one router: routes, multicast, switch positions, one bounded queue per colour. No clock.
// What a clocked router alone can see, two senders of one colour in one cycle, is not found here.
#pragma once
#include <array>
#include <cstdint>

#include "sim/generated/fabric.h"
#include "sim/generated/registers.h"
#include "sim/golden/fifo.h"
#include "sim/golden/wavelet.h"

namespace waferloom::golden {

struct RouterColour {
  struct Entry {
    Wavelet wavelet;
    uint8_t owed = 0;  // directions still to be served
  };
  std::array<uint16_t, spec::kSwitchPositions> route{};  // receive mask, transmit mask as the configuration word has them
  uint8_t position = 0;
  uint8_t last = 0;
  bool ring = false;
  Fifo<Entry> queue;

  uint32_t receive() const { return spec::route_receive(route[position]); }
  uint32_t transmit() const { return spec::route_transmit(route[position]); }
};

class Router {
 public:
  // `depth`: wavelets that a colour's queue holds. `edge`: bit d, nothing is attached in direction d.
  Router(uint32_t depth, uint32_t edge) : depth_(depth), edge_(edge) {}

  // A configuration word (0 to 3: a switch position, 4: control). Others are ignored.
  void configure(uint32_t colour, uint32_t word, uint32_t data);
  void attach(spec::Direction d) { edge_ &= ~spec::direction_bit(d); }

  // Whether a wavelet of this colour may come in at `port` now. True also where it will trap.
  bool accepts(uint32_t colour, spec::Direction port) const;
  // Requires accepts.
  void take(const Wavelet& w, spec::Direction port);

  const RouterColour& colour(uint32_t c) const { return colours_[c]; }
  uint32_t stored() const { return stored_; }  // colours with wavelets
  spec::RouterTrap trap() const { return trap_; }
  uint32_t trap_colour() const { return trap_colour_; }
  spec::Direction trap_port() const { return trap_port_; }

  // Head of a colour's queue has been sent in direction d. True if the head has left the queue. Requires that d was owed.
  bool sent(uint32_t colour, spec::Direction d);

 private:
  void raise(spec::RouterTrap cause, uint32_t colour, spec::Direction port);
  void leave(uint32_t colour);

  uint32_t depth_;
  uint32_t edge_;
  std::array<RouterColour, spec::kColours> colours_;
  uint32_t stored_ = 0;
  spec::RouterTrap trap_ = spec::RouterTrap::kNone;
  uint32_t trap_colour_ = 0;
  spec::Direction trap_port_ = spec::Direction::kNorth;
};

}  // namespace waferloom::golden
