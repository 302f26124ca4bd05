// Matrix times vector: rows of the matrix split over rows of tiles, its columns over columns of tiles, the partial sums of a row of tiles added by a chain and
// given back to the row. This is the distribution and the pipelined allreduce that published work on the wafer compares with (He et al., OSDI 2025).
#include <algorithm>

#include "host/kernels/chain_legs.h"
#include "host/kernels/collectives.h"
#include "host/kernels/golden.h"
#include "sim/macros/arith.h"

namespace waferloom::kernels {
namespace {

constexpr int kRowX = 0;  // colours kRowX, kRowX + 1
constexpr unsigned kRowFlood = 2;

// The whole product: sizes, values and the golden result of a row of tiles. Elements beyond the matrix are zero.
struct VectorProduct {
  std::uint32_t rows, columns;        // of the matrix
  std::uint32_t width, height;        // tiles
  std::uint32_t elements, words, inner;  // of a tile: results, their words, columns of its block
  config::Precision precision;
  std::uint64_t seed;

  bool half() const { return precision == config::Precision::kFp16; }

  // Words of one column of numbers, two in a word if they are half as wide.
  template <class F>
  Words column(std::uint32_t count, F&& value) const {
    Words packed(half() ? (count + 1) / 2 : count);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (half()) packed[i / 2] |= (value(i) & 0xffffU) << (i % 2 * 16);
      if (!half()) packed[i] = value(i);
    }
    return packed;
  }
  std::uint32_t matrix(std::uint32_t row, std::uint32_t column) const { return row < rows && column < columns ? random_word(seed, column, row, 0, precision) : 0; }
  std::uint32_t vector(std::uint32_t column) const { return column < columns ? random_word(seed, column, 0, 1, precision) : 0; }

  Words block_column(std::uint32_t x, std::uint32_t y, std::uint32_t k) const {
    return column(elements, [&](std::uint32_t i) { return matrix(y * elements + i, x * inner + k); });
  }

  Words initial(std::uint32_t x, std::uint32_t y) const {
    Words all(words, 0);
    const auto append = [&](const Words& more) { all.insert(all.end(), more.begin(), more.end()); };
    for (std::uint32_t k = 0; k < inner; ++k) append(block_column(x, y, k));
    append(column(inner, [&](std::uint32_t k) { return vector(x * inner + k); }));
    return all;
  }

  // a * b + sum, fused, one rounding per element.
  std::uint32_t multiply_add(std::uint32_t a, std::uint32_t b, std::uint32_t sum) const {
    if (!half()) return macros::fma32(a, b, sum);
    const auto part = [&](unsigned shift) {
      return std::uint32_t{macros::fma16(static_cast<std::uint16_t>(a >> shift), static_cast<std::uint16_t>(b), static_cast<std::uint16_t>(sum >> shift))} << shift;
    };
    return part(0) | part(16);
  }

  // Columns of a block in ascending order, then the tiles of the row from the far end.
  Words result(std::uint32_t y) const {
    std::vector<Words> line;
    for (std::uint32_t x = 0; x < width; ++x) {
      Words sum(words, 0);
      for (std::uint32_t k = 0; k < inner; ++k) {
        const Words block = block_column(x, y, k);
        const std::uint32_t factor = vector(x * inner + k) & (half() ? 0xffffU : 0xffffffffU);
        for (std::uint32_t w = 0; w < words; ++w) sum[w] = multiply_add(block[w], factor, sum[w]);
      }
      line.push_back(std::move(sum));
    }
    return chain_sum(line, precision);
  }
};

VectorProduct vector_product_of(const config::KernelCase& wanted, std::uint64_t seed) {
  VectorProduct p{};
  p.rows = static_cast<std::uint32_t>(wanted.rows);
  p.columns = static_cast<std::uint32_t>(wanted.columns);
  p.width = static_cast<std::uint32_t>(wanted.width);
  p.height = static_cast<std::uint32_t>(wanted.height);
  p.precision = wanted.precision;
  p.seed = seed;
  p.elements = divided_up(p.rows, p.height);
  if (p.half()) p.elements += p.elements % 2;
  p.words = p.half() ? p.elements / 2 : p.elements;
  p.inner = divided_up(p.columns, p.width);
  return p;
}

}  // namespace

LayoutOutcome lay_out_gemv(const config::KernelCase& wanted, std::uint64_t seed) {
  const VectorProduct p = vector_product_of(wanted, seed);
  LayoutBuilder b("18-gemv/program.wl", wanted);
  b.holds(4 * p.words * (std::uint64_t{p.inner} + 1) + (p.half() ? 2 : 4) * std::uint64_t{p.inner}, "rows");
  const Lines rows{Axis::kX, p.width, 0, p.height};
  for (std::uint32_t x = 0; x < p.width; ++x) {
    const Leg leg = leg_of(x, p.width, kRowX);
    b.place(rows.tiles(x), {{"WORDS", p.words}, {"INNER", p.inner}, {"WINDOW", wanted.machine.accumulator_window_bytes.value}, {"X_ROLE", leg.role}, {"X_IN", leg.in}, {"X_OUT", leg.out}, {"FLOOD", kRowFlood}});
    route_leg(b, rows, x, leg);
  }
  if (p.width > 1) {
    b.route(rows.tiles(0), kRowFlood, kRamp, kEast);
    b.route(rows.tiles(1, p.width - 2), kRowFlood, kWest, kRamp | kEast);
    b.route(rows.tiles(p.width - 1), kRowFlood, kWest, kRamp);
  }
  Refusal refusal;
  refusal.message = b.assemble(&refusal.key, &refusal.hint);
  if (!refusal.message.empty()) return refusal;
  KernelLayout& layout = b.layout();
  layout.words = p.words;
  layout.initial = [p](std::uint32_t x, std::uint32_t y) { return p.initial(x, y); };
  layout.expected = [p](const std::function<void(const Expected&)>& sink) {
    for (std::uint32_t y = 0; y < p.height; ++y) sink({{0, y, p.width, 1}, 0, p.result(y)});
  };
  return std::move(layout);
}

}  // namespace waferloom::kernels
