// Lines of tiles: what kernels along x and kernels along y have in common. A line's tiles are numbered from the root, 0 to length - 1; `across` lines of the
// same kind lie side by side. Along x the root is the west end, along y the north end.
#pragma once

#include "host/kernels/kernel_layout.h"

namespace waferloom::kernels {

// a / b, rounded up.
inline std::uint32_t divided_up(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

enum class Axis : std::uint8_t { kX, kY };

struct Lines {
  Axis axis = Axis::kX;
  std::uint32_t length = 1;
  std::uint32_t first_line = 0;
  std::uint32_t across = 1;

  // Tiles from `from` on, of all lines.
  Region tiles(std::uint32_t from, std::uint32_t count = 1) const {
    return axis == Axis::kX ? Region{from, first_line, count, across} : Region{first_line, from, across, count};
  }
  unsigned towards() const { return axis == Axis::kX ? kWest : kNorth; }  // the root
  unsigned away() const { return axis == Axis::kX ? kEast : kSouth; }
};

}  // namespace waferloom::kernels
