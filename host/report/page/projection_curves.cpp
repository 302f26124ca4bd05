// How the answer changes: scaling, sparsity, memory, what matters most, other machines.
#include <algorithm>
#include <cmath>

#include "host/report/numbers.h"
#include "host/report/page/format.h"
#include "host/report/page/markup.h"
#include "host/report/page/projection_parts.h"

namespace waferloom::report::page {
namespace {

using Column = Table::Column;

void add_point(Series& s, double x, const Quantity& q) {
  s.points.emplace_back(x, q.value);
  s.band.push_back({x, q.low ? *q.low : q.value, q.high ? *q.high : q.value});
}

std::vector<ScalingPoint> answered(const std::vector<ScalingPoint>& points) {
  std::vector<ScalingPoint> some;
  for (const ScalingPoint& p : points) {
    if (p.refused.empty()) some.push_back(p);
  }
  return some;
}

void throughput_chart(Document& page, const std::string& title, const std::string& lead, const std::vector<ScalingPoint>& all, int colour) {
  const std::vector<ScalingPoint> points = answered(all);
  if (points.empty()) return;
  Chart c;
  c.half = true;
  c.title = title;
  c.lead = lead;
  c.x = axis("systems");
  c.x.log = true;
  c.y = axis("tokens/s, with interval", "tokens/s");
  c.y.log = true;
  Series got{"projected", colour, false, false, {}, {}, {}, {}};
  Series ideal{"in proportion to the systems", 0, true, false, {}, {}, {}, {}};
  for (const ScalingPoint& p : points) {
    add_point(got, p.systems, p.tokens_per_s);
    ideal.points.emplace_back(p.systems, points[0].tokens_per_s.value * p.systems / points[0].systems);
    c.x.labels.push_back(grouped(p.systems) + (p.systems == 1 ? " system" : " systems") + (p.limit.empty() ? "" : " (" + p.limit + ")"));
  }
  c.series = {got, ideal};
  std::string last;
  for (const ScalingPoint& p : points) {
    if (!last.empty() && p.limit != last && !p.limit.empty()) c.note += (c.note.empty() ? "From " : "; from ") + grouped(p.systems) + " systems on: " + p.limit;
    if (!p.limit.empty()) last = p.limit;
  }
  if (!c.note.empty()) c.note += ".";
  page.chart(std::move(c));
}

void efficiency_chart(Document& page, const Projection& p) {
  Chart c;
  c.title = "Efficiency of a system against the smallest cluster";
  c.x = axis("systems");
  c.x.log = true;
  c.y = axis("tokens/s of a system, against the first point", "%");
  c.y.min = 0;
  std::vector<double> at;
  for (const auto* list : {&p.weak_scaling, &p.strong_scaling}) {
    for (const ScalingPoint& x : answered(*list)) at.push_back(x.systems);
  }
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  const auto series = [&](const char* name, int colour, bool dash, const std::vector<ScalingPoint>& points) {
    Series s{name, colour, dash, false, {}, {}, {}, {}};
    for (const double systems : at) {
      double value = NAN;
      for (const ScalingPoint& x : answered(points)) {
        if (x.systems == systems) value = 100 * x.efficiency;
      }
      s.points.emplace_back(systems, value);
    }
    if (std::any_of(s.points.begin(), s.points.end(), [](const auto& q) { return std::isfinite(q.second); })) c.series.push_back(s);
  };
  series("batch grows with the systems", 1, false, p.weak_scaling);
  series("batch stays", 2, true, p.strong_scaling);
  for (const double systems : at) c.x.labels.push_back(number(systems) + (systems == 1 ? " system" : " systems"));
  page.chart(std::move(c));
}

void refusals(Document& page, const std::vector<ScalingPoint>& points) {
  for (const ScalingPoint& p : points) {
    if (!p.refused.empty()) page.warn("No figure for " + grouped(p.systems) + (p.systems == 1 ? " system: " : " systems: ") + p.refused);
  }
}

}  // namespace

void scaling_part(Document& page, const Projection& p) {
  if (p.weak_scaling.empty() && p.strong_scaling.empty()) return;
  page.part("Scaling", "More systems on the same model.");
  throughput_chart(page, "Weak scaling", "The batch grows with the systems.", p.weak_scaling, 1);
  throughput_chart(page, "Strong scaling", "The batch stays as it is.", p.strong_scaling, 2);
  efficiency_chart(page, p);
  refusals(page, p.weak_scaling);
  refusals(page, p.strong_scaling);
}

void sparsity_part(Document& page, const Projection& p) {
  if (p.sparsity.empty()) return;
  page.part("Sparsity", p.sparsity_knee);
  std::vector<SparsityPoint> points = p.sparsity;
  std::stable_sort(points.begin(), points.end(), [](const SparsityPoint& a, const SparsityPoint& b) { return a.density < b.density; });
  Chart c;
  c.title = "Speed-up against the density of the weights";
  c.x = axis("share of the weights that is not zero", "%");
  c.x.log = points.front().density > 0 && points.back().density / points.front().density > 8;
  c.y = axis("speed-up against dense, with interval", "x");
  c.y.min = 0;
  Series got{"projected", 1, false, false, {}, {}, {}, {}};
  Series ideal{"if time followed density", 0, true, false, {}, {}, {}, {}};
  double most = 1;
  for (const SparsityPoint& x : points) most = std::max(most, x.speedup.high ? *x.speedup.high : x.speedup.value);
  std::string last;
  for (const SparsityPoint& x : points) {
    add_point(got, 100 * x.density, x.speedup);
    const double proportional = x.density > 0 ? 1 / x.density : NAN;
    ideal.points.emplace_back(100 * x.density, proportional <= 1.5 * most ? proportional : NAN);
    c.x.labels.push_back("density " + share_text(x.density) + (x.limit.empty() ? "" : " (" + x.limit + ")"));
    if (!last.empty() && x.limit != last) c.marks.push_back({100 * x.density, x.limit});
    last = x.limit;
  }
  c.series = {got, ideal};
  if (!c.marks.empty()) c.note = "Dashed marks: from there to denser weights the named resource limits.";
  page.chart(std::move(c));
}

void memory_part(Document& page, const Projection& p) {
  const MemoryUse& m = p.memory;
  if (m.rows.empty() || !(m.capacity_bytes > 0)) return;
  page.part("Memory of a processing element", bytes_text(m.used_bytes) + " of " + bytes_text(m.capacity_bytes) + " are used at the worst moment of the step (" + share_text(m.used_bytes / m.capacity_bytes) + ")." +
                                                  (m.reason.empty() ? "" : " " + m.reason), "Memory");
  if (!m.fits) page.warn("It does not fit.", true);
  Chart c;
  c.kind = ChartKind::kBars;
  c.title = "What it holds";
  c.x = axis("KiB", "KiB");
  Series s;
  s.name = "memory";
  s.colour = 1;
  for (const MemoryRow& row : m.rows) {
    c.rows.push_back(row.what);
    s.values.push_back(row.bytes / 1024);
    c.end_labels.push_back(bytes_text(row.bytes) + "  (" + share_text(row.bytes / m.capacity_bytes) + ")");
    c.row_notes.push_back(row.note);
    s.colours.push_back(1);
  }
  if (m.used_bytes < m.capacity_bytes) {
    c.rows.emplace_back("free");
    s.values.push_back((m.capacity_bytes - m.used_bytes) / 1024);
    s.colours.push_back(0);
    c.end_labels.push_back(bytes_text(m.capacity_bytes - m.used_bytes) + "  (" + share_text(1 - m.used_bytes / m.capacity_bytes) + ")");
    c.row_notes.emplace_back();
  }
  c.series = {s};
  const bool notes = std::any_of(c.row_notes.begin(), c.row_notes.end(), [](const std::string& n) { return !n.empty(); });
  if (!notes) c.row_notes.clear();
  if (!m.choice.empty()) c.note = "Choice: " + m.choice + (m.micro_batches > 1 ? ", " + std::to_string(m.micro_batches) + " micro-batches in a step." : ".");
  page.chart(std::move(c));
}

void tornado_part(Document& page, const Projection& p) {
  if (p.tornado.empty()) return;
  page.part("What matters most", "The time of a step when one constant goes from one end of its interval to the other and all else stays.", "Sensitivity");
  Chart c;
  c.kind = ChartKind::kRanges;
  c.title = "Time of a step at both ends of each constant";
  c.lead = p.tornado[0].label + " matters most.";
  c.x = axis("time of a step", "s");
  c.reference = p.answer.step_time.value;
  c.legend = {{"at its low end", 5, LegendEntry::Shape::kBox, ""}, {"at its high end", 2, LegendEntry::Shape::kBox, ""}};
  for (std::size_t i = 0; i < p.tornado.size() && i < 15; ++i) {
    const TornadoEntry& t = p.tornado[i];
    Range r;
    r.low = std::min({t.step_at_low_s, t.step_at_high_s, p.answer.step_time.value});
    r.high = std::max({t.step_at_low_s, t.step_at_high_s, p.answer.step_time.value});
    const bool rising = t.step_at_low_s <= t.step_at_high_s;
    r.colour = rising ? 5 : 2;
    r.colour_high = rising ? 2 : 5;
    r.words = {{"low end", with_unit(t.low_value, t.unit)}, {"step there", with_unit(t.step_at_low_s, "s")}, {"high end", with_unit(t.high_value, t.unit)}, {"step at it", with_unit(t.step_at_high_s, "s")}, {"origin", to_string(t.origin)}};
    c.rows.push_back(t.label);
    c.ranges.push_back(r);
  }
  if (p.tornado.size() > 15) c.note = std::to_string(p.tornado.size() - 15) + " constants that matter less are left out here; projection.json has them.";
  page.chart(std::move(c));
}

void accelerators_part(Document& page, const Projection& p) {
  if (p.accelerators.empty()) return;
  page.part("Beside other machines", "Rooflines from published figures at an assumed utilisation: an assumption, not a measurement.", "Other machines");
  Chart c;
  c.kind = ChartKind::kBars;
  c.half = false;
  c.title = "How many give the same tokens per second";
  c.x = axis("accelerators");
  Series s;
  s.name = "accelerators";
  s.colour = 4;
  for (const Accelerator& a : p.accelerators) {
    c.rows.push_back(a.name);
    s.values.push_back(a.count_for_equal);
    c.end_labels.push_back(number(std::ceil(a.count_for_equal)));
  }
  c.series = {s};
  page.chart(std::move(c));
  Table table("", {{"accelerator", Column::kText}, {"peak fp16"}, {"memory"}, {"bandwidth"}, {"power"}, {"used (assumed)"}, {"tokens/s each"}, {"days alone"}, {"for equal rate"}, {"to hold state"}, {"source", Column::kText}});
  for (const Accelerator& a : p.accelerators) {
    table.row({escaped(a.name), with_unit(a.peak_fp16_flops_per_s, "FLOP/s"), bytes_text(a.memory_bytes), with_unit(a.memory_bytes_per_s, "B/s"), with_unit(a.power_w, "W"), share_text(a.utilisation), number(a.tokens_per_s), number(a.days_one),
               number(std::ceil(a.count_for_equal)), number(std::ceil(a.least_for_memory)), escaped(a.source)});
  }
  page.html(table.html("Other machines"));
}

}  // namespace waferloom::report::page
