#include "host/block/checked_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace waferloom::block {
namespace {

const char* operators_of(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::kNorm: return "axis_reduce, elementwise";
    case PhaseKind::kNormGradient: return "axis_reduce, elementwise, exchange";
    case PhaseKind::kProduct: return "stream_matmul";
    case PhaseKind::kGradient: return "multicast, exchange";
    case PhaseKind::kAttention: return "rotate, axis_reduce, elementwise";
    case PhaseKind::kElementwise: return "elementwise";
  }
  return "";
}

}  // namespace

std::uint64_t CheckedRun::cycles() const { return std::accumulate(pass.cycles.begin(), pass.cycles.end(), std::uint64_t{0}); }

bool CheckedRun::within() const {
  return std::all_of(errors.begin(), errors.end(), [](const auto& entry) { return entry.second.of_bound <= 1 && entry.second.relative <= kMostRelative; });
}

CheckedRun run_checked(const Program& program, std::uint64_t seed, const RtlOptions& options) {
  CheckedRun run;
  run.shape = program.shape;
  const Parameters parameters = random_parameters(program.shape, seed);
  const Inputs inputs = random_inputs(program.shape, seed);
  const auto tiles = rtl_machine(options);
  run.pass = run_pass(*tiles, program, parameters, inputs);
  run.problem = run.pass.problem;
  if (!run.problem.empty()) return run;
  const auto golden = golden_machine();
  const PassResult expected = run_pass(*golden, program, parameters, inputs);
  if (!expected.problem.empty()) {
    run.problem = "the golden fabric: " + expected.problem;
    return run;
  }
  for (const auto& [name, bits] : expected.tensors) {
    const std::vector<std::uint32_t>& found = run.pass.tensors.at(name).values;
    for (std::size_t i = 0; i < bits.values.size(); ++i) {
      ++run.compared;
      if (found[i] == bits.values[i]) continue;
      if (run.different++ == 0) run.first_difference = fmt::format("{}[{}]: {:#06x}, expected {:#06x}", name, i, found[i], bits.values[i]);
    }
  }
  run.errors = errors_of(run.pass, program.shape, parameters, inputs);
  return run;
}

std::string phase_table(const CheckedRun& run) {
  const std::vector<Phase> all = phases();
  std::string text = fmt::format("{:<28} {:>7} {:>7}  operators\n", "phase", "cycles", "words");
  for (std::size_t p = 0; p < run.pass.cycles.size(); ++p) {
    text += fmt::format("{:<28} {:>7} {:>7}  {}\n", all[p].name, run.pass.cycles[p], run.pass.words[p], operators_of(all[p].kind));
  }
  return text + fmt::format("{:<28} {:>7}\n", "all", run.cycles());
}

std::string error_table(const CheckedRun& run) {
  std::string text = fmt::format("{:<30}  {:>14}  {:>14}  {:>14}\n", "tensor", "of its bound", "relative", "largest error");
  for (const auto& [name, error] : run.errors) {
    text += fmt::format("{:<30}  {:>14.3f}  {:>14.2e}  {:>14.2e}{}\n", name, error.of_bound, error.relative, error.largest, error.of_bound <= 1 && error.relative <= kMostRelative ? "" : "  TOO LARGE");
  }
  return text + fmt::format("of its bound: its phase alone, at the worst element\nrelative: the whole pass, root mean square; at most {:.1e}\n", kMostRelative);
}

std::string checked_run_json(const CheckedRun& run, const std::string& name, std::uint64_t seed) {
  using nlohmann::ordered_json;
  const Shape& s = run.shape;
  ordered_json json;
  json["schema"] = "waferloom-block-1";
  json["case"] = name;
  json["seed"] = seed;
  json["shape"] = {{"width", s.width}, {"height", s.height}, {"tokens", s.tokens}, {"features", s.features}, {"hidden", s.hidden}, {"heads", s.heads}, {"sequences", s.sequences}, {"causal", s.causal}};
  json["origin"] = "measured on RTL";
  ordered_json of_phases = ordered_json::array();
  const std::vector<Phase> all = phases();
  for (std::size_t p = 0; p < run.pass.cycles.size(); ++p) {
    of_phases.push_back({{"phase", all[p].name}, {"operators", operators_of(all[p].kind)}, {"cycles", run.pass.cycles[p]}, {"words_in", run.pass.words[p]}});
  }
  json["phases"] = std::move(of_phases);
  json["compared"] = run.compared;
  json["different"] = run.different;
  if (!run.problem.empty()) json["problem"] = run.problem;
  ordered_json tensors = ordered_json::array();
  for (const auto& [tensor, error] : run.errors) tensors.push_back({{"tensor", tensor}, {"of_bound", error.of_bound}, {"relative", error.relative}, {"largest", error.largest}});
  json["tensors"] = std::move(tensors);
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace waferloom::block
