// The rule of magnitude: how many stay, which of equal ones, what a threshold adds, and that nothing else changes.
#include "host/optimiser/pruning.h"

#include <cmath>
#include <limits>

#include "sim/macros/arith.h"
#include "testbenches/lib/catch.h"

using waferloom::config::Pruning;
using waferloom::optimiser::prune;
namespace macros = waferloom::macros;

namespace {

std::vector<std::uint16_t> halves(const std::vector<float>& values) {
  std::vector<std::uint16_t> wire;
  for (float v : values) wire.push_back(macros::single_to_half(macros::to_bits(v)));
  return wire;
}

const std::vector<float> kWeights = {0.5F, -0.25F, 0.125F, -2.0F, 0.25F, 0.0F, 1.0F, -0.0625F};

}  // namespace

TEST_CASE("the largest share stays, the earlier of equal ones", "[pruning]") {
  std::vector<std::uint16_t> wire = halves(kWeights);
  CHECK(prune({0, 0.5, 0}, kWeights, wire) == 3);  // of the four dropped one was zero already
  CHECK(wire == halves({0.5F, -0.25F, 0, -2.0F, 0, 0, 1.0F, 0}));
  wire = halves(kWeights);
  CHECK(prune({0, 0.26, 0}, kWeights, wire) == 4);  // three stay: the share is rounded up
  CHECK(wire == halves({0.5F, 0, 0, -2.0F, 0, 0, 1.0F, 0}));
}

TEST_CASE("a threshold drops what is smaller, not what is equal", "[pruning]") {
  std::vector<std::uint16_t> wire = halves(kWeights);
  CHECK(prune({0.25, 1, 0}, kWeights, wire) == 2);
  CHECK(wire == halves({0.5F, -0.25F, 0, -2.0F, 0.25F, 0, 1.0F, 0}));
  wire = halves(kWeights);
  prune({0.3, 0.5, 0}, kWeights, wire);  // both rules at once
  CHECK(wire == halves({0.5F, 0, 0, -2.0F, 0, 0, 1.0F, 0}));
}

TEST_CASE("shares that are not exact in binary keep the number that is meant", "[pruning]") {
  std::vector<float> many(640);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = 1.0F + static_cast<float>(i * 7 % 640) / 640.0F;
  std::vector<std::uint16_t> wire = halves(many);
  CHECK(prune({0, 0.1, 0}, many, wire) == 576);
  std::vector<std::uint16_t> all = halves(many);
  CHECK(prune({0, 1, 0}, many, all) == 0);
  CHECK(all == halves(many));
}

TEST_CASE("a NaN is sent: it must be seen, not dropped", "[pruning]") {
  std::vector<float> bad = kWeights;
  bad[2] = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::uint16_t> wire = halves(bad);
  prune({0.3, 0.25, 0}, bad, wire);
  CHECK(std::isnan(macros::to_float(macros::half_to_single(wire[2]))));
  CHECK(wire[3] == halves(bad)[3]);
  CHECK(wire[6] == 0);
}

TEST_CASE("pruning begins when its epoch has ended", "[pruning]") {
  CHECK_FALSE(Pruning{0, 1, 0}.active(1));
  CHECK(Pruning{0, 0.5, 0}.active(1));
  CHECK(Pruning{0.1, 1, 0}.active(1));
  CHECK_FALSE(Pruning{0, 0.5, 2}.active(2));
  CHECK(Pruning{0, 0.5, 2}.active(3));
}
