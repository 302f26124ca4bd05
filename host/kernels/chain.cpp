// Broadcast by flooding, reduction by a chain, and both together.
#include "host/kernels/chain_legs.h"
#include "host/kernels/collectives.h"
#include "host/kernels/golden.h"

namespace waferloom::kernels {
namespace {

constexpr int kChainX = 0, kChainY = 2;  // colours kChainX, kChainX + 1 along x, kChainY, kChainY + 1 along y
constexpr unsigned kChainFlood = 4;      // of an allreduce's broadcast

// Chains along x, then along y in column 0. `root`, `other`: further definitions of tile (0, 0), of the others.
void lay_chains(LayoutBuilder& b, const Defines& root, const Defines& other) {
  const std::uint32_t width = b.layout().width, height = b.layout().height;
  const auto defines = [&](std::uint32_t x, std::uint32_t y) {
    const Leg along_x = leg_of(x, width, kChainX);
    const Leg along_y = x == 0 ? leg_of(y, height, kChainY) : Leg{};
    Defines made{{"X_ROLE", along_x.role}, {"X_IN", along_x.in}, {"X_OUT", along_x.out}, {"Y_ROLE", along_y.role}, {"Y_IN", along_y.in}, {"Y_OUT", along_y.out}};
    const Defines& more = x == 0 && y == 0 ? root : other;
    made.insert(more.begin(), more.end());
    return made;
  };
  for (std::uint32_t x = 1; x < width; ++x) b.place({x, 0, 1, height}, defines(x, 0));
  for (std::uint32_t y = 0; y < height; ++y) b.place({0, y, 1, 1}, defines(0, y));
  const Lines rows{Axis::kX, width, 0, height}, column{Axis::kY, height, 0, 1};
  for (std::uint32_t x = 0; x < width; ++x) route_leg(b, rows, x, leg_of(x, width, kChainX));
  for (std::uint32_t y = 0; y < height; ++y) route_leg(b, column, y, leg_of(y, height, kChainY));
}

// From tile (0, 0): the first row floods east and down, every column down.
void route_flood(LayoutBuilder& b, unsigned colour) {
  const std::uint32_t width = b.layout().width, height = b.layout().height;
  for (std::uint32_t x = 0; x < width; ++x) {
    const unsigned on = (x + 1 < width ? kEast : 0) | (height > 1 ? kSouth : 0);
    if (x == 0 && on != 0) b.route({x, 0, 1, 1}, colour, kRamp, on);
    if (x == 1 && width > 2) b.route({1, 0, width - 2, 1}, colour, kWest, kRamp | on);
    if (x + 1 == width && x > 0) b.route({x, 0, 1, 1}, colour, kWest, kRamp | on);
  }
  if (height > 2) b.route({0, 1, width, height - 2}, colour, kNorth, kRamp | kSouth);
  if (height > 1) b.route({0, height - 1, width, 1}, colour, kNorth, kRamp);
}

int root_of(LayoutBuilder& b) { return b.layout().width * b.layout().height > 1 ? 1 : 2; }

}  // namespace

LayoutOutcome lay_out_chain_reduce(const config::KernelCase& wanted, std::uint64_t seed) {
  LayoutBuilder b("11-chain-reduce/program.wl", wanted);
  lay_chains(b, {}, {});
  return finish_reduce(b, wanted, seed, chain_sum);
}

LayoutOutcome lay_out_chain_allreduce(const config::KernelCase& wanted, std::uint64_t seed) {
  LayoutBuilder b("16-reduce-broadcast/program.wl", wanted);
  lay_chains(b, {{"ROOT", root_of(b)}, {"FLOOD", kChainFlood}}, {{"FLOOD", kChainFlood}});
  route_flood(b, kChainFlood);
  return finish_everywhere(b, wanted, seed, [wanted, seed] { return rectangle_sum(wanted, seed, chain_sum); });
}

LayoutOutcome lay_out_broadcast(const config::KernelCase& wanted, std::uint64_t seed) {
  LayoutBuilder b("10-flood-broadcast/program.wl", wanted);
  const std::uint32_t width = b.layout().width, height = b.layout().height, words = b.layout().words;
  b.place({0, 0, 1, 1}, {{"ROOT", root_of(b)}});
  b.place({1, 0, width - 1, 1}, {});
  b.place({0, 1, width, height - 1}, {});
  route_flood(b, 0);
  return finish_everywhere(b, wanted, seed, [seed, words, wanted] { return random_vector(seed, 0, 0, words, wanted.precision); });
}

}  // namespace waferloom::kernels
