#include "host/cli/run_collector.h"

#include <fmt/format.h>

#include <cassert>

#include "host/report/machine_parameters.h"
#include "sim/generated/counters.h"

namespace waferloom::report {

// Rows of a report in a checkpoint.
static void transfer(checkpoint::Archive& archive, Share& s) { archive(s.name, s.cycles); }
static void transfer(checkpoint::Archive& archive, UnitCauses& u) { archive(u.unit, u.units, u.causes); }
static void transfer(checkpoint::Archive& archive, SystemRow& r) {
  archive(r.system, r.cycles, r.saturations, r.wavelets_in, r.wavelets_out, r.lane_utilisation, r.phases, r.units);
}
static void transfer(checkpoint::Archive& archive, StepRow& r) {
  archive(r.step, r.epoch, r.kind, r.loss, r.loss_scale, r.skipped, r.saturations, r.cycles, r.wavelets_in, r.wavelets_out, r.phases, r.units, r.systems);
}
static void transfer(checkpoint::Archive& archive, EpochRow& r) {
  archive(r.epoch, r.steps, r.skipped_steps, r.saturations, r.cycles, r.train_loss, r.train_accuracy, r.test_loss, r.test_accuracy, r.tested);
}

}  // namespace waferloom::report

namespace waferloom::cli {
namespace {

std::uint64_t at(const std::vector<std::uint64_t>& values, std::size_t index) { return index < values.size() ? values[index] : 0; }

std::int64_t event(const systemc::WaferCounters& counters, spec::PeEvent which) {
  return static_cast<std::int64_t>(at(counters.pe_events, static_cast<std::size_t>(which)));
}

// Adds up units of the same kinds, cause by cause: every system has the same ones.
void add_units(std::vector<report::UnitCauses>& sum, const std::vector<report::UnitCauses>& more) {
  if (sum.empty()) {
    sum = more;
    return;
  }
  assert(sum.size() == more.size());
  for (std::size_t u = 0; u < sum.size(); ++u) {
    assert(sum[u].unit == more[u].unit && sum[u].causes.size() == more[u].causes.size());
    sum[u].units += more[u].units;
    for (std::size_t c = 0; c < sum[u].causes.size(); ++c) sum[u].causes[c].cycles += more[u].causes[c].cycles;
  }
}

}  // namespace

RunCollector::RunCollector(const config::Run& run, const plan::Plan& plan, report::RunReport& report) : run_(run), plan_(plan), report_(report) {
  report_.run = run.name;
  report_.machine = run.machine.name;
  report_.model = run.model.name;
  report_.width = plan.target.width;
  report_.height = plan.target.height;
  report_.lanes = plan.target.lanes;
  report_.systems = run.cluster.systems.value;
  report_.seed = run.seed;
  before_.resize(static_cast<std::size_t>(report_.systems));
  for (const config::ReportSection section : run.report) report_.sections.emplace_back(config::to_string(section));
  report_.parameters = report::machine_parameters(run.machine);
}

report::UnitCauses RunCollector::causes(const char* unit, std::int64_t units, const std::vector<std::uint64_t>& before,
                                        const std::vector<std::uint64_t>& after) const {
  // Classes with the same name in the report are added up, in the order in which the names first appear.
  report::UnitCauses causes;
  causes.unit = unit;
  causes.units = units;
  const bool pe = causes.unit == "pe";
  const std::size_t count = pe ? spec::kPeClassCount : spec::kRouterClassCount;
  for (std::size_t id = 0; id < count; ++id) {
    const std::string name = pe ? spec::kPeClasses[id].report : spec::kRouterClasses[id].report;
    const std::int64_t cycles = static_cast<std::int64_t>(at(after, id) - at(before, id));
    report::Share* share = nullptr;
    for (report::Share& other : causes.causes) {
      if (other.name == name) share = &other;
    }
    if (share == nullptr) share = &causes.causes.emplace_back(report::Share{name, 0});
    share->cycles += cycles;
  }
  return causes;
}

std::vector<report::UnitCauses> RunCollector::all_causes(const systemc::WaferCounters& before, const systemc::WaferCounters& after) const {
  const std::int64_t tiles = std::int64_t{plan_.target.width} * plan_.target.height;
  return {causes("pe", tiles, before.pe_classes, after.pe_classes), causes("router", tiles, before.router_classes, after.router_classes)};
}

report::SystemRow RunCollector::system_row(std::size_t system, const systemc::StepCycles& cycles, const std::vector<plan::Phase>& phases) const {
  report::SystemRow row;
  row.system = static_cast<int>(system);
  row.cycles = cycles.end - cycles.begin;
  row.saturations = event(cycles.counters, spec::PeEvent::kSaturations) - event(before_[system], spec::PeEvent::kSaturations);
  row.wavelets_in = cycles.words_in;
  row.wavelets_out = cycles.words_out;
  for (std::size_t p = 0; p < phases.size(); ++p) row.phases.push_back({phases[p].name, cycles.phase_cycles[p]});
  row.phases.push_back({"drain", cycles.drain_cycles});
  row.phases.push_back({"host", cycles.host_cycles});
  row.units = all_causes(before_[system], cycles.counters);
  return row;
}

void RunCollector::add(const systemc::StepRecord& record) {
  report::StepRow row;
  row.step = record.cycles.front().step;
  row.epoch = record.spec.epoch;
  row.kind = record.spec.kind == plan::StepKind::kTrain ? "train" : "evaluate";
  row.loss = record.loss;
  row.loss_scale = record.loss_scale;
  row.skipped = record.skipped;
  const std::vector<plan::Phase>& phases = plan_.step(record.spec.kind);
  for (std::size_t i = 0; i < record.cycles.size(); ++i) {
    report::SystemRow system = system_row(i, record.cycles[i], phases);
    row.saturations += system.saturations;
    row.wavelets_in += system.wavelets_in;
    row.wavelets_out += system.wavelets_out;
    add_units(row.units, system.units);
    if (i == 0 || system.cycles > row.cycles) {
      row.cycles = system.cycles;
      row.phases = system.phases;
    }
    if (record.cycles.size() > 1) row.systems.push_back(std::move(system));
    before_[i] = record.cycles[i].counters;
  }
  add_to_epoch(record, row);
  report_.steps.push_back(std::move(row));
}

void RunCollector::add_to_epoch(const systemc::StepRecord& record, const report::StepRow& row) {
  if (report_.epochs.empty() || report_.epochs.back().epoch != row.epoch) {
    report_.epochs.emplace_back();
    report_.epochs.back().epoch = row.epoch;
    report_.epochs.back().tested = false;
  }
  report::EpochRow& epoch = report_.epochs.back();
  const bool train = record.spec.kind == plan::StepKind::kTrain;
  Sum& sum = (train ? train_ : test_)[row.epoch];
  const auto rows = static_cast<std::int64_t>(record.spec.rows.size());
  sum.loss += record.loss * static_cast<double>(rows);
  sum.wrong += record.wrong;
  sum.rows += rows;
  (train ? epoch.train_loss : epoch.test_loss) = sum.loss / static_cast<double>(sum.rows);
  (train ? epoch.train_accuracy : epoch.test_accuracy) = 1.0 - static_cast<double>(sum.wrong) / static_cast<double>(sum.rows);
  if (!train) epoch.tested = true;
  if (train) {
    ++epoch.steps;
    if (row.skipped) ++epoch.skipped_steps;
  }
  epoch.saturations += row.saturations;
  epoch.cycles += row.cycles;
}

void RunCollector::finish(const systemc::TrainingResult& result) {
  report_.cycles = result.cycles;
  const double lanes = static_cast<double>(plan_.target.width) * plan_.target.height * plan_.target.lanes;
  double available = 0;
  for (std::size_t i = 0; i < result.systems.size(); ++i) {
    const systemc::SystemTotals& totals = result.systems[i];
    report::SystemRow row;
    row.system = static_cast<int>(i);
    row.cycles = totals.cycles;
    row.saturations = event(totals.counters, spec::PeEvent::kSaturations);
    row.wavelets_in = static_cast<std::int64_t>(totals.edge_words_in);
    row.wavelets_out = static_cast<std::int64_t>(totals.edge_words_out);
    const std::int64_t slots = event(totals.counters, spec::PeEvent::kLaneSlots);
    const double own = static_cast<double>(totals.cycles) * lanes;
    row.lane_utilisation = own > 0 ? static_cast<double>(slots) / own : 0;
    row.units = all_causes({}, totals.counters);
    available += own;
    report_.macs += event(totals.counters, spec::PeEvent::kMacs);
    report_.lane_slots += slots;
    report_.wavelets_sent += static_cast<std::int64_t>(totals.counters.delivered);
    report_.wavelets_received += event(totals.counters, spec::PeEvent::kWaveletsIn) + row.wavelets_out;
    report_.edge_wavelets_in += row.wavelets_in;
    report_.edge_wavelets_out += row.wavelets_out;
    report_.evaluated_units += static_cast<std::int64_t>(totals.counters.evaluated);
    report_.skipped_units += static_cast<std::int64_t>(totals.counters.skipped);
    add_units(report_.units, row.units);
    if (result.systems.size() > 1) report_.system_rows.push_back(std::move(row));
  }
  report_.lane_utilisation = available > 0 ? static_cast<double>(report_.lane_slots) / available : 0;
}

void RunCollector::transfer(checkpoint::Archive& archive) { archive(report_.epochs, report_.steps, before_, train_, test_); }

std::string RunCollector::progress(std::size_t steps) const {
  if (report_.steps.empty()) return "starting";
  const report::StepRow& last = report_.steps.back();
  return fmt::format("epoch {} of {}, step {} of {}, loss {:.4f}, {} cycles", last.epoch, run_.epochs, last.step + 1, steps, last.loss, before_.front().cycle);
}

}  // namespace waferloom::cli
