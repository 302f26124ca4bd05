// A random window of a running array, taken out and run again from what its border saw: in a composed grid of the same units, of traced twins, and in one
// monolithic model of the window. Compared at the end: every register and memory word. A flipped bit of a recorded input or of the state taken
// must be found.
#include <cstring>

#include "sim/trace/pe_trace.h"
#include "sim/trace/window.h"
#include "testbenches/system/echo.h"

using namespace waferloom;
using namespace waferloom::test;
using fabric::Stop;
using fabric::UnitKind;

namespace {

// Runs an array of echoes and records a window of it, from a random cycle on.
trace::Recording record(uint32_t width, uint32_t height, uint32_t window_width, uint32_t window_height, uint64_t cycles, const std::string& name, bool from_reset = false) {
  fabric::FabricOptions o;
  o.width = width;
  o.height = height;
  o.router = open_router();
  o.pe = open_small_pe();
  o.edge_in = {2, 1};
  const std::unique_ptr<Fabric> f = make_fabric(o);
  EchoTraffic echo(f.get(), name);
  Random random(name + " window");
  const fabric::Region region{static_cast<uint32_t>(random.below(width - window_width + 1)), static_cast<uint32_t>(random.below(height - window_height + 1)), window_width, window_height};
  const uint64_t from = from_reset ? 0 : 300 + random.below(300);
  std::unique_ptr<trace::Recorder> recorder;
  for (uint64_t c = 0; c < from + cycles; ++c) {
    echo.drive(c % 600 < 400);
    if (c == from) {
      recorder = std::make_unique<trace::Recorder>(*f, region);
      f->set_before_step([&](const fabric::Fabric& now) { recorder->before(now); });
    }
    REQUIRE(f->step() == Stop::kCycle);
  }
  f->set_before_step(nullptr);
  CHECK(echo.received.size() > cycles / 100);
  return recorder->finish(*f);
}

plugin::Unit open(plugin::UnitSpec spec) {
  plugin::Unit unit;
  const std::string error = unit.open(spec);
  INFO(error);
  REQUIRE(error.empty());
  return unit;
}

plugin::Unit open_array(uint32_t width, uint32_t height) {
  plugin::UnitSpec spec = small_pe_spec();
  spec.top = "wl_array";
  spec.optimise = 0;
  spec.params.emplace_back("Width", std::to_string(width));
  spec.params.emplace_back("Height", std::to_string(height));
  return open(spec);
}

}  // namespace

TEST_CASE("window: a random window of a running array goes on by itself, bit for bit") {
  const trace::Recording recording = record(6, 5, 3, 2, scaled(1200), "window composed");
  INFO("window at (" << recording.begin.region.x << "," << recording.begin.region.y << "), " << recording.changes.size() << " changes at its border");
  CHECK(recording.changes.size() > 100);
  const plugin::Unit router = open_router(), pe = open_small_pe();
  CHECK(trace::replay(recording, router, pe) == "");

  trace::Recording other = recording;
  size_t flipped = other.changes.size() / 2;
  while (other.changes[flipped].input.word == 0) ++flipped;
  other.changes[flipped].input.word ^= 1;
  CHECK(trace::replay(other, router, pe) != "");

  other = recording;
  for (size_t r = 0, at = 0; r < other.begin.pe.names.size(); at += other.begin.pe.bytes[r++]) {
    if (other.begin.pe.names[r] == "u_scalar.regs_q") other.begin.pe.registers[1][at + 4 * 14] ^= 1;  // r14, which the program leaves alone
  }
  const std::string found = trace::replay(other, router, pe);
  CHECK(found.find("u_scalar.regs_q") != std::string::npos);
}

TEST_CASE("window: traced twins take a plain build's state over and go on alike") {
  const trace::Recording recording = record(4, 4, 2, 2, scaled(800), "window twins");
  plugin::UnitSpec twin = trace::traced(small_pe_spec(), WL_SOURCE_DIR);
  twin.trace = true;
  CHECK(trace::replay(recording, open_router(1, 0, true), open(twin)) == "");
}

TEST_CASE("window: the same in one monolithic model of a 2x2 window") {
  const trace::Recording recording = record(5, 4, 2, 2, scaled(1200), "window whole", true);  // the boot reads the coordinates
  const plugin::Unit array = open_array(2, 2);
  CHECK(trace::replay_whole(recording, array) == "");
  trace::Recording other = recording;
  other.begin.region.x += 1;  // coordinates that the tiles do not have
  CHECK(trace::replay_whole(other, array) != "");
}

TEST_CASE("window: a 4x4 window of a 12x10 array in one monolithic model", "[.full]") {
  const trace::Recording recording = record(12, 10, 4, 4, scaled(1500), "window 4x4");
  CHECK(trace::replay_whole(recording, open_array(4, 4)) == "");
}
