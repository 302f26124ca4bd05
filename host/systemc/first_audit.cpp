#include "host/systemc/first_audit.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <variant>
#include <vector>

#include "host/optimiser/parameters.h"
#include "host/systemc/direct.h"
#include "host/systemc/fabric_wafer.h"

namespace waferloom::systemc {
namespace {

constexpr int kWidth = 3;
constexpr int kHeight = 2;
constexpr int kInputs = 9;
constexpr int kHidden = 7;
constexpr int kOutputs = 4;
constexpr int kBatch = 6;
constexpr std::int64_t kCycleLimit = 1'000'000;
constexpr std::uint64_t kDomain = 0x61756469;

// Binary16 values of either sign near 2^-3, with a zero now and then.
std::vector<std::uint16_t> weights(int count, std::uint64_t layer) {
  std::vector<std::uint16_t> values;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t random = optimiser::hash_random(layer, kDomain, static_cast<std::uint64_t>(i));
    values.push_back(random % 11 == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(0x3000U | (random & 0x83ffU)));
  }
  return values;
}

std::string audit_step(const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe) {
  plan::NetworkSpec network;
  network.layers.push_back({"first", kInputs, kHidden, true, true, false});
  network.layers.push_back({"second", kHidden, kOutputs, true, false, false});
  plan::Target target = plan::target_of(run);
  target.width = kWidth;
  target.height = kHeight;
  std::variant<plan::Plan, plan::Refusal> planned = plan::make_plan(network, target, kBatch);
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&planned)) return refusal->message;
  const plan::Plan& plan = std::get<plan::Plan>(planned);
  FabricWaferOptions options;
  options.router = router;
  options.pe = pe;
  options.hop = static_cast<unsigned>(run.machine.hop_cycles.value);
  options.io_words_per_cycle = 2;
  options.audit = true;
  std::string error;
  const std::unique_ptr<FabricWafer> wafer = FabricWafer::create(options, plan, &error);
  if (wafer == nullptr) return error;

  std::vector<float> samples;
  std::vector<int> labels;
  for (int i = 0; i < kBatch; ++i) {
    for (int k = 0; k < kInputs; ++k) samples.push_back(static_cast<float>((i * 5 + k * 3) % 8) / 8.0F);
    labels.push_back(i % kOutputs);
  }
  const std::vector<std::uint16_t> first = weights(kInputs * kHidden, 1);
  const std::vector<std::uint16_t> second = weights(kHidden * kOutputs, 2);
  const std::vector<std::uint16_t> first_bias = weights(kHidden, 3);
  const std::vector<std::uint16_t> second_bias = weights(kOutputs, 4);
  std::vector<plan::LayerWeights> layers(2);
  layers[0] = {first.data(), first_bias.data(), nullptr};
  layers[1] = {second.data(), second_bias.data(), nullptr};
  plan::StepInputs inputs;
  inputs.samples = samples.data();
  inputs.labels = labels.data();
  inputs.rows = kBatch;
  inputs.gradient_factor = 1.0F / kBatch;
  const DirectResult result = run_step(*wafer, plan, inputs, layers, Offer::kWhole, kCycleLimit);
  const fabric::AuditReport& report = wafer->fabric().audit_report();
  if (report.violations != 0) return "skipping is not exact: " + report.first_violation;
  if (!result.error.empty()) return "the step does not end (a quiet_o that is high too early looks like this too): " + result.error;
  return {};
}

}  // namespace

FirstAudit audit_new_units(const config::Run& run, const plugin::Unit& router, const plugin::Unit& pe, const std::string& cache) {
  namespace fs = std::filesystem;
  FirstAudit audit;
  const fs::path folder = fs::path(cache.empty() ? plugin::default_cache_directory() : cache) / "audited";
  const fs::path marker = folder / (std::string(router.api().source_hash) + "-" + pe.api().source_hash);
  std::error_code ignored;
  // A machine with too few colours for the training program has nothing to run it with; its benches hold the flags.
  if (run.machine.colours.value < 12 || fs::exists(marker, ignored)) return audit;
  audit.ran = true;
  audit.error = audit_step(run, router, pe);
  if (!audit.error.empty()) return audit;
  fs::create_directories(folder, ignored);
  std::ofstream(marker) << "passed\n";
  return audit;
}

}  // namespace waferloom::systemc
