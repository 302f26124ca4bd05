// What a kernel run found: one row per case, as a table for the terminal, as JSON (schema waferloom-kernels-1) and as CSV.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/config/kernel_run.h"
#include "host/kernels/kernel_machine.h"

namespace waferloom::kernels {

enum class Verdict : std::uint8_t {
  kReported,  // right values; nothing is expected of the cycles
  kWithin,    // right values, cycles within the tolerance
  kMissed,    // right values, cycles outside
  kWrong,     // at least one word differs from the golden sum
  kTrap,      // from here on: the case did not finish
  kDeadlock,
  kLivelock,
  kCycleLimit,
  kFailed     // the simulation itself could not go on
};
const char* to_string(Verdict verdict);

struct CaseResult {
  const config::KernelCase* wanted = nullptr;
  bool judged = true;                     // false: the expectation is of another machine, and only shown
  std::vector<Measurement> measurements;  // one per repetition
  std::uint64_t peak_memory_bytes = 0;    // of this process so far
  std::string router_hash, pe_hash;

  // For checkpoints: all but `wanted` and `judged`.
  void transfer(checkpoint::Archive& archive) { archive(measurements, peak_memory_bytes, router_hash, pe_hash); }
  bool finished() const;
  std::uint64_t cycles() const;  // the greatest of the repetitions
  std::uint64_t wrong_words() const;
  Verdict verdict() const;
  // Measured less expected: from the nearer end of a range, 0 within it.
  double difference() const;
};

// At most 100 columns for names of up to 30 letters.
std::string results_table(const std::vector<CaseResult>& results);
// Everything but wall-clock figures is the same for the same inputs; those stand under "wall_clock".
std::string results_json(const config::KernelRun& run, const std::vector<CaseResult>& results);
std::string results_csv(const std::vector<CaseResult>& results);

}  // namespace waferloom::kernels
