#include "host/report/machine_parameters.h"

namespace waferloom::report {
namespace {

template <class T>
Quantity quantity(const config::Sourced<T>& of, const char* unit) {
  return {static_cast<double>(of.value),   unit, of.published() ? Origin::kPublished : Origin::kAssumed,
          of.published() ? of.source : "", {},   {}};
}

}  // namespace

std::vector<std::pair<std::string, Quantity>> machine_parameters(const config::Machine& m) {
  return {
      {"fabric width", quantity(m.fabric_width, "tiles")},
      {"fabric height", quantity(m.fabric_height, "tiles")},
      {"user width", quantity(m.user_width, "tiles")},
      {"user height", quantity(m.user_height, "tiles")},
      {"clock", quantity(m.clock_hz, "Hz")},
      {"memory of a tile", quantity(m.sram_bytes, "bytes")},
      {"accumulator window", quantity(m.accumulator_window_bytes, "bytes")},
      {"fp16 lanes", quantity(m.lanes, "")},
      {"colours", quantity(m.colours, "")},
      {"hop", quantity(m.hop_cycles, "cycles")},
      {"ramp", quantity(m.ramp_cycles, "cycles")},
      {"router queue", quantity(m.router_queue_depth, "words")},
      {"wafer input and output", quantity(m.io_bits_per_s, "bit/s")},
      {"system power", quantity(m.system_power_w, "W")},
  };
}

}  // namespace waferloom::report
