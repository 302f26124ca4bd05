#include "host/systemc/units.h"

#include <algorithm>

namespace waferloom::systemc {
namespace {

plugin::UnitSpec base(const char* top, const UnitChoice& choice) {
  plugin::UnitSpec spec;
  spec.top = top;
  spec.view = choice.view;
  spec.trace = choice.trace;
  if (!choice.rtl_root.empty()) spec.rtl_roots = {choice.rtl_root};
  return spec;
}

void add(plugin::UnitSpec& spec, const char* name, int value) { spec.params.emplace_back(name, std::to_string(value)); }

// The smallest depth among queues first to last: the RTL has one depth for each of the two groups.
int depth(const std::vector<int>& depths, std::size_t first, std::size_t last) {
  return *std::min_element(depths.begin() + static_cast<std::ptrdiff_t>(first), depths.begin() + static_cast<std::ptrdiff_t>(last));
}

}  // namespace

plugin::UnitSpec router_spec(const config::Machine& machine, const UnitChoice& choice) {
  plugin::UnitSpec spec = base("wl_router", choice);
  add(spec, "Hop", machine.hop_cycles.value);
  add(spec, "RampExtra", machine.ramp_cycles.value - 2);
  add(spec, "Depth", machine.router_queue_depth.value);
  add(spec, "Colours", machine.colours.value);
  return spec;
}

plugin::UnitSpec pe_spec(const config::Machine& machine, const UnitChoice& choice) {
  plugin::UnitSpec spec = base("wl_pe", choice);
  const std::vector<int>& in = machine.input_queue_depths.value;
  add(spec, "Lanes", machine.lanes.value);
  add(spec, "SramBytes", machine.sram_bytes.value);
  add(spec, "WindowBytes", machine.accumulator_window_bytes.value);
  add(spec, "Colours", machine.colours.value);
  add(spec, "InDepthA", depth(in, 0, 2));
  add(spec, "InDepthB", depth(in, 2, in.size()));
  add(spec, "OutDepth", depth(machine.output_queue_depths.value, 0, machine.output_queue_depths.value.size()));
  return spec;
}

}  // namespace waferloom::systemc
