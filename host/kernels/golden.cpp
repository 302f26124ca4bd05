#include "host/kernels/golden.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace waferloom::kernels {
namespace {

LayoutOutcome finish(LayoutBuilder& builder, const config::KernelCase& wanted, std::uint64_t seed, const Region& where, std::function<Words()> vector) {
  Refusal refusal;
  refusal.message = builder.assemble(&refusal.key, &refusal.hint);
  if (!refusal.message.empty()) return refusal;
  KernelLayout& layout = builder.layout();
  const std::uint32_t words = layout.words;
  const config::Precision precision = wanted.precision;
  layout.initial = [seed, words, precision](std::uint32_t x, std::uint32_t y) { return random_vector(seed, x, y, words, precision); };
  layout.expected = [where, vector = std::move(vector)](const std::function<void(const Expected&)>& sink) { sink({where, 0, vector()}); };
  return std::move(layout);
}

}  // namespace

Words chain_sum(std::vector<Words>& line, config::Precision precision) {
  Words sum = std::move(line.back());
  for (std::size_t i = line.size() - 1; i-- > 0;) add_to(sum, line[i], precision);
  return sum;
}

Words star_sum(std::vector<Words>& line, config::Precision precision, int lanes) {
  const std::size_t words = line[0].size();
  if (line.size() == 1) return std::move(line[0]);
  if (words == 1 && precision == config::Precision::kFp32) {
    std::vector<std::uint32_t> lane(static_cast<std::size_t>(lanes / 2), 0);
    for (std::size_t i = 0; i < line.size(); ++i) {
      std::uint32_t& sum = lane[i % lane.size()];
      sum = add_word(sum, line[i][0], precision);
    }
    for (std::size_t width = lane.size(); width > 1; width /= 2) {
      for (std::size_t i = 0; i < width / 2; ++i) lane[i] = add_word(lane[2 * i], lane[2 * i + 1], precision);
    }
    return {lane[0]};
  }
  Words sum = std::move(line[0]);
  for (std::size_t i = 1; i < line.size(); ++i) add_to(sum, line[i], precision);
  return sum;
}

Words tree_sum(std::vector<Words>& line, config::Precision precision) {
  for (std::size_t step = 1; step < line.size(); step *= 2) {
    for (std::size_t i = 0; i + step < line.size(); i += 2 * step) add_to(line[i], line[i + step], precision);
  }
  return std::move(line[0]);
}

Words two_phase_sum(std::vector<Words>& line, config::Precision precision, std::uint32_t group) {
  std::vector<Words> sums;
  for (std::size_t first = 0; first < line.size(); first += group) {
    const std::size_t last = std::min(line.size(), first + group);
    std::vector<Words> members(std::make_move_iterator(line.begin() + static_cast<std::ptrdiff_t>(first)), std::make_move_iterator(line.begin() + static_cast<std::ptrdiff_t>(last)));
    sums.push_back(chain_sum(members, precision));
  }
  return chain_sum(sums, precision);
}

Words rectangle_sum(const config::KernelCase& wanted, std::uint64_t seed, const LineSum& sum) {
  const auto width = static_cast<std::uint32_t>(wanted.width), height = static_cast<std::uint32_t>(wanted.height), words = static_cast<std::uint32_t>(wanted.words);
  std::vector<Words> rows(height), line(width);
  for (std::uint32_t y = 0; y < height; ++y) {
    line.resize(width);
    for (std::uint32_t x = 0; x < width; ++x) line[x] = random_vector(seed, x, y, words, wanted.precision);
    rows[y] = sum(line, wanted.precision);
  }
  return sum(rows, wanted.precision);
}

LayoutOutcome finish_reduce(LayoutBuilder& builder, const config::KernelCase& wanted, std::uint64_t seed, const LineSum& sum) {
  return finish(builder, wanted, seed, {0, 0, 1, 1}, [wanted, seed, sum] { return rectangle_sum(wanted, seed, sum); });
}

LayoutOutcome finish_everywhere(LayoutBuilder& builder, const config::KernelCase& wanted, std::uint64_t seed, std::function<Words()> vector) {
  return finish(builder, wanted, seed, {0, 0, builder.layout().width, builder.layout().height}, std::move(vector));
}

}  // namespace waferloom::kernels
