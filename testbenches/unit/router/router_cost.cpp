// Drives one router for scripts/bench.d/router_cost, which counts host instructions: router_cost LOAD CYCLES.
// LOAD: idle, one (a stream), five (streams, every port in and out), multicast (one stream to four ports), stalled.
#include <cstdlib>
#include <iostream>

#include "testbenches/unit/router/mesh.h"

using namespace waferloom;
using namespace waferloom::router;

// What is counted.
extern "C" __attribute__((noinline)) void router_cost_tick(const WlUnitApi* api, WlArena* arena) { api->tick(arena, 0); }

int main(int argc, char** argv) {
  const std::string load = argc > 1 ? argv[1] : "";
  const unsigned long cycles = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
  if (load != "idle" && load != "one" && load != "five" && load != "multicast" && load != "stalled") {
    std::cerr << "usage: router_cost idle|one|five|multicast|stalled CYCLES\n";
    return 2;
  }
  try {
    Bench bench("wl_router", {{"Hop", "1"}, {"Depth", "3"}}, WL_RESET_ZERO);
    bench.reset();
    const char* const names[kPorts] = {"north", "east", "south", "west", "ramp"};
    auto cfg = bench.port("cfg_i");
    for (unsigned c = 0; c < kPorts; ++c) {  // colour c enters at port c and leaves straight on
      const uint32_t to = load == "multicast" && c == 3 ? 0x17 : c == kRamp ? bit(kRamp) : bit(opposite(c));
      cfg = 1ull << 40 | uint64_t{c} << 35 | route(bit(c), to);
      bench.tick();
    }
    cfg = 0;
    Bench::Port in[kPorts];
    for (unsigned p = 0; p < kPorts; ++p) {
      in[p] = bench.port(std::string(names[p]) + "_i");
      bench.set(std::string(names[p]) + "_ready_i", load == "stalled" ? 0 : 0xffffff);
    }
    if (load == "stalled") {
      in[3] = wavelet(3, 1);
      bench.tick();
      in[3] = 0;
    }
    bench.ticks(4);
    for (unsigned long k = 0; k < cycles; ++k) {
      if (load == "one" || load == "multicast") in[3] = wavelet(3, static_cast<uint32_t>(k));
      if (load == "five") {
        for (unsigned p = 0; p < kPorts; ++p) in[p] = wavelet(p, static_cast<uint32_t>(k));
      }
      router_cost_tick(&bench.unit().api(), bench.arena());
    }
    if (bench.get("trap_o") != 0) return 1;
    const bool works = load == "one" || load == "five" || load == "multicast";
    if (works != (bench.get("quiet_o") == 0)) return 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
