// The whole wafer of WSE-2, 757x996 real tiles, in one process: within a minute of processor time and 8 GB loaded, booted and idle; a word from one corner
// reaches every SRAM. Parameter space: one size; odd rectangles are tried small. Left out: collectives (firmware/kernels).
#include <sys/resource.h>

#include "testbenches/bench/wafer_cases.h"
#include "testbenches/lib/catch.h"

using namespace waferloom;
using namespace waferloom::bench;

namespace {

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0);
}

}  // namespace

TEST_CASE("any rectangle is loaded by regions, boots, comes to rest and can be flooded") {
  const Units units = open_units("");
  for (const WaferCase& size : {WaferCase{1, 1}, WaferCase{70, 1}, WaferCase{1, 70}, WaferCase{65, 3}, WaferCase{2, 33}}) {
    INFO(size.width << "x" << size.height);
    std::vector<Phase> phases;
    const auto wafer = idle_wafer(units, size, &phases);
    const FloodResult flood = flood_tiles(*wafer, 5);
    CHECK(flood.cycles > size.width + size.height);
    CHECK(flood_routers(units, size, 9).evaluations > 9ull * size.width * size.height);
  }
}

TEST_CASE("757x996 tiles are idle within 60 seconds and 8 GB", "[.full]") {
  const Units units = open_units("");
  std::vector<Phase> phases;
  const auto wafer = idle_wafer(units, WaferCase{}, &phases);
  double seconds = 0;
  for (const Phase& phase : phases) {
    WARN(phase.name << ": " << phase.seconds << " s");
    seconds += phase.seconds;
  }
  CHECK(seconds < 60);
  CHECK(peak_gigabytes() < 8);
  CHECK_FALSE(wafer->can_move());
  CHECK(wafer->private_bytes() == 0);
  const uint64_t reached = flood_tiles(*wafer, 1).cycles;
  CHECK(reached > 757 + 996);
  CHECK(reached < 757 + 996 + 100);
  CHECK(peak_gigabytes() < 12);
}
