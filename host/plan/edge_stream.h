// The words that enter at the north edge during one step, in order, made one by one from the current weights.
//
// Each column has one injector. An edge word is meant for one column, or is a control wavelet that the port copies to every column (it counts as one word
// of edge bandwidth). The order within a column is what matters to the tiles; words of different columns are interleaved so that all injectors are busy.
// A port keeps a bounded queue per column and stops taking words while a queue that the next word needs is full.
#pragma once

#include <cstdint>
#include <vector>

#include "host/plan/plan.h"
#include "sim/checkpoint/archive.h"

namespace waferloom::plan {

inline constexpr std::uint16_t kEveryColumn = 0xffff;

struct EdgeWord {
  std::uint16_t column = 0;  // kEveryColumn: a copy to each
  std::uint64_t link = 0;    // the 39-bit link word (valid bit set)

  void transfer(checkpoint::Archive& archive) { archive(column, link); }
};

// Current weights of a layer as the wire carries them, and which of them are stored. Not owned; must outlive the stream and not change while it runs.
struct LayerWeights {
  const std::uint16_t* weights = nullptr;  // binary16, [outputs][inputs]
  const std::uint16_t* bias = nullptr;     // binary16, [outputs]; null when the layer has none
  const std::uint8_t* stored = nullptr;    // [outputs][inputs], non-zero = stored; null = all of them
};

// One batch. Not owned; the same rules. `rows` real tokens (0 to plan.batch); the rest of the batch is padding.
struct StepInputs {
  StepKind kind = StepKind::kTrain;
  const float* samples = nullptr;  // [rows][inputs]
  const int* labels = nullptr;     // [rows], 0 to classes - 1
  int rows = 0;
  float gradient_factor = 1;  // loss scale / rows: multiplies the output gradient
};

// Where a stream stands: plain data, so that a host model can save it.
struct EdgeCursor {
  std::uint32_t phase = 0;
  std::uint32_t stage = 0;   // within a phase: start control, body, end
  std::uint32_t output = 0;  // output of the pass; load: tile row
  std::uint32_t item = 0;    // running number of the weight within a column's share; load: word of the block
  std::uint32_t column = 0;

  void transfer(checkpoint::Archive& archive) { archive(phase, stage, output, item, column); }
};

// Counts of one phase. A zero weight is not sent.
struct PhaseCount {
  std::uint64_t words = 0;     // edge words: a replicated control counts once
  std::uint64_t wavelets = 0;  // wavelets that enter the fabric: a replicated control counts once per column
  std::uint64_t results = 0;   // words that leave the edge because of it, all columns together
};

class EdgeStream {
 public:
  // `layers`: one entry per layer of the plan's network. Keeps references to the plan and copies of the two structs.
  EdgeStream(const Plan& plan, const StepInputs& inputs, std::vector<LayerWeights> layers, EdgeCursor start = {});

  // The next word, or false at the end of the step. Amortised constant time per word plus one per zero weight passed over.
  bool next(EdgeWord& word);

  // The phase that the word returned last belongs to (index into plan.step(kind)).
  std::uint32_t phase() const { return last_phase_; }
  const EdgeCursor& cursor() const { return cursor_; }

 private:
  bool load_word(EdgeWord& word);
  bool pass_word(EdgeWord& word);

  const Plan& plan_;
  StepInputs inputs_;
  std::vector<LayerWeights> layers_;
  EdgeCursor cursor_;
  std::uint32_t last_phase_ = 0;
};

// What each phase of the step sends and gives, counted from the sizes and the weights without running the stream.
std::vector<PhaseCount> count_phases(const Plan& plan, StepKind kind, const std::vector<LayerWeights>& layers);

}  // namespace waferloom::plan
