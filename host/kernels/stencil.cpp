// The 25-point stencil of the wave equation, each tile a column of cells (Jacquelin et al., SC 2022): neighbours up to four tiles away in four directions come over
// the fabric, by broadcasts of five tiles' length that take turns.
//
// In a direction of flow a tile has a place p, counted from where the flow begins. Tiles at even and at odd places send on a colour each. On one colour, places
// p, p + 6, p + 12 ... send at the same time, then p + 2 ..., then p + 4 ...: their columns reach four places, so they do not meet. A tile sees three turns of its
// own colour: it sends; it is the end of the column of place p - 4; it passes on that of place p - 2. Its switch goes round these, moved by the control wavelet
// behind each column. On the other colour it passes everything on, all the time. Turns whose sender lies outside the rectangle are left out.
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "host/kernels/collectives.h"
#include "sim/macros/arith.h"

namespace waferloom::kernels {
namespace {

constexpr std::uint32_t kReach = 4, kHalo = 4, kProducts = 17;

struct Flow {
  std::uint32_t length = 1;  // tiles
  bool reversed = false;     // place 0 is at the high end
  bool along_x = true;
  unsigned from = 0, to = 0;  // directions
  bool loops = false;         // the own column comes back too
  std::uint32_t place(std::uint32_t i) const { return reversed ? length - 1 - i : i; }
};

std::array<Flow, 4> flows_of(std::uint32_t width, std::uint32_t height) {
  return {{{width, false, true, kWest, kEast, true}, {width, true, true, kEast, kWest, false}, {height, false, false, kNorth, kSouth, false}, {height, true, false, kSouth, kNorth, false}}};
}

std::uint32_t turn_of(std::uint32_t place) { return place / 2 % 3; }
bool last(const Flow& flow, std::uint32_t place) { return place + 1 == flow.length; }
bool sends(const Flow& flow, std::uint32_t place) { return flow.loops || !last(flow, place); }

// Distances of the senders of a tile's own colour, in order of their turns; 0 is the tile itself.
std::vector<std::uint32_t> own_turns(const Flow& flow, std::uint32_t place) {
  std::vector<std::uint32_t> turns;
  for (std::uint32_t turn = 0; turn < 3; ++turn) {
    const std::uint32_t distance = turn == turn_of(place) ? 0 : turn == (turn_of(place) + 2) % 3 ? 2 : 4;
    if (distance == 0 ? sends(flow, place) : distance <= place) turns.push_back(distance);
  }
  return turns;
}

// The same of the other colour.
std::vector<std::uint32_t> other_turns(std::uint32_t place) {
  if (place < 1) return {};
  if (place < 3) return {1};
  if (turn_of(place - 3) < turn_of(place - 1)) return {3, 1};
  return {1, 3};
}

struct Stream {
  std::uint32_t parity = 0, distance = 0;
};

// What a tile receives, in the order in which it takes it: all of the even colour, then all of the odd one.
std::vector<Stream> streams_of(const Flow& flow, std::uint32_t place) {
  std::vector<Stream> streams;
  for (std::uint32_t parity = 0; parity < 2; ++parity) {
    for (const std::uint32_t distance : place % 2 == parity ? own_turns(flow, place) : other_turns(place)) {
      if (distance != 0 || flow.loops) streams.push_back({parity, distance});
    }
  }
  return streams;
}

std::uint32_t product_index(std::size_t flow, std::uint32_t distance) { return distance == 0 ? 0 : static_cast<std::uint32_t>(kReach * flow) + distance; }

void lay_routes(LayoutBuilder& b, const Flow& flow, unsigned first_colour) {
  for (std::uint32_t i = 0; i < flow.length; ++i) {
    const std::uint32_t place = flow.place(i);
    const Region tiles = flow.along_x ? Region{i, 0, 1, b.layout().height} : Region{0, i, b.layout().width, 1};
    const unsigned on = last(flow, place) ? 0 : flow.to, own = first_colour + place % 2, other = first_colour + 1 - place % 2;
    const std::vector<std::uint32_t> turns = own_turns(flow, place);
    for (unsigned t = 0; t < turns.size(); ++t) {
      if (turns[t] == 0) b.route(tiles, own, kRamp, on | (flow.loops ? kRamp : 0), t);
      if (turns[t] == 2) b.route(tiles, own, flow.from, kRamp | on, t);
      if (turns[t] == 4) b.route(tiles, own, flow.from, kRamp, t);
    }
    if (turns.size() > 1) b.turn(tiles, own, static_cast<unsigned>(turns.size()) - 1);
    if (place > 0) b.route(tiles, other, flow.from, kRamp | on);
  }
}

// Of an eighth-order wave equation, c**2 dt**2 / h**2 = 0.11, 0.09 and 0.10 along x, y and z.
struct Coefficients {
  std::array<std::uint32_t, kProducts> products{};
  std::array<std::uint32_t, kReach> along_z{};  // by distance less one
};

std::uint32_t bits(double value) {
  const auto single = static_cast<float>(value);
  std::uint32_t pattern = 0;
  std::memcpy(&pattern, &single, sizeof pattern);
  return pattern;
}

Coefficients coefficients() {
  constexpr double kCentre = -205.0 / 72, kAway[kReach] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  constexpr double kX = 0.11, kY = 0.09, kZ = 0.10;
  Coefficients c;
  c.products[0] = bits(2 + kCentre * (kX + kY + kZ));
  for (std::uint32_t d = 1; d <= kReach; ++d) {
    c.products[d] = c.products[kReach + d] = bits(kX * kAway[d - 1]);
    c.products[2 * kReach + d] = c.products[3 * kReach + d] = bits(kY * kAway[d - 1]);
    c.along_z[d - 1] = bits(kZ * kAway[d - 1]);
  }
  return c;
}

Defines defines_of(const std::array<Flow, 4>& flows, std::uint32_t x, std::uint32_t y, const config::KernelCase& wanted) {
  Defines d{{"CELLS", wanted.cells}, {"STEPS", wanted.steps}};
  std::int64_t pending = 0, bound = 0;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const Flow& flow = flows[f];
    const std::uint32_t place = flow.place(flow.along_x ? x : y);
    const std::string number = std::to_string(f);
    const std::vector<Stream> streams = streams_of(flow, place);
    std::int64_t order = 0;
    for (std::size_t k = 0; k < streams.size(); ++k) {
      const std::int64_t queue = static_cast<std::int64_t>(2 * f) + streams[k].parity;
      order |= (std::int64_t{product_index(f, streams[k].distance)} << 3 | queue) << 8 * k;
      bound |= std::int64_t{1} << queue;
    }
    d["TAKES" + number] = static_cast<std::int64_t>(streams.size());
    d["ORDER" + number] = order;
    d["SENDS" + number] = sends(flow, place) ? 1 : 0;
    d["COLOUR" + number] = static_cast<std::int64_t>(2 * f) + place % 2;
    pending += (streams.empty() ? 0 : 1) + (sends(flow, place) ? 1 : 0);
  }
  d["PENDING"] = pending;
  d["BOUND"] = bound;
  const Coefficients c = coefficients();
  d["C_OWN"] = c.products[0];
  for (std::uint32_t k = 1; k <= kReach; ++k) {
    d["C_X" + std::to_string(k)] = c.products[k];
    d["C_Y" + std::to_string(k)] = c.products[2 * kReach + k];
    d["C_Z" + std::to_string(k)] = c.along_z[k - 1];
  }
  return d;
}

// The whole grid on the host, in the tiles' order of operations.
class Grid {
 public:
  Grid(const config::KernelCase& wanted, std::uint64_t seed)
      : width_(static_cast<std::uint32_t>(wanted.width)), height_(static_cast<std::uint32_t>(wanted.height)), cells_(static_cast<std::uint32_t>(wanted.cells)) {
    now_.resize(std::size_t{width_} * height_);
    before_.resize(now_.size());
    for (std::uint32_t y = 0; y < height_; ++y) {
      for (std::uint32_t x = 0; x < width_; ++x) {
        for (const bool past : {false, true}) (past ? before_ : now_)[y * width_ + x] = column(seed, x, y, cells_, past);
      }
    }
  }

  static Words column(std::uint64_t seed, std::uint32_t x, std::uint32_t y, std::uint32_t cells, bool past) {
    Words words(cells + 2 * kHalo, 0);
    for (std::uint32_t z = 0; z < cells; ++z) words[kHalo + z] = random_word(seed, x, y, past ? cells + z : z, config::Precision::kFp32);
    return words;
  }

  void step() {
    const Coefficients c = coefficients();
    const std::array<Flow, 4> flows = flows_of(width_, height_);
    for (std::uint32_t y = 0; y < height_; ++y) {
      for (std::uint32_t x = 0; x < width_; ++x) {
        std::array<const Words*, kProducts> from{};
        const Words& own = now_[y * width_ + x];
        from[0] = &own;
        for (std::size_t f = 0; f < flows.size(); ++f) {
          for (std::uint32_t d = 1; d <= kReach; ++d) {
            if (d > flows[f].place(flows[f].along_x ? x : y)) continue;
            const std::int64_t away = flows[f].reversed ? d : -std::int64_t{d};
            from[product_index(f, d)] = &now_[static_cast<std::size_t>((flows[f].along_x ? y : y + away) * width_ + (flows[f].along_x ? x + away : x))];
          }
        }
        Words& old = before_[y * width_ + x];
        for (std::uint32_t z = kHalo; z < cells_ + kHalo; ++z) {
          std::uint32_t sum = 0;
          for (std::uint32_t k = 0; k < kProducts; ++k) sum = macros::add32(sum, from[k] == nullptr ? 0 : macros::mul32((*from[k])[z], c.products[k]));
          for (std::uint32_t k = 0; k < 2 * kReach; ++k) {
            const std::uint32_t distance = k < kReach ? kReach - k : k - kReach + 1;
            sum = macros::fma32(c.along_z[distance - 1], own[k < kReach ? z - distance : z + distance], sum);
          }
          old[z] = macros::add32(sum, old[z] ^ 0x80000000U);
        }
      }
    }
    now_.swap(before_);
  }

  Words cells(std::uint32_t x, std::uint32_t y) const {
    const Words& words = now_[y * width_ + x];
    return {words.begin() + kHalo, words.end() - kHalo};
  }

 private:
  std::uint32_t width_, height_, cells_;
  std::vector<Words> now_, before_;
};

}  // namespace

LayoutOutcome lay_out_stencil25(const config::KernelCase& wanted, std::uint64_t seed) {
  if (wanted.precision != config::Precision::kFp32) return Refusal{"precision", "stencil25 is for binary32", "remove 'precision'"};
  LayoutBuilder b("20-stencil25/program.wl", wanted);
  const auto width = static_cast<std::uint32_t>(wanted.width), height = static_cast<std::uint32_t>(wanted.height), cells = static_cast<std::uint32_t>(wanted.cells);
  b.holds(4 * (2 * (std::uint64_t{cells} + 2 * kHalo) + (kProducts + 1) * std::uint64_t{cells}), "cells");
  const std::array<Flow, 4> flows = flows_of(width, height);
  if (wanted.machine.colours < 8) return Refusal{"kernel", "stencil25 needs 8 colours", "name a larger machine"};
  // Tiles in the middle of a side differ only in their turns: six places repeat.
  std::map<Defines, std::size_t> kinds[2];  // of columns, of rows
  std::vector<std::size_t> column(width), row(height);
  for (std::uint32_t x = 0; x < width; ++x) column[x] = kinds[0].emplace(defines_of(flows, x, 0, wanted), kinds[0].size()).first->second;
  for (std::uint32_t y = 0; y < height; ++y) row[y] = kinds[1].emplace(defines_of(flows, 0, y, wanted), kinds[1].size()).first->second;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> images;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      const auto [entry, fresh] = images.emplace(std::pair(column[x], row[y]), 0);
      if (fresh) entry->second = b.image_of(defines_of(flows, x, y, wanted));
      b.place_image({x, y, 1, 1}, entry->second);
    }
  }
  for (std::size_t f = 0; f < flows.size(); ++f) lay_routes(b, flows[f], static_cast<unsigned>(2 * f));
  Refusal refusal;
  refusal.message = b.assemble(&refusal.key, &refusal.hint);
  if (!refusal.message.empty()) return refusal;
  KernelLayout& layout = b.layout();
  layout.words = 2 * (cells + 2 * kHalo);
  layout.initial = [seed, cells](std::uint32_t x, std::uint32_t y) {
    Words words = Grid::column(seed, x, y, cells, false);
    const Words past = Grid::column(seed, x, y, cells, true);
    words.insert(words.end(), past.begin(), past.end());
    return words;
  };
  layout.expected = [wanted, seed, width, height, cells](const std::function<void(const Expected&)>& sink) {
    Grid grid(wanted, seed);
    for (int k = 0; k < wanted.steps; ++k) grid.step();
    const std::uint32_t offset = 4 * (kHalo + (wanted.steps % 2 == 0 ? 0 : cells + 2 * kHalo));
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) sink({{x, y, 1, 1}, offset, grid.cells(x, y)});
    }
  };
  return std::move(layout);
}

}  // namespace waferloom::kernels
