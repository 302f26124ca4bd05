// One traced PE with a checker beside it: random wavelets in as flow control allows, random stalls out, every edge compared.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/lockstep/checker.h"
#include "sim/lockstep/program_generator.h"
#include "sim/trace/pe_trace.h"
#include "testbenches/lib/bench.h"

namespace waferloom::test {

struct PeBenchOptions {
  uint32_t lanes = 8;
  uint32_t window_bytes = 512;
  uint32_t sram_bytes = 49152;
  uint32_t colours = 24;
  uint32_t deep_queue = 8;  // InDepthA
  plugin::View view = plugin::View::kFast;
  uint32_t reset_mode = WL_RESET_RANDOM;
  uint32_t feed_percent = 70;   // of cycles in which a wavelet is offered
  uint32_t stall_percent = 20;  // of a colour's ready on the way out
};

struct PeRun {
  bool ended = false;   // halted or trapped before the limit
  bool ok = false;      // no difference
  std::string text;     // the finding, or why it did not end
  uint64_t cycles = 0;
  uint64_t scalars = 0;
  uint64_t elements = 0;
};

// Changes what the hardware does, so that a test sees it caught. Each takes place once.
struct Mutation {
  enum class Kind {
    kNone,
    kInstruction,  // a word of the hardware's memory has other bits
    kArrival,      // the golden model never gets an arrival: as if the hardware had made one up
    kPush,         // a wavelet sent is lost
    kRounding,     // the last bit of a result written to memory is wrong
  };
  Kind kind = Kind::kNone;
  uint32_t address = 0;  // kInstruction
  uint32_t flip = 0;
  uint64_t index = 0;    // the others: which of them
};

class PeBench {
 public:
  explicit PeBench(const PeBenchOptions& options);
  // Runs to the end, at most `limit` cycles.
  PeRun run(const lockstep::RandomProgram& program, uint64_t seed, uint64_t limit, const Mutation& mutation = {});
  // Sum over all runs, by opcode.
  const std::array<uint64_t, 128>& executed() const { return executed_; }

 private:
  void open();
  void load(const golden::Program& program);
  std::string compare_end(const golden::Pe& golden);

  PeBenchOptions options_;
  std::unique_ptr<Bench> bench_;
  uint32_t line_bytes_ = 4;
  std::array<uint64_t, 128> executed_{};
};

}  // namespace waferloom::test
