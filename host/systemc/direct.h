// One training step on a wafer without SystemC: words are offered to the edge at once. For calibration, audits and tests, where host latencies are not wanted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/plan/collector.h"
#include "host/plan/edge_stream.h"
#include "host/plan/plan.h"
#include "host/systemc/fabric_wafer.h"

namespace waferloom::systemc {

struct DirectResult {
  std::string error;  // empty, or what stopped the step: a trap, a deadlock, a word that the plan does not have, the cycle limit
  plan::StepResult result;
  std::vector<std::int64_t> phase_cycles;  // per phase of the step
  std::int64_t cycles = 0;                 // of the whole step
  std::uint64_t words_in = 0;              // copies of edge words that entered
  std::uint64_t words_out = 0;
};

enum class Offer {
  kWhole,    // all words of the step at once: phases overlap as the tiles allow
  kByPhase,  // the words of a phase when the wafer has come to rest: a phase's cycles include its fill and drain
};

// Runs one step. `limit`: cycles that one phase (kWhole: the step) may take. The wafer may be used for further steps when there was no error.
// `interrupted` is asked every few hundred cycles; true ends the step with the error "interrupted". Empty: never.
DirectResult run_step(FabricWafer& wafer, const plan::Plan& plan, const plan::StepInputs& inputs, const std::vector<plan::LayerWeights>& layers, Offer offer,
                      std::int64_t limit, const std::function<bool()>& interrupted = {});

}  // namespace waferloom::systemc
