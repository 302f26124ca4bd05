// One training step of a made-up network of two layers on a small array, without SystemC: what audits and calibrations run. Everything but the units follows
// from the description, so a step has a name: the hash of all that its cycles depend on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/config/run.h"
#include "host/plan/plan.h"
#include "host/systemc/direct.h"
#include "sim/fabric/fabric.h"
#include "sim/plugin/unit.h"

namespace waferloom::systemc {

struct SmallStepSpec {
  int width = 1;
  int height = 1;
  int inputs = 1;
  int hidden = 1;
  int outputs = 1;
  int batch = 1;
  bool bias = false;  // of both layers
  bool relu = false;  // after the first
  bool zeros = false;  // among the weights, now and then
  double density = 1;  // share of the second layer's weights that is not zero, drawn weight by weight; below 1 its gradient is wanted at stored weights only
  std::uint64_t seed = 1;  // of that draw
  Offer offer = Offer::kWhole;
  std::uint32_t io_words_per_cycle = 1;
  std::uint32_t out_buffer_words = 64;  // 0: no limit
};

class SmallStep {
 public:
  // Lays the network out on tiles as `run` has them. "" or why that cannot be done.
  std::string prepare(const SmallStepSpec& spec, const config::Run& run);

  // Requires a successful prepare(), for the two that follow.
  const plan::Plan& plan() const { return plan_; }
  // The second layer's, [outputs][hidden], as they are sent.
  const std::vector<std::uint16_t>& weights() const { return weights_[1]; }
  // Names the step on units of these source hashes: sources and parameters of both, program images, every edge word, limits of the ports. As 64 hexadecimal digits.
  std::string name(const std::string& router_hash, const std::string& pe_hash) const;
  // Of all distinct images: what the microcode is once it is assembled and laid out. As 64 hexadecimal digits.
  std::string program() const;

  // Runs it on a new array. `limit`, `interrupted`: as in direct.h. With `audit` every skipped unit is evaluated too and compared. `look` sees the
  // array when the step has ended without an error.
  DirectResult run(const plugin::Unit& router, const plugin::Unit& pe, std::int64_t limit, const std::function<bool()>& interrupted, fabric::AuditReport* audit = nullptr,
                   const std::function<void(fabric::Fabric&)>& look = {}) const;

 private:
  plan::StepInputs inputs() const;
  std::vector<plan::LayerWeights> layers() const;

  SmallStepSpec spec_;
  unsigned hop_ = 1;
  plan::Plan plan_;
  std::vector<std::uint16_t> weights_[2];
  std::vector<std::uint8_t> stored_;  // of the second layer; empty: all
  std::vector<std::uint16_t> bias_[2];
  std::vector<float> samples_;
  std::vector<int> labels_;
};

}  // namespace waferloom::systemc
