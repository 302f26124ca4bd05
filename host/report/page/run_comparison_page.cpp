#include <algorithm>
#include <cmath>

#include "host/report/numbers.h"
#include "host/report/page/format.h"
#include "host/report/page/markup.h"
#include "host/report/page/run_parts.h"
#include "host/report/run_comparison.h"
#include "host/report/summary.h"

namespace waferloom::report {
namespace {

using page::Table;
using Column = Table::Column;

std::string change(const RunDifference& d) {
  if (d.certainty == Certainty::kSame) return "";
  if (d.a.unit == "%") return (d.difference() < 0 ? "−" : "+") + fixed(std::abs(d.difference()), 2) + " points";
  const double ratio = d.b.value / d.a.value;
  if (!(ratio > 0) || !std::isfinite(ratio)) return "";
  if (ratio >= 2 || ratio <= 0.5) return page::number(ratio) + "×";
  return (ratio < 1 ? "−" : "+") + page::share_text(std::abs(ratio - 1));
}

std::string value_text(const Quantity& q) {
  const bool whole = q.value == std::floor(q.value) && std::abs(q.value) < 9e15 && (q.unit.empty() || q.unit == "cycles" || q.unit == "unit-cycles");
  const std::string interval = page::interval_text(q);
  return page::escaped(whole ? grouped(static_cast<std::int64_t>(q.value)) : page::with_unit(q)) + (interval.empty() ? "" : "<br><span class=\"soft\">" + page::escaped(interval) + "</span>");
}

std::string table_of(const DifferenceGroup& group, const RunComparison& c) {
  Table table("", {{"", Column::kText}, {"A: " + c.a}, {"B: " + c.b}, {"B against A"}, {"difference", Column::kName}});
  for (const RunDifference& d : group.rows) {
    const bool marked = d.certainty == Certainty::kExact || d.certainty == Certainty::kBeyond;
    table.row({page::escaped(d.label), value_text(d.a), value_text(d.b), change(d), to_string(d.certainty)}, marked ? Table::Row::kMarked : Table::Row::kPlain);
  }
  return table.html(group.title);
}

void bars(page::Document& page, const DifferenceGroup& group, const RunComparison& c) {
  page::Chart chart;
  chart.kind = page::ChartKind::kBars;
  chart.stacked = false;
  chart.title = group.title;
  chart.x = {"cycles", group.rows.front().a.unit, false, false, {}, {}, {}, {}};
  page::Series a{"A: " + c.a, 1, false, false, {}, {}, {}, {}};
  page::Series b{"B: " + c.b, 2, false, false, {}, {}, {}, {}};
  for (const RunDifference& d : group.rows) {
    if (d.a.value == 0 && d.b.value == 0) continue;
    chart.rows.push_back(d.label);
    a.values.push_back(d.a.value);
    b.values.push_back(d.b.value);
    chart.row_notes.push_back(d.certainty == Certainty::kSame ? "the same" : "B against A: " + change(d));
  }
  chart.series = {a, b};
  page.chart(std::move(chart));
}

page::Series loss_of(const RunReport& r, const std::string& name, int colour, bool dash) {
  const std::vector<StepRow> train = steps_of(r.steps, "train");
  page::Series s{name, colour, dash, false, {}, {}, {}, {}};
  for (const page::Stretch& part : page::stretches(train.size())) {
    double sum = 0;
    int count = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      if (!std::isfinite(train[i].loss)) continue;
      sum += train[i].loss;
      ++count;
    }
    s.points.emplace_back(static_cast<double>(train[part.begin].step), count > 0 ? sum / count : NAN);
  }
  return s;
}

page::AnswerCard card(const RunDifference& d) {
  page::AnswerCard c;
  c.what = d.label;
  c.quantity = d.b;
  c.value = d.certainty == Certainty::kSame ? "the same" : change(d);
  if (c.value.empty()) c.value = "no ratio";
  c.more = page::with_unit(d.a) + " → " + page::with_unit(d.b);
  return c;
}

}  // namespace

std::string run_comparison_html(const RunComparison& c) {
  const std::size_t all = c.count(Certainty::kSame) + c.count(Certainty::kExact) + c.count(Certainty::kWithin) + c.count(Certainty::kBeyond);
  page::Document page("Comparison of training runs", c.a + " against " + c.b,
                      grouped(static_cast<std::int64_t>(c.count(Certainty::kExact))) + " of " + grouped(static_cast<std::int64_t>(all)) + " figures differ exactly; " + grouped(static_cast<std::int64_t>(c.count(Certainty::kSame))) +
                          " are the same to the last bit.");
  std::vector<page::AnswerCard> cards;
  for (const DifferenceGroup& group : c.groups) {
    for (const RunDifference& d : group.rows) {
      if (d.label == "test accuracy" || d.label == "a training step, mean" || d.label == "utilisation of the lanes" || d.label == "cycles of the run") cards.push_back(card(d));
    }
  }
  page.answers(cards);
  for (const RunReport* r : {&c.first.report, &c.second.report}) {
    if (r->status != "finished") page.warn((r == &c.first.report ? "A" : "B") + std::string(" did not finish (") + r->status + "): its figures are of what it did until then.");
  }
  for (const DifferenceGroup& group : c.groups) {
    page.part(group.title, group.key == "learnt" ? "Measured figures follow from configuration, RTL and seed to the last bit: a difference is exact, however small." : "");
    if (group.key == "learnt") {
      page::Chart loss;
      loss.title = "Training loss of each step";
      loss.x.name = "step";
      loss.x.whole = true;
      loss.y.name = "loss";
      loss.y.min = 0;
      loss.series = {loss_of(c.first.report, "A: " + c.a, 1, false), loss_of(c.second.report, "B: " + c.b, 2, true)};
      page.chart(std::move(loss));
    }
    if (group.key == "layers" || group.key == "phases" || group.key == "pe") bars(page, group, c);
    page.html(table_of(group, c));
  }
  page.part("What differs between the runs", "", "Settings");
  if (c.settings.empty()) {
    page.paragraph("The configurations, the RTL and the firmware are the same.");
  } else {
    Table table("", {{"key", Column::kText}, {"A", Column::kText}, {"B", Column::kText}});
    for (const SettingDifference& s : c.settings) table.row({"<code>" + page::escaped(s.key) + "</code>", page::escaped(s.a.empty() ? "-" : s.a), page::escaped(s.b.empty() ? "-" : s.b)});
    page.html(table.html("What differs between the runs"));
  }
  page.paragraph("Each of the two has a page of its own, with its steps, causes and the map of its array.");
  return page.text();
}

}  // namespace waferloom::report
