#include "host/report/metrics.h"

#include <algorithm>

#include "host/config/csv.h"
#include "host/config/scalar.h"
#include "host/report/json_numbers.h"

namespace waferloom::report {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const std::vector<Share>& shares) {
  ordered_json list = ordered_json::array();
  for (const Share& share : shares) list.push_back({{"name", share.name}, {"cycles", share.cycles}});
  return list;
}

ordered_json json_of(const std::vector<UnitCauses>& units) {
  ordered_json list = ordered_json::array();
  for (const UnitCauses& unit : units)
    list.push_back({{"unit", unit.unit}, {"units", unit.units}, {"causes", json_of(unit.causes)}});
  return list;
}

ordered_json json_of(const std::pair<std::string, Quantity>& named) {
  const Quantity& q = named.second;
  ordered_json json = {{"name", named.first},
                       {"value", json_number(q.value)},
                       {"unit", q.unit},
                       {"origin", to_string(q.origin)},
                       {"source", q.source}};
  if (q.low) json["low"] = json_number(*q.low);
  if (q.high) json["high"] = json_number(*q.high);
  return json;
}

ordered_json json_of(const std::vector<std::pair<std::string, Quantity>>& list) {
  ordered_json json = ordered_json::array();
  for (const auto& named : list) json.push_back(json_of(named));
  return json;
}

ordered_json json_of(const EpochRow& e) {
  return {{"epoch", e.epoch},
          {"steps", e.steps},
          {"skipped_steps", e.skipped_steps},
          {"saturations", e.saturations},
          {"cycles", e.cycles},
          {"train_loss", json_number(e.train_loss)},
          {"train_accuracy", json_number(e.train_accuracy)},
          {"test_loss", e.tested ? json_number(e.test_loss) : ordered_json()},
          {"test_accuracy", e.tested ? json_number(e.test_accuracy) : ordered_json()}};
}

// `whole`: of the whole run, not of a step.
ordered_json json_of(const SystemRow& s, bool whole) {
  ordered_json json = {{"system", s.system}, {"cycles", s.cycles}, {"saturations", s.saturations}, {"wavelets_in", s.wavelets_in}, {"wavelets_out", s.wavelets_out}};
  if (whole) json["lane_utilisation"] = json_number(s.lane_utilisation);
  if (!whole) json["phases"] = json_of(s.phases);
  json["units"] = json_of(s.units);
  return json;
}

// Only with several systems.
void add_systems(ordered_json& json, const std::vector<SystemRow>& systems, bool whole) {
  if (systems.empty()) return;
  ordered_json list = ordered_json::array();
  for (const SystemRow& system : systems) list.push_back(json_of(system, whole));
  json["systems"] = std::move(list);
}

ordered_json json_of(const StepRow& s) {
  ordered_json json = {{"step", s.step},
          {"epoch", s.epoch},
          {"kind", s.kind},
          {"loss", json_number(s.loss)},
          {"loss_scale", json_number(s.loss_scale)},
          {"skipped", s.skipped},
          {"saturations", s.saturations},
          {"cycles", s.cycles},
          {"wavelets_in", s.wavelets_in},
          {"wavelets_out", s.wavelets_out},
          {"phases", json_of(s.phases)},
          {"units", json_of(s.units)}};
  add_systems(json, s.systems, false);
  return json;
}

ordered_json json_of(const ExtrapolationRow& x) {
  return {{"name", x.name},           {"machine", x.machine},
          {"width", x.width},         {"height", x.height},
          {"bound", x.bound},         {"fit_error", json_number(x.fit_error)},
          {"note", x.note},           {"figures", json_of(x.figures)},
          {"terms", json_of(x.terms)}};
}

template <class T>
ordered_json rows_of(const std::vector<T>& rows) {
  ordered_json list = ordered_json::array();
  for (const T& row : rows) list.push_back(json_of(row));
  return list;
}

std::string csv_number(double value) {
  const ordered_json json = json_number(value);
  return json.is_string() ? json.get<std::string>() : config::format_real(value);
}

void note(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::int64_t cycles_of(const std::vector<Share>& shares, const std::string& name) {
  for (const Share& share : shares) {
    if (share.name == name) return share.cycles;
  }
  return 0;
}

}  // namespace

std::string metrics_json(const RunReport& r) {
  ordered_json json;
  json["schema"] = "waferloom-metrics-1";
  json["run"] = r.run;
  json["machine"] = r.machine;
  json["model"] = r.model;
  json["array"] = {{"width", r.width}, {"height", r.height}};
  json["lanes"] = r.lanes;
  json["systems"] = r.systems;
  json["seed"] = r.seed;
  json["views"] = r.views;
  json["status"] = r.status;
  json["totals"] = {{"cycles", r.cycles},
                    {"macs", r.macs},
                    {"lane_slots", r.lane_slots},
                    {"lane_utilisation", json_number(r.lane_utilisation)},
                    {"wavelets_sent", r.wavelets_sent},
                    {"wavelets_received", r.wavelets_received},
                    {"edge_wavelets_in", r.edge_wavelets_in},
                    {"edge_wavelets_out", r.edge_wavelets_out},
                    {"evaluated_units", r.evaluated_units},
                    {"skipped_units", r.skipped_units},
                    {"units", json_of(r.units)}};
  add_systems(json["totals"], r.system_rows, true);
  json["epochs"] = rows_of(r.epochs);
  json["steps"] = rows_of(r.steps);
  json["extrapolations"] = rows_of(r.extrapolations);
  json["parameters"] = json_of(r.parameters);
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

namespace {

using UnitColumns = std::vector<std::pair<std::string, std::vector<std::string>>>;  // unit, its causes

void note_units(UnitColumns& columns, const std::vector<UnitCauses>& units) {
  for (const UnitCauses& unit : units) {
    auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& u) { return u.first == unit.unit; });
    if (found == columns.end()) found = columns.insert(columns.end(), {unit.unit, {}});
    for (const Share& share : unit.causes) note(found->second, share.name);
  }
}

std::string unit_header(const UnitColumns& columns, const std::string& prefix) {
  std::string out;
  for (const auto& [unit, causes] : columns) {
    for (const std::string& cause : causes) out += "," + config::csv_cell(prefix + unit + "." + cause);
  }
  return out;
}

std::string unit_cells(const UnitColumns& columns, const std::vector<UnitCauses>& units) {
  std::string out;
  for (const auto& [unit, causes] : columns) {
    const auto found = std::find_if(units.begin(), units.end(), [&, &name = unit](const UnitCauses& u) { return u.unit == name; });
    for (const std::string& cause : causes) out += "," + std::to_string(found == units.end() ? 0 : cycles_of(found->causes, cause));
  }
  return out;
}

}  // namespace

std::string metrics_csv(const RunReport& report) {
  std::vector<std::string> phases;
  UnitColumns units;
  std::size_t systems = 0;
  for (const StepRow& step : report.steps) {
    for (const Share& share : step.phases) note(phases, share.name);
    note_units(units, step.units);
    systems = std::max(systems, step.systems.size());
  }
  std::string out = "step,epoch,kind,loss,loss_scale,skipped,saturations,cycles,wavelets_in,wavelets_out";
  for (const std::string& phase : phases) out += "," + config::csv_cell("phase." + phase);
  out += unit_header(units, "");
  for (std::size_t i = 0; i < systems; ++i) {
    const std::string prefix = "system" + std::to_string(i) + ".";
    for (const char* column : {"cycles", "saturations", "wavelets_in", "wavelets_out"}) out += "," + prefix + column;
    for (const std::string& phase : phases) out += "," + config::csv_cell(prefix + "phase." + phase);
    out += unit_header(units, prefix);
  }
  out += '\n';
  for (const StepRow& s : report.steps) {
    out += std::to_string(s.step) + "," + std::to_string(s.epoch) + "," + config::csv_cell(s.kind) + "," + csv_number(s.loss) +
           "," + csv_number(s.loss_scale) + "," + (s.skipped ? "true" : "false") + "," + std::to_string(s.saturations) +
           "," + std::to_string(s.cycles) + "," + std::to_string(s.wavelets_in) + "," + std::to_string(s.wavelets_out);
    for (const std::string& phase : phases) out += "," + std::to_string(cycles_of(s.phases, phase));
    out += unit_cells(units, s.units);
    for (std::size_t i = 0; i < systems; ++i) {
      const SystemRow system = i < s.systems.size() ? s.systems[i] : SystemRow{};
      out += "," + std::to_string(system.cycles) + "," + std::to_string(system.saturations) + "," + std::to_string(system.wavelets_in) + "," + std::to_string(system.wavelets_out);
      for (const std::string& phase : phases) out += "," + std::to_string(cycles_of(system.phases, phase));
      out += unit_cells(units, system.units);
    }
    out += '\n';
  }
  return out;
}

std::string epochs_csv(const RunReport& report) {
  std::string out = "epoch,steps,skipped_steps,saturations,cycles,train_loss,train_accuracy,test_loss,test_accuracy\n";
  for (const EpochRow& e : report.epochs) {
    out += std::to_string(e.epoch) + "," + std::to_string(e.steps) + "," + std::to_string(e.skipped_steps) + "," +
           std::to_string(e.saturations) + "," + std::to_string(e.cycles) + "," + csv_number(e.train_loss) + "," +
           csv_number(e.train_accuracy) + "," + (e.tested ? csv_number(e.test_loss) : "") + "," + (e.tested ? csv_number(e.test_accuracy) : "") + '\n';
  }
  return out;
}

}  // namespace waferloom::report
