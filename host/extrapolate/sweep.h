// What a calibration runs on verilated tiles, and which operators each run yields.
//
// An Experiment is one run of one array: it knows what its cycles depend on (its key), how long it will take in proportion, and which phases of it are samples of which
// operator at which sizes. A new kind of program is a new kind of experiment; the calibrator knows nothing but this interface.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/config/run.h"
#include "host/extrapolate/operators.h"
#include "host/extrapolate/store.h"
#include "sim/plugin/unit.h"

namespace waferloom::extrapolate {

// A phase of a run that was measured, as a sample of an operator.
struct OperatorSample {
  std::string op;
  OperatorSize size;
  double cycles = 0;  // measured; > 0
  std::string label;
};

class Experiment {
 public:
  virtual ~Experiment() = default;
  // Immutable after construction, so that several threads may run different ones.
  virtual std::string label() const = 0;
  virtual int width() const = 0;
  virtual int height() const = 0;
  // Whether it judges fits instead of entering them.
  virtual bool held_out() const = 0;
  // In proportion to the time that it takes.
  virtual double work() const = 0;
  // Names everything that its cycles depend on; units by their source hashes. As 64 hexadecimal digits.
  virtual std::string key(const std::string& router_hash, const std::string& pe_hash) const = 0;
  virtual std::string program() const = 0;  // hash of the program images
  // Fills phases (and busy cycles). "" or what went wrong; "interrupted" if `interrupted` said so.
  virtual std::string run(const plugin::Unit& router, const plugin::Unit& pe, const std::function<bool()>& interrupted, Measurement* measurement) const = 0;
  // Of a measurement that run() made, now or earlier. Phases that it does not have are our own mistake.
  virtual std::vector<OperatorSample> samples(const Measurement& measurement) const = 0;
};

// One training step of a network of two layers.
struct StepShape {
  int width = 1;
  int height = 1;
  int inputs_per_column = 1;  // of the first layer, at most: `inputs` overrides
  int hidden_per_column = 1;
  int outputs_per_column = 1;
  int tokens = 4;      // of one tile
  bool bias = false;
  bool activation = false;
  bool whole = false;  // once more with all words offered at once: what phases save that follow each other
  bool map = false;    // keep the issue cycles of each tile
  bool held_out = false;
  int inputs = 0;      // 0: inputs_per_column x width, and so on
  int hidden = 0;
  int outputs = 0;
};

struct MadeExperiment {
  std::string refusal;  // why the planner does not lay it out
  std::unique_ptr<Experiment> experiment;
};
// `run`: machine and accumulation format.
MadeExperiment make_step_experiment(const StepShape& shape, const config::Run& run);

// The shapes of the shipped calibrations: arrays up to 16x16 that enter the fits, 32x32 and 64x64 that judge them.
const std::vector<StepShape>& sweep_shapes();

}  // namespace waferloom::extrapolate
