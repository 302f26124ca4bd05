#include "host/report/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "host/config/csv.h"
#include "host/config/yaml_document.h"
#include "host/report/json_numbers.h"
#include "host/report/numbers.h"
#include "host/report/summary.h"
#include "host/report/terminal.h"

namespace waferloom::report {
namespace {

using nlohmann::ordered_json;

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

RunDifference measured(std::string label, double a, double b, const std::string& unit) {
  RunDifference d;
  d.label = std::move(label);
  d.a.value = a;
  d.b.value = b;
  d.a.unit = d.b.unit = unit;
  d.certainty = same(a, b) ? Certainty::kSame : Certainty::kExact;
  return d;
}

RunDifference counted(std::string label, std::int64_t a, std::int64_t b, const std::string& unit) {
  RunDifference d = measured(std::move(label), static_cast<double>(a), static_cast<double>(b), unit);
  d.certainty = a == b ? Certainty::kSame : Certainty::kExact;  // beyond 2^53 a double cannot say
  return d;
}

std::int64_t sum_of(const std::vector<EpochRow>& epochs, std::int64_t EpochRow::*member) {
  std::int64_t sum = 0;
  for (const EpochRow& e : epochs) sum += e.*member;
  return sum;
}

DifferenceGroup learnt(const RunReport& a, const RunReport& b) {
  DifferenceGroup group{"learnt", "What was learnt (last epoch)", {}};
  if (!a.epochs.empty() && !b.epochs.empty()) {
    const EpochRow& x = a.epochs.back();
    const EpochRow& y = b.epochs.back();
    if (x.tested && y.tested) {
      group.rows.push_back(measured("test accuracy", 100 * x.test_accuracy, 100 * y.test_accuracy, "%"));
      group.rows.push_back(measured("test loss", x.test_loss, y.test_loss, ""));
    }
    group.rows.push_back(measured("training accuracy", 100 * x.train_accuracy, 100 * y.train_accuracy, "%"));
    group.rows.push_back(measured("training loss", x.train_loss, y.train_loss, ""));
  }
  group.rows.push_back(counted("epochs", static_cast<std::int64_t>(a.epochs.size()), static_cast<std::int64_t>(b.epochs.size()), ""));
  group.rows.push_back(counted("training steps", sum_of(a.epochs, &EpochRow::steps), sum_of(b.epochs, &EpochRow::steps), ""));
  group.rows.push_back(counted("skipped steps", sum_of(a.epochs, &EpochRow::skipped_steps), sum_of(b.epochs, &EpochRow::skipped_steps), ""));
  group.rows.push_back(counted("overflows to infinity", sum_of(a.epochs, &EpochRow::saturations), sum_of(b.epochs, &EpochRow::saturations), ""));
  return group;
}

// Mean cycles of the steps of a kind; NaN if there are none.
double mean_cycles(const RunReport& r, const char* kind) {
  double cycles = 0;
  std::int64_t steps = 0;
  for (const StepRow& s : r.steps) {
    if (s.kind != kind) continue;
    cycles += static_cast<double>(s.cycles);
    ++steps;
  }
  return steps > 0 ? cycles / static_cast<double>(steps) : std::nan("");
}

DifferenceGroup cycles(const RunReport& a, const RunReport& b) {
  DifferenceGroup group{"cycles", "Cycles and work of the whole run", {}};
  group.rows.push_back(counted("cycles of the run", a.cycles, b.cycles, "cycles"));
  group.rows.push_back(measured("a training step, mean", mean_cycles(a, "train"), mean_cycles(b, "train"), "cycles"));
  group.rows.push_back(measured("an evaluation step, mean", mean_cycles(a, "evaluate"), mean_cycles(b, "evaluate"), "cycles"));
  group.rows.push_back(measured("utilisation of the lanes", 100 * a.lane_utilisation, 100 * b.lane_utilisation, "%"));
  group.rows.push_back(counted("multiply-accumulates", a.macs, b.macs, ""));
  group.rows.push_back(counted("lane slots used", a.lane_slots, b.lane_slots, ""));
  group.rows.push_back(counted("wavelets into the edge", a.edge_wavelets_in, b.edge_wavelets_in, ""));
  group.rows.push_back(counted("wavelets out of the edge", a.edge_wavelets_out, b.edge_wavelets_out, ""));
  group.rows.push_back(counted("wavelets sent on links", a.wavelets_sent, b.wavelets_sent, ""));
  return group;
}

using NamedMeans = std::vector<std::pair<std::string, double>>;

// Mean cycles of each phase of a training step, in order; by layer (what stands before the last dot) when `layers`, where phases without one are left out.
NamedMeans phase_means(const RunReport& r, bool layers) {
  const std::vector<StepRow> train = steps_of(r.steps, "train");
  NamedMeans means;
  for (const PhaseSummary& phase : phase_summary(train)) {
    const std::size_t dot = phase.name.rfind('.');
    if (layers && dot == std::string::npos) continue;
    const std::string name = layers ? phase.name.substr(0, dot) : phase.name;
    auto found = std::find_if(means.begin(), means.end(), [&](const auto& m) { return m.first == name; });
    if (found == means.end()) found = means.insert(means.end(), {name, 0.0});
    found->second += static_cast<double>(phase.total) / static_cast<double>(train.size());
  }
  return means;
}

double value_of(const NamedMeans& means, const std::string& name) {
  for (const auto& [key, value] : means) {
    if (key == name) return value;
  }
  return 0;
}

// Everything that either side has; a name that one lacks is zero there.
DifferenceGroup by_name(std::string key, std::string title, const NamedMeans& a, const NamedMeans& b, const std::string& unit) {
  DifferenceGroup group{std::move(key), std::move(title), {}};
  for (const auto& [name, value] : a) group.rows.push_back(measured(name, value, value_of(b, name), unit));
  for (const auto& [name, value] : b) {
    if (std::none_of(a.begin(), a.end(), [&, &n = name](const auto& m) { return m.first == n; })) group.rows.push_back(measured(name, 0, value, unit));
  }
  return group;
}

NamedMeans causes_of(const RunReport& r, const std::string& unit) {
  NamedMeans causes;
  for (const UnitCauses& u : r.units) {
    if (u.unit != unit) continue;
    for (const Share& share : u.causes) causes.emplace_back(share.name, static_cast<double>(share.cycles));
  }
  return causes;
}

DifferenceGroup extrapolated(const RunReport& a, const RunReport& b) {
  DifferenceGroup group{"extrapolation", "On the whole wafer", {}};
  for (const ExtrapolationRow& x : a.extrapolations) {
    for (const ExtrapolationRow& y : b.extrapolations) {
      if (x.name != y.name) continue;
      for (const auto& [name, p] : x.figures) {
        for (const auto& [other, q] : y.figures) {
          if (name != other || p.unit != q.unit) continue;
          const double low_a = p.low.value_or(p.value);
          const double high_a = p.high.value_or(p.value);
          const double low_b = q.low.value_or(q.value);
          const double high_b = q.high.value_or(q.value);
          const Certainty certainty = same(p.value, q.value) ? Certainty::kSame : high_a < low_b || high_b < low_a ? Certainty::kBeyond : Certainty::kWithin;
          group.rows.push_back({x.name + ": " + name, p, q, certainty});
        }
      }
    }
  }
  return group;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

void flatten(const config::YamlNode& node, const std::string& path, Settings& into) {
  switch (node.kind) {
    case config::YamlNode::Kind::kMapping:
      for (const config::YamlEntry& entry : node.entries) flatten(entry.value, path.empty() ? entry.key : path + "." + entry.key, into);
      return;
    case config::YamlNode::Kind::kSequence:
      for (std::size_t i = 0; i < node.items.size(); ++i) flatten(node.items[i], path + "[" + std::to_string(i) + "]", into);
      return;
    default: into.emplace_back(path, node.text);
  }
}

Settings settings_of(const StoredRun& run) {
  Settings settings;
  config::SourceText sources;
  const config::Result<config::YamlNode> root = config::parse_yaml("resolved.yaml", run.resolved_yaml, sources);
  if (root) flatten(*root, "", settings);
  for (const UnitHash& unit : run.manifest.units) {
    settings.emplace_back("RTL of " + unit.unit, unit.hash);
    settings.emplace_back("views of " + unit.unit, unit.views);
  }
  settings.emplace_back("firmware", run.manifest.firmware_hash);
  settings.emplace_back("waferloom", run.version + ", commit " + run.commit);
  return settings;
}

std::vector<SettingDifference> settings_that_differ(const StoredRun& a, const StoredRun& b) {
  const Settings x = settings_of(a);
  const Settings y = settings_of(b);
  std::map<std::string, std::string> there(y.begin(), y.end());
  std::vector<SettingDifference> all;
  for (const auto& [key, value] : x) {
    const auto other = there.find(key);
    if (other == there.end()) {
      all.push_back({key, value, ""});
      continue;
    }
    if (other->second != value) all.push_back({key, value, other->second});
    there.erase(other);
  }
  for (const auto& [key, value] : y) {
    if (there.count(key) != 0) all.push_back({key, "", value});
  }
  return all;
}

std::string figure_text(const Quantity& q) {
  const std::string unit = q.unit.empty() || q.unit == "cycles" ? "" : " " + q.unit;
  if (q.value == std::floor(q.value) && std::abs(q.value) < 9e15) return grouped(static_cast<std::int64_t>(q.value)) + unit;
  return (std::abs(q.value) >= 1000 ? grouped(std::llround(q.value)) : fixed(q.value, 4)) + unit;
}

std::string change_text(const RunDifference& d) {
  if (d.certainty == Certainty::kSame) return "";
  if (d.a.unit == "%") return (d.difference() > 0 ? "+" : "") + fixed(d.difference(), 2);
  if (d.a.value == 0 || !std::isfinite(d.b.value / d.a.value)) return "";
  const double percent = 100 * (d.b.value / d.a.value - 1);
  return (percent > 0 ? "+" : "") + fixed(percent, 2) + " %";
}

// A long value as its beginning.
std::string shortened(const std::string& text) { return text.size() > 24 ? text.substr(0, 21) + "..." : text.empty() ? "-" : text; }

}  // namespace

const char* to_string(Certainty certainty) {
  switch (certainty) {
    case Certainty::kSame: return "same";
    case Certainty::kExact: return "exact";
    case Certainty::kWithin: return "within";
    case Certainty::kBeyond: return "beyond";
  }
  return "";
}

std::size_t RunComparison::count(Certainty certainty) const {
  std::size_t n = 0;
  for (const DifferenceGroup& group : groups) {
    n += static_cast<std::size_t>(std::count_if(group.rows.begin(), group.rows.end(), [&](const RunDifference& d) { return d.certainty == certainty; }));
  }
  return n;
}

RunComparison compare_runs(StoredRun a, StoredRun b) {
  RunComparison c;
  c.a = a.report.run;
  c.b = b.report.run;
  c.settings = settings_that_differ(a, b);
  const RunReport& x = a.report;
  const RunReport& y = b.report;
  std::vector<DifferenceGroup> groups = {learnt(x, y), cycles(x, y), by_name("layers", "Cycles of a training step, by layer", phase_means(x, true), phase_means(y, true), "cycles"),
                                         by_name("phases", "Cycles of a training step, by phase", phase_means(x, false), phase_means(y, false), "cycles"),
                                         by_name("pe", "Where the cycles went: processing elements", causes_of(x, "pe"), causes_of(y, "pe"), "unit-cycles"),
                                         by_name("router", "Where the cycles went: routers", causes_of(x, "router"), causes_of(y, "router"), "unit-cycles"), extrapolated(x, y)};
  for (DifferenceGroup& group : groups) {
    if (!group.rows.empty()) c.groups.push_back(std::move(group));
  }
  c.first = std::move(a);
  c.second = std::move(b);
  return c;
}

std::string run_comparison_json(const RunComparison& c) {
  ordered_json json;
  json["schema"] = "waferloom-run-comparison-1";
  json["a"] = c.a;
  json["b"] = c.b;
  json["differences"] = {{"same", c.count(Certainty::kSame)}, {"exact", c.count(Certainty::kExact)}, {"within", c.count(Certainty::kWithin)}, {"beyond", c.count(Certainty::kBeyond)}};
  const auto side = [](const Quantity& q) {
    ordered_json one = {{"value", json_number(q.value)}};
    if (q.low) one["low"] = json_number(*q.low);
    if (q.high) one["high"] = json_number(*q.high);
    return one;
  };
  json["groups"] = ordered_json::array();
  for (const DifferenceGroup& group : c.groups) {
    ordered_json rows = ordered_json::array();
    for (const RunDifference& d : group.rows) {
      rows.push_back({{"label", d.label}, {"unit", d.a.unit}, {"a", side(d.a)}, {"b", side(d.b)}, {"difference", json_number(d.difference())}, {"certainty", to_string(d.certainty)}});
    }
    json["groups"].push_back({{"key", group.key}, {"title", group.title}, {"rows", std::move(rows)}});
  }
  json["settings"] = ordered_json::array();
  for (const SettingDifference& s : c.settings) json["settings"].push_back({{"key", s.key}, {"a", s.a}, {"b", s.b}});
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string run_comparison_csv(const RunComparison& c) {
  const auto cell = [](double value) {
    const ordered_json json = json_number(value);
    return json.is_string() ? json.get<std::string>() : json.dump();
  };
  std::string out = "group,label,unit,a,b,difference,certainty\n";
  for (const DifferenceGroup& group : c.groups) {
    for (const RunDifference& d : group.rows) {
      out += group.key + "," + config::csv_cell(d.label) + "," + d.a.unit + "," + cell(d.a.value) + "," + cell(d.b.value) + "," + cell(d.difference()) + "," + to_string(d.certainty) + "\n";
    }
  }
  return out;
}

std::string run_comparison_text(const RunComparison& c) {
  const auto title = [](const std::string& name, const RunReport& r) {
    return name + ": " + r.model + " on " + (r.systems > 1 ? std::to_string(r.systems) + " systems of " : "") + std::to_string(r.width) + "x" + std::to_string(r.height) + " " + r.machine + ", " + r.status + "\n";
  };
  std::string out = "A: " + title(c.a, c.first.report) + "B: " + title(c.b, c.second.report);
  for (const DifferenceGroup& group : c.groups) {
    std::vector<std::vector<std::string>> rows;
    for (const RunDifference& d : group.rows) {
      if (d.a.value == 0 && d.b.value == 0) continue;
      rows.push_back({d.label, figure_text(d.a), figure_text(d.b), change_text(d), to_string(d.certainty)});
    }
    if (!rows.empty()) out += "\n" + group.title + "\n" + text_table({"", "A", "B", "B against A", "difference"}, rows);
  }
  std::vector<std::vector<std::string>> rows;
  for (const SettingDifference& s : c.settings) rows.push_back({s.key, shortened(s.a), shortened(s.b)});
  out += rows.empty() ? "\nThe configurations, the RTL and the firmware are the same.\n" : "\nWhat differs between the runs\n" + text_table({"", "A", "B"}, rows);
  return out +
         "\nsame, exact: measured on verilated tiles, to the last bit, so a difference is\n"
         "exact, however small; within, beyond: of the intervals of an extrapolation.\n";
}

}  // namespace waferloom::report
