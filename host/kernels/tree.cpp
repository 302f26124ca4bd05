// Reduction by a binary tree over whole vectors.
#include <fmt/format.h>

#include "host/kernels/collectives.h"
#include "host/kernels/golden.h"
#include "host/kernels/lines.h"

namespace waferloom::kernels {
namespace {

int rounds_of(std::uint32_t length) {
  int rounds = 0;
  while ((1U << rounds) < length) ++rounds;
  return rounds;
}

// The round in which tile `i` sends: its number of zeros at the end.
int sends_in(std::uint32_t i) { return __builtin_ctz(i); }

// In how many rounds tile `i` receives: the first ones, without a gap.
int receives(std::uint32_t i, std::uint32_t length) {
  int count = 0;
  while ((i & ((2U << count) - 1)) == 0 && i + (1U << count) < length) ++count;
  return count;
}

// Round r on colour first + r. Tiles are taken by their low bits: senders, receivers, those between.
void route_lines(LayoutBuilder& b, const Lines& lines, int first) {
  for (int r = 0; r < rounds_of(lines.length); ++r) {
    const auto colour = static_cast<unsigned>(first + r);
    const std::uint32_t step = 1U << r;
    for (std::uint32_t to = 0; to + step < lines.length; to += 2 * step) {
      b.route(lines.tiles(to), colour, lines.away(), kRamp);
      b.route(lines.tiles(to + 1, step - 1), colour, lines.away(), lines.towards());
      b.route(lines.tiles(to + step), colour, kRamp, lines.towards());
    }
  }
}

}  // namespace

LayoutOutcome lay_out_tree_reduce(const config::KernelCase& wanted, std::uint64_t seed) {
  LayoutBuilder b("13-tree-reduce/program.wl", wanted);
  const std::uint32_t width = b.layout().width, height = b.layout().height;
  const int y_first = rounds_of(width), colours = y_first + rounds_of(height);
  if (colours > wanted.machine.colours) {
    return Refusal{"width", fmt::format("a tree over {} x {} tiles needs {} colours, {} has {}", width, height, colours, wanted.machine.name, wanted.machine.colours.value),
                   "make the rectangle smaller"};
  }
  for (std::uint32_t x = 1; x < width; ++x) b.place({x, 0, 1, height}, {{"X_RECEIVES", receives(x, width)}, {"SEND", 1}, {"OUT", sends_in(x)}});
  for (std::uint32_t y = 0; y < height; ++y) {
    b.place({0, y, 1, 1}, {{"X_RECEIVES", receives(0, width)},
                           {"Y_RECEIVES", receives(y, height)},
                           {"Y_FIRST", y_first},
                           {"SEND", y > 0 ? 1 : 0},
                           {"OUT", y > 0 ? y_first + sends_in(y) : 0}});
  }
  route_lines(b, {Axis::kX, width, 0, height}, 0);
  route_lines(b, {Axis::kY, height, 0, 1}, y_first);
  return finish_reduce(b, wanted, seed, tree_sum);
}

}  // namespace waferloom::kernels
