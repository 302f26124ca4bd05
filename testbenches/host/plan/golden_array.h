// Runs a plan on the golden functional fabric: the whole edge schedule in, losses and gradients out. Also makes networks and batches from seeds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/plan/collector.h"
#include "host/plan/edge_stream.h"
#include "host/plan/plan.h"
#include "host/plan/reference.h"
#include "sim/golden/fabric.h"

namespace waferloom::testing {

// Weights of a network as the wire carries them.
struct Weights {
  struct Layer {
    std::vector<std::uint16_t> weights;
    std::vector<std::uint16_t> bias;
    std::vector<std::uint8_t> stored;  // empty: all
  };
  std::vector<Layer> layers;
  std::vector<plan::LayerWeights> view() const;
};

struct Batch {
  std::vector<float> samples;
  std::vector<int> labels;
  int rows = 0;
  float factor = 1;
};

plan::NetworkSpec network(const std::vector<int>& sizes);  // sizes of inputs and of each layer; ReLU on all but the last
// He-uniform weights; `density` of them stored, the others zero (and marked in `stored` when the layer is stored_only).
Weights random_weights(const plan::NetworkSpec& network, std::uint64_t seed, double density = 1);
Batch random_batch(const plan::NetworkSpec& network, int rows, std::uint64_t seed, float loss_scale = 1);

reference::Step reference_of(const plan::Plan& plan, const Weights& weights, const Batch& batch);

double half_value(std::uint16_t bits);

// An array of golden tiles with the plan's images, booted. Keeps a reference to the plan.
class GoldenArray {
 public:
  GoldenArray(const plan::Plan& plan, std::uint64_t shuffle_seed = 0);

  using Change = std::function<void(std::uint64_t number, plan::EdgeWord& word)>;

  struct Outcome {
    plan::StepResult result;
    std::string problem;  // empty if the step ran through and gave exactly what the plan says
    std::vector<plan::PhaseCount> sent;  // words and wavelets per phase, counted at the edge
    std::uint64_t received = 0;
  };
  // Runs one step to the end. `change` may alter words on their way in.
  Outcome step(plan::StepKind kind, const Weights& weights, const Batch& batch, const Change& change = {});

  golden::Fabric& fabric() { return *fabric_; }

 private:
  const plan::Plan& plan_;
  std::unique_ptr<golden::Fabric> fabric_;
  std::vector<golden::PortId> ports_;
  std::string boot_problem_;
};

}  // namespace waferloom::testing
