#pragma once
// Cuts an array into rectangles of about equal work, one per rank. Pure functions.
#include <cstdint>
#include <vector>

namespace waferloom::fabric {

// Columns x0 to x1 - 1, rows y0 to y1 - 1.
struct Rectangle {
  uint32_t x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  uint32_t width() const { return x1 - x0; }
  uint32_t height() const { return y1 - y0; }
  uint32_t tiles() const { return width() * height(); }
  bool holds(uint32_t x, uint32_t y) const { return x >= x0 && x < x1 && y >= y0 && y < y1; }
  bool operator==(const Rectangle& o) const { return x0 == o.x0 && x1 == o.x1 && y0 == o.y0 && y1 == o.y1; }
};

// `work`: of each tile, row by row, or empty for the same everywhere. `ranks`: from 1 to the number of tiles. The rectangles fill the array without
// overlap, each has a tile at least, and the first holds tile (0, 0). Halves are halved again, each time across the longer side.
std::vector<Rectangle> cut_array(uint32_t width, uint32_t height, unsigned ranks, const std::vector<uint64_t>& work);

// Whether a tile of one has a neighbour in the other.
bool touch(const Rectangle& a, const Rectangle& b);

}  // namespace waferloom::fabric
