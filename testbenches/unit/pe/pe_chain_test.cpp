// Chain reduction along a row of tiles: each PE adds its own values to what comes and sends the sum on.
//
// Router and PE of each tile are the real ones, joined register to register as the fabric engine does it. Held, for rows of 2 to 8 tiles: one
// wavelet per cycle; per PE exactly 2 T_R + 1 + hop cycles: hop from a link to the ramp, the four registers of the PE (queue head, operands, result,
// ramp), one from the ramp to a link. Left out: stalls (router bench, fabric tests).
#include <memory>

#include "testbenches/lib/catch.h"
#include "testbenches/unit/pe/snippets.h"

using namespace waferloom;
using namespace waferloom::pe;

namespace {

struct Tile {
  explicit Tile(int hop, uint32_t reset)
      : router("wl_router", {{"Hop", std::to_string(hop)}, {"RampExtra", "0"}, {"Depth", hop == 1 ? "3" : "4"}}, reset), pe({}, reset) {}
  Bench router;
  PeBench pe;
};

// The last wavelet's and the first one's arrival at the east end of `tiles` tiles.
struct Times {
  uint64_t first = 0, last = 0;
};

Times chain(int hop, int tiles, uint32_t n) {
  std::vector<std::unique_ptr<Tile>> row;
  for (int x = 0; x < tiles; ++x) {
    row.push_back(std::make_unique<Tile>(hop, WL_RESET_RANDOM));
    Tile& t = *row.back();
    t.router.reset();
    t.router.set("edge_i", 0);
    // Even tiles receive colour 1 and send colour 2, odd ones the other way round.
    const uint32_t in = x % 2 ? 2 : 1, out = x % 2 ? 1 : 2;
    auto code = bind(0, in);
    append(&code, {li(1, (1 << 3) | (1 << (5 + 4))), sw(1, 0, mmio(0x400 + 32 * in)), li(1, (1 << 4) | (1 << (5 + 1))), sw(1, 0, mmio(0x400 + 32 * out))});
    append(&code, load_descs(t.pe, {fabric_out(kF32, 1, out, n), fabric_in(kF32, 0, n), mem(kF32, 0x2000, n)}));
    append(&code, {vec(Opcode::kVadd, 1, 2, 3) | async(0), plain(Opcode::kYield)});
    for (uint32_t k = 0; k < n; ++k) t.pe.word(0x2000 + 4 * k, f32(static_cast<float>(k + 1)));
    t.pe.boot(code);
  }
  Times times;
  uint32_t sent = 0, got = 0;
  for (uint64_t cycle = 0; cycle < 400 + 2 * n; ++cycle) {
    // Phase 1: everybody's outputs to their neighbours' inputs.
    for (int x = 0; x < tiles; ++x) {
      Bench& r = row[static_cast<size_t>(x)]->router;
      Bench& p = row[static_cast<size_t>(x)]->pe.bench;
      p.set("ramp_i", r.get("ramp_o"));
      p.set("ramp_ready_i", r.get("ramp_ready_o"));
      r.set("ramp_i", p.get("ramp_o"));
      r.set("ramp_ready_i", p.get("ramp_ready_o"));
      r.set("cfg_i", p.get("cfg_o"));
      r.set("east_ready_i", x + 1 < tiles ? row[static_cast<size_t>(x) + 1]->router.get("west_ready_o") : 0xffffff);
      if (x > 0) r.set("west_i", row[static_cast<size_t>(x) - 1]->router.get("east_o"));
    }
    Bench& west = row.front()->router;
    const bool ready = (west.get("west_ready_o") >> 1) & 1;
    static uint64_t link = 0;
    west.set("west_i", link);
    link = 0;
    if (cycle >= 200 && sent < n && ready) link = data(1, f32(static_cast<float>(100 * ++sent)));
    const uint64_t end = row.back()->router.get("east_o");
    if (end >> 38) {
      ++got;
      if (got == 1) times.first = cycle;
      times.last = cycle;
      REQUIRE((end & 0xffffffff) == f32(static_cast<float>(100 * got + static_cast<uint32_t>(tiles) * got)));
    }
    // Phase 2.
    for (auto& t : row) {
      t->router.tick();
      t->pe.bench.tick();
    }
  }
  REQUIRE(got == n);
  return times;
}

}  // namespace

TEST_CASE("chain reduction: cycles per PE, one wavelet per cycle") {
  for (int hop : {1, 2}) {
    const uint32_t n = 40;
    const Times two = chain(hop, 2, n), four = chain(hop, 4, n), eight = chain(hop, 8, n);
    INFO("hop " << hop << ": first " << two.first << " " << four.first << " " << eight.first << ", last " << two.last);
    const uint64_t ramp_cycles = 2, step = 2 * ramp_cycles + 1 + static_cast<uint64_t>(hop);
    CHECK(four.first - two.first == 2 * step);
    CHECK(eight.first - four.first == 4 * step);
    for (const Times& t : {two, four, eight}) CHECK(t.last - t.first == n - 1);
  }
}
