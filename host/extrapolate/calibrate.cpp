#include "host/extrapolate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "host/systemc/small_step.h"
#include "host/systemc/units.h"
#include "sim/plugin/sha256.h"

namespace waferloom::extrapolate {
namespace {

config::Run run_of(const config::Machine& machine, config::Accumulate accumulate) {
  config::Run run;
  run.machine = machine;
  run.accumulate = accumulate;
  return run;
}

// The runs of a sweep: found in the store, or handed to threads.
class Sweep {
 public:
  Sweep(const CalibrationRequest& request, bool keep_going, const std::vector<std::unique_ptr<Experiment>>& experiments)
      : request_(request), keep_going_(keep_going), experiments_(experiments), results_(experiments.size()) {
    for (const auto& experiment : experiments_) all_work_ += experiment->work();
  }

  // What the store has. Leaves the others in the order in which they shall run.
  void look() {
    for (std::size_t i = 0; i < experiments_.size() && !failed_ && !stop_; ++i) {
      Measurement m;
      m.key = experiments_[i]->key(request_.key.router_hash, request_.key.pe_hash);
      if (find(&m)) {
        finish(i, std::move(m), true);
      } else {
        order_.push_back(i);
      }
      tell();
    }
    // The longest first: no thread is left alone with a long one at the end.
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return experiments_[a]->work() > experiments_[b]->work(); });
  }

  bool complete() const { return order_.empty(); }

  void run(const plugin::Unit& router, const plugin::Unit& pe) {
    router_ = &router;
    pe_ = &pe;
    begin_ = std::chrono::steady_clock::now();
    running_ = std::max(1, std::min<int>(request_.jobs, static_cast<int>(order_.size())));
    std::vector<std::thread> threads;
    for (int i = running_; i > 0; --i) threads.emplace_back([this] { work(); });
    {
      std::unique_lock<std::mutex> lock(mutex_);
      while (running_ > 0) {
        ended_.wait_for(lock, std::chrono::milliseconds(100));
        lock.unlock();
        tell();
        lock.lock();
      }
    }
    for (std::thread& thread : threads) thread.join();
  }

  bool stopped() const { return stop_; }
  const std::string& error() const { return error_; }
  const config::Diagnostics& store_errors() const { return store_errors_; }
  const Measurement& result(std::size_t i) const { return *results_[i]; }
  int measured() const { return measured_; }
  int found() const { return done_ - measured_; }

 private:
  bool find(Measurement* m) {
    if (request_.store == nullptr || request_.force) return false;
    config::Result<std::optional<Measurement>> kept = request_.store->find(m->key);
    if (!kept) {
      store_failed(kept.errors());
      return false;
    }
    if (!*kept) return false;
    *m = **kept;
    return true;
  }

  void work() {
    for (;;) {
      const std::size_t turn = next_.fetch_add(1);
      if (turn >= order_.size() || stop_ || failed_) break;
      one(order_[turn]);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    --running_;
    ended_.notify_all();
  }

  void one(std::size_t index) {
    const Experiment& experiment = *experiments_[index];
    Measurement m;
    m.key = experiment.key(request_.key.router_hash, request_.key.pe_hash);
    // Another process may have been here meanwhile.
    const bool found = find(&m);
    if (failed_) return;
    if (!found) {
      m.label = experiment.label();
      m.router = request_.key.router_hash;
      m.pe = request_.key.pe_hash;
      m.program = experiment.program();
      m.width = experiment.width();
      m.height = experiment.height();
      const auto begin = std::chrono::steady_clock::now();
      const std::string error = experiment.run(*router_, *pe_, [this] { return stop_ || failed_; }, &m);
      if (stop_) return;
      if (!error.empty()) {
        if (failed_.exchange(true)) return;
        const std::lock_guard<std::mutex> lock(mutex_);
        error_ = error;
        return;
      }
      m.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (request_.store != nullptr) {
        const config::Status kept = request_.store->keep(m);
        if (!kept) store_failed(kept.errors());
      }
    }
    finish(index, std::move(m), found);
  }

  void finish(std::size_t index, Measurement m, bool found) {
    const std::lock_guard<std::mutex> lock(mutex_);
    results_[index] = std::move(m);
    ++done_;
    done_work_ += experiments_[index]->work();
    if (found) return;
    ++measured_;
    measured_work_ += experiments_[index]->work();
  }

  void store_failed(const config::Diagnostics& errors) {
    if (!keep_going_) failed_ = true;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (store_errors_.empty()) store_errors_ = errors;
  }

  void tell() {
    if (!request_.progress) return;
    CalibrationProgress p;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      p.done = done_;
      p.all = static_cast<int>(experiments_.size());
      p.share = all_work_ > 0 ? done_work_ / all_work_ : 1;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
      p.seconds_left = measured_work_ > 0 ? seconds * (all_work_ - done_work_) / measured_work_ : -1;
    }
    if (!request_.progress(p)) stop_ = true;
  }

  const CalibrationRequest& request_;
  const bool keep_going_;
  const std::vector<std::unique_ptr<Experiment>>& experiments_;
  const plugin::Unit* router_ = nullptr;
  const plugin::Unit* pe_ = nullptr;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<std::size_t> order_;
  double all_work_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::atomic<bool> failed_{false};
  // Below: guarded by mutex_ while threads run.
  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<std::optional<Measurement>> results_;
  std::string error_;
  config::Diagnostics store_errors_;
  int running_ = 0;
  int done_ = 0;
  int measured_ = 0;
  double done_work_ = 0;
  double measured_work_ = 0;
};

// A fit of the terms that the samples have; the others cost nothing.
struct Attempt {
  int ahead = 0;
  std::vector<Sample> samples;    // with all terms
  std::vector<std::size_t> used;  // terms of the fit
  FitOutcome outcome;
  double squares = INFINITY;      // sum of squared relative errors
};

std::vector<double> counts_of(const OperatorModel& model, OperatorSize size, int lanes, int ahead) {
  if (ahead > 0) size.ahead = ahead;
  return model.count(size, lanes);
}

Attempt attempt(const OperatorModel& model, int lanes, const std::vector<const OperatorSample*>& seen, int ahead) {
  Attempt made;
  made.ahead = ahead;
  for (const OperatorSample* s : seen) made.samples.push_back({counts_of(model, s->size, lanes, ahead), s->cycles, s->label});
  std::vector<std::string> names;
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    if (std::none_of(made.samples.begin(), made.samples.end(), [&](const Sample& s) { return s.terms[t] != 0; })) continue;
    made.used.push_back(t);
    names.push_back(model.terms[t]);
  }
  std::vector<Sample> moved = made.samples;
  for (Sample& s : moved) {
    std::vector<double> kept;
    for (const std::size_t t : made.used) kept.push_back(s.terms[t]);
    s.terms = std::move(kept);
  }
  made.outcome = fit_cycles(names, moved);
  if (!made.outcome.ok) return made;
  made.squares = 0;
  for (const double error : made.outcome.fit.relative_errors) made.squares += error * error;
  return made;
}

// Fits one operator, and judges the fit.
std::string fit_one(const OperatorModel& model, Calibration* calibration, const std::vector<const OperatorSample*>& seen, const std::vector<const OperatorSample*>& unseen, OperatorFit* out) {
  const int lanes = calibration->lanes;
  for (const OperatorSample* s : seen) {
    out->most_items = std::max(out->most_items, s->size.items);
    out->most_tokens = std::max(out->most_tokens, s->size.tokens);
    out->most_features = std::max(out->most_features, s->size.features);
  }
  Attempt best = attempt(model, lanes, seen, model.most_ahead > 0 ? 1 : 0);
  for (int ahead = 2; ahead <= model.most_ahead; ++ahead) {
    Attempt other = attempt(model, lanes, seen, ahead);
    if (other.squares < best.squares) best = std::move(other);
  }
  const FitOutcome& outcome = best.outcome;
  const std::vector<Sample>& samples = best.samples;
  const std::vector<std::size_t>& used = best.used;
  if (!outcome.ok) return fmt::format("{}: {}", model.name, outcome.reason);
  out->name = model.name;
  out->ahead = best.ahead;
  out->coefficients.assign(model.terms.size(), 0);
  for (std::size_t t = 0; t < used.size(); ++t) out->coefficients[used[t]] = outcome.fit.coefficients[t];
  out->worst_error = outcome.fit.worst_error;
  out->left_out_error = outcome.fit.worst_left_out;
  out->condition = outcome.fit.condition;
  out->rank = outcome.fit.rank;
  out->samples = static_cast<int>(samples.size());
  out->judged = static_cast<int>(unseen.size());

  std::vector<BoundSample> errors;
  auto shown = [&](const OperatorSample& s, double predicted, bool held_out) {
    report::MeasuredShape shape;
    shape.label = s.label;
    shape.pass = model.name;
    shape.width = static_cast<int>(s.size.width);
    shape.height = static_cast<int>(s.size.height);
    shape.held_out = held_out;
    shape.measured_cycles = s.cycles;
    shape.predicted_cycles = predicted;
    shape.error = predicted / s.cycles - 1;
    calibration->shapes.push_back(std::move(shape));
  };
  for (std::size_t i = 0; i < samples.size(); ++i) {
    shown(*seen[i], predict(out->coefficients, samples[i].terms), false);
    const double left_out = outcome.fit.left_out_errors[i] * samples[i].cycles;
    errors.push_back({std::max(1.0, samples[i].cycles + left_out), left_out, seen[i]->size.outputs});
  }
  std::vector<double> judged;
  for (const OperatorSample* s : unseen) {
    const double predicted = predict_operator(*calibration, *out, s->size).cycles;  // as a plan is priced: of a gradient, the slower of its two paces
    shown(*s, predicted, true);
    judged.push_back(predicted / s->cycles - 1);
    out->held_out_error = std::max(out->held_out_error, std::abs(judged.back()));
    errors.push_back({std::max(1.0, predicted), predicted - s->cycles, s->size.outputs});
  }
  out->held_out_median = median_magnitude(judged);
  // The interval holds all but one in twenty of both: what the worst corner of the sweep is off by is said by its error, not by everybody's interval.
  std::sort(errors.begin(), errors.end(), [](const BoundSample& a, const BoundSample& b) { return std::abs(a.error) * b.predicted < std::abs(b.error) * a.predicted; });
  errors.resize(errors.size() - std::max<std::size_t>(1, errors.size() / 20));
  out->bound = narrowest_bound(errors);
  return {};
}

}  // namespace

CalibrationKey calibration_key(const config::Machine& machine, config::Accumulate accumulate, const std::string& rtl_root, std::string* error) {
  systemc::UnitChoice choice;
  choice.rtl_root = rtl_root;
  choice.view = plugin::View::kRtl;
  CalibrationKey key;
  key.router_hash = plugin::unit_source_hash(systemc::router_spec(machine, choice), error);
  if (error->empty()) key.pe_hash = plugin::unit_source_hash(systemc::pe_spec(machine, choice), error);
  if (!error->empty()) return key;
  // The program as the planner assembles and lays it out: a comment in the microcode changes nothing.
  systemc::SmallStepSpec spec;
  spec.width = spec.height = 3;
  spec.inputs = spec.hidden = spec.outputs = 6;
  spec.batch = 12;
  spec.bias = spec.relu = true;
  systemc::SmallStep step;
  *error = step.prepare(spec, run_of(machine, accumulate));
  if (error->empty()) {
    plugin::Sha256 hash;
    hash.field(step.program());
    hash.field(block_program_hash(machine));
    key.firmware_hash = hash.hex();
  }
  key.accumulate = config::to_string(accumulate);
  return key;
}

std::string fit_operators(const std::vector<OperatorSample>& seen, const std::vector<OperatorSample>& unseen, Calibration* calibration) {
  for (const OperatorModel& model : operator_models()) {
    auto of = [&](const std::vector<OperatorSample>& all) {
      std::vector<const OperatorSample*> mine;
      for (const OperatorSample& s : all) {
        if (s.op == model.name) mine.push_back(&s);
      }
      return mine;
    };
    const std::vector<const OperatorSample*> fitted = of(seen);
    if (fitted.empty()) continue;
    OperatorFit fit;
    const std::string refused = fit_one(model, calibration, fitted, of(unseen), &fit);
    if (!refused.empty()) return refused;
    calibration->fits.push_back(std::move(fit));
  }
  return {};
}

CalibrationOutcome calibrate(const CalibrationRequest& request, bool keep_going) {
  CalibrationOutcome outcome;
  const auto begin = std::chrono::steady_clock::now();
  const config::Run run = run_of(request.machine, request.accumulate);
  std::vector<std::unique_ptr<Experiment>> experiments;
  const bool whole = request.shapes.empty() && request.blocks.empty();
  for (const StepShape& shape : whole ? sweep_shapes() : request.shapes) {
    MadeExperiment made = make_step_experiment(shape, run);
    if (!made.refusal.empty()) {
      outcome.fault = CalibrationFault::kRefused;
      outcome.error = fmt::format("an array of {}x{} with {} tokens a tile: {}", shape.width, shape.height, shape.tokens, made.refusal);
      return outcome;
    }
    experiments.push_back(std::move(made.experiment));
  }
  const std::size_t steps = experiments.size();
  for (const BlockArray& array : whole ? block_arrays() : request.blocks) {
    MadeExperiment made = make_block_experiment(array, run);
    if (made.refusal.empty()) {
      experiments.push_back(std::move(made.experiment));
      continue;
    }
    if (!whole) {
      outcome.fault = CalibrationFault::kRefused;
      outcome.error = fmt::format("a block on {}x{} tiles with {} tokens a tile: {}", array.width, array.height, array.tokens, made.refusal);
      return outcome;
    }
    experiments.resize(steps);  // these tiles hold no block: what it would measure stays unmeasured
    break;
  }
  Sweep sweep(request, keep_going, experiments);
  sweep.look();
  if (!sweep.complete() && !sweep.stopped() && (keep_going || sweep.store_errors().empty())) {
    const plugin::Unit* router = nullptr;
    const plugin::Unit* pe = nullptr;
    outcome.error = request.units(&router, &pe);
    if (!outcome.error.empty()) {
      outcome.fault = CalibrationFault::kUnits;
      return outcome;
    }
    sweep.run(*router, *pe);
  }
  outcome.measured = sweep.measured();
  outcome.found = sweep.found();
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.store_errors = sweep.store_errors();
  if (sweep.stopped()) {
    outcome.fault = CalibrationFault::kInterrupted;
    return outcome;
  }
  if (!sweep.error().empty()) {
    outcome.fault = CalibrationFault::kFailed;
    outcome.error = sweep.error();
    return outcome;
  }
  if (!outcome.store_errors.empty() && !keep_going) {
    outcome.fault = CalibrationFault::kStore;
    return outcome;
  }

  Calibration& c = outcome.calibration;
  c.key = request.key;
  c.machine = request.machine.name;
  c.lanes = request.machine.lanes.value;
  c.window_bytes = request.machine.accumulator_window_bytes.value;
  std::vector<OperatorSample> seen;
  std::vector<OperatorSample> unseen;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const Measurement& m = sweep.result(i);
    for (OperatorSample& sample : experiments[i]->samples(m)) (experiments[i]->held_out() ? unseen : seen).push_back(std::move(sample));
    if (m.busy.empty()) continue;
    report::HeatMap map{"issue cycles of each tile in one step: " + experiments[i]->label(), "cycles", m.width, m.height, {}};
    map.values.assign(m.busy.begin(), m.busy.end());
    c.heat_maps.push_back(std::move(map));
  }
  outcome.error = fit_operators(seen, unseen, &c);
  if (!outcome.error.empty()) outcome.fault = CalibrationFault::kFailed;
  return outcome;
}

}  // namespace waferloom::extrapolate
