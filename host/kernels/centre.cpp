// Allreduce of a single word with its root in the middle of the rectangle.
#include <algorithm>

#include "host/kernels/chain_legs.h"
#include "host/kernels/collectives.h"
#include "host/kernels/golden.h"

namespace waferloom::kernels {
namespace {

constexpr unsigned kColourX = 0, kColourY = 1, kColourPair = 2, kColourLast = 3, kColourFlood = 4;  // 17-centre-allreduce/program.wl

// One half of a row or column: its receiver is its tile nearest to the middle.
struct Half {
  std::uint32_t first = 0, count = 0;
  std::uint32_t receiver = 0;
};

struct Split {
  std::vector<Half> halves;  // one if there is one tile, else two
  const Half& of(std::uint32_t i) const { return i < halves[0].first + halves[0].count ? halves[0] : halves[1]; }
  std::uint32_t middle() const { return halves[0].receiver; }
};

Split split(std::uint32_t length) {
  if (length == 1) return {{{0, 1, 0}}};
  const std::uint32_t low = length / 2;
  return {{{0, low, low - 1}, {low, length - low, low}}};
}

int role_of(std::uint32_t i, const Half& half) { return half.count == 1 ? kNone : i == half.receiver ? kRoot : kEnd; }

Region region(Axis axis, std::uint32_t from, std::uint32_t count, std::uint32_t line, std::uint32_t across) {
  return axis == Axis::kX ? Region{from, line, count, across} : Region{line, from, across, count};
}

// All values of a half walk to its receiver; a router takes them from its ramp and from behind.
void route_half(LayoutBuilder& b, Axis axis, const Half& half, bool low, unsigned colour, std::uint32_t line, std::uint32_t across) {
  if (half.count == 1) return;
  const unsigned up = axis == Axis::kX ? kEast : kSouth, down = axis == Axis::kX ? kWest : kNorth;
  const unsigned on = low ? up : down, behind = low ? down : up;
  const std::uint32_t far = low ? half.first : half.first + half.count - 1;
  const std::uint32_t within = low ? half.first + 1 : half.first + 1;
  b.route(region(axis, far, 1, line, across), colour, kRamp, on);
  b.route(region(axis, within, half.count - 2, line, across), colour, kRamp | behind, on);
  b.route(region(axis, half.receiver, 1, line, across), colour, kRamp | behind, kRamp);
}

// In the order in which the values arrive: the receiver's own, then its neighbour's.
Words half_sum(const std::vector<Words>& line, const Half& half, config::Precision precision, int lanes) {
  std::vector<Words> in_order;
  for (std::uint32_t k = 0; k < half.count; ++k) in_order.push_back(line[half.receiver == half.first ? half.first + k : half.receiver - k]);
  return star_sum(in_order, precision, lanes);
}

Words centre_sum(const config::KernelCase& wanted, std::uint64_t seed, const Split& xs, const Split& ys) {
  const auto width = static_cast<std::uint32_t>(wanted.width), height = static_cast<std::uint32_t>(wanted.height);
  const int lanes = wanted.machine.lanes;
  std::vector<std::vector<Words>> columns(xs.halves.size());  // of the middle columns, by row
  std::vector<Words> row(width);
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) row[x] = random_vector(seed, x, y, 1, wanted.precision);
    for (std::size_t h = 0; h < xs.halves.size(); ++h) columns[h].push_back(half_sum(row, xs.halves[h], wanted.precision, lanes));
  }
  std::vector<Words> rows;  // of the middle rows
  for (const Half& half : ys.halves) {
    Words sum = half_sum(columns[0], half, wanted.precision, lanes);
    if (columns.size() == 2) add_to(sum, half_sum(columns[1], half, wanted.precision, lanes), wanted.precision);
    rows.push_back(std::move(sum));
  }
  if (rows.size() == 2) add_to(rows[0], rows[1], wanted.precision);
  return rows[0];
}

// From (mx, my) along its row both ways, and from every tile of that row along its column both ways.
void route_flood(LayoutBuilder& b, std::uint32_t mx, std::uint32_t my) {
  const std::uint32_t width = b.layout().width, height = b.layout().height;
  const unsigned columns = (my > 0 ? kNorth : 0) | (my + 1 < height ? kSouth : 0);
  for (std::uint32_t x = 0; x < width; ++x) {
    const unsigned west = x > 0 ? kWest : 0, east = x + 1 < width ? kEast : 0;
    if (x == mx && (west | east | columns) != 0) b.route({x, my, 1, 1}, kColourFlood, kRamp, west | east | columns);
    if (x < mx) b.route({x, my, 1, 1}, kColourFlood, kEast, west | columns | kRamp);
    if (x > mx) b.route({x, my, 1, 1}, kColourFlood, kWest, east | columns | kRamp);
  }
  if (my > 1) b.route({0, 1, width, my - 1}, kColourFlood, kSouth, kNorth | kRamp);
  if (my > 0) b.route({0, 0, width, 1}, kColourFlood, kSouth, kRamp);
  if (my + 2 < height) b.route({0, my + 1, width, height - my - 2}, kColourFlood, kNorth, kSouth | kRamp);
  if (my + 1 < height) b.route({0, height - 1, width, 1}, kColourFlood, kNorth, kRamp);
}

}  // namespace

LayoutOutcome lay_out_centre_allreduce(const config::KernelCase& wanted, std::uint64_t seed) {
  if (wanted.words != 1) return Refusal{"words", "allreduce_centre is for single words", "write 'words: 1', or take allreduce_chain"};
  LayoutBuilder b("17-centre-allreduce/program.wl", wanted);
  const std::uint32_t width = b.layout().width, height = b.layout().height;
  const Split xs = split(width), ys = split(height);
  const auto defines = [&](std::uint32_t x, std::uint32_t y) {
    const Half &along_x = xs.of(x), &along_y = ys.of(y);
    Defines made{{"X_ROLE", role_of(x, along_x)}};
    if (made["X_ROLE"] == kRoot) made["X_COUNT"] = along_x.count;
    if (x == along_x.receiver) {
      made["Y_ROLE"] = role_of(y, along_y);
      if (made["Y_ROLE"] == kRoot) made["Y_COUNT"] = along_y.count;
      if (y == along_y.receiver) {
        if (xs.halves.size() == 2) made["PAIR_ROLE"] = x == xs.middle() ? kRoot : kEnd;
        if (ys.halves.size() == 2 && x == xs.middle()) made["LAST_ROLE"] = y == ys.middle() ? kRoot : kEnd;
        if (x == xs.middle() && y == ys.middle()) made["ROOT"] = width * height > 1 ? 1 : 2;
      }
    }
    return made;
  };
  // Columns beside the middle ones are all alike; the middle ones row by row.
  for (const Half& half : xs.halves) {
    if (half.count > 1) b.place({half.receiver == half.first ? half.first + 1 : half.first, 0, half.count - 1, height}, defines(half.receiver == half.first ? half.first + 1 : half.first, 0));
    for (std::uint32_t y = 0; y < height; ++y) b.place({half.receiver, y, 1, 1}, defines(half.receiver, y));
  }
  for (std::size_t h = 0; h < xs.halves.size(); ++h) {
    route_half(b, Axis::kX, xs.halves[h], h == 0, kColourX, 0, height);
    for (std::size_t v = 0; v < ys.halves.size(); ++v) route_half(b, Axis::kY, ys.halves[v], v == 0, kColourY, xs.halves[h].receiver, 1);
  }
  const std::uint32_t mx = xs.middle(), my = ys.middle();
  if (xs.halves.size() == 2) {
    for (const Half& half : ys.halves) {
      b.route({mx + 1, half.receiver, 1, 1}, kColourPair, kRamp, kWest);
      b.route({mx, half.receiver, 1, 1}, kColourPair, kEast, kRamp);
    }
  }
  if (ys.halves.size() == 2) {
    b.route({mx, my + 1, 1, 1}, kColourLast, kRamp, kNorth);
    b.route({mx, my, 1, 1}, kColourLast, kSouth, kRamp);
  }
  route_flood(b, mx, my);
  return finish_everywhere(b, wanted, seed, [wanted, seed, xs, ys] { return centre_sum(wanted, seed, xs, ys); });
}

}  // namespace waferloom::kernels
