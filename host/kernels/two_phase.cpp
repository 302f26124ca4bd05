// Reduction in two phases: chains within groups, then a chain over the groups' first tiles.
#include <algorithm>

#include "host/kernels/chain_legs.h"
#include "host/kernels/collectives.h"
#include "host/kernels/golden.h"

namespace waferloom::kernels {
namespace {

struct Legs {
  Leg inner, outer;
};

// Four colours from `first`: two within groups, two over the groups.
Legs legs_of(std::uint32_t i, std::uint32_t length, std::uint32_t group, int first) {
  const std::uint32_t start = i - i % group, members = std::min(group, length - start);
  Legs legs;
  legs.inner = leg_of(i - start, members, first);
  if (i == start) legs.outer = leg_of(i / group, (length + group - 1) / group, first + 2);
  return legs;
}

void route_lines(LayoutBuilder& b, const Lines& lines, std::uint32_t group, int first) {
  const std::uint32_t groups = (lines.length + group - 1) / group;
  for (std::uint32_t i = 0; i < lines.length; ++i) {
    const Legs legs = legs_of(i, lines.length, group, first);
    route_leg(b, lines, i, legs.inner);
    route_leg(b, lines, i, legs.outer);
  }
  // What the first tile of the next group sends passes the tiles of this one.
  for (std::uint32_t g = 0; g + 1 < groups; ++g) b.route(lines.tiles(g * group + 1, group - 1), static_cast<unsigned>(first + 2) + (g + 1) % 2, lines.away(), lines.towards());
}

void add(Defines& defines, const char* name, const Leg& leg) {
  const std::string prefix = name;
  defines[prefix + "_ROLE"] = leg.role;
  defines[prefix + "_IN"] = leg.in;
  defines[prefix + "_OUT"] = leg.out;
}

}  // namespace

LayoutOutcome lay_out_two_phase_reduce(const config::KernelCase& wanted, std::uint64_t seed) {
  constexpr int kX = 0, kY = 4;
  LayoutBuilder b("14-two-phase-reduce/program.wl", wanted);
  const std::uint32_t width = b.layout().width, height = b.layout().height, group = static_cast<std::uint32_t>(wanted.group);
  const auto defines = [&](std::uint32_t x, std::uint32_t y) {
    Defines made;
    const Legs along_x = legs_of(x, width, group, kX);
    const Legs along_y = x == 0 ? legs_of(y, height, group, kY) : Legs{};
    add(made, "X1", along_x.inner);
    add(made, "X2", along_x.outer);
    add(made, "Y1", along_y.inner);
    add(made, "Y2", along_y.outer);
    return made;
  };
  for (std::uint32_t x = 1; x < width; ++x) b.place({x, 0, 1, height}, defines(x, 0));
  for (std::uint32_t y = 0; y < height; ++y) b.place({0, y, 1, 1}, defines(0, y));
  route_lines(b, {Axis::kX, width, 0, height}, group, kX);
  route_lines(b, {Axis::kY, height, 0, 1}, group, kY);
  return finish_reduce(b, wanted, seed, [group](std::vector<Words>& line, config::Precision precision) { return two_phase_sum(line, precision, group); });
}

}  // namespace waferloom::kernels
