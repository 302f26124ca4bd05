#include "host/report/page/figure.h"

#include <algorithm>
#include <cmath>

#include "host/report/page/format.h"
#include "host/report/page/markup.h"

namespace waferloom::report::page {
namespace {

using Column = Table::Column;

std::string with(const std::string& name, const std::string& unit) { return unit.empty() ? name : name + " (" + unit + ")"; }

// In a column whose head names the unit: the number alone.
std::string cell(double value) { return std::isfinite(value) ? number(value) : "not finite"; }

std::string row_name(const Chart& c, std::size_t i) {
  if (i < c.x.labels.size()) return escaped(c.x.labels[i]);
  if (i < c.x.categories.size()) return escaped(c.x.categories[i]);
  for (const Series& s : c.series) {
    if (i < s.points.size()) return number(s.points[i].first);
  }
  return {};
}

std::string lines_table(const Chart& c) {
  std::vector<Table::Head> heads{{with(c.x.name, c.x.unit), Column::kText}};
  std::size_t rows = 0;
  for (const Series& s : c.series) {
    heads.push_back({with(s.name, c.y.unit), Column::kNumber});
    if (!s.band.empty()) {
      heads.push_back({"least", Column::kNumber});
      heads.push_back({"most", Column::kNumber});
    }
    rows = std::max(rows, s.points.size());
  }
  Table table(c.title, heads);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::string> cells{row_name(c, i)};
    for (const Series& s : c.series) {
      cells.push_back(i < s.points.size() ? cell(s.points[i].second) : "");
      if (s.band.empty()) continue;
      cells.push_back(i < s.band.size() ? cell(s.band[i][1]) : "");
      cells.push_back(i < s.band.size() ? cell(s.band[i][2]) : "");
    }
    table.row(cells);
  }
  return table.html(c.title + ", data");
}

std::string bars_table(const Chart& c) {
  std::vector<Table::Head> heads{{"", Column::kText}};
  for (const Series& s : c.series) heads.push_back({with(s.name, c.x.unit), Column::kNumber});
  const bool intervals = std::any_of(c.whiskers.begin(), c.whiskers.end(), [](const auto& w) { return w.has_value(); });
  if (!c.end_labels.empty()) heads.push_back({"in all", Column::kNumber});
  if (intervals) heads.push_back({"interval", Column::kNumber});
  if (!c.row_notes.empty()) heads.push_back({"note", Column::kText});
  Table table(c.title, heads);
  for (std::size_t i = 0; i < c.rows.size(); ++i) {
    std::vector<std::string> cells{escaped(c.rows[i])};
    for (const Series& s : c.series) cells.push_back(i < s.values.size() ? cell(s.values[i]) : "");
    if (!c.end_labels.empty()) cells.push_back(escaped(c.end_labels[i]));
    if (intervals) cells.push_back(c.whiskers[i] ? number((*c.whiskers[i])[0]) + " to " + number((*c.whiskers[i])[1]) : "");
    if (!c.row_notes.empty()) cells.push_back(escaped(c.row_notes[i]));
    table.row(cells);
  }
  return table.html(c.title + ", data");
}

using Words = std::vector<std::pair<std::string, std::string>>;

// Rows of names and texts; the columns are those of the first row.
std::string words_table(const Chart& c, const std::vector<std::string>& rows, const std::vector<const Words*>& words) {
  std::vector<Table::Head> heads{{"", Column::kText}};
  for (const auto& [name, text] : words.empty() ? Words{} : *words[0]) heads.push_back({name, Column::kNumber});
  Table table(c.title, heads);
  for (std::size_t i = 0; i < rows.size() && i < words.size(); ++i) {
    std::vector<std::string> cells{escaped(rows[i])};
    for (const auto& [name, text] : *words[i]) cells.push_back(escaped(text));
    table.row(cells);
  }
  return table.html(c.title + ", data");
}

std::string ranges_table(const Chart& c) {
  std::vector<const Words*> words;
  for (const Range& r : c.ranges) words.push_back(&r.words);
  return words_table(c, c.rows, words);
}

std::string roofline_table(const Chart& c) {
  std::vector<std::string> names;
  std::vector<const Words*> words;
  for (const RoofPoint& p : c.points) {
    names.push_back(p.name);
    words.push_back(&p.words);
  }
  return words_table(c, names, words);
}

std::string spans_table(const Chart& c) {
  Table table(c.title, {{"resource", Column::kText}, {"what", Column::kText}, {with("from", c.x.unit), Column::kNumber}, {with("to", c.x.unit), Column::kNumber}});
  for (const Span& s : c.spans)
    table.row({escaped(c.rows[static_cast<std::size_t>(s.row)]), escaped(s.label), cell(s.begin), cell(s.end)});
  return table.html(c.title + ", data");
}

std::string heat_table(const Chart& c) {
  const int block = heat_block(c);
  const std::vector<double> means = heat_means(c, block);
  const int width = (c.width + block - 1) / block;
  std::vector<Table::Head> heads{{"y \\ x", Column::kText}};
  for (int x = 0; x < width; ++x) heads.push_back({std::to_string(x * block), Column::kNumber});
  Table table(with(c.title, c.y.unit), heads);
  for (std::size_t at = 0; at < means.size(); at += static_cast<std::size_t>(width)) {
    std::vector<std::string> cells{std::to_string(static_cast<int>(at) / width * block)};
    for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) cells.push_back(cell(means[at + x]));
    table.row(cells);
  }
  return table.html(c.title + ", data");
}

std::vector<LegendEntry> legend_of(const Chart& c) {
  if (!c.legend.empty() || c.series.size() < 2) return c.legend;
  std::vector<LegendEntry> entries;
  for (const Series& s : c.series) {
    const auto shape = c.kind != ChartKind::kLines || s.area ? LegendEntry::Shape::kBox : s.dash ? LegendEntry::Shape::kDash : LegendEntry::Shape::kLine;
    entries.push_back({s.name, s.colour, shape, ""});
  }
  return entries;
}

std::string heat_scale(const Chart& c) {
  double low = INFINITY;
  double high = -INFINITY;
  for (const double v : heat_means(c, heat_block(c))) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  return "<p class=\"scale\"><span>" + escaped(with_unit(low, c.y.unit)) + "</span><i></i><span>" + escaped(with_unit(high, c.y.unit)) + "</span></p>\n";
}

std::string extent(const Series& s, const std::string& unit) {
  double first = NAN;
  double last = NAN;
  for (const auto& [x, y] : s.points) {
    if (!std::isfinite(y)) continue;
    if (!std::isfinite(first)) first = y;
    last = y;
  }
  return std::isfinite(first) ? s.name + " from " + with_unit(first, unit) + " to " + with_unit(last, unit) : s.name + " without values";
}

}  // namespace

std::string chart_words(const Chart& c) {
  std::string what;
  switch (c.kind) {
    case ChartKind::kLines:
      for (const Series& s : c.series) what += (what.empty() ? "" : "; ") + extent(s, c.y.unit);
      what = "Line chart over " + c.x.name + ": " + what;
      break;
    case ChartKind::kBars: what = "Bar chart of " + std::to_string(c.rows.size()) + (c.rows.size() == 1 ? " bar" : " bars") + (c.rows.empty() ? "" : ", from " + c.rows.front() + " to " + c.rows.back()); break;
    case ChartKind::kRanges: what = "Chart of " + std::to_string(c.rows.size()) + " ranges"; break;
    case ChartKind::kSpans: what = "Timeline of " + std::to_string(c.rows.size()) + " resources with " + std::to_string(c.spans.size()) + " intervals"; break;
    case ChartKind::kHeat: what = "Heat map of " + std::to_string(c.width) + " by " + std::to_string(c.height) + " tiles"; break;
    case ChartKind::kRoofline: what = "Roofline chart of " + std::to_string(c.points.size()) + " operators under " + std::to_string(c.ceilings.size()) + " ceilings"; break;
  }
  return c.title + ". " + what + ". " + (c.lead.empty() ? "" : c.lead + " ") + "Arrow keys walk through the values; a table follows.";
}

std::string legend_html(const std::vector<LegendEntry>& entries) {
  if (entries.empty()) return {};
  std::string out = "<ul class=\"legend\">";
  for (const LegendEntry& e : entries) {
    const char* shape = e.shape == LegendEntry::Shape::kLine ? " line" : e.shape == LegendEntry::Shape::kDash ? " dash" : "";
    out += std::string("<li><span class=\"swatch") + shape + " b" + std::to_string(e.colour) + "\"></span><span>" + escaped(e.name) + (e.value.empty() ? "" : " <b>" + escaped(e.value) + "</b>") + "</span></li>";
  }
  return out + "</ul>\n";
}

std::string chart_table(const Chart& c) {
  switch (c.kind) {
    case ChartKind::kLines: return lines_table(c);
    case ChartKind::kBars: return bars_table(c);
    case ChartKind::kRanges: return ranges_table(c);
    case ChartKind::kSpans: return spans_table(c);
    case ChartKind::kHeat: return heat_table(c);
    case ChartKind::kRoofline: return roofline_table(c);
  }
  return {};
}

std::string figure_html(const Chart& c) {
  std::string out = std::string("<figure") + (c.half ? " class=\"half\"" : "") + "><figcaption><h3>" + escaped(c.title) + "</h3>";
  if (!c.lead.empty()) out += "<p>" + escaped(c.lead) + "</p>";
  out += "</figcaption>\n" + legend_html(legend_of(c));
  if (c.kind == ChartKind::kHeat) out += heat_scale(c);
  const bool vertical = c.kind == ChartKind::kLines || c.kind == ChartKind::kRoofline;
  if (vertical && !c.y.name.empty()) out += "<p class=\"unit\" aria-hidden=\"true\">" + escaped(c.y.name) + "</p>";
  out += "<div class=\"frame\"><div class=\"chart\" id=\"" + escaped(c.id) + "\" role=\"img\" tabindex=\"0\" aria-label=\"" + escaped(chart_words(c)) + "\"></div></div>\n";
  if (!c.note.empty()) out += "<p class=\"unit\">" + escaped(c.note) + "</p>";
  return out + "<details><summary>Data of this chart<span class=\"unseen\">: " + escaped(c.title) + "</span></summary>" + chart_table(c) + "</details></figure>\n";
}

}  // namespace waferloom::report::page
