#include "host/block/routes.h"

#include "host/plan/protocol.h"
#include "sim/generated/fabric.h"
#include "sim/generated/registers.h"

namespace waferloom::block {
namespace {

constexpr std::uint32_t kNorth = 1, kEast = 2, kSouth = 4, kWest = 8, kRamp = 16;

struct Stores {
  std::vector<plan::BootStore> list;
  void route(int colour, std::uint32_t receive, std::uint32_t transmit) {
    list.push_back({spec::kMmioBase + spec::kMmioRoute + 4 * spec::route_index(static_cast<std::uint32_t>(colour), 0), spec::route_word(receive, transmit)});
  }
  void bind(std::uint32_t queue, int colour) { list.push_back({spec::kMmioBase + spec::kMmioQueueBind + 4 * queue, 0x80u | static_cast<std::uint32_t>(colour)}); }
};

}  // namespace

std::vector<plan::BootStore> boot_stores(const Shape& shape, int x, int y) {
  using namespace plan;
  Stores s;
  const Position p = position_of(x, y, shape.width, shape.height);
  s.route(kWeights, kNorth, kRamp | (p.last_row ? 0 : kSouth));
  s.bind(kInWeights, kWeights);

  s.route(chain_y_out_colour(p), kRamp, kNorth);
  if (!p.last_row) {
    const int in = p.odd_row ? kChainYEven : kChainYOdd;
    s.route(in, kSouth, kRamp);
    s.bind(kInChainY, in);
  }

  s.route(ring_out_colour(p), kRamp, p.last_column ? kWest : kEast);
  if (p.first_column) {
    s.route(kRingC, kEast, kRamp);
    s.bind(kInRing, kRingC);
  } else {
    const int in = p.odd_column ? kRingA : kRingB;
    s.route(in, kWest, kRamp);
    s.bind(kInRing, in);
    if (!p.last_column) s.route(kRingC, kEast, kWest);
  }

  s.route(kMulticastWest, kRamp | (p.last_column ? 0 : kEast), kRamp | (p.first_column ? 0 : kWest));
  s.route(kMulticastEast, kRamp | (p.first_column ? 0 : kWest), kRamp | (p.last_column ? 0 : kEast));
  s.bind(kInMulticastWest, kMulticastWest);
  s.bind(kInMulticastEast, kMulticastEast);

  // Within a head: chains westward, a broadcast back.
  const int columns = shape.head_columns(), place = x % columns;
  if (place > 0) s.route(chain_x_out_colour(p), kRamp, kWest);
  if (place < columns - 1) {
    const int in = p.odd_column ? kChainXEven : kChainXOdd;
    s.route(in, kEast, kRamp);
    s.bind(kInChainX, in);
  }
  if (columns > 1) {
    if (place == 0) {
      s.route(kBroadcastX, kRamp, kEast);
    } else {
      s.route(kBroadcastX, kWest, kRamp | (place == columns - 1 ? 0 : kEast));
      s.bind(kInBroadcast, kBroadcastX);
    }
  }

  // Within a sequence: southward from row to row, the last one back to the first.
  const int rows = shape.sequence_rows(), row = y % rows;
  if (rows > 1) {
    const bool last = row == rows - 1;
    s.route(last ? kRotateC : row % 2 == 1 ? kRotateB : kRotateA, kRamp, last ? kNorth : kSouth);
    const int in = row == 0 ? kRotateC : row % 2 == 1 ? kRotateA : kRotateB;
    s.route(in, row == 0 ? kSouth : kNorth, kRamp);
    s.bind(kInLoad, in);
    if (!last && row != 0) s.route(kRotateC, kSouth, kNorth);
  }
  return s.list;
}

}  // namespace waferloom::block
