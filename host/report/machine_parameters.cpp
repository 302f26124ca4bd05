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
  std::vector<std::pair<std::string, Quantity>> all = {
      {"fabric width", quantity(m.fabric_width, "tiles")},
      {"fabric height", quantity(m.fabric_height, "tiles")},
      {"first user column", quantity(m.user_x, "")},
      {"first user row", quantity(m.user_y, "")},
      {"user width", quantity(m.user_width, "tiles")},
      {"user height", quantity(m.user_height, "tiles")},
      {"clock", quantity(m.clock_hz, "Hz")},
      {"memory of a tile", quantity(m.sram_bytes, "bytes")},
      {"memory banks of a tile", quantity(m.sram_banks, "")},
      {"accumulator window", quantity(m.accumulator_window_bytes, "bytes")},
      {"fp16 lanes", quantity(m.lanes, "")},
      {"microthreads", quantity(m.microthreads, "")},
      {"colours", quantity(m.colours, "")},
      {"switch positions of a colour", quantity(m.switch_positions, "")},
      {"hop", quantity(m.hop_cycles, "cycles")},
      {"ramp", quantity(m.ramp_cycles, "cycles")},
      {"router queue", quantity(m.router_queue_depth, "words")},
      {"wafer input and output", quantity(m.io_bits_per_s, "bit/s")},
      {"system power", quantity(m.system_power_w, "W")},
  };
  // What is published of the whole wafer, where it is.
  if (m.cores_marketed) all.emplace_back("cores, as marketed", quantity(*m.cores_marketed, ""));
  struct Figure {
    const char* name;
    const std::optional<config::Sourced<double>>& value;
    const char* unit;
  };
  for (const Figure& figure : {Figure{"peak on dense fp16", m.peak_fp16_flops_per_s, "FLOP/s"}, Figure{"peak on sparse fp16", m.peak_sparse_flops_per_s, "FLOP/s"},
                               Figure{"memory of the wafer", m.sram_total_bytes, "bytes"}, Figure{"memory bandwidth of the wafer", m.memory_bytes_per_s, "B/s"},
                               Figure{"fabric bandwidth of the wafer", m.fabric_bits_per_s, "bit/s"}, Figure{"process", m.process_nm, "nm"}, Figure{"silicon", m.area_mm2, "mm2"}}) {
    if (figure.value) all.emplace_back(figure.name, quantity(*figure.value, figure.unit));
  }
  return all;
}

}  // namespace waferloom::report
