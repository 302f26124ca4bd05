// Allreduce round a ring, along x in every row and then along y in every column.
#include <fmt/format.h>

#include "host/kernels/collectives.h"
#include "host/kernels/golden.h"
#include "host/kernels/lines.h"

namespace waferloom::kernels {
namespace {

// Three colours from `first`: even to odd tiles, odd to even ones, the last back to the first.
int sent_by(std::uint32_t i, std::uint32_t length, int first) { return i + 1 == length ? first + 2 : first + static_cast<int>(i % 2); }

void route_ring(LayoutBuilder& b, const Lines& lines, int first) {
  if (lines.length == 1) return;
  const auto back = static_cast<unsigned>(first + 2);
  for (std::uint32_t i = 0; i + 1 < lines.length; ++i) {
    const auto colour = static_cast<unsigned>(sent_by(i, lines.length, first));
    b.route(lines.tiles(i), colour, kRamp, lines.away());
    b.route(lines.tiles(i + 1), colour, lines.towards(), kRamp);
  }
  b.route(lines.tiles(lines.length - 1), back, kRamp, lines.towards());
  b.route(lines.tiles(1, lines.length - 2), back, lines.away(), lines.towards());
  b.route(lines.tiles(0), back, lines.away(), kRamp);
}

// Piece p is summed from tile p on, round the ring.
Words ring_sum(const std::vector<Words>& line, config::Precision precision) {
  const std::size_t tiles = line.size(), piece = line[0].size() / tiles;
  Words sum(line[0].size());
  for (std::size_t p = 0; p < tiles; ++p) {
    for (std::size_t k = p * piece; k < (p + 1) * piece; ++k) {
      sum[k] = line[p][k];
      for (std::size_t i = 1; i < tiles; ++i) sum[k] = add_word(sum[k], line[(p + i) % tiles][k], precision);
    }
  }
  return sum;
}

}  // namespace

LayoutOutcome lay_out_ring_allreduce(const config::KernelCase& wanted, std::uint64_t seed) {
  constexpr int kX = 0, kY = 3;
  LayoutBuilder b("15-ring-allreduce/program.wl", wanted);
  const std::uint32_t width = b.layout().width, height = b.layout().height, words = b.layout().words;
  for (const std::uint32_t tiles : {width, height}) {
    if (words % tiles == 0) continue;
    return Refusal{"words", fmt::format("a ring of {} tiles cuts the vector into {} equal pieces; {} words do not divide", tiles, tiles, words),
                   fmt::format("a multiple of {}", tiles)};
  }
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      Defines defines{{"X_STEPS", width - 1}, {"Y_STEPS", height - 1}, {"X_PIECE", words / width}, {"Y_PIECE", words / height}};
      if (width > 1) {
        defines["X_OUT"] = sent_by(x, width, kX);
        defines["X_IN"] = sent_by((x + width - 1) % width, width, kX);
      }
      if (height > 1) {
        defines["Y_OUT"] = sent_by(y, height, kY);
        defines["Y_IN"] = sent_by((y + height - 1) % height, height, kY);
      }
      b.place({x, y, 1, 1}, std::move(defines));
    }
  }
  route_ring(b, {Axis::kX, width, 0, height}, kX);
  route_ring(b, {Axis::kY, height, 0, width}, kY);
  return finish_everywhere(b, wanted, seed, [wanted, seed] {
    return rectangle_sum(wanted, seed, [](std::vector<Words>& line, config::Precision precision) { return ring_sum(line, precision); });
  });
}

}  // namespace waferloom::kernels
