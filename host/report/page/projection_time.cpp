// Where the time of a step goes: timeline, operators, layers, roofline.
#include <algorithm>
#include <cmath>
#include <map>

#include "host/report/numbers.h"
#include "host/report/page/format.h"
#include "host/report/page/markup.h"
#include "host/report/page/projection_parts.h"
#include "host/report/page/run_parts.h"

namespace waferloom::report::page {
namespace {

using Column = Table::Column;

constexpr std::size_t kMostSpans = 400;  // of one resource
constexpr std::size_t kMostBars = 12;

std::vector<LegendEntry> pass_legend(const std::vector<Span>& spans, const std::vector<std::string>& passes) {
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const bool known = std::any_of(legend.begin(), legend.end(), [&](const LegendEntry& e) { return e.name == passes[i]; });
    if (!known) legend.push_back({passes[i], spans[i].colour, LegendEntry::Shape::kBox, ""});
  }
  return legend;
}

std::vector<LegendEntry> limit_legend(const std::vector<std::string>& limits) {
  std::vector<LegendEntry> legend;
  for (const std::string& limit : limits) {
    const bool known = std::any_of(legend.begin(), legend.end(), [&](const LegendEntry& e) { return e.name == limit; });
    if (!known && !limit.empty()) legend.push_back({limit, limit_colour(limit), LegendEntry::Shape::kBox, ""});
  }
  return legend;
}

void operator_chart(Document& page, const Projection& p) {
  const std::vector<Group> groups = group_operators(p.operators, operator_name);
  if (groups.empty()) return;
  Chart c;
  c.kind = ChartKind::kBars;
  c.title = "By operator";
  c.lead = groups[0].name + " takes " + share_text(groups[0].share) + " of the wafer's busy cycles" + (groups[0].limit.empty() ? "." : ", limited by " + groups[0].limit + ".");
  c.x = axis("cycles of a step", "cycles");
  Series s;
  s.name = "cycles";
  std::vector<std::string> limits;
  double rest = 0;
  double rest_share = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i >= kMostBars) {
      rest += groups[i].cycles;
      rest_share += groups[i].share;
      continue;
    }
    c.rows.push_back(groups[i].name);
    s.values.push_back(groups[i].cycles);
    s.colours.push_back(limit_colour(groups[i].limit));
    c.end_labels.push_back(share_text(groups[i].share));
    c.row_notes.push_back(groups[i].limit.empty() ? "" : "limited by " + groups[i].limit);
    limits.push_back(groups[i].limit);
  }
  if (rest > 0) {
    c.rows.push_back("all others (" + std::to_string(groups.size() - kMostBars) + ")");
    s.values.push_back(rest);
    s.colours.push_back(0);
    c.end_labels.push_back(share_text(rest_share));
    c.row_notes.emplace_back();
  }
  c.series = {s};
  c.legend = limit_legend(limits);
  c.note = "Colours say what limits each operator.";
  page.chart(std::move(c));
}

void layer_chart(Document& page, const Projection& p) {
  Chart c;
  c.kind = ChartKind::kBars;
  c.half = true;
  c.title = "By layer";
  c.x = axis("cycles of a step", "cycles");
  std::map<std::string, std::size_t> at;
  for (const OperatorRow& o : p.operators) {
    if (at.emplace(o.layer, c.rows.size()).second) c.rows.push_back(o.layer);
  }
  std::vector<double> sums(c.rows.size(), 0);
  double all = 0;
  for (const OperatorRow& o : p.operators) {
    auto s = std::find_if(c.series.begin(), c.series.end(), [&](const Series& x) { return x.name == o.pass; });
    if (s == c.series.end()) {
      c.series.push_back({o.pass, colour_of(o.pass), false, false, {}, {}, std::vector<double>(c.rows.size(), 0), {}});
      s = c.series.end() - 1;
    }
    s->values[at[o.layer]] += o.total_cycles;
    sums[at[o.layer]] += o.total_cycles;
    all += o.total_cycles;
  }
  for (const double sum : sums) c.end_labels.push_back(share_text(all > 0 ? sum / all : 0));
  page.chart(std::move(c));
}

// What the cycles of the largest operators are made of.
void terms_chart(Document& page, const Projection& p) {
  std::vector<const OperatorRow*> largest;
  for (const OperatorRow& o : p.operators) {
    if (!o.terms.empty()) largest.push_back(&o);
  }
  std::stable_sort(largest.begin(), largest.end(), [](const OperatorRow* a, const OperatorRow* b) { return a->total_cycles > b->total_cycles; });
  if (largest.size() > 8) largest.resize(8);
  if (largest.empty()) return;
  Chart c;
  c.kind = ChartKind::kBars;
  c.half = true;
  c.title = "What the largest operators are made of";
  c.x = axis("cycles of one", "cycles");
  for (const OperatorRow* o : largest) c.rows.push_back(o->tensor.empty() ? operator_name(*o) : o->tensor + ", " + o->pass);
  for (std::size_t i = 0; i < largest.size(); ++i) {
    for (const CostTerm& term : largest[i]->terms) {
      auto s = std::find_if(c.series.begin(), c.series.end(), [&](const Series& x) { return x.name == term.name; });
      if (s == c.series.end()) {
        const int colour = static_cast<int>(c.series.size()) < 7 ? static_cast<int>(c.series.size()) + 1 : 0;
        c.series.push_back({term.name, colour, false, false, {}, {}, std::vector<double>(largest.size(), 0), {}});
        s = c.series.end() - 1;
      }
      s->values[i] += term.cycles;
    }
  }
  page.chart(std::move(c));
}

}  // namespace

Axis axis(const std::string& name, const std::string& unit) {
  Axis a;
  a.name = name;
  a.unit = unit;
  return a;
}

int limit_colour(const std::string& limit) {
  static constexpr std::pair<const char*, int> kColours[] = {{"lanes", 1}, {"reduction", 2}, {"SRAM", 3}, {"link", 4}, {"edge I/O", 5}, {"SwarmX", 6}, {"MemoryX", 7}};
  for (const auto& [known, colour] : kColours) {
    if (limit == known) return colour;
  }
  return 0;
}

std::string operator_name(const OperatorRow& row) {
  std::string name = row.name == "stream_matmul" ? "matrix products" : row.name;
  std::replace(name.begin(), name.end(), '_', ' ');
  return row.pass.empty() ? name : name + ", " + row.pass;
}

std::vector<Group> group_operators(const std::vector<OperatorRow>& operators, std::string (*name_of)(const OperatorRow&)) {
  std::vector<Group> groups;
  std::vector<double> largest;
  double all = 0;
  for (const OperatorRow& o : operators) {
    const std::string name = name_of(o);
    auto g = std::find_if(groups.begin(), groups.end(), [&](const Group& x) { return x.name == name; });
    if (g == groups.end()) {
      groups.push_back({name, 0, 0, o.limit, o.pass});
      largest.push_back(0);
      g = groups.end() - 1;
    }
    const auto i = static_cast<std::size_t>(g - groups.begin());
    if (o.total_cycles > largest[i]) {
      largest[i] = o.total_cycles;
      g->limit = o.limit;
    }
    g->cycles += o.total_cycles;
    all += o.total_cycles;
  }
  for (Group& g : groups) g.share = all > 0 ? g.cycles / all : 0;
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.cycles > b.cycles; });
  return groups;
}

std::vector<Interval> gathered(const TimelineRow& row, double step_s, std::size_t most, double* gap_s) {
  std::vector<Interval> drawn;
  for (const Interval& i : row.intervals) {
    if (i.pass != "idle" && i.end_s > i.begin_s) drawn.push_back(i);
  }
  *gap_s = 0;
  double gap = step_s / 2000;
  const std::vector<Interval> all = drawn;
  while (drawn.size() > most && gap < step_s) {
    drawn.clear();
    std::string first;
    for (const Interval& i : all) {
      if (!drawn.empty() && drawn.back().pass == i.pass && i.begin_s - drawn.back().end_s <= gap) {
        drawn.back().end_s = i.end_s;
        drawn.back().label = first == i.label ? first : first + " to " + i.label;
        drawn.back().layer = -1;
      } else {
        first = i.label;
        drawn.push_back(i);
      }
    }
    *gap_s = gap;
    gap *= 2;
  }
  return drawn;
}

void timeline_part(Document& page, const Projection& p) {
  if (p.timeline.empty()) return;
  page.part("Step timeline", "One steady step from the moment the wafer begins its forward pass. What was fetched ahead lies before zero.", "Timeline");
  Chart c;
  c.kind = ChartKind::kSpans;
  c.title = "Who works when";
  c.x = axis("time in the step", "s");
  std::vector<std::string> passes;
  double most_gap = 0;
  for (const TimelineRow& row : p.timeline) {
    double gap = 0;
    for (const Interval& i : gathered(row, p.step_s, kMostSpans, &gap)) {
      c.spans.push_back({static_cast<int>(c.rows.size()), i.begin_s, i.end_s, colour_of(i.pass), i.label.empty() ? i.pass : i.label});
      passes.push_back(i.pass);
    }
    most_gap = std::max(most_gap, gap);
    c.rows.push_back(row.resource);
    c.lead += (c.lead.empty() ? "Busy: " : ", ") + row.resource + " " + share_text(row.busy);
  }
  c.lead += ".";
  c.legend = pass_legend(c.spans, passes);
  if (most_gap > 0) c.note = "Intervals of one pass that lie closer than " + with_unit(most_gap, "s") + " are drawn as one. ";
  c.note += "Where intervals are too thin to see, the height of a colour is its share of the time.";
  page.chart(std::move(c));
}

void operators_part(Document& page, const Projection& p) {
  if (p.operators.empty()) return;
  page.part("Where the time goes", "Each operator of the plan, priced from what the tiles were measured to do. Equal layers are one row with a count.", "Operators");
  operator_chart(page, p);
  layer_chart(page, p);
  terms_chart(page, p);
  Table table("", {{"operator", Column::kText}, {"layer", Column::kName}, {"pass", Column::kName}, {"count"}, {"cycles of one"}, {"interval"}, {"cycles of a step"}, {"share"}, {"limit", Column::kName}, {"origin", Column::kName}, {"note", Column::kText}});
  for (const OperatorRow& o : p.operators) {
    table.row({escaped(o.tensor.empty() ? o.name : o.tensor), escaped(o.layer), escaped(o.pass), grouped(o.count), number(o.cycles.value), escaped(relative_interval(o.cycles)), number(o.total_cycles), share_text(o.share), escaped(o.limit),
               origin_mark(o.cycles.origin, o.cycles.source), escaped(o.note)},
              o.cycles.origin == Origin::kAssumed ? Table::Row::kMarked : Table::Row::kPlain);
  }
  page.html("<h3>All operators</h3>\n" + table.html("All operators"));
}

void roofline_part(Document& page, const Projection& p) {
  if (p.roofline.empty()) return;
  page.part("Roofline", "What one wafer reaches against what its lanes and its edge allow. The size of a point is its share of the step.");
  Chart c;
  c.kind = ChartKind::kRoofline;
  c.title = "Operators under their ceilings";
  c.x = axis("FLOP per word over the wafer's edge");
  c.y = axis("FLOP/s reached on one wafer", "FLOP/s");
  int colour = 1;
  for (const RooflineCeiling& ceiling : p.ceilings) {
    const bool dash = !c.ceilings.empty();
    c.ceilings.push_back({ceiling.name, ceiling.flops_per_s, ceiling.words_per_s, colour, dash});
    c.legend.push_back({ceiling.name, colour, dash ? LegendEntry::Shape::kDash : LegendEntry::Shape::kLine, ceiling.flops_per_s > 0 ? with_unit(ceiling.flops_per_s, "FLOP/s") : with_unit(ceiling.words_per_s, "") + " words/s"});
    colour = colour % 7 + 1;
  }
  std::vector<std::string> limits;
  int out = 0;
  for (const RooflinePoint& point : p.roofline) {
    if (!(point.intensity > 0) || !(point.flops_per_s > 0)) {
      ++out;
      continue;
    }
    c.points.push_back({point.name, point.intensity, point.flops_per_s, point.share, limit_colour(point.limit), point.share >= 0.04,
                        {{"FLOP per word", number(point.intensity)}, {"reached", with_unit(point.flops_per_s, "FLOP/s")}, {"share of the step", share_text(point.share)}, {"limit", point.limit}}});
    limits.push_back(point.limit);
  }
  for (const LegendEntry& e : limit_legend(limits)) c.legend.push_back({"limited by " + e.name, e.colour, e.shape, ""});
  if (out > 0) c.note = std::to_string(out) + (out == 1 ? " operator moves" : " operators move") + " no words over the edge or computes nothing, and has no place here.";
  page.chart(std::move(c));
}

}  // namespace waferloom::report::page
