// The 25-point stencil on verilated tiles, small: every cell bit-exact against the golden order of operations, and time that does not grow with the rectangle.
//
// State space: rectangles from one tile to more than two rounds of turns in both directions, even and odd; columns shorter than the stencil and longer; one to
// three steps. Parameter space: wse2, wse1, wse3.
#include "host/kernels/collectives.h"
#include "testbenches/host/kernels/tiles.h"
#include "testbenches/lib/catch.h"

using namespace waferloom;
using namespace waferloom::kernels;

namespace {

config::KernelCase stencil(int width, int height, int cells, int steps) {
  config::KernelCase c;
  c.kernel = config::KernelKind::kStencil25;
  c.width = width;
  c.height = height;
  c.words = 0;
  c.cells = cells;
  c.steps = steps;
  c.seed = 3;
  return c;
}

Measurement measure(config::KernelCase c, const std::string& name = "wse2", bool audit = false) {
  MachineOptions options = test::machine(name, &c.machine);
  options.audit = audit;
  const LayoutOutcome laid_out = lay_out(c, 0);
  const auto* layout = std::get_if<KernelLayout>(&laid_out);
  INFO((layout == nullptr ? std::get<Refusal>(laid_out).message : ""));
  REQUIRE(layout != nullptr);
  const Measurement m = run_layout(*layout, options);
  INFO(name << ": " << size_text(c) << " on " << c.width << "x" << c.height << ": " << m.message);
  CHECK(m.ending == Ending::kDone);
  CHECK(m.checked_words == static_cast<std::uint64_t>(c.width * c.height * c.cells));
  CHECK(m.wrong_words == 0);
  return m;
}

}  // namespace

TEST_CASE("a step gives the golden values on every shape") {
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(2, 1), std::pair(1, 3), std::pair(4, 5), std::pair(5, 4), std::pair(7, 6), std::pair(9, 1), std::pair(13, 14)}) {
    for (const int cells : {1, 3, 12}) measure(stencil(width, height, cells, 1));
  }
}

TEST_CASE("several steps: switches come back to where they began, tiles may run ahead") {
  for (const int steps : {2, 3}) measure(stencil(11, 8, 10, steps));
  measure(stencil(1, 17, 9, 4));
}

TEST_CASE("the stencil on the other machines, and skipping is exact under it") {
  for (const char* name : {"wse1", "wse3"}) measure(stencil(7, 8, 10, 2), name);
  measure(stencil(6, 5, 7, 2), "wse2", true);
}

TEST_CASE("a larger rectangle does not take longer") {
  const std::uint64_t small = measure(stencil(15, 14, 60, 1)).cycles, large = measure(stencil(27, 20, 60, 1)).cycles;
  INFO(small << ", " << large);
  CHECK(large <= small + small / 50);
}

TEST_CASE("what does not fit, and binary16, are refused") {
  config::KernelCase c = stencil(3, 3, 700, 1);
  test::machine("wse2", &c.machine);
  const LayoutOutcome large = lay_out(c, 0);
  REQUIRE(std::get_if<Refusal>(&large) != nullptr);
  CHECK(std::get<Refusal>(large).key == "cells");
  c = stencil(3, 3, 10, 1);
  c.precision = config::Precision::kFp16;
  test::machine("wse2", &c.machine);
  const LayoutOutcome half = lay_out(c, 0);
  REQUIRE(std::get_if<Refusal>(&half) != nullptr);
  CHECK(std::get<Refusal>(half).key == "precision");
}
