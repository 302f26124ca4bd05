#include "host/plan/routes.h"

#include <utility>

#include "host/plan/protocol.h"
#include "sim/generated/fabric.h"
#include "sim/generated/registers.h"

namespace waferloom::plan {
namespace {

constexpr std::uint32_t kNorth = 1, kEast = 2, kSouth = 4, kWest = 8, kRamp = 16;

class Stores {
 public:
  void route(std::uint8_t colour, std::uint32_t receive, std::uint32_t transmit, std::uint32_t position = 0) {
    store(spec::kMmioRoute + 4 * spec::route_index(colour, position), spec::route_word(receive, transmit));
  }
  void switch_control(std::uint8_t colour, std::uint32_t last) {
    store(spec::kMmioRoute + 4 * spec::route_index(colour, spec::kControlWordIndex), spec::switch_word(0, last, false));
  }
  void bind(std::uint8_t queue, std::uint8_t colour) { store(spec::kMmioQueueBind + 4u * queue, 0x80u | colour); }

  std::vector<BootStore> take() { return std::move(stores_); }

 private:
  void store(std::uint32_t offset, std::uint32_t value) { stores_.push_back({spec::kMmioBase + offset, value}); }
  std::vector<BootStore> stores_;
};

}  // namespace

Position position_of(int x, int y, int width, int height) {
  return {x % 2 == 1, x == 0, x == width - 1, y % 2 == 1, y == height - 1};
}

std::uint8_t ring_out_colour(const Position& p) { return p.last_column ? kRingC : p.odd_column ? kRingB : kRingA; }
std::uint8_t chain_x_out_colour(const Position& p) { return p.odd_column ? kChainXOdd : kChainXEven; }
std::uint8_t chain_y_out_colour(const Position& p) { return p.odd_row ? kChainYOdd : kChainYEven; }

std::vector<BootStore> boot_stores(const Position& p) {
  Stores s;
  const bool single = p.first_column && p.last_column;

  s.route(kWeights, kNorth, kRamp | (p.last_row ? 0 : kSouth));
  s.bind(kInWeights, kWeights);

  // Position 0 takes this tile's block; the control wavelet that ends it advances to position 1, which passes the blocks of the tiles below.
  s.route(kLoad, kNorth, kRamp, 0);
  if (!p.last_row) {
    s.route(kLoad, kNorth, kSouth, 1);
    s.switch_control(kLoad, 1);
  }
  s.bind(kInLoad, kLoad);

  // Column chains, northward: each row sends on its parity's colour and receives on the other.
  s.route(chain_y_out_colour(p), kRamp, kNorth);
  if (!p.last_row) {
    const std::uint8_t in = p.odd_row ? kChainYEven : kChainYOdd;
    s.route(in, kSouth, kRamp);
    s.bind(kInChainY, in);
  }
  if (single) return s.take();

  // Ring: eastward from column to column, the last one back to the first.
  s.route(ring_out_colour(p), kRamp, p.last_column ? kWest : kEast);
  if (p.first_column) {
    s.route(kRingC, kEast, kRamp);
    s.bind(kInRing, kRingC);
  } else {
    const std::uint8_t in = p.odd_column ? kRingA : kRingB;
    s.route(in, kWest, kRamp);
    s.bind(kInRing, in);
    if (!p.last_column) s.route(kRingC, kEast, kWest);
  }

  // Row chains, westward, and the broadcast of their result.
  if (!p.first_column) s.route(chain_x_out_colour(p), kRamp, kWest);
  if (!p.last_column) {
    const std::uint8_t in = p.odd_column ? kChainXEven : kChainXOdd;
    s.route(in, kEast, kRamp);
    s.bind(kInChainX, in);
  }
  if (p.first_column) {
    s.route(kBroadcastX, kRamp, kEast);
  } else {
    s.route(kBroadcastX, kWest, kRamp | (p.last_column ? 0 : kEast));
    s.bind(kInBroadcast, kBroadcastX);
  }

  // Multicast from a moving owner: whoever sends also gets its own words back.
  s.route(kMulticastWest, kRamp | (p.last_column ? 0 : kEast), kRamp | (p.first_column ? 0 : kWest));
  s.route(kMulticastEast, kRamp | (p.first_column ? 0 : kWest), kRamp | (p.last_column ? 0 : kEast));
  s.bind(kInMulticastWest, kMulticastWest);
  s.bind(kInMulticastEast, kMulticastEast);
  return s.take();
}

}  // namespace waferloom::plan
