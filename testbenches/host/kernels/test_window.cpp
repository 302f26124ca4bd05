// A random window of a kernel's array, from the common start to rest, taken out and run again from what its border saw: in a grid of the same units, and in one
// monolithic model of rtl/array/wl_array.sv. Every register and memory word is compared at the end. A flipped bit at the border must be found.
//
// State space: a reduction along x and y with its broadcast, a product, a stencil, small (grid); the reduction over the whole 757x996 fabric (monolithic 4x4).
#include <tuple>

#include "host/kernels/collectives.h"
#include "sim/trace/window.h"
#include "testbenches/host/kernels/tiles.h"
#include "testbenches/lib/bench.h"
#include "testbenches/lib/catch.h"

using namespace waferloom;
using namespace waferloom::kernels;
using config::KernelCase;
using config::KernelKind;

namespace {

KernelCase reduce_and_broadcast(int width, int height, int words) {
  KernelCase c;
  c.kernel = KernelKind::kAllreduceChain;
  c.width = width;
  c.height = height;
  c.words = words;
  c.seed = 5;
  return c;
}

// Runs the case on wse2, every word checked, and records `width` x `height` of its tiles somewhere.
trace::Recording record(KernelCase c, std::uint32_t width, std::uint32_t height, const std::string& name) {
  MachineOptions options = test::machine("wse2", &c.machine);
  Random random(name);
  const fabric::Region region{static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(c.width) - width + 1)),
                              static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(c.height) - height + 1)), width, height};
  WARN(name << ": window of " << width << "x" << height << " tiles at (" << region.x << ", " << region.y << ")");
  std::unique_ptr<trace::Recorder> recorder;
  trace::Recording recording;
  options.started = [&](fabric::Fabric& f) {
    recorder = std::make_unique<trace::Recorder>(f, region);
    f.set_before_step([&](const fabric::Fabric& now) { recorder->before(now); });
  };
  options.ended = [&](fabric::Fabric& f) {
    f.set_before_step(nullptr);
    recording = recorder->finish(f);
  };
  const LayoutOutcome laid_out = lay_out(c, 0);
  REQUIRE(std::get_if<KernelLayout>(&laid_out) != nullptr);
  const Measurement m = run_layout(std::get<KernelLayout>(laid_out), options);
  INFO(m.message);
  CHECK(m.ending == Ending::kDone);
  CHECK(m.wrong_words == 0);
  CHECK(m.checked_words >= static_cast<std::uint64_t>(c.width) * static_cast<std::uint64_t>(c.height));
  CHECK(recording.changes.size() > 2 * (width + height));
  return recording;
}

std::string in_grid(const trace::Recording& recording) {
  config::Machine machine;
  const MachineOptions& options = test::machine("wse2", &machine);
  return trace::replay(recording, options.router, options.pe);
}

// The first word at the border with a bit turned over, high enough that no rounding hides it.
trace::Recording disturbed(trace::Recording recording) {
  for (trace::Recording::Change& change : recording.changes) {
    if (change.input.word == 0) continue;
    change.input.word ^= 1U << 22U;
    return recording;
  }
  FAIL("nothing enters the window");
  return recording;
}

plugin::Unit open_array(std::uint32_t width, std::uint32_t height) {
  config::Machine machine;
  test::machine("wse2", &machine);
  plugin::UnitSpec spec = systemc::router_spec(machine, {});
  spec.top = "wl_array";
  spec.split = 20000;  // in files that are compiled side by side
  for (const auto& [name, value] : systemc::pe_spec(machine, {}).params) {
    if (name != "Colours") spec.params.emplace_back(name, value);
  }
  spec.params.emplace_back("Width", std::to_string(width));
  spec.params.emplace_back("Height", std::to_string(height));
  plugin::Unit unit;
  REQUIRE(unit.open(spec) == "");
  return unit;
}

}  // namespace

TEST_CASE("a window of a running kernel goes on by itself, bit for bit") {
  KernelCase product = reduce_and_broadcast(12, 6, 0);
  product.kernel = KernelKind::kGemv;
  product.rows = 20;
  product.columns = 40;
  KernelCase stencil = reduce_and_broadcast(13, 14, 0);
  stencil.kernel = KernelKind::kStencil25;
  stencil.cells = 6;
  stencil.steps = 2;
  for (const auto& [c, name] : {std::pair(reduce_and_broadcast(24, 18, 3), "reduction"), std::pair(product, "product"), std::pair(stencil, "stencil")}) {
    const trace::Recording recording = record(c, 4, 4, name);
    CHECK(in_grid(recording) == "");
    CHECK(in_grid(disturbed(recording)) != "");
  }
}

TEST_CASE("a window of a large reduction, in one monolithic model", "[.full]") {
  const plugin::Unit array = open_array(4, 4);
  for (const auto& [width, height, words, name] : {std::tuple(60, 50, 5, "sixty by fifty"), std::tuple(757, 996, 1, "whole wafer")}) {
    const trace::Recording recording = record(reduce_and_broadcast(width, height, words), 4, 4, name);
    CHECK(in_grid(recording) == "");
    CHECK(trace::replay_whole(recording, array) == "");
    CHECK(trace::replay_whole(disturbed(recording), array) != "");
  }
}
