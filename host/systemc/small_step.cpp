#include "host/systemc/small_step.h"

#include <memory>
#include <utility>
#include <variant>

#include "host/optimiser/parameters.h"
#include "host/systemc/fabric_wafer.h"
#include "sim/plugin/sha256.h"

namespace waferloom::systemc {
namespace {

constexpr std::uint64_t kWeightDomain = 0x736d616c;
constexpr std::uint64_t kSampleDomain = 0x73616d70;
constexpr std::uint64_t kMaskDomain = 0x6d61736b;

// Binary16 values of either sign near 2^-4.
std::vector<std::uint16_t> random_halves(int count, std::uint64_t seed, bool zeros) {
  std::vector<std::uint16_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t random = optimiser::hash_random(seed, kWeightDomain, i);
    values[i] = zeros && random % 11 == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(0x2c00U | (random & 0x83ffU));
  }
  return values;
}

}  // namespace

std::string SmallStep::prepare(const SmallStepSpec& spec, const config::Run& run) {
  spec_ = spec;
  hop_ = static_cast<unsigned>(run.machine.hop_cycles.value);
  plan::NetworkSpec network;
  network.layers.push_back({"first", spec.inputs, spec.hidden, spec.bias, spec.relu, false});
  network.layers.push_back({"second", spec.hidden, spec.outputs, spec.bias, false, spec.density < 1});
  plan::Target target = plan::target_of(run);
  target.width = spec.width;
  target.height = spec.height;
  std::variant<plan::Plan, plan::Refusal> planned = plan::make_plan(network, target, spec.batch);
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&planned)) return refusal->message;
  plan_ = std::move(std::get<plan::Plan>(planned));
  weights_[0] = random_halves(spec.inputs * spec.hidden, 1, spec.zeros);
  weights_[1] = random_halves(spec.hidden * spec.outputs, 2, spec.zeros);
  stored_.clear();
  if (spec.density < 1) {
    for (std::size_t i = 0; i < weights_[1].size(); ++i) {
      const double drawn = static_cast<double>(optimiser::hash_random(spec.seed, kMaskDomain, i) >> 11U) * 0x1p-53;
      stored_.push_back(drawn < spec.density ? 1 : 0);
      if (stored_.back() == 0) weights_[1][i] = 0;
    }
  }
  for (int l = 0; l < 2; ++l) bias_[l] = random_halves(spec.bias ? (l == 0 ? spec.hidden : spec.outputs) : 0, 3 + static_cast<std::uint64_t>(l), spec.zeros);
  samples_.clear();
  labels_.clear();
  for (int i = 0; i < spec.batch; ++i) {
    for (int k = 0; k < spec.inputs; ++k) {
      samples_.push_back(static_cast<float>(optimiser::hash_random(5, kSampleDomain, samples_.size()) % 1000 + 1) / 1000.0F);
    }
    labels_.push_back(i % spec.outputs);
  }
  return {};
}

plan::StepInputs SmallStep::inputs() const {
  plan::StepInputs inputs;
  inputs.samples = samples_.data();
  inputs.labels = labels_.data();
  inputs.rows = spec_.batch;
  inputs.gradient_factor = 1.0F / static_cast<float>(spec_.batch);
  return inputs;
}

std::vector<plan::LayerWeights> SmallStep::layers() const {
  std::vector<plan::LayerWeights> layers(2);
  for (std::size_t l = 0; l < 2; ++l) layers[l] = {weights_[l].data(), bias_[l].empty() ? nullptr : bias_[l].data(), l == 0 || stored_.empty() ? nullptr : stored_.data()};
  return layers;
}

std::string SmallStep::program() const {
  plugin::Sha256 hash;
  for (const plan::Image& image : plan_.images) hash.field(std::string(image.bytes.begin(), image.bytes.end()));
  return hash.hex();
}

std::string SmallStep::name(const std::string& router_hash, const std::string& pe_hash) const {
  plugin::Sha256 hash;
  hash.field("waferloom small step 1");
  hash.field(router_hash);
  hash.field(pe_hash);
  for (const plan::Image& image : plan_.images) hash.field(std::string(image.bytes.begin(), image.bytes.end()));
  hash.field(std::string(reinterpret_cast<const char*>(plan_.image_index.data()), plan_.image_index.size() * sizeof(plan_.image_index[0])));
  hash.field(std::to_string(spec_.width) + "x" + std::to_string(spec_.height) + " hop " + std::to_string(hop_) + " io " + std::to_string(spec_.io_words_per_cycle) + " out " +
             std::to_string(spec_.out_buffer_words) + " boot " + std::to_string(plan_.boot_cycles) + (spec_.offer == Offer::kWhole ? " whole" : " by phase"));
  plan::EdgeStream stream(plan_, inputs(), layers());
  plan::EdgeWord word;
  std::string words;
  while (stream.next(word)) words += std::to_string(word.column) + ":" + std::to_string(word.link) + "\n";
  hash.field(words);
  return hash.hex();
}

DirectResult SmallStep::run(const plugin::Unit& router, const plugin::Unit& pe, std::int64_t limit, const std::function<bool()>& interrupted, fabric::AuditReport* audit,
                            const std::function<void(fabric::Fabric&)>& look) const {
  FabricWaferOptions options;
  options.router = router;
  options.pe = pe;
  options.hop = hop_;
  options.io_words_per_cycle = spec_.io_words_per_cycle;
  options.out_buffer_words = spec_.out_buffer_words;
  options.audit = audit != nullptr;
  DirectResult result;
  const std::unique_ptr<FabricWafer> wafer = FabricWafer::create(options, plan_, &result.error);
  if (wafer == nullptr) return result;
  result = run_step(*wafer, plan_, inputs(), layers(), spec_.offer, limit, interrupted);
  if (audit != nullptr) *audit = wafer->fabric().audit_report();
  if (look && result.error.empty()) look(wafer->fabric());
  return result;
}

}  // namespace waferloom::systemc
