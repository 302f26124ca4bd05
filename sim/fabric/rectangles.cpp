#include "sim/fabric/rectangles.h"

#include <algorithm>

namespace waferloom::fabric {
namespace {

class Cutter {
 public:
  Cutter(uint32_t width, const std::vector<uint64_t>& work) : width_(width), work_(work) {}

  void cut(const Rectangle& all, unsigned ranks, std::vector<Rectangle>* out) const {
    if (ranks == 1) {
      out->push_back(all);
      return;
    }
    const bool by_rows = all.height() >= all.width();
    const uint32_t lines = by_rows ? all.height() : all.width(), across = by_rows ? all.width() : all.height();
    std::vector<uint64_t> sums(lines + 1, 0);
    for (uint32_t line = 0; line < lines; ++line) sums[line + 1] = sums[line] + work_of(all, by_rows, line);
    unsigned first = ranks / 2;
    // The cut whose work before it lies nearest to the first half's share.
    uint32_t at = 1;
    const auto miss = [&](uint32_t line) {
      const uint64_t have = sums[line] * ranks, want = sums[lines] * first;
      return have > want ? have - want : want - have;
    };
    for (uint32_t line = 2; line < lines; ++line) {
      if (miss(line) < miss(at)) at = line;
    }
    // Each side has a tile at least for each of its ranks.
    const int64_t before = int64_t{at} * across, behind = int64_t{lines - at} * across;
    first = static_cast<unsigned>(std::clamp<int64_t>(first, std::max<int64_t>(1, int64_t{ranks} - behind), std::min<int64_t>(int64_t{ranks} - 1, before)));
    Rectangle a = all, b = all;
    (by_rows ? a.y1 : a.x1) = (by_rows ? all.y0 : all.x0) + at;
    (by_rows ? b.y0 : b.x0) = by_rows ? a.y1 : a.x1;
    cut(a, first, out);
    cut(b, ranks - first, out);
  }

 private:
  uint64_t work_of(const Rectangle& all, bool by_rows, uint32_t line) const {
    const uint32_t count = by_rows ? all.width() : all.height();
    uint64_t sum = count;  // a tile that rests costs a little, too: memory, and nothing is ever divided by zero
    if (work_.empty()) return sum;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t x = by_rows ? all.x0 + i : all.x0 + line, y = by_rows ? all.y0 + line : all.y0 + i;
      sum += 16 * work_[size_t{y} * width_ + x];
    }
    return sum;
  }

  uint32_t width_;
  const std::vector<uint64_t>& work_;
};

}  // namespace

std::vector<Rectangle> cut_array(uint32_t width, uint32_t height, unsigned ranks, const std::vector<uint64_t>& work) {
  std::vector<Rectangle> out;
  Cutter(width, work).cut({0, width, 0, height}, ranks, &out);
  return out;
}

bool touch(const Rectangle& a, const Rectangle& b) {
  const bool rows = a.y0 < b.y1 && b.y0 < a.y1, columns = a.x0 < b.x1 && b.x0 < a.x1;
  return (rows && (a.x1 == b.x0 || b.x1 == a.x0)) || (columns && (a.y1 == b.y0 || b.y1 == a.y0));
}

}  // namespace waferloom::fabric
