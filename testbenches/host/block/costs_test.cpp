// Cycles of attention, norms and activations on verilated tiles follow their terms: a fit on arrays of up to 64 tiles predicts larger ones.
//
// State space: 4 to 16 tokens, 2 to 16 features and 4 to 40 hidden features a tile, heads of 1 to 8 columns, sequences of 1 to 12 rows; judged on up to 144 tiles with
// more columns, longer heads and longer sequences than any array of the fit. WL_VERBOSE prints the coefficients. What is left out: other machines than wse2.
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "host/block/costs.h"
#include "host/block/run.h"
#include "host/config/resolver.h"
#include "host/extrapolate/fit.h"
#include "host/systemc/units.h"
#include "testbenches/host/block/cases.h"

namespace waferloom {
namespace {

struct Array {
  int width, height, tokens, features, hidden, heads, sequences;  // tokens, features, hidden features of a tile
};

TEST_CASE("a fit on small arrays predicts attention, norms and activations on larger ones") {
  const auto machine = config::resolve_machine("wse2");
  if (!machine) FAIL(config::render(machine.errors()));
  block::RtlOptions options;
  const std::string error = options.router.open(systemc::router_spec(machine->value, {})) + options.pe.open(systemc::pe_spec(machine->value, {}));
  REQUIRE(error == "");
  options.hop = static_cast<unsigned>(machine->value.hop_cycles.value);

  const std::vector<Array> fitted = {{2, 1, 4, 2, 4, 1, 1},  {2, 2, 4, 2, 8, 2, 1},   {4, 2, 4, 4, 16, 1, 1}, {4, 4, 8, 2, 8, 2, 1},  {2, 4, 8, 4, 4, 1, 2},   {4, 3, 4, 8, 24, 4, 1},
                                     {3, 2, 12, 4, 12, 1, 1}, {6, 2, 8, 8, 32, 2, 1}, {8, 4, 4, 4, 16, 2, 1}, {2, 8, 4, 4, 8, 2, 1},  {4, 6, 8, 6, 16, 1, 2},  {2, 2, 16, 8, 16, 1, 1},
                                     {3, 3, 4, 16, 32, 3, 1}, {8, 1, 8, 12, 8, 1, 1}, {4, 4, 16, 4, 8, 2, 1}, {5, 5, 12, 6, 20, 5, 1}, {16, 2, 4, 2, 4, 2, 1}, {2, 12, 4, 2, 6, 1, 1}};
  const std::vector<Array> judged = {{24, 4, 4, 10, 40, 2, 1}, {4, 24, 4, 6, 12, 2, 1}, {12, 12, 8, 4, 16, 3, 1}, {16, 4, 12, 8, 24, 2, 2}};
  std::map<std::string, std::vector<extrapolate::Sample>> seen, unseen;
  for (const std::vector<Array>* arrays : {&fitted, &judged}) {
    for (const Array& a : *arrays) {
      const block::Shape shape = testing::block_shape(a.width, a.height, a.tokens * a.height, a.features * a.width, a.hidden * a.width, a.heads, a.sequences, true);
      const block::Program program = testing::block_program(shape);
      std::vector<std::size_t> which;
      std::vector<std::string> names;
      for (const block::PhaseCost& cost : block::phase_costs()) {
        which.push_back(cost.phases.front());
        names.push_back(cost.name);
      }
      std::vector<std::uint64_t> cycles;
      const auto tiles = block::rtl_machine(options);
      REQUIRE(block::time_phases(*tiles, program, which, &cycles) == "");
      for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string label = std::to_string(a.width) + "x" + std::to_string(a.height) + " tiles";
        (arrays == &judged ? unseen : seen)[names[i]].push_back({block::phase_costs()[i].count(shape), static_cast<double>(cycles[i]), label});
      }
    }
  }
  for (const block::PhaseCost& cost : block::phase_costs()) {
    INFO(cost.name);
    const extrapolate::FitOutcome outcome = extrapolate::fit_cycles(cost.terms, seen[cost.name]);
    if (!outcome.ok) FAIL(outcome.reason);
    double held_out = 0;
    for (const extrapolate::Sample& sample : unseen[cost.name]) {
      held_out = std::max(held_out, std::fabs(extrapolate::predict(outcome.fit.coefficients, sample.terms) / sample.cycles - 1));
    }
    if (std::getenv("WL_VERBOSE") != nullptr) {
      std::cout << cost.name << ":";
      for (std::size_t t = 0; t < cost.terms.size(); ++t) std::cout << " " << cost.terms[t] << " " << outcome.fit.coefficients[t] << ",";
      std::cout << " worst " << outcome.fit.worst_error << ", held out " << held_out << ", condition " << outcome.fit.condition << "\n";
    }
    CHECK(outcome.fit.worst_error < 0.04);
    CHECK(held_out < 0.05);
  }
}

}  // namespace
}  // namespace waferloom
