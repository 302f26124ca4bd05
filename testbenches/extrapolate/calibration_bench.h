// A machine's units, its calibration, and single steps on RTL held against the price of their plan.
#pragma once

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "host/config/resolver.h"
#include "host/extrapolate/calibrate.h"
#include "host/extrapolate/plan_price.h"
#include "host/systemc/small_step.h"
#include "host/systemc/units.h"
#include "testbenches/lib/catch.h"

namespace waferloom::test {

struct JudgedRow {
  std::string label;
  double measured = 0;
  double predicted = 0;
  double low = 0;
  double high = 0;
  double error() const { return predicted / measured - 1; }
  bool inside() const { return measured >= low && measured <= high; }
  double width() const { return (high - low) / predicted; }
};

struct Judged {
  std::vector<JudgedRow> rows;

  void add(const std::vector<JudgedRow>& more) { rows.insert(rows.end(), more.begin(), more.end()); }
  double median_error() const {
    std::vector<double> errors;
    for (const JudgedRow& r : rows) errors.push_back(r.error());
    return extrapolate::median_magnitude(errors);
  }
  double worst_error() const {
    double worst = 0;
    for (const JudgedRow& r : rows) worst = std::max(worst, std::abs(r.error()));
    return worst;
  }
  double inside() const { return static_cast<double>(std::count_if(rows.begin(), rows.end(), [](const JudgedRow& r) { return r.inside(); })) / static_cast<double>(rows.size()); }
  double median_width() const {
    std::vector<double> widths;
    for (const JudgedRow& r : rows) widths.push_back(r.width());
    return extrapolate::median_magnitude(widths);
  }
  void print() const {
    for (const JudgedRow& r : rows) {
      std::cout << r.label << ": measured " << r.measured << ", predicted " << r.predicted << " (" << 100 * r.error() << " %), interval " << 100 * r.width() << " %" << (r.inside() ? "" : ", OUTSIDE")
                << '\n';
    }
    std::cout << rows.size() << " rows: median error " << 100 * median_error() << " %, worst " << 100 * worst_error() << " %, inside " << 100 * inside() << " %, median width " << 100 * median_width()
              << " %\n";
  }
};

inline extrapolate::StepShape shape(int width, int height, int inputs, int hidden, int outputs, int tokens, bool bias, bool activation) {
  return {width, height, inputs, hidden, outputs, tokens, bias, activation};
}

class Bench {
 public:
  explicit Bench(const std::string& machine, const std::string& rtl = {}) : rtl_(rtl) {
    const config::Result<config::Resolved<config::Machine>> resolved = config::resolve_machine(machine);
    REQUIRE(resolved.ok());
    run_.machine = resolved->value;
    std::string error;
    key_ = extrapolate::calibration_key(run_.machine, run_.accumulate, rtl, &error);
    INFO(error);
    REQUIRE(error.empty());
    systemc::UnitChoice choice;
    choice.rtl_root = rtl;
    error = router_.open(systemc::router_spec(run_.machine, choice));
    if (error.empty()) error = pe_.open(systemc::pe_spec(run_.machine, choice));
    INFO(error);
    REQUIRE(error.empty());
  }

  const config::Run& run() const { return run_; }
  const plugin::Unit& router() const { return router_; }
  const plugin::Unit& pe() const { return pe_; }

  extrapolate::CalibrationRequest request() const {
    extrapolate::CalibrationRequest request;
    request.machine = run_.machine;
    request.key = key_;
    request.units = [this](const plugin::Unit** router, const plugin::Unit** pe) {
      *router = &router_;
      *pe = &pe_;
      return std::string();
    };
    return request;
  }

  // The shipped one if it is of this RTL; else of the sweep's fitting arrays, from the store or measured now.
  extrapolate::Calibration calibration() const {
    const config::Result<extrapolate::Calibration> read = extrapolate::read_calibration(config::default_configs_dir() / "calibration" / (run_.machine.name + ".json"));
    if (read && read->key == key_) return *read;
    std::cout << "the shipped calibration of " << run_.machine.name << " is of another RTL: measuring\n";
    config::Result<std::unique_ptr<extrapolate::Store>> store = extrapolate::Store::open(extrapolate::Store::default_file(), extrapolate::StoreAccess::kReadWrite);
    REQUIRE(store.ok());
    extrapolate::CalibrationRequest wanted = request();
    wanted.store = store->get();
    wanted.jobs = 2;
    for (const extrapolate::StepShape& shape : extrapolate::sweep_shapes()) {
      if (!shape.held_out) wanted.shapes.push_back(shape);
    }
    const extrapolate::CalibrationOutcome outcome = extrapolate::calibrate(wanted, true);
    INFO(outcome.error);
    REQUIRE(outcome.fault == extrapolate::CalibrationFault::kNone);
    return outcome.calibration;
  }

  // Runs a step and prices its plan: a row for each phase.
  std::vector<JudgedRow> judge(const extrapolate::StepShape& s, const extrapolate::Calibration& calibration) const {
    systemc::SmallStepSpec spec;
    spec.width = s.width;
    spec.height = s.height;
    spec.inputs = s.inputs > 0 ? s.inputs : s.inputs_per_column * s.width;
    spec.hidden = s.hidden > 0 ? s.hidden : s.hidden_per_column * s.width;
    spec.outputs = s.outputs > 0 ? s.outputs : s.outputs_per_column * s.width;
    spec.batch = s.height * s.tokens;
    spec.bias = s.bias;
    spec.relu = s.activation;
    spec.offer = systemc::Offer::kByPhase;
    spec.io_words_per_cycle = static_cast<std::uint32_t>(2 * s.width + 2);
    spec.out_buffer_words = 0;
    systemc::SmallStep step;
    const std::string refused = step.prepare(spec, run_);
    INFO(refused);
    REQUIRE(refused.empty());
    const systemc::DirectResult result = step.run(router_, pe_, 50'000'000, {});
    INFO(result.error);
    REQUIRE(result.error.empty());
    const extrapolate::PlanPrice price = extrapolate::price_plan(step.plan(), calibration, spec.io_words_per_cycle);
    REQUIRE(price.refusal.empty());
    std::vector<JudgedRow> rows;
    for (std::size_t p = 0; p < price.phases.size(); ++p) {
      const extrapolate::PhasePrice& phase = price.phases[p];
      rows.push_back({phase.phase + " " + std::to_string(s.width) + "x" + std::to_string(s.height) + ", " + std::to_string(spec.inputs) + "-" + std::to_string(spec.hidden) + "-" + std::to_string(spec.outputs) + ", " +
                          std::to_string(s.tokens) + " tokens",
                      static_cast<double>(result.phase_cycles[p]), phase.cycles, phase.low, phase.high});
    }
    return rows;
  }

 private:
  std::string rtl_;
  config::Run run_;
  extrapolate::CalibrationKey key_;
  plugin::Unit router_;
  plugin::Unit pe_;
};

}  // namespace waferloom::test
