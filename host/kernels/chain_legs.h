// Chains as they are laid out: who does what, on which colours.
#pragma once

#include "host/kernels/lines.h"

namespace waferloom::kernels {

enum Role { kNone = 0, kEnd = 1, kWithin = 2, kRoot = 3 };  // as the programs number them

struct Leg {
  int role = kNone;
  int in = 0, out = 0;  // colours
};

// Tile `i` of a chain of `length`; even tiles send on colour `even`, odd ones on the next.
inline Leg leg_of(std::uint32_t i, std::uint32_t length, int even) {
  Leg leg;
  if (length == 1) return leg;
  leg.role = i == 0 ? kRoot : i + 1 == length ? kEnd : kWithin;
  leg.out = even + static_cast<int>(i % 2);
  leg.in = even + static_cast<int>((i + 1) % 2);
  return leg;
}

// Routes of a leg at a tile of the lines.
inline void route_leg(LayoutBuilder& b, const Lines& lines, std::uint32_t tile, const Leg& leg) {
  if (leg.role == kEnd || leg.role == kWithin) b.route(lines.tiles(tile), static_cast<unsigned>(leg.out), kRamp, lines.towards());
  if (leg.role == kRoot || leg.role == kWithin) b.route(lines.tiles(tile), static_cast<unsigned>(leg.in), lines.away(), kRamp);
}

}  // namespace waferloom::kernels
