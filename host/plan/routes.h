// Routes and queue bindings of the training program for one tile.
#pragma once

#include <cstdint>
#include <vector>

namespace waferloom::plan {

// A store that the boot code makes: `address` within the PE's memory-mapped registers.
struct BootStore {
  std::uint32_t address = 0;
  std::uint32_t value = 0;
};

// What the routes of tile (x, y) of a width x height array depend on. Tiles with equal positions boot alike.
struct Position {
  bool odd_column = false;
  bool first_column = false;
  bool last_column = false;
  bool odd_row = false;
  bool last_row = false;

  bool operator==(const Position& other) const {
    return odd_column == other.odd_column && first_column == other.first_column && last_column == other.last_column &&
           odd_row == other.odd_row && last_row == other.last_row;
  }
};
Position position_of(int x, int y, int width, int height);

// In the order in which they are stored: routes first, then bindings.
std::vector<BootStore> boot_stores(const Position& position);

// Colours that a tile sends and receives on, by its position.
std::uint8_t ring_out_colour(const Position& position);
std::uint8_t chain_x_out_colour(const Position& position);
std::uint8_t chain_y_out_colour(const Position& position);

}  // namespace waferloom::plan
