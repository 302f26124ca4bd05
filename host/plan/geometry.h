// Rectangles of tiles, and how items are split over a row or a column of them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace waferloom::plan {

// A rectangle of processing elements; x grows east, y grows south.
struct Rect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  std::int64_t tiles() const { return std::int64_t{width} * height; }
  bool operator==(const Rect& other) const {
    return x == other.x && y == other.y && width == other.width && height == other.height;
  }
};

// `items` in ascending contiguous blocks over `parts`: the first `items mod parts` blocks hold one more than the others. Any sizes: with fewer
// items than parts the last blocks are empty. Requires items >= 0, parts >= 1.
struct Split {
  int items = 0;
  int parts = 1;

  int size(int part) const { return items / parts + (part < items % parts ? 1 : 0); }
  int first(int part) const { return part * (items / parts) + std::min(part, items % parts); }
  int largest() const { return size(0); }
  // The block that holds `item`. Requires 0 <= item < items.
  int owner(int item) const {
    const int small = items / parts;
    const int big_items = (items % parts) * (small + 1);
    return item < big_items ? item / (small + 1) : items % parts + (item - big_items) / small;
  }
};

}  // namespace waferloom::plan
