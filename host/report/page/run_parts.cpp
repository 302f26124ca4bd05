#include "host/report/page/run_parts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "host/report/numbers.h"
#include "host/report/page/format.h"
#include "host/report/page/markup.h"
#include "host/report/summary.h"
#include "host/report/version.h"

namespace waferloom::report::page {
namespace {

using Column = Table::Column;

std::string steps_name(std::int64_t first, std::int64_t last) { return first == last ? "step " + grouped(first) : "steps " + grouped(first) + " to " + grouped(last); }

// Note below a chart of gathered steps; empty when every step is drawn.
std::string gathered_note(std::size_t steps, std::size_t shown) {
  if (steps == shown) return {};
  return grouped(static_cast<std::int64_t>(steps)) + " steps, gathered into " + grouped(static_cast<std::int64_t>(shown)) + " stretches: each point is the mean of one, the band runs from its least to its most.";
}

// A line over steps. Values that are not finite are left out of the means and counted in `*missing`.
Series step_line(const std::string& name, int colour, const std::vector<StepRow>& steps, const std::vector<Stretch>& parts, const std::function<double(const StepRow&)>& value, std::int64_t* missing) {
  Series s;
  s.name = name;
  s.colour = colour;
  const bool gathered = parts.size() < steps.size();
  for (const Stretch& part : parts) {
    double sum = 0;
    double low = INFINITY;
    double high = -INFINITY;
    std::int64_t count = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const double v = value(steps[i]);
      if (!std::isfinite(v)) {
        if (missing != nullptr) ++*missing;
        continue;
      }
      sum += v;
      low = std::min(low, v);
      high = std::max(high, v);
      ++count;
    }
    const auto x = static_cast<double>(steps[part.begin].step);
    s.points.emplace_back(x, count > 0 ? sum / static_cast<double>(count) : NAN);
    if (gathered) s.band.push_back({x, count > 0 ? low : NAN, count > 0 ? high : NAN});
  }
  return s;
}

Axis step_axis(const std::vector<StepRow>& steps, const std::vector<Stretch>& parts) {
  Axis x;
  x.name = "step";
  x.whole = true;
  for (const Stretch& part : parts) x.labels.push_back(steps_name(steps[part.begin].step, steps[part.end - 1].step));
  return x;
}

double ratio(std::int64_t part, std::int64_t whole) { return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

void loss_chart(Document& page, const RunReport& r) {
  const std::vector<StepRow> train = steps_of(r.steps, "train");
  if (train.size() < 2) return;
  const std::vector<Stretch> parts = stretches(train.size());
  std::int64_t missing = 0;
  Chart c;
  c.title = "Training loss of each step";
  c.x = step_axis(train, parts);
  c.y.name = "loss";
  c.y.min = 0;
  c.series.push_back(step_line("training loss", 1, train, parts, [](const StepRow& s) { return s.loss; }, &missing));
  c.note = gathered_note(train.size(), parts.size());
  if (missing > 0) c.note += (c.note.empty() ? "" : " ") + std::string("Left out, as not finite: ") + grouped(missing) + (missing == 1 ? " step." : " steps.");
  page.chart(std::move(c));
}

Chart epoch_chart(const std::string& title, const std::string& unit, const RunReport& r, double EpochRow::*train, double EpochRow::*test, double scale) {
  Chart c;
  c.title = title;
  c.half = true;
  c.x.name = "epoch";
  c.x.whole = true;
  c.y.name = unit == "%" ? "share of the rows that the network gets right" : "mean loss";
  c.y.unit = unit;
  if (unit == "%") c.y.max = 100;
  c.y.min = 0;
  Series training{"training", 1, false, false, {}, {}, {}, {}};
  Series testing{"test", 2, true, false, {}, {}, {}, {}};
  for (const EpochRow& e : r.epochs) {
    training.points.emplace_back(e.epoch, e.*train * scale);
    testing.points.emplace_back(e.epoch, e.tested ? e.*test * scale : std::numeric_limits<double>::quiet_NaN());
    c.x.labels.push_back("epoch " + std::to_string(e.epoch));
  }
  c.series = {training, testing};
  return c;
}

void phase_charts(Document& page, const RunReport& r, const std::string& kind) {
  const std::vector<StepRow> steps = steps_of(r.steps, kind);
  const std::vector<PhaseSummary> phases = phase_summary(steps);
  if (phases.empty()) return;
  std::int64_t total = 0;
  for (const StepRow& s : steps) total += s.cycles;
  const auto count = static_cast<double>(steps.size());
  Chart c;
  c.kind = ChartKind::kBars;
  c.title = kind == "train" ? "Cycles of a training step" : kind == "evaluate" ? "Cycles of an evaluation step" : "Cycles of a step: " + kind;
  const auto most = std::max_element(phases.begin(), phases.end(), [](const PhaseSummary& a, const PhaseSummary& b) { return a.total < b.total; });
  c.lead = "Mean of " + grouped(static_cast<std::int64_t>(steps.size())) + (steps.size() == 1 ? " step: " : " steps: ") + number(static_cast<double>(total) / count) + " cycles, of which " + most->name + " takes " +
           share_text(ratio(most->total, total)) + ".";
  c.x = {"cycles", "cycles", false, false, {}, {}, {}, {}};
  Series s;
  s.name = "mean";
  s.colour = 1;
  for (const PhaseSummary& p : phases) {
    const double mean = static_cast<double>(p.total) / count;
    c.rows.push_back(p.name);
    s.values.push_back(mean);
    s.colours.push_back(colour_of(p.name));
    c.end_labels.push_back(number(mean) + "  (" + share_text(ratio(p.total, total)) + ")");
    if (p.least != p.most) {
      c.whiskers.emplace_back(std::array<double, 2>{static_cast<double>(p.least), static_cast<double>(p.most)});
    } else {
      c.whiskers.emplace_back();
    }
  }
  c.series = {s};
  const bool any = std::any_of(c.whiskers.begin(), c.whiskers.end(), [](const auto& w) { return w.has_value(); });
  c.note = any ? "Whiskers run from the least to the most of all steps." : steps.size() > 1 ? "Every step took the same cycles in every phase." : "";
  page.chart(std::move(c));
}

// Causes of PE cycles over the training steps, as shares, stacked.
void cause_chart(Document& page, const RunReport& r, const UnitCauses& unit) {
  const std::vector<StepRow> train = steps_of(r.steps, "train");
  if (train.size() < 2) return;
  const std::vector<Stretch> parts = stretches(train.size());
  Chart c;
  c.title = "Causes over the training steps: " + unit_name(unit.unit);
  c.half = true;
  c.x = step_axis(train, parts);
  c.y = {"share of all their cycles", "%", false, false, 0.0, 100.0, {}, {}};
  for (const Share& cause : unit.causes) {
    if (cause.cycles == 0) continue;
    Series s = step_line(cause.name, colour_of(cause.name), train, parts, [&](const StepRow& step) {
      for (const UnitCauses& u : step.units) {
        if (u.unit != unit.unit) continue;
        for (const Share& share : u.causes) {
          if (share.name == cause.name) return 100 * ratio(share.cycles, u.units * step.cycles);
        }
      }
      return 0.0;
    }, nullptr);
    s.area = true;
    s.band.clear();
    c.series.push_back(s);
  }
  c.note = parts.size() < train.size() ? grouped(static_cast<std::int64_t>(train.size())) + " steps, gathered into " + grouped(static_cast<std::int64_t>(parts.size())) + " stretches: each shows the mean of one." : "";
  page.chart(std::move(c));
}

void unit_chart(Document& page, const RunReport& r, const UnitCauses& unit) {
  const std::int64_t total = total_cycles(unit);
  if (total <= 0) return;
  Chart c;
  c.kind = ChartKind::kBars;
  c.half = true;
  c.title = "Where the cycles went: " + unit_name(unit.unit);
  c.lead = grouped(unit.units) + (r.systems > 1 ? " units of " + grouped(r.systems) + " systems for " : std::string(" units for ")) + grouped(r.cycles) + " cycles; every cycle has one cause.";
  c.x = {"unit-cycles", "unit-cycles", false, false, {}, {}, {}, {}};
  Series s;
  s.name = "unit-cycles";
  for (const Share& cause : unit.causes) {
    c.rows.push_back(cause.name);
    s.values.push_back(static_cast<double>(cause.cycles));
    s.colours.push_back(colour_of(cause.name));
    c.end_labels.push_back(share_text(ratio(cause.cycles, total)));
  }
  c.series = {s};
  page.chart(std::move(c));
}

}  // namespace

std::string unit_name(const std::string& unit) { return unit == "pe" ? "processing elements" : unit == "router" ? "routers" : unit; }

std::vector<Stretch> stretches(std::size_t steps, std::size_t most) {
  std::vector<Stretch> parts;
  if (steps == 0 || most == 0) return parts;
  const std::size_t length = (steps + most - 1) / most;
  for (std::size_t begin = 0; begin < steps; begin += length) parts.push_back({begin, std::min(begin + length, steps)});
  return parts;
}

int colour_of(const std::string& name) {
  static constexpr std::pair<const char*, int> kColours[] = {{"waiting", 0}, {"idle", 0}, {"host", 0}, {"drain", 0}, {"axpy", 1}, {"forward", 1}, {"delta", 3}, {"reduction", 2}, {"gradient", 4},
                                                             {"elementwise", 3}, {"stream", 5}, {"load", 5}, {"loss", 7}, {"update", 6}, {"recompute", 2}};
  for (const auto& [known, colour] : kColours) {
    if (name.find(known) != std::string::npos) return colour;
  }
  unsigned sum = 0;
  for (const char c : name) sum = sum * 31 + static_cast<unsigned char>(c);
  return 1 + static_cast<int>(sum % 7);
}

void training_part(Document& page, const RunReport& r) {
  page.part("Training", "Losses and accuracies by the host from what the array computed. A step is skipped when its gradients are not finite.");
  loss_chart(page, r);
  if (r.epochs.size() > 1) {
    page.chart(epoch_chart("Accuracy after each epoch", "%", r, &EpochRow::train_accuracy, &EpochRow::test_accuracy, 100));
    page.chart(epoch_chart("Loss after each epoch", "", r, &EpochRow::train_loss, &EpochRow::test_loss, 1));
  }
  if (r.epochs.empty()) {
    page.paragraph("No epoch was finished.");
    return;
  }
  Table table("", {{"epoch", Column::kText}, {"training loss"}, {"training accuracy"}, {"test loss"}, {"test accuracy"}, {"steps"}, {"skipped"}, {"saturations"}, {"cycles"}});
  for (const EpochRow& e : r.epochs) {
    table.row({std::to_string(e.epoch), fixed(e.train_loss, 4), percent(e.train_accuracy), e.tested ? fixed(e.test_loss, 4) : "-", e.tested ? percent(e.test_accuracy) : "-", grouped(e.steps), grouped(e.skipped_steps), grouped(e.saturations),
               grouped(e.cycles)});
  }
  page.html(table.html("Epochs"));
}

void cycles_part(Document& page, const RunReport& r) {
  if (r.steps.empty() && r.units.empty()) return;
  page.part("Where the time goes", "Counted by the tiles' own counters: the phases of a step sum to its cycles, and every cycle of a unit has exactly one cause.", "Cycles");
  for (const std::string& kind : step_kinds(r.steps)) phase_charts(page, r, kind);
  for (const UnitCauses& unit : r.units) unit_chart(page, r, unit);
  for (const UnitCauses& unit : r.units) cause_chart(page, r, unit);
}

void systems_part(Document& page, const RunReport& r) {
  if (r.system_rows.empty()) return;
  page.part("Systems", grouped(r.systems) + " arrays share the rows of every step; SwarmX sends the weights to all of them and adds their gradients in ascending order. Phases above are those of the system that took longest.");
  Table table("", {{"system", Column::kText}, {"cycles"}, {"utilisation of the lanes"}, {"wavelets into the edge"}, {"wavelets out of it"}, {"saturations"}});
  for (const SystemRow& s : r.system_rows) table.row({std::to_string(s.system), grouped(s.cycles), percent(s.lane_utilisation), grouped(s.wavelets_in), grouped(s.wavelets_out), grouped(s.saturations)});
  page.html(table.html("Systems"));
  std::vector<Table::Head> columns = {{"cause", Column::kText}};
  for (const SystemRow& s : r.system_rows) columns.push_back({"system " + std::to_string(s.system)});
  Table causes("", columns);
  for (std::size_t u = 0; u < r.system_rows.front().units.size(); ++u) {
    const UnitCauses& unit = r.system_rows.front().units[u];
    for (std::size_t c = 0; c < unit.causes.size(); ++c) {
      std::vector<std::string> row = {escaped(unit_name(unit.unit) + ": " + unit.causes[c].name)};
      for (const SystemRow& s : r.system_rows) row.push_back(share_text(ratio(s.units[u].causes[c].cycles, total_cycles(s.units[u]))));
      causes.row(row);
    }
  }
  page.html(causes.html("Causes of cycles by system"));
}

void heat_part(Document& page, const std::vector<HeatMap>& maps) {
  if (maps.empty()) return;
  page.part("The array that was measured", "Each cell is one tile; x grows east, y grows south, weights enter from the north.", "Array");
  heat_charts(page, maps);
}

void heat_charts(Document& page, const std::vector<HeatMap>& maps) {
  for (const HeatMap& map : maps) {
    Chart c;
    c.kind = ChartKind::kHeat;
    c.half = true;
    c.title = map.title;
    c.y.unit = map.unit;
    c.width = map.width;
    c.height = map.height;
    c.values = map.values;
    const int block = c.width > 0 && c.height > 0 ? heat_block(c) : 1;
    if (block > 1) c.note = "Each cell is the mean of " + std::to_string(block) + " x " + std::to_string(block) + " tiles.";
    page.chart(std::move(c));
  }
}

void totals_part(Document& page, const RunReport& r) {
  page.part("Totals");
  Table table("", {{"figure", Column::kText}, {"value"}, {"origin", Column::kName}});
  const auto add = [&](const char* name, const std::string& value) { table.row({name, value, origin_mark(Origin::kMeasured, "")}); };
  add("cycles", grouped(r.cycles));
  if (shows(r, "utilisation")) {
    add("multiply-accumulates", grouped(r.macs));
    add("lane slots used", grouped(r.lane_slots));
    add("utilisation of the lanes", percent(r.lane_utilisation));
  }
  if (shows(r, "wavelets")) {
    add("wavelets sent on links", grouped(r.wavelets_sent));
    add("wavelets received", grouped(r.wavelets_received));
    add("wavelets into the array's edge", grouped(r.edge_wavelets_in));
    add("wavelets out of the array's edge", grouped(r.edge_wavelets_out));
  }
  add("unit-cycles evaluated", grouped(r.evaluated_units));
  add("unit-cycles skipped, as nothing could change", grouped(r.skipped_units));
  page.html(table.html("Totals"));
}

void wafer_part(Document& page, const RunReport& r) {
  if (r.extrapolations.empty()) return;
  page.part("On the whole wafer", "What the cost model, fitted to small arrays of the same tiles, says about the machine's full size.", "Wafer");
  for (const ExtrapolationRow& x : r.extrapolations) {
    page.html("<h3>" + escaped(x.name) + "</h3><p>" + escaped(x.machine) + ", " + grouped(x.width) + " × " + grouped(x.height) + " tiles" +
              (x.bound.empty() ? "" : "; limited by " + escaped(x.bound)) + ". Largest error of the fit on arrays it never saw: " + share_text(x.fit_error) + ".</p>\n");
    Chart c;
    c.kind = ChartKind::kBars;
    c.title = "Cycles of a step by pass: " + x.name;
    c.x = {"cycles", "cycles", false, false, {}, {}, {}, {}};
    Series s;
    s.name = "cycles";
    for (const auto& [name, q] : x.terms) {
      c.rows.push_back(name);
      s.values.push_back(q.value);
      s.colours.push_back(colour_of(name));
      c.end_labels.push_back(with_unit(q.value, ""));
      if (q.low && q.high && std::isfinite(*q.low) && std::isfinite(*q.high)) {
        c.whiskers.emplace_back(std::array<double, 2>{*q.low, *q.high});
      } else {
        c.whiskers.emplace_back();
      }
    }
    c.series = {s};
    page.chart(std::move(c));
    Table table("", {{"figure", Column::kText}, {"value"}, {"interval"}, {"", Column::kNumber}, {"origin", Column::kName}, {"from", Column::kText}});
    const auto add = [&](const std::string& name, const Quantity& q) { table.row({escaped(name), escaped(with_unit(q)), escaped(interval_text(q)), escaped(relative_interval(q)), origin_mark(q.origin, q.source), escaped(q.source)}); };
    for (const auto& [name, q] : x.figures) add(name, q);
    for (const auto& [name, q] : x.terms) add("of which " + name, q);
    if (!table.empty()) page.html(table.html("Figures of " + x.name));
    if (!x.note.empty()) page.warn(x.note);
  }
}

void machine_part(Document& page, const RunReport& r) {
  if (r.parameters.empty()) return;
  page.part("Assumptions", "Every figure of the machine with where it comes from.");
  Table table("", {{"parameter", Column::kText}, {"value"}, {"origin", Column::kName}, {"source", Column::kText}});
  for (const auto& [name, q] : r.parameters) table.row({escaped(name), escaped(with_unit(q)), origin_mark(q.origin, q.source), escaped(q.source)});
  page.html(table.html("Machine"));
}

void made_by_part(Document& page, const RunReport& r, const Manifest& manifest) {
  page.part("Reproduce");
  page.html("<pre><code>waferloom run resolved.yaml</code></pre>\n<p>resolved.yaml beside this file is the whole configuration with its defaults, seed " + std::to_string(r.seed) +
            "; metrics.json holds every figure for programs, manifest.json also the times on the clock. The same commit, configuration and seed give the same bytes.</p>\n");
  Table table("Made by", {{"what", Column::kText}, {"which", Column::kText}});
  table.row({"waferloom", escaped(project_version() + ", commit " + project_commit())});
  for (const auto& [name, version] : tool_versions()) table.row({escaped(name), escaped(version)});
  for (const auto& [name, version] : manifest.tools) table.row({escaped(name), escaped(version)});
  for (const UnitHash& unit : manifest.units) table.row({escaped("RTL of " + unit.unit + ", " + unit.views + " view"), "<code>" + escaped(unit.hash) + "</code>"});
  if (!manifest.firmware_hash.empty()) table.row({"firmware", "<code>" + escaped(manifest.firmware_hash) + "</code>"});
  page.html(table.html("Made by"));
}

}  // namespace waferloom::report::page
