// A kernel run: a list of small programs on free rectangles of tiles, each with what is expected of its cycles. Filled by the resolver from run files that
// have the key `kernels`. Everything is checked when it arrives here, but for what only the kernel's own layout knows (memory, group sizes).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/config/diagnostic.h"
#include "host/config/machine.h"

namespace waferloom::config {

// In the order of the schema's choices.
enum class KernelKind {
  kBroadcast,
  kReduceStar,
  kReduceChain,
  kReduceTree,
  kReduceTwoPhase,
  kAllreduceRing,
  kAllreduceChain,
  kAllreduceCentre,
  kGemv,
  kGemm,
  kStencil25,
  kTransformerBlock,
  kFolder  // a kernel folder of the user's own
};
enum class Precision { kFp32, kFp16 };

// Cycles that a case should take: from `least` to `most`, with a tolerance at both ends of the larger of the two.
struct KernelExpectation {
  double least = 0;
  double most = 0;
  double tolerance_percent = 0;
  double tolerance_cycles = 0;
  std::string source;

  double lower() const;
  double upper() const;
  bool holds(double cycles) const { return cycles >= lower() && cycles <= upper(); }
};

struct KernelCase {
  std::string name;
  KernelKind kernel = KernelKind::kBroadcast;
  int width = 1;   // tiles; kFolder: as its layout says, once that has been read
  int height = 1;
  int words = 1;   // collectives: wavelets of a tile's vector: one binary32 each, or two binary16
  int rows = 0;    // gemv, gemm: of the (left) matrix, whole
  int columns = 0; // gemv: of the matrix; gemm: of the right matrix
  int inner = 0;   // gemm: columns of the left matrix, rows of the right one
  int cells = 0;   // stencil25: of a tile's column
  int steps = 1;   // stencil25: of time
  int tokens = 0;  // transformer_block: of all sequences
  int features = 0;  // of the model
  int hidden = 0;    // of its feed-forward layer
  int heads = 1;
  int sequences = 1;
  bool causal = true;
  std::string folder;  // kFolder: where layout.yaml lies; absolute
  Precision precision = Precision::kFp32;
  int group = 0;   // two-phase: tiles of a group
  int repeat = 1;  // with seeds seed, seed + 1, ...
  std::uint64_t seed = 1;
  Machine machine;
  std::optional<KernelExpectation> expected;

  // Where a key of this case stands ("" is the case itself), with the source line: for errors that are found later.
  std::map<std::string, Diagnostic> places;
  // An error at that key's place (the case's if the key is not given).
  Diagnostic error_at(const std::string& key, std::string message, std::string hint = {}) const;
};

// When the whole state is saved, beside an interrupt.
struct KernelCheckpointRule {
  std::int64_t every_cycles = 0;  // of a case, between two; 0: not by cycles
  double every_seconds = 0;       // of wall-clock time; 0: not by time
  int keep = 2;                   // the newest files that stay
};

struct KernelRun {
  std::string name;
  std::string description;
  std::vector<KernelCase> cases;
  bool other_machine = false;     // run on a machine that the file does not name: expectations do not apply
  std::int64_t limit_cycles = 0;  // of one case; 0: no limit
  KernelCheckpointRule checkpoint;
  std::string outputs;            // result folder, relative to the working directory
};

const char* to_string(KernelKind kind);
const char* to_string(Precision precision);
// What the case works on, for tables: words of a vector ("256"), "4096x4096", "64x32x48" (rows, inner, columns), cells ("100", of three steps "100x3"), tokens, features and
// hidden features of a block ("16x16x32").
std::string size_text(const KernelCase& c);

}  // namespace waferloom::config
