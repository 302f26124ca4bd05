// What one edge of a traced PE did, as the tracer (sim/trace/wl_pe_trace_sim.sv) shows it: at most one event of each kind.
#pragma once
#include <cstdint>

#include "sim/golden/wavelet.h"

namespace waferloom::lockstep {

// wl_pe_pkg: what a selected context does.
enum class ContextEvent : uint8_t {
  kGroup = 0,   // `group` elements
  kEnd = 1,     // ends without an element
  kFlush = 2,   // sends a pending half
  kDrop = 3,    // takes a zero weight
  kClear = 4,   // accumulators start
  kResult = 5,  // of a reduction
  kIndex = 6,   // sdot: fetches an index from memory
  kDue = 7,     // the result is due
};

struct RegisterWrite {
  bool valid = false;
  uint8_t reg = 0;
  uint32_t value = 0;
};

struct EdgeTrace {
  uint64_t cycle = 0;

  bool started = false;  // a task
  bool start_local = false;
  bool start_control = false;
  uint8_t start_queue = 0;
  uint8_t start_task = 0;
  uint32_t start_r1 = 0;  // if a wavelet starts it
  uint32_t start_r2 = 0;

  bool scalar = false;  // the main thread issued (a vector instruction: launched)
  uint16_t pc = 0;

  bool context_event = false;
  uint8_t context = 0;
  ContextEvent kind = ContextEvent::kGroup;
  uint8_t group = 0;
  bool complete = false;  // the context ends with this event

  bool arrived = false;  // a wavelet entered an input queue
  golden::Wavelet arrival;

  // Effects, of this or earlier edges.
  RegisterWrite integer, load, late;
  bool memory_write = false;
  uint32_t memory_address = 0;  // of the line's first byte
  uint8_t memory_mask = 0;      // halves
  uint64_t memory_data[2] = {0, 0};
  bool pushed = false;
  uint8_t push_queue = 0;
  golden::Wavelet push;
  bool sent = false;  // ramp_o
  golden::Wavelet ramp;
  bool configured = false;
  uint8_t config_address = 0;
  uint32_t config_data = 0;

  bool trapped = false;
  uint8_t trap_cause = 0;
  uint16_t trap_pc = 0;
};

}  // namespace waferloom::lockstep
