#include <algorithm>
#include <cmath>

#include "host/report/numbers.h"
#include "host/report/page/format.h"
#include "host/report/page/markup.h"
#include "host/report/page/projection_parts.h"
#include "host/report/page/run_parts.h"
#include "host/report/projection_page.h"

namespace waferloom::report {
namespace {

using page::Table;
using Column = Table::Column;

// "+12.3 %", "3.1×": what b is against a.
std::string change(double ratio) {
  if (!(ratio > 0) || !std::isfinite(ratio)) return "";
  if (ratio >= 2 || ratio <= 0.5) return page::number(ratio) + "×";
  return (ratio < 1 ? "−" : "+") + page::share_text(std::abs(ratio - 1));
}

std::string with_range(const Quantity& q) {
  const std::string interval = page::interval_text(q);
  return page::escaped(page::with_unit(q)) + (interval.empty() ? "" : "<br><span class=\"soft\">" + page::escaped(interval) + "</span>");
}

std::string difference_table(const std::vector<DifferenceRow>& rows, const ProjectionComparison& c, const std::string& name) {
  Table table("", {{"", Column::kText}, {"A: " + c.a}, {"B: " + c.b}, {"B against A"}, {"beyond the uncertainty", Column::kName}});
  for (const DifferenceRow& d : rows) table.row({page::escaped(d.label), with_range(d.a), with_range(d.b), change(d.ratio), d.beyond ? "yes" : "no"}, d.beyond ? Table::Row::kMarked : Table::Row::kPlain);
  return table.html(name);
}

void ratio_chart(page::Document& page, const ProjectionComparison& comparison) {
  page::Chart c;
  c.kind = page::ChartKind::kRanges;
  c.title = "B in shares of A, with the interval of the ratio";
  c.x = page::axis("B / A", "%");
  c.reference = 100;
  c.legend = {{"beyond the uncertainty", 1, page::LegendEntry::Shape::kBox, ""}, {"within it", 0, page::LegendEntry::Shape::kBox, ""}};
  int out = 0;
  for (const DifferenceRow& d : comparison.figures) {
    const double ratio = d.a.value != 0 ? d.b.value / d.a.value : NAN;
    const double low = (d.b.low ? *d.b.low : d.b.value) / (d.a.high ? *d.a.high : d.a.value);
    const double high = (d.b.high ? *d.b.high : d.b.value) / (d.a.low ? *d.a.low : d.a.value);
    if (!std::isfinite(ratio) || !std::isfinite(low) || !std::isfinite(high) || ratio <= 0 || high > 5) {
      ++out;
      continue;
    }
    page::Range r;
    r.low = 100 * low;
    r.high = 100 * high;
    r.mid = 100 * ratio;
    r.colour = r.colour_high = d.beyond ? 1 : 0;
    r.words = {{"A", page::with_unit(d.a)}, {"B", page::with_unit(d.b)}, {"B / A", page::share_text(ratio)}, {"beyond the uncertainty", d.beyond ? "yes" : "no"}};
    c.rows.push_back(d.label);
    c.ranges.push_back(r);
  }
  if (out > 0) c.note = std::to_string(out) + (out == 1 ? " figure has" : " figures have") + " no ratio that fits the drawing; the table has all.";
  page.chart(std::move(c));
}

void operator_chart(page::Document& page, const ProjectionComparison& comparison) {
  std::vector<const DifferenceRow*> rows;
  for (const DifferenceRow& d : comparison.operators) rows.push_back(&d);
  std::stable_sort(rows.begin(), rows.end(), [](const DifferenceRow* x, const DifferenceRow* y) { return std::max(x->a.value, x->b.value) > std::max(y->a.value, y->b.value); });
  if (rows.size() > 10) rows.resize(10);
  page::Chart c;
  c.kind = page::ChartKind::kBars;
  c.stacked = false;
  c.title = "Cycles of a step by operator";
  c.x = page::axis("cycles of a step", "cycles");
  page::Series a{"A: " + comparison.a, 1, false, false, {}, {}, {}, {}};
  page::Series b{"B: " + comparison.b, 2, false, false, {}, {}, {}, {}};
  for (const DifferenceRow* d : rows) {
    c.rows.push_back(d->label);
    a.values.push_back(d->a.value);
    b.values.push_back(d->b.value);
    c.row_notes.push_back(d->beyond ? "differs beyond the uncertainty" : "within the uncertainty");
  }
  c.series = {a, b};
  if (comparison.operators.size() > rows.size()) c.note = "The " + std::to_string(rows.size()) + " largest of " + std::to_string(comparison.operators.size()) + " operators.";
  page.chart(std::move(c));
}

page::AnswerCard card(const std::string& what, const DifferenceRow& d) {
  page::AnswerCard c;
  c.what = what;
  c.quantity = d.b;
  c.quantity.low.reset();
  c.quantity.high.reset();
  c.value = change(d.ratio);
  if (c.value.empty()) c.value = "no ratio";
  c.more = page::with_unit(d.a) + " → " + page::with_unit(d.b) + (d.beyond ? "; beyond the uncertainty" : "; within the uncertainty");
  return c;
}

void assumptions_that_differ(page::Document& page, const ProjectionComparison& c) {
  Table table("", {{"constant", Column::kText}, {"A"}, {"B"}, {"origin in A", Column::kName}, {"origin in B", Column::kName}});
  for (const Assumption& a : c.first.assumptions) {
    for (const Assumption& b : c.second.assumptions) {
      if (a.key != b.key || (a.value == b.value && a.unit == b.unit)) continue;
      table.row({"<code>" + page::escaped(a.key) + "</code>", page::escaped(a.value + " " + a.unit), page::escaped(b.value + " " + b.unit), page::origin_mark(a.origin, a.source), page::origin_mark(b.origin, b.source)});
    }
  }
  page.part("Constants that differ");
  if (table.empty()) {
    page.paragraph("None: both use the same constants.");
  } else {
    page.html(table.html("Constants that differ"));
  }
}

}  // namespace

std::string comparison_html(const ProjectionComparison& c) {
  const auto beyond = std::count_if(c.figures.begin(), c.figures.end(), [](const DifferenceRow& d) { return d.beyond; });
  page::Document page("Comparison", c.a + " against " + c.b,
                      std::to_string(beyond) + " of " + std::to_string(c.figures.size()) + " figures differ by more than the uncertainty of both.");
  std::vector<page::AnswerCard> cards;
  for (std::size_t i = 0; i < c.figures.size() && i < 4; ++i) cards.push_back(card(c.figures[i].label, c.figures[i]));
  page.answers(cards);
  page.part("Figures", "A difference is beyond the uncertainty when the intervals of A and B do not overlap; such rows are marked.");
  ratio_chart(page, c);
  if (c.figures.empty()) {
    page.paragraph("A and B have no figure in common.");
  } else {
    page.html(difference_table(c.figures, c, "Figures of A and B"));
  }
  if (!c.operators.empty()) {
    page.part("Where the time goes");
    operator_chart(page, c);
    page.html(difference_table(c.operators, c, "Operators of A and B"));
  }
  assumptions_that_differ(page, c);
  page.part("Reproduce");
  std::string commands;
  for (const Projection* p : {&c.first, &c.second}) {
    for (const std::string& line : p->reproduce) commands += page::escaped(line) + "\n";
  }
  if (!commands.empty()) page.html("<pre tabindex=\"0\"><code>" + commands + "</code></pre>\n");
  page.paragraph("Each of the two has a page of its own, with its timeline, operators, assumptions and validation.");
  return page.text();
}

}  // namespace waferloom::report
