// Generated from configs/spec/counters.yaml by scripts/gen; do not edit.
// Cycle classes and events.
#pragma once

#include <cstdint>

namespace waferloom::spec {

struct CounterRow {
  const char* name;
  const char* report;  // the report's column; empty for events
  const char* counts;  // exactly what increments it
};

// Cycle classes of the PE: every cycle has exactly one.
enum class PeClass : uint8_t {
  kIdle = 0,
  kAxpy = 1,
  kDot = 2,
  kReduce = 3,
  kElementwise = 4,
  kScalar = 5,
  kStream = 6,
  kWaitBank = 7,
  kWaitHazard = 8,
  kWaitOut = 9,
  kWaitIn = 10,
  kControl = 11,
  kStopped = 12,
};
inline constexpr int kPeClassCount = 13;
inline constexpr CounterRow kPeClasses[] = {
    {"idle", "waiting", "no task, no instruction, no microthread active"},
    {"axpy", "axpy", "a saxpy group issued"},
    {"dot", "gradient", "an sdot or vdot group issued"},
    {"reduce", "reduction", "a vector group with a fabric operand issued (not saxpy, sdot)"},
    {"elementwise", "elementwise", "a vector group on memory operands only issued"},
    {"scalar", "elementwise", "a scalar instruction issued"},
    {"stream", "stream", "saxpy or sdot holds a wavelet but issued no group: decoding, skipping a zero, between weights"},
    {"wait_bank", "waiting", "a group could issue but for a memory bank"},
    {"wait_hazard", "waiting", "a group or instruction waits for a result in the pipeline"},
    {"wait_out", "waiting", "a group waits for room in an output queue"},
    {"wait_in", "waiting", "a group waits for a wavelet"},
    {"control", "stream", "task start, fetch, branch, launch, drain"},
    {"stopped", "waiting", "halted or trapped"},
};

// Events of the PE.
enum class PeEvent : uint8_t {
  kWaveletsIn = 0,
  kWaveletsOut = 1,
  kLaneSlots = 2,
  kMacs = 3,
  kZeroSkips = 4,
  kSaturations = 5,
  kTasks = 6,
  kInstructions = 7,
};
inline constexpr int kPeEventCount = 8;
inline constexpr CounterRow kPeEvents[] = {
    {"wavelets_in", "", "wavelets taken into an input queue"},
    {"wavelets_out", "", "wavelets put on the ramp"},
    {"lane_slots", "", "16-bit lane slots used by groups issued (an element of a 32-bit group uses two)"},
    {"macs", "", "multiply-accumulates issued (saxpy, sdot, vdot, vmacs, vfma elements)"},
    {"zero_skips", "", "zero weights that arrived at saxpy"},
    {"saturations", "", "results that overflowed from finite operands to infinity"},
    {"tasks", "", "tasks started"},
    {"instructions", "", "instructions issued by the main thread"},
};

// Cycle classes of the router.
enum class RouterClass : uint8_t {
  kIdle = 0,
  kForward = 1,
  kStalled = 2,
  kTrapped = 3,
};
inline constexpr int kRouterClassCount = 4;
inline constexpr CounterRow kRouterClasses[] = {
    {"idle", "waiting", "nothing stored, nothing moved"},
    {"forward", "forward", "at least one wavelet taken or granted"},
    {"stalled", "waiting", "wavelets stored, none granted"},
    {"trapped", "waiting", "stopped by a trap"},
};

// When several classes could claim a cycle, the first of these does.
inline constexpr PeClass kPeClassPriority[] = {PeClass::kStopped, PeClass::kAxpy, PeClass::kDot, PeClass::kReduce, PeClass::kElementwise, PeClass::kScalar, PeClass::kStream, PeClass::kWaitBank, PeClass::kWaitHazard, PeClass::kWaitOut, PeClass::kWaitIn, PeClass::kControl, PeClass::kIdle};
// The report's columns, in order of first use.
inline constexpr const char* kPeReports[] = {"waiting", "axpy", "gradient", "reduction", "elementwise", "stream"};
inline constexpr int kPeReportCount = 6;

}  // namespace waferloom::spec
