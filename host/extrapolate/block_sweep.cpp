#include "host/extrapolate/block_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <variant>

#include "host/block/run.h"
#include "sim/plugin/sha256.h"

namespace waferloom::extrapolate {
namespace {

constexpr std::uint64_t kPhaseCycleLimit = 50'000'000;  // of a phase

// Which phase of the block is a sample of which operator.
struct MeasuredOperator {
  const char* op;
  const char* phase;
};
constexpr std::array<MeasuredOperator, 6> kOperators = {{{"norm", "attention_norm"},
                                                         {"norm gradient", "attention_norm_gradient"},
                                                         {"activation", "gelu"},
                                                         {"activation gradient", "gelu_gradient"},
                                                         {"attention", "attention"},
                                                         {"attention gradient", "attention_gradient"}}};

std::size_t phase_number(const std::string& name) {
  const std::vector<block::Phase> all = block::phases();
  std::size_t p = 0;
  while (p < all.size() && all[p].name != name) ++p;
  assert(p < all.size());
  return p;
}

block::Shape shape_of(const BlockArray& a, const config::Machine& machine) {
  block::Shape s;
  s.width = a.width;
  s.height = a.height;
  s.tokens = a.tokens * a.height;
  s.features = a.features * a.width;
  s.hidden = a.hidden * a.width;
  s.heads = a.heads;
  s.sequences = a.sequences;
  s.lanes = machine.lanes.value;
  s.sram_bytes = machine.sram_bytes.value;
  s.window_bytes = machine.accumulator_window_bytes.value;
  return s;
}

class BlockExperiment : public Experiment {
 public:
  BlockExperiment(const BlockArray& array, const config::Machine& machine)
      : array_(array), shape_(shape_of(array, machine)), hop_(static_cast<unsigned>(machine.hop_cycles.value)) {}

  // Assembles a tile of each corner and some between: what the microcode of all of them follows from.
  std::string prepare() {
    if (const auto refused = block::refuse(shape_)) return refused->message;
    plugin::Sha256 hash;
    const std::array<std::pair<int, int>, 5> tiles = {
        {{0, 0}, {1, 0}, {shape_.width - 1, shape_.height - 1}, {shape_.width / 2, shape_.height / 2}, {0, std::max(0, shape_.height - 2)}}};
    for (const auto& [x, y] : tiles) {
      const auto made = block::make_image(shape_, x, y);
      if (const auto* refusal = std::get_if<block::Refusal>(&made)) return refusal->message;
      const block::TileImage& image = std::get<block::TileImage>(made);
      hash.field(std::string(image.bytes.begin(), image.bytes.end()));
      for (const MeasuredOperator& measured : kOperators) hash.field(std::to_string(image.symbols.at(std::string(measured.phase) + "_record")));
    }
    program_ = hash.hex();
    return {};
  }

  std::string label() const override {
    return fmt::format("{}x{} tiles, {} tokens, {} features, heads of {} columns, sequences of {} rows", array_.width, array_.height, array_.tokens, array_.features, shape_.head_columns(),
                       shape_.sequence_rows());
  }
  int width() const override { return array_.width; }
  int height() const override { return array_.height; }
  bool held_out() const override { return array_.held_out; }
  std::string program() const override { return program_; }

  double work() const override {
    const double n = array_.tokens, f = array_.features, steps = shape_.sequence_rows();
    const double cycles = steps * (7 * f * n * (2 * n / shape_.lanes + 8) + 40 * n * n) + 60 * n * (f + array_.hidden) + 20.0 * array_.width;
    return cycles * array_.width * array_.height;
  }

  std::string key(const std::string& router_hash, const std::string& pe_hash) const override {
    plugin::Sha256 hash;
    hash.field("waferloom block experiment 1");
    hash.field(router_hash);
    hash.field(pe_hash);
    hash.field(std::to_string(hop_));
    for (const int size : {array_.width, array_.height, array_.tokens, array_.features, array_.hidden, array_.heads, array_.sequences}) hash.field(std::to_string(size));
    hash.field(program_);
    return hash.hex();
  }

  std::string run(const plugin::Unit& router, const plugin::Unit& pe, const std::function<bool()>& interrupted, Measurement* m) const override {
    m->phases.clear();
    m->busy.clear();
    const auto made = block::make_program(shape_);
    if (const auto* refusal = std::get_if<block::Refusal>(&made)) return label() + ": " + refusal->message;
    block::RtlOptions options;
    options.router = router;
    options.pe = pe;
    options.hop = hop_;
    options.limit_cycles = kPhaseCycleLimit;
    options.hooks.interrupted = interrupted;
    std::vector<std::size_t> which;
    for (const MeasuredOperator& measured : kOperators) which.push_back(phase_number(measured.phase));
    std::vector<std::uint64_t> cycles;
    const std::unique_ptr<block::Machine> machine = block::rtl_machine(options);
    const std::string problem = block::time_phases(*machine, std::get<block::Program>(made), which, &cycles);
    if (!problem.empty()) return problem == "interrupted" ? problem : label() + ": " + problem;
    for (std::size_t i = 0; i < kOperators.size(); ++i) m->phases.push_back({kOperators[i].op, static_cast<std::int64_t>(cycles[i])});
    return {};
  }

  std::vector<OperatorSample> samples(const Measurement& m) const override {
    OperatorSize size;
    size.width = array_.width;
    size.height = array_.height;
    size.tokens = array_.tokens;
    size.head_columns = shape_.head_columns();
    std::vector<OperatorSample> samples;
    for (const MeasuredPhase& measured : m.phases) {
      size.outputs = measured.phase.rfind("attention", 0) == 0 ? shape_.sequence_rows() : 1;
      size.features = measured.phase.rfind("activation", 0) == 0 ? array_.hidden : array_.features;
      samples.push_back({measured.phase, size, static_cast<double>(measured.cycles), measured.phase + ", " + label()});
    }
    return samples;
  }

 private:
  BlockArray array_;
  block::Shape shape_;
  unsigned hop_;
  std::string program_;
};

}  // namespace

MadeExperiment make_block_experiment(const BlockArray& array, const config::Run& run) {
  MadeExperiment made;
  auto experiment = std::make_unique<BlockExperiment>(array, run.machine);
  made.refusal = experiment->prepare();
  if (made.refusal.empty()) made.experiment = std::move(experiment);
  return made;
}

const std::vector<BlockArray>& block_arrays() {
  static const std::vector<BlockArray> arrays = {
      // Heads of one to eight columns, sequences of one to twelve rows; tokens and features as far as a tile holds the whole block.
      {2, 1, 4, 2, 4, 1, 1}, {2, 2, 4, 2, 8, 2, 1}, {4, 2, 4, 4, 16, 1, 1}, {4, 4, 8, 2, 8, 2, 1}, {2, 4, 8, 4, 4, 1, 2}, {4, 3, 4, 8, 24, 4, 1}, {3, 2, 12, 4, 12, 1, 1},
      {6, 2, 8, 8, 32, 2, 1}, {8, 4, 4, 4, 16, 2, 1}, {2, 8, 4, 4, 8, 2, 1}, {4, 6, 8, 6, 16, 1, 2}, {2, 2, 16, 8, 16, 1, 1}, {3, 3, 4, 16, 32, 3, 1}, {8, 1, 8, 12, 8, 1, 1},
      {4, 4, 16, 4, 8, 2, 1}, {5, 5, 12, 6, 20, 5, 1}, {16, 2, 4, 2, 4, 2, 1}, {2, 12, 4, 2, 6, 1, 1}, {2, 2, 32, 4, 8, 1, 1}, {2, 1, 32, 8, 8, 2, 1}, {3, 2, 24, 8, 16, 1, 1},
      {2, 3, 40, 2, 8, 1, 1}, {2, 1, 4, 34, 136, 1, 1}, {2, 2, 8, 24, 96, 1, 1}, {4, 2, 28, 6, 24, 1, 1}, {32, 1, 4, 2, 4, 1, 1},
      // Many steps of long heads, and as many tokens as a tile holds the scores of.
      {12, 5, 4, 2, 8, 1, 1}, {2, 24, 4, 4, 8, 1, 1}, {8, 8, 4, 4, 8, 1, 1}, {2, 2, 44, 2, 4, 1, 1},
      // Arrays that no fit sees.
      {24, 4, 4, 10, 40, 2, 1, true}, {4, 24, 4, 6, 12, 2, 1, true}, {12, 12, 8, 4, 16, 3, 1, true}, {16, 4, 12, 8, 24, 2, 2, true}, {16, 4, 24, 6, 24, 2, 1, true}, {24, 12, 4, 2, 8, 2, 1, true},
      {128, 2, 8, 7, 28, 8, 1, true}};
  return arrays;
}

std::string block_program_hash(const config::Machine& machine) {
  plugin::Sha256 hash;
  const block::Shape shape = shape_of({4, 4, 4, 2, 4, 2, 2}, machine);
  for (int tile = 0; tile < shape.width * shape.height; ++tile) {
    const auto made = block::make_image(shape, tile % shape.width, tile / shape.width);
    if (std::holds_alternative<block::Refusal>(made)) return {};
    const block::TileImage& image = std::get<block::TileImage>(made);
    hash.field(std::string(image.bytes.begin(), image.bytes.end()));
  }
  return hash.hex();
}

}  // namespace waferloom::extrapolate
