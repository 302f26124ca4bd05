// The wafer cycle is the truth; SystemC time is derived from it: time(cycle) = round(cycle / clock) in picoseconds, never accumulated.
#pragma once

#include <cmath>
#include <cstdint>
#include <systemc>

namespace waferloom::systemc {

class CycleClock {
 public:
  // Requires clock_hz > 0. Exact to the picosecond up to 2^53 ps (two and a half hours of wafer time).
  explicit CycleClock(double clock_hz) : picoseconds_(1e12 / clock_hz) {}

  sc_core::sc_time at(std::int64_t cycle) const {
    return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(std::llround(static_cast<double>(cycle) * picoseconds_)));
  }
  // Cycles that a latency takes, at least 1.
  std::int64_t cycles(double seconds) const {
    const std::int64_t n = std::llround(seconds * 1e12 / picoseconds_);
    return n < 1 ? 1 : n;
  }

 private:
  double picoseconds_;
};

}  // namespace waferloom::systemc
