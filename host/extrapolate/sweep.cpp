#include "host/extrapolate/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/extrapolate/plan_price.h"
#include "host/systemc/small_step.h"
#include "sim/generated/counters.h"
#include "sim/plugin/sha256.h"

namespace waferloom::extrapolate {
namespace {

constexpr std::int64_t kCycleLimit = 50'000'000;

class StepExperiment : public Experiment {
 public:
  explicit StepExperiment(const StepShape& shape) : shape_(shape) {}

  std::string prepare(const config::Run& run) {
    inputs_ = shape_.inputs > 0 ? shape_.inputs : shape_.inputs_per_column * shape_.width;
    hidden_ = shape_.hidden > 0 ? shape_.hidden : shape_.hidden_per_column * shape_.width;
    outputs_ = shape_.outputs > 0 ? shape_.outputs : shape_.outputs_per_column * shape_.width;
    systemc::SmallStepSpec spec;
    spec.width = shape_.width;
    spec.height = shape_.height;
    spec.inputs = inputs_;
    spec.hidden = hidden_;
    spec.outputs = outputs_;
    spec.batch = shape_.height * shape_.tokens;
    spec.bias = shape_.bias;
    spec.relu = shape_.activation;
    spec.offer = systemc::Offer::kByPhase;
    spec.io_words_per_cycle = static_cast<std::uint32_t>(2 * shape_.width + 2);  // so that the edge is not what is measured
    spec.out_buffer_words = 0;
    const std::string refused = by_phase_.prepare(spec, run);
    if (!refused.empty()) return refused;
    spec.offer = systemc::Offer::kWhole;
    return shape_.whole ? whole_.prepare(spec, run) : std::string();
  }

  std::string label() const override { return fmt::format("{}x{} tiles, {}-{}-{} features, {} tokens", shape_.width, shape_.height, inputs_, hidden_, outputs_, shape_.tokens); }
  int width() const override { return shape_.width; }
  int height() const override { return shape_.height; }
  bool held_out() const override { return shape_.held_out; }
  std::string program() const override { return by_phase_.program(); }

  double work() const override {
    const double tokens = shape_.tokens;
    auto layer = [&](double from, double to) { return to * (std::ceil(from / shape_.width) * tokens / 2 + 2 * tokens + 20) + 12.0 * shape_.width; };
    const double cycles = 2 * layer(inputs_, hidden_) + 3 * layer(hidden_, outputs_) + 30 * tokens + 20.0 * (shape_.width + shape_.height) + 500;
    return (shape_.whole ? 2 : 1) * cycles * shape_.width * shape_.height;
  }

  std::string key(const std::string& router_hash, const std::string& pe_hash) const override {
    plugin::Sha256 hash;
    hash.field("waferloom step experiment 1");
    hash.field(by_phase_.name(router_hash, pe_hash));
    hash.field(shape_.whole ? whole_.name(router_hash, pe_hash) : std::string());
    hash.field(shape_.map ? "map" : "");
    return hash.hex();
  }

  std::string run(const plugin::Unit& router, const plugin::Unit& pe, const std::function<bool()>& interrupted, Measurement* m) const override {
    const WlRegister* classes = pe.reg_ending("class_cnt_q");
    if (classes == nullptr) return "the PE has no register class_cnt_q";
    m->phases.clear();
    m->busy.clear();
    const systemc::DirectResult result = by_phase_.run(router, pe, kCycleLimit, interrupted, nullptr, [&](fabric::Fabric& fabric) {
      if (!shape_.map) return;
      fabric.credit_all();
      for (std::uint32_t tile = 0; tile < fabric.width() * fabric.height(); ++tile) {
        std::uint64_t busy = 0;
        for (spec::PeClass cause : {spec::PeClass::kAxpy, spec::PeClass::kDot, spec::PeClass::kReduce, spec::PeClass::kElementwise, spec::PeClass::kScalar}) {
          busy += fabric.get_register(fabric::UnitKind::kPe, tile % fabric.width(), tile / fabric.width(), classes->name, static_cast<std::uint32_t>(cause));
        }
        m->busy.push_back(static_cast<std::int64_t>(busy));
      }
    });
    if (!result.error.empty()) return failed(result.error);
    std::int64_t sum = 0;
    for (std::size_t p = 0; p < by_phase_.plan().train_step.size(); ++p) {
      m->phases.push_back({by_phase_.plan().train_step[p].name, result.phase_cycles[p]});
      sum += result.phase_cycles[p];
    }
    if (!shape_.whole) return {};
    const systemc::DirectResult at_once = whole_.run(router, pe, kCycleLimit, interrupted);
    if (!at_once.error.empty()) return failed(at_once.error);
    if (at_once.cycles >= sum) return fmt::format("{}: phases that follow each other take {} cycles, one after the other {}", label(), at_once.cycles, sum);
    m->phases.push_back({"whole", at_once.cycles});
    return {};
  }

  std::vector<OperatorSample> samples(const Measurement& m) const override {
    std::vector<OperatorSample> samples;
    double sum = 0;
    for (const MeasuredPhase& measured : m.phases) {
      const double cycles = static_cast<double>(measured.cycles);
      if (measured.phase == "whole") {
        OperatorSize size;
        size.width = shape_.width;
        size.height = shape_.height;
        size.tokens = shape_.tokens;
        size.outputs = static_cast<double>(m.phases.size()) - 2;
        samples.push_back({"overlap", size, sum - cycles, "overlap, " + label()});
        continue;
      }
      sum += cycles;
      for (const plan::Phase& phase : by_phase_.plan().train_step) {
        if (phase.name != measured.phase) continue;
        const PhaseOperator made = phase_operator(by_phase_.plan(), phase);
        samples.push_back({made.op == "gradient" && chain_bound(made.size) ? "gradient in tall arrays" : made.op, made.size, cycles, fmt::format("{}, {}{}", phase.name, label(), shape_.bias ? ", bias" : "")});
      }
    }
    return samples;
  }

 private:
  // Which of the two paces of a gradient a run of the sweep shows. The runs lie well on either side; predictions take the slower of the two fits, without this rule.
  bool chain_bound(const OperatorSize& size) const {
    const double compute = size.items * (std::ceil(2 * size.tokens / by_phase_.plan().target.lanes) + 3) + 2 * size.tokens + 23;
    return size.outputs >= 16 && size.height > 1.2 * compute;
  }
  std::string failed(const std::string& error) const { return error == "interrupted" ? error : label() + ": " + error; }

  StepShape shape_;
  int inputs_ = 0;
  int hidden_ = 0;
  int outputs_ = 0;
  systemc::SmallStep by_phase_;
  systemc::SmallStep whole_;
};

StepShape shape(int width, int height, int inputs, int hidden, int outputs, int tokens, const char* how = "") {
  StepShape s;
  s.width = width;
  s.height = height;
  s.inputs_per_column = inputs;
  s.hidden_per_column = hidden;
  s.outputs_per_column = outputs;
  s.tokens = tokens;
  for (const char* c = how; *c != 0; ++c) {
    s.bias |= *c == 'b';
    s.activation |= *c == 'a';
    s.whole |= *c == 'w';
    s.map |= *c == 'm';
    s.held_out |= *c == 'h';
    if (*c == 'u') s.outputs = std::max(2, outputs * width - width / 2);  // columns that hold one more, and one less
  }
  return s;
}

// Sizes of the whole network.
StepShape thin(int width, int height, int inputs, int hidden, int outputs, int tokens, const char* how = "") {
  StepShape s = shape(width, height, 1, 1, 1, tokens, how);
  s.inputs = inputs;
  s.hidden = hidden;
  s.outputs = outputs;
  return s;
}

std::vector<StepShape> make_shapes() {
  return {
      // Up to 16x16 tiles: sizes per tile as layers of the target models put them on one, each with few and many outputs, odd and even columns, with and without bias.
      shape(2, 2, 4, 8, 6, 16, "w"), shape(2, 4, 8, 12, 4, 8, "bu"), shape(4, 2, 6, 4, 3, 12, "ba"), shape(4, 4, 8, 6, 2, 16, "baw"), shape(3, 5, 5, 9, 4, 24, "u"), shape(5, 3, 12, 4, 6, 8, "a"),
      shape(6, 4, 3, 12, 2, 16, "ba"), shape(4, 6, 16, 3, 5, 20), shape(8, 2, 4, 4, 8, 12, "bwu"), shape(2, 8, 20, 6, 10, 8, "aw"), shape(7, 3, 2, 8, 3, 28, "bu"), shape(3, 7, 24, 4, 8, 12, "ba"),
      shape(8, 8, 4, 3, 2, 8, "baw"), shape(12, 4, 2, 4, 1, 16, "w"), shape(4, 12, 6, 3, 2, 20, "aw"), shape(12, 8, 2, 2, 3, 24, "u"), shape(16, 4, 3, 2, 1, 12, "u"), shape(4, 16, 3, 4, 1, 24, "aw"),
      shape(16, 8, 1, 3, 2, 16, "a"), shape(8, 16, 2, 2, 4, 8, "b"), shape(16, 16, 2, 2, 1, 8, "aw"), shape(16, 2, 8, 2, 3, 16), shape(2, 16, 4, 12, 8, 32, "ba"), shape(6, 6, 8, 2, 6, 32, "amu"),
      shape(2, 2, 40, 6, 4, 24), shape(2, 2, 6, 40, 8, 16, "b"), shape(3, 2, 64, 4, 6, 16), shape(2, 3, 4, 64, 6, 8, "a"), shape(2, 2, 100, 4, 6, 12), shape(2, 2, 24, 16, 20, 32, "ba"),
      shape(4, 4, 4, 12, 4, 4, "bwu"), shape(8, 4, 2, 2, 6, 4, "a"), shape(3, 3, 6, 12, 8, 20, "b"), shape(5, 5, 2, 6, 3, 28, "ba"),
      // Accumulators that leave a window of 256 bytes.
      shape(2, 2, 4, 8, 6, 40), shape(2, 3, 20, 6, 4, 48, "b"), shape(3, 2, 6, 12, 5, 56, "ba"), shape(4, 2, 16, 4, 3, 64, "a"), shape(2, 2, 24, 4, 8, 44), shape(4, 4, 3, 8, 2, 48, "ba"),
      shape(6, 3, 2, 6, 4, 40, "b"), shape(3, 6, 12, 3, 6, 60), shape(8, 4, 4, 2, 3, 52, "a"), shape(2, 8, 8, 10, 3, 56, "b"), shape(16, 2, 2, 2, 1, 64, "a"), shape(2, 12, 30, 2, 5, 36),
      shape(5, 4, 8, 5, 2, 36, "ba"), shape(2, 2, 40, 6, 12, 32), shape(2, 2, 60, 4, 5, 40, "a"),
      // And one of 512 bytes.
      shape(2, 2, 4, 8, 6, 80), shape(2, 3, 20, 6, 4, 96, "b"), shape(3, 2, 6, 12, 5, 88, "ba"), shape(4, 2, 12, 4, 3, 72, "a"), shape(2, 2, 24, 4, 8, 76), shape(4, 4, 3, 6, 2, 96, "ba"),
      shape(6, 3, 2, 5, 3, 80, "b"), shape(3, 6, 10, 3, 4, 92), shape(8, 4, 3, 2, 2, 84, "a"), shape(2, 8, 6, 8, 3, 88, "b"), shape(16, 2, 2, 2, 1, 72, "a"), shape(2, 2, 40, 4, 6, 96), shape(5, 2, 8, 4, 3, 68, "ba"),
      // Long and thin, of at most 512 tiles: a chain that sets the pace of a whole column is not met on 16 rows.
      thin(2, 64, 2, 2, 32, 4), thin(2, 128, 2, 2, 24, 4), thin(2, 128, 8, 8, 32, 4), thin(2, 250, 2, 2, 24, 32), thin(2, 200, 4, 4, 24, 24), thin(2, 96, 2, 2, 40, 8), thin(2, 250, 8, 8, 24, 16),
      thin(4, 64, 4, 4, 40, 4), thin(2, 160, 2, 2, 48, 16), thin(2, 128, 4, 4, 40, 8), thin(3, 80, 6, 6, 24, 4), thin(64, 2, 64, 64, 16, 8), thin(64, 2, 64, 64, 32, 16, "a"),
      thin(2, 250, 16, 16, 24, 4), thin(2, 200, 32, 32, 24, 8, "b"), thin(8, 64, 8, 8, 64, 4), thin(4, 128, 4, 4, 36, 4, "b"), thin(2, 240, 24, 24, 20, 12), thin(2, 256, 8, 8, 45, 8), thin(2, 256, 2, 2, 20, 72),
      thin(2, 256, 4, 4, 28, 48),
      // Tall, with accumulators in SRAM on every machine.
      thin(2, 128, 8, 8, 12, 72), thin(2, 200, 6, 6, 8, 80, "b"), thin(4, 96, 8, 12, 12, 88, "a"),
      // Owners that move with each output, and wide rows.
      thin(96, 2, 96, 96, 96, 4), thin(128, 2, 256, 128, 40, 4), thin(64, 4, 64, 64, 64, 4, "b"), thin(48, 4, 96, 48, 48, 12), thin(32, 4, 64, 32, 32, 8, "b"), thin(100, 2, 100, 100, 60, 20, "b"),
      thin(64, 2, 128, 64, 48, 40), thin(96, 2, 96, 96, 40, 56, "b"), thin(32, 4, 96, 64, 32, 48, "a"), thin(64, 2, 128, 64, 40, 80), thin(48, 4, 48, 48, 48, 72, "b"),
      thin(192, 2, 192, 192, 20, 4), thin(160, 2, 160, 160, 48, 8, "b"),
      // Classes as a vocabulary has them.
      shape(4, 2, 4, 4, 40, 8), shape(2, 2, 4, 4, 70, 16),
      // Arrays that no fit sees.
      shape(32, 32, 2, 1, 1, 8, "hawu"), shape(32, 8, 4, 2, 1, 24, "hba"), shape(8, 32, 6, 4, 3, 12, "hb"), shape(32, 8, 3, 2, 1, 40, "ha"), shape(8, 24, 8, 4, 3, 48, "hb"),
      shape(24, 8, 2, 3, 2, 72, "hb"), shape(64, 64, 1, 1, 1, 4, "h"), shape(64, 8, 2, 1, 1, 16, "h"), shape(8, 64, 2, 3, 2, 20, "ha"),
      thin(2, 500, 2, 2, 24, 24, "h"), thin(2, 400, 4, 4, 10, 80, "h"), thin(256, 2, 256, 256, 24, 4, "h"),
  };
}

}  // namespace

MadeExperiment make_step_experiment(const StepShape& shape, const config::Run& run) {
  MadeExperiment made;
  auto experiment = std::make_unique<StepExperiment>(shape);
  made.refusal = experiment->prepare(run);
  if (made.refusal.empty()) made.experiment = std::move(experiment);
  return made;
}

const std::vector<StepShape>& sweep_shapes() {
  static const std::vector<StepShape> shapes = make_shapes();
  return shapes;
}

}  // namespace waferloom::extrapolate
