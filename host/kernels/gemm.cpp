// Matrix times matrix, by pieces that go round rings of tiles: Cannon's algorithm on the interleaved rings of He et al. (OSDI 2025), in which ring neighbours are at most
// two hops apart, and with as many pieces as the least common multiple of both sides so that the rectangle need not be square.
//
// With S pieces, W x H tiles and tile (X, Y) counted along the rings: in step t the tile uses piece X S/W + Y S/H + t (modulo S) of both matrices. So its left pieces
// are at first those from X S/W + Y S/H on, S/W of them, and it gets the next one from ring neighbour X + 1; likewise the right ones along y.
#include <numeric>

#include "host/kernels/collectives.h"
#include "host/kernels/golden.h"
#include "host/kernels/lines.h"
#include "sim/macros/arith.h"

namespace waferloom::kernels {
namespace {

constexpr unsigned kRingX = 0, kRingY = 4;  // four colours each

// Place of a tile on its ring: even tiles first, then the odd ones backwards; and the tile at a place.
std::uint32_t ring_place(std::uint32_t tile, std::uint32_t length) { return tile % 2 == 0 ? tile / 2 : length - 1 - tile / 2; }
std::uint32_t ring_tile(std::uint32_t place, std::uint32_t length) { return place < divided_up(length, 2) ? 2 * place : 2 * (length - 1 - place) + 1; }

// To whom a tile sends, from whom it receives.
std::uint32_t sends_to(std::uint32_t tile, std::uint32_t length) { return ring_tile((ring_place(tile, length) + length - 1) % length, length); }
std::uint32_t takes_from(std::uint32_t tile, std::uint32_t length) { return ring_tile((ring_place(tile, length) + 1) % length, length); }

// By sender: neighbours in a chain of even, or of odd, tiles alternate.
unsigned colour_of(std::uint32_t sender, unsigned first) { return first + sender % 2 * 2 + sender / 2 % 2; }

void route_ring(LayoutBuilder& b, const Lines& lines, unsigned first) {
  if (lines.length == 1) return;
  for (std::uint32_t from = 0; from < lines.length; ++from) {
    const std::uint32_t to = sends_to(from, lines.length);
    const unsigned colour = colour_of(from, first), on = to > from ? lines.away() : lines.towards(), back = to > from ? lines.towards() : lines.away();
    b.route(lines.tiles(from), colour, kRamp, on);
    if (to > from + 1) b.route(lines.tiles(from + 1), colour, back, on);
    if (from > to + 1) b.route(lines.tiles(from - 1), colour, back, on);
    b.route(lines.tiles(to), colour, back, kRamp);
  }
}

struct MatrixProduct {
  std::uint32_t rows, inner, columns;  // of the matrices
  std::uint32_t width, height;         // tiles
  std::uint32_t steps;                 // pieces
  std::uint32_t block_rows, block_columns, piece;
  config::Precision precision;
  std::uint64_t seed;

  bool half() const { return precision == config::Precision::kFp16; }
  std::uint32_t words_of(std::uint32_t elements) const { return half() ? divided_up(elements, 2) : elements; }
  std::uint32_t left_words() const { return words_of(block_rows * piece); }
  std::uint32_t right_words() const { return words_of(piece * block_columns); }
  std::uint32_t result_words() const { return words_of(block_rows * block_columns); }
  // A ring needs one place more than the tile has pieces.
  std::uint32_t left_places() const { return steps / width + (width > 1 ? 1 : 0); }
  std::uint32_t right_places() const { return steps / height + (height > 1 ? 1 : 0); }

  // Elements beyond the matrices are zero.
  std::uint32_t value(std::uint32_t row, std::uint32_t column, bool right) const {
    const bool inside = right ? row < inner && column < columns : row < rows && column < inner;
    return inside ? random_word(seed, column, row, right ? 1 : 0, precision) & (half() ? 0xffffU : 0xffffffffU) : 0;
  }
  std::uint32_t left(std::uint32_t row, std::uint32_t k) const { return value(row, k, false); }
  std::uint32_t right(std::uint32_t k, std::uint32_t column) const { return value(k, column, true); }

  std::uint32_t first_piece(std::uint32_t x, std::uint32_t y) const { return ring_place(x, width) * (steps / width) + ring_place(y, height) * (steps / height); }

  // Appends rows of numbers, packed as one.
  template <class F>
  void append(Words* to, std::uint32_t row_count, std::uint32_t column_count, F&& element) const {
    const std::size_t begin = to->size();
    to->resize(begin + words_of(row_count * column_count), 0);
    for (std::uint32_t i = 0; i < row_count * column_count; ++i) {
      const std::uint32_t bits = element(i / column_count, i % column_count);
      if (half()) (*to)[begin + i / 2] |= bits << (i % 2 * 16);
      if (!half()) (*to)[begin + i] = bits;
    }
  }

  Words initial(std::uint32_t x, std::uint32_t y) const {
    Words words(result_words(), 0);
    const std::uint32_t first = first_piece(x, y);
    for (std::uint32_t i = 0; i < steps / width; ++i) {
      append(&words, block_rows, piece, [&](std::uint32_t row, std::uint32_t k) { return left(y * block_rows + row, (first + i) % steps * piece + k); });
    }
    words.resize(result_words() + left_places() * left_words(), 0);
    for (std::uint32_t i = 0; i < steps / height; ++i) {
      append(&words, piece, block_columns, [&](std::uint32_t k, std::uint32_t column) { return right((first + i) % steps * piece + k, x * block_columns + column); });
    }
    return words;
  }

  // Pieces in the order in which the tile uses them, fused multiply-adds from +0 on.
  Words result(std::uint32_t x, std::uint32_t y) const {
    Words words;
    const std::uint32_t first = first_piece(x, y);
    append(&words, block_rows, block_columns, [&](std::uint32_t row, std::uint32_t column) {
      std::uint32_t sum = 0;
      for (std::uint32_t t = 0; t < steps; ++t) {
        for (std::uint32_t k = (first + t) % steps * piece, end = k + piece; k < end; ++k) {
          const std::uint32_t a = left(y * block_rows + row, k), b = right(k, x * block_columns + column);
          sum = half() ? macros::fma16(static_cast<std::uint16_t>(b), static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(sum)) : macros::fma32(b, a, sum);
        }
      }
      return sum;
    });
    return words;
  }
};

MatrixProduct matrix_product_of(const config::KernelCase& wanted, std::uint64_t seed) {
  MatrixProduct p{};
  p.rows = static_cast<std::uint32_t>(wanted.rows);
  p.inner = static_cast<std::uint32_t>(wanted.inner);
  p.columns = static_cast<std::uint32_t>(wanted.columns);
  p.width = static_cast<std::uint32_t>(wanted.width);
  p.height = static_cast<std::uint32_t>(wanted.height);
  p.precision = wanted.precision;
  p.seed = seed;
  p.steps = std::lcm(p.width, p.height);
  p.block_rows = divided_up(p.rows, p.height);
  p.block_columns = divided_up(p.columns, p.width);
  p.piece = divided_up(p.inner, p.steps);
  return p;
}

}  // namespace

LayoutOutcome lay_out_gemm(const config::KernelCase& wanted, std::uint64_t seed) {
  const MatrixProduct p = matrix_product_of(wanted, seed);
  LayoutBuilder b("19-gemm/program.wl", wanted);
  const auto count = [](std::uint32_t n) { return std::uint64_t{n}; };
  const std::uint64_t elements = count(p.block_rows) * p.block_columns + count(p.left_places()) * p.block_rows * p.piece + count(p.right_places()) * p.piece * p.block_columns;
  b.holds(elements * (p.half() ? 2 : 4), "rows");
  for (std::uint32_t y = 0; y < p.height; ++y) {
    for (std::uint32_t x = 0; x < p.width; ++x) {
      Defines defines{{"STEPS", p.steps}, {"ROWS", p.block_rows}, {"COLUMNS", p.block_columns}, {"INNER", p.piece}, {"X_PLACES", p.left_places()}, {"Y_PLACES", p.right_places()}};
      if (p.width > 1) {
        defines["X_RING"] = 1;
        defines["X_OUT"] = colour_of(x, kRingX);
        defines["X_IN"] = colour_of(takes_from(x, p.width), kRingX);
      }
      if (p.height > 1) {
        defines["Y_RING"] = 1;
        defines["Y_OUT"] = colour_of(y, kRingY);
        defines["Y_IN"] = colour_of(takes_from(y, p.height), kRingY);
      }
      b.place({x, y, 1, 1}, std::move(defines));
    }
  }
  route_ring(b, {Axis::kX, p.width, 0, p.height}, kRingX);
  route_ring(b, {Axis::kY, p.height, 0, p.width}, kRingY);
  Refusal refusal;
  refusal.message = b.assemble(&refusal.key, &refusal.hint);
  if (!refusal.message.empty()) return refusal;
  KernelLayout& layout = b.layout();
  layout.words = p.result_words();
  layout.initial = [p](std::uint32_t x, std::uint32_t y) { return p.initial(x, y); };
  layout.expected = [p](const std::function<void(const Expected&)>& sink) {
    for (std::uint32_t y = 0; y < p.height; ++y) {
      for (std::uint32_t x = 0; x < p.width; ++x) sink({{x, y, 1, 1}, 0, p.result(x, y)});
    }
  };
  return std::move(layout);
}

}  // namespace waferloom::kernels
