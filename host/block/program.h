// The block's program: an SRAM image per tile, the phases of a pass and the words that enter and leave at the north edge in each.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "host/block/shape.h"
#include "host/plan/edge_stream.h"

namespace waferloom::block {

// What a phase is made of, in the plan's terms.
enum class PhaseKind : std::uint8_t {
  kNorm,           // axis_reduce along x, elementwise
  kNormGradient,   // the same, and results at the edge
  kProduct,        // stream_matmul
  kGradient,       // multicast along x, exchange along y
  kAttention,      // rotate along y, axis_reduce within a head's columns, elementwise
  kElementwise
};

struct Phase {
  std::string name;
  PhaseKind kind = PhaseKind::kElementwise;
  bool backward = false;
  int layer = -1;           // of products and gradients; of norms: 0 or 1
  bool transposed = false;  // product: with the transposed weights
};

// In order; the backward ones follow the forward ones.
std::vector<Phase> phases();

// A slab of activations or gradients that a pass leaves in the tiles: tokens of the tile by `rows` features, at `symbol`.
struct Slab {
  std::string name;
  std::string symbol;
  int offset_rows = 0;
  int rows = 0;        // of a tile
  bool single = false; // one binary32 per token, the same in all columns of a row (of a head, for `per_head`)
  bool per_head = false;
};
std::vector<Slab> slabs(const Shape& shape);

struct TileImage {
  std::vector<std::uint8_t> bytes;                 // from address 0, the boot table behind everything else
  std::map<std::string, std::uint32_t> symbols;
  std::map<std::uint32_t, std::string> code;       // addresses of instructions, and where each stands ("norm.wl:12")
};

struct Program {
  Shape shape;
  std::vector<TileImage> tiles;  // [y * width + x]
  std::vector<std::uint16_t> records;  // by phase: the address that starts it, the same in all tiles
  std::uint64_t sram_used = 0;                 // of the tile that uses most

  const TileImage& tile(int x, int y) const { return tiles[static_cast<std::size_t>(y * shape.width + x)]; }
};

// Require a shape that `refuse` accepts. A shape that does not fit into a tile is refused.
std::variant<Program, Refusal> make_program(const Shape& shape);
std::variant<TileImage, Refusal> make_image(const Shape& shape, int x, int y);  // of one tile

// Words of a phase, in order: its start, then what streams in.
std::vector<plan::EdgeWord> phase_words(const Program& program, std::size_t phase, const Parameters& parameters);

// Results of a phase by column of the north edge, in order: which tensor, which element.
struct Place {
  std::string tensor;
  std::size_t index = 0;
};
std::vector<std::vector<Place>> phase_results(const Program& program, std::size_t phase);

}  // namespace waferloom::block
