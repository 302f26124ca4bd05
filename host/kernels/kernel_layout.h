// A measured kernel laid out on a rectangle of tiles: a few program images, which tiles run which, static routes for regions, what the tiles hold before and
// after. Plain data, made by one generator per family (collectives.h, ...), executed by kernel_machine.h on verilated tiles.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "host/kernels/vector_values.h"
#include "sim/fabric/fabric.h"

namespace waferloom::kernels {

using fabric::Region;
using Defines = std::map<std::string, std::int64_t>;

constexpr unsigned kNorth = 1, kEast = 2, kSouth = 4, kWest = 8, kRamp = 16;  // bits of receive and transmit masks

struct Image {
  std::vector<std::uint64_t> words;  // of memory, 32 bits each
  std::uint32_t values = 0;  // address of the tile's vector, behind everything else
  std::uint32_t record = 0;  // address of the cycles of start and end
  std::string origin;        // program file and definitions, for messages
  std::vector<std::string> task_names;  // by id: the label of its entry, or ""
};

struct Placement {
  Region region;
  std::size_t image = 0;
};

struct Route {
  Region region;
  unsigned colour = 0;
  unsigned receive = 0;
  unsigned transmit = 0;
  unsigned position = 0;  // of the colour's switch
};

// A colour's switch goes round positions 0 to `last`.
struct Switch {
  Region region;
  unsigned colour = 0;
  unsigned last = 0;
};

// Every tile of the region must hold `words` from `offset` bytes behind its `values`.
struct Expected {
  Region region;
  std::uint32_t offset = 0;
  Words words;
};

struct KernelLayout {
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  std::uint32_t words = 0;  // of a tile's vector, as loaded
  std::vector<Image> images;
  std::vector<Placement> placements;  // every tile once
  std::vector<Route> routes;
  std::vector<Switch> switches;
  std::function<Words(std::uint32_t x, std::uint32_t y)> initial;
  // In any order; called once, after the run, with a sink (expectations may be large).
  std::function<void(const std::function<void(const Expected&)>&)> expected;
  std::uint64_t additions = 0;  // golden: element additions, for the report
};

// Collects a layout. Programs are assembled once per distinct set of definitions.
class LayoutBuilder {
 public:
  // `program`: a file in firmware/kernels. Every image gets WORDS and HALF.
  LayoutBuilder(std::string program, const config::KernelCase& wanted);

  // Bytes that a tile holds behind its program, and the key of the case that makes them fewer. A collective's follow from "words" and need not be told.
  void holds(std::uint64_t bytes, std::string key) {
    bytes_ = bytes;
    key_ = std::move(key);
  }
  void place(const Region& region, Defines defines);
  // The same in two steps, for rectangles of very many regions and few programs.
  std::size_t image_of(Defines defines);
  void place_image(const Region& region, std::size_t image) { layout_.placements.push_back({region, image}); }
  void route(const Region& region, unsigned colour, unsigned receive, unsigned transmit, unsigned position = 0);
  void turn(const Region& region, unsigned colour, unsigned last);
  KernelLayout& layout() { return layout_; }

  // Empty, or what is wrong: a program that does not assemble (ours), or a case that does not fit (its key and a hint).
  std::string assemble(std::string* key, std::string* hint);

 private:
  std::string too_large(std::uint64_t bytes, std::string* key, std::string* hint) const;

  std::string program_;
  std::string key_ = "words";
  std::uint64_t bytes_ = 0;
  const config::KernelCase& wanted_;
  KernelLayout layout_;
  std::map<Defines, std::size_t> known_;
  std::vector<Defines> defines_;
};

}  // namespace waferloom::kernels
