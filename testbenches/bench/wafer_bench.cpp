// The whole wafer on one core: real tiles (router and PE with a program) and arrays of routers alone, at 757x996 or any smaller size.
// Measured: seconds and peak memory until every tile has its program and routes, has booted and come to rest; then a flood (words from one
// corner to every router, every delivery counted) per evaluated router cycle.
// Usage: wafer_bench [--size WxH] [--rtl DIR] [--words N]     exit 1: a word is missing or something failed; figures that fall short are only said
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "testbenches/bench/wafer_cases.h"

namespace waferloom::bench {
namespace {

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0);
}

void figure(const std::string& what, double value, const char* unit, double wanted) {
  fmt::print("{:<62} {:8.2f} {:<3} wanted <= {:g}   {}\n", what, value, unit, wanted, value <= wanted ? "met" : "FALLS SHORT");
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  WaferCase wafer;
  std::string rtl;
  unsigned words = 16;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--size" && i + 1 < argc && std::sscanf(argv[i + 1], "%ux%u", &wafer.width, &wafer.height) == 2 && wafer.width > 0 && wafer.height > 0) {
      ++i;
    } else if (argument == "--words" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      words = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (argument == "--rtl" && i + 1 < argc) {
      rtl = argv[++i];
    } else {
      fmt::print(stderr, "wafer_bench: error: unknown argument '{}'\nhint: wafer_bench [--size WxH] [--rtl DIR] [--words N]\n", argument);
      return 2;
    }
  }
  try {
    const Units units = open_units(rtl);
    {
      const FloodResult flood = flood_routers(units, wafer, words);
      fmt::print("routers alone, {}x{}: {} words reached all {} routers in {} cycles; {} router cycles evaluated in {:.1f} s\n", wafer.width, wafer.height, words,
                 uint64_t{wafer.width} * wafer.height, flood.cycles, flood.evaluations, flood.seconds);
      figure("flood of routers: per evaluated router cycle", 1e9 * flood.seconds / static_cast<double>(flood.evaluations), "ns", 150);
    }
    std::vector<Phase> phases;
    const auto fabric = idle_wafer(units, wafer, &phases);
    double seconds = 0;
    for (const Phase& phase : phases) {
      fmt::print("    {:<40} {:6.2f} s\n", phase.name, phase.seconds);
      seconds += phase.seconds;
    }
    figure(fmt::format("{}x{} tiles with program and routes, booted and idle", wafer.width, wafer.height), seconds, "s", 60);
    figure("    peak memory of the process", peak_gigabytes(), "GB", 8);
    const FloodResult flood = flood_tiles(*fabric, 1);
    fmt::print("whole tiles: a word stored in all {} SRAMs; {} cycles, {:.1f} s, {:.0f} ns per evaluated unit cycle\n", uint64_t{wafer.width} * wafer.height, flood.cycles,
               flood.seconds, 1e9 * flood.seconds / static_cast<double>(flood.evaluations));
    figure("    peak memory after it", peak_gigabytes(), "GB", 12);
  } catch (const std::exception& e) {
    fmt::print(stderr, "wafer_bench: error: {}\n", e.what());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace waferloom::bench

int main(int argc, char** argv) { return waferloom::bench::run(argc, argv); }
