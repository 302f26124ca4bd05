// Reads the tracer's registers of a traced PE (wl_pe_trace_sim.sv) through the plug-in's table of registers.
// Ownership: keeps nothing of an instance. Threads: immutable after open.
#pragma once
#include <cstdint>
#include <string>

#include "sim/lockstep/trace_event.h"
#include "sim/plugin/unit.h"

namespace waferloom::trace {

// What to build: `base` with the tracer attached. `source_root` is the repository.
plugin::UnitSpec traced(plugin::UnitSpec base, const std::string& source_root);

class PeTrace {
 public:
  // "" or what is missing.
  std::string open(const plugin::Unit& unit);
  // Number of edges so far that did something.
  uint32_t serial(const void* state) const { return static_cast<uint32_t>(get(state, kSerial)); }
  // What the last of them did; `cycle` is left alone.
  void read(const void* state, lockstep::EdgeTrace* edge) const;

 private:
  enum Slot { kSerial, kWhat, kWhere, kArrival, kPush, kRamp, kConfig, kValues, kLate, kStart, kData0, kData1, kSlots };
  uint64_t get(const void* state, Slot slot) const {
    return plugin::load_value(static_cast<const char*>(state) + offset_[slot], bytes_[slot]);
  }
  uint32_t offset_[kSlots] = {};
  uint32_t bytes_[kSlots] = {};
};

}  // namespace waferloom::trace
