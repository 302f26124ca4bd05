// Reduction by a star: every vector travels to the root.
#include "host/kernels/chain_legs.h"
#include "host/kernels/collectives.h"
#include "host/kernels/golden.h"

namespace waferloom::kernels {
namespace {

int role_of(std::uint32_t i, std::uint32_t length) { return length == 1 ? kNone : i == 0 ? kRoot : kEnd; }

// Single values: one colour that routers take from the ramp and from behind alike.
LayoutOutcome scalar_star(const config::KernelCase& wanted, std::uint64_t seed, const LineSum& sum) {
  LayoutBuilder b("12-star-reduce/scalar.wl", wanted);
  const std::uint32_t width = b.layout().width, height = b.layout().height;
  b.place({1, 0, width - 1, height}, {{"X_ROLE", kEnd}});
  for (std::uint32_t y = 0; y < height; ++y) {
    b.place({0, y, 1, 1}, {{"X_ROLE", role_of(0, width)}, {"X_COUNT", width}, {"Y_ROLE", role_of(y, height)}, {"Y_COUNT", y == 0 ? height : 0}});
  }
  const Lines lines[2] = {{Axis::kX, width, 0, height}, {Axis::kY, height, 0, 1}};
  for (unsigned colour = 0; colour < 2; ++colour) {
    const Lines& l = lines[colour];
    if (l.length == 1) continue;
    b.route(l.tiles(0), colour, kRamp | l.away(), kRamp);
    b.route(l.tiles(1, l.length - 2), colour, kRamp | l.away(), l.towards());
    b.route(l.tiles(l.length - 1), colour, kRamp, l.towards());
  }
  return finish_reduce(b, wanted, seed, sum);
}

}  // namespace

LayoutOutcome lay_out_star_reduce(const config::KernelCase& wanted, std::uint64_t seed) {
  const int lanes = wanted.machine.lanes;
  const LineSum sum = [lanes](std::vector<Words>& line, config::Precision precision) { return star_sum(line, precision, lanes); };
  if (wanted.words == 1 && wanted.precision == config::Precision::kFp32) return scalar_star(wanted, seed, sum);

  constexpr unsigned kFence = 4;
  constexpr int kX = 0, kY = 2;  // odd tiles send on the first colour of a pair, even ones on the second
  LayoutBuilder b("12-star-reduce/program.wl", wanted);
  const std::uint32_t width = b.layout().width, height = b.layout().height;
  const auto colour_of = [](std::uint32_t i, int first) { return first + static_cast<int>((i + 1) % 2); };
  const Lines rows{Axis::kX, width, 0, height}, column{Axis::kY, height, 0, 1};
  const auto turned = [](const Lines& l) { return static_cast<std::int64_t>(l.away() | l.towards() << 5U); };
  for (std::uint32_t x = 1; x < width; ++x) b.place({x, 0, 1, height}, {{"X_ROLE", kEnd}, {"X_OUT", colour_of(x, kX)}, {"X_TURN", turned(rows)}});
  for (std::uint32_t y = 0; y < height; ++y) {
    Defines defines{{"X_ROLE", role_of(0, width)}, {"X_ODD", width / 2}, {"X_EVEN", (width - 1) / 2}, {"Y_ROLE", role_of(y, height)}};
    if (y == 0) {
      defines["Y_ODD"] = height / 2;
      defines["Y_EVEN"] = (height - 1) / 2;
    } else {
      defines["Y_OUT"] = colour_of(y, kY);
      defines["Y_TURN"] = turned(column);
    }
    b.place({0, y, 1, 1}, std::move(defines));
  }
  for (const auto& [lines, first] : {std::pair(rows, kX), std::pair(column, kY)}) {
    for (int parity = 0; parity < 2 && lines.length > 1; ++parity) {
      const auto colour = static_cast<unsigned>(first + parity);
      b.route(lines.tiles(0), colour, lines.away(), kRamp);
      for (std::uint32_t i = 1; i < lines.length; ++i) {
        const bool sender = colour_of(i, first) == static_cast<int>(colour);
        b.route(lines.tiles(i), colour, sender ? kRamp : lines.away(), lines.towards());
      }
    }
  }
  b.route({0, 0, width, height}, kFence, kRamp, kRamp);
  return finish_reduce(b, wanted, seed, sum);
}

}  // namespace waferloom::kernels
