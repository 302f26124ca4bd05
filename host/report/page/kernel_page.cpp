#include "host/report/kernel_page.h"

#include <algorithm>
#include <cmath>

#include "host/report/numbers.h"
#include "host/report/page/format.h"
#include "host/report/page/markup.h"
#include "host/report/page/run_parts.h"
#include "host/report/version.h"

namespace waferloom::report {
namespace {

using page::Table;
using Column = Table::Column;

std::string array_text(const KernelRow& k) { return grouped(k.width) + " × " + grouped(k.height); }

std::string expectation(const KernelRow& k) {
  if (!k.expected_least) return k.expected_most ? "at most " + page::number(*k.expected_most) : "";
  if (!k.expected_most) return "at least " + page::number(*k.expected_least);
  if (*k.expected_least == *k.expected_most) return page::number(*k.expected_least);
  return page::number(*k.expected_least) + " to " + page::number(*k.expected_most);
}

// From the nearer end of what was expected, as a share of it; absent where nothing was expected or measured.
std::optional<double> difference(const KernelRow& k) {
  if (!k.cycles || (!k.expected_least && !k.expected_most)) return std::nullopt;
  if (k.expected_least && *k.cycles < *k.expected_least) return *k.expected_least > 0 ? *k.cycles / *k.expected_least - 1 : 0;
  if (k.expected_most && *k.cycles > *k.expected_most) return *k.expected_most > 0 ? *k.cycles / *k.expected_most - 1 : 0;
  return 0;
}

std::string signed_share(double share) { return share == 0 ? "none" : (share < 0 ? "−" : "+") + page::share_text(std::abs(share)); }

int colour_of_verdict(const std::string& verdict) { return verdict == "within" ? 3 : verdict == "missed" ? 2 : verdict == "reported" ? 1 : 6; }

int count(const KernelPage& k, const char* verdict) {
  return static_cast<int>(std::count_if(k.rows.begin(), k.rows.end(), [&](const KernelRow& row) { return row.verdict == verdict; }));
}

void cycles_chart(page::Document& page, const KernelPage& k) {
  page::Chart c;
  c.kind = page::ChartKind::kBars;
  c.title = "Cycles of each case";
  c.x.name = "cycles";
  c.x.unit = "cycles";
  page::Series s;
  s.name = "cycles";
  for (const KernelRow& row : k.rows) {
    if (!row.cycles || !std::isfinite(*row.cycles)) continue;
    c.rows.push_back(row.name);
    s.values.push_back(*row.cycles);
    s.colours.push_back(colour_of_verdict(row.verdict));
    c.end_labels.push_back(page::number(*row.cycles));
    c.row_notes.push_back(expectation(row).empty() ? "" : "expected " + expectation(row));
    if (row.low && row.high) {
      c.whiskers.emplace_back(std::array<double, 2>{*row.low, *row.high});
    } else {
      c.whiskers.emplace_back();
    }
  }
  c.series = {s};
  for (const char* verdict : {"within", "missed", "wrong", "reported"}) {
    if (count(k, verdict) > 0) c.legend.push_back({verdict, colour_of_verdict(verdict), page::LegendEntry::Shape::kBox, std::to_string(count(k, verdict))});
  }
  page.chart(std::move(c));
}

void ratio_chart(page::Document& page, const KernelPage& k) {
  page::Chart c;
  c.kind = page::ChartKind::kRanges;
  c.title = "Against what was expected";
  c.lead = "The bar is the range that was expected, in shares of its middle; the dot is what came out.";
  c.x.name = "share of the expected cycles";
  c.x.unit = "%";
  c.reference = 100;
  int out = 0;
  for (const KernelRow& row : k.rows) {
    if (!row.cycles || !row.expected_least || !row.expected_most) continue;
    const double middle = (*row.expected_least + *row.expected_most) / 2;
    const double ratio = middle > 0 ? *row.cycles / middle : NAN;
    if (!std::isfinite(ratio) || ratio > 3) {
      ++out;
      continue;
    }
    page::Range r;
    r.low = 100 * *row.expected_least / middle;
    r.high = 100 * *row.expected_most / middle;
    r.mid = 100 * ratio;
    r.colour = r.colour_high = colour_of_verdict(row.verdict);
    r.words = {{"cycles", page::number(*row.cycles)}, {"expected", expectation(row)}, {"difference", signed_share(*difference(row))}, {"verdict", row.verdict}};
    c.rows.push_back(row.name);
    c.ranges.push_back(r);
  }
  if (out > 0) c.note = std::to_string(out) + (out == 1 ? " case lies" : " cases lie") + " outside the drawing; the table has all.";
  page.chart(std::move(c));
}

}  // namespace

std::string kernel_html(const KernelPage& k) {
  const auto judged = count(k, "within") + count(k, "missed");
  std::string sentence = std::to_string(k.rows.size()) + (k.rows.size() == 1 ? " case" : " cases") + " on verilated tiles";
  if (judged > 0) sentence += ": " + std::to_string(count(k, "within")) + " of " + std::to_string(judged) + " that are judged are within what was expected";
  page::Document page("Kernel run", k.run.empty() ? "Unnamed run" : k.run, sentence + ".");
  if (!k.description.empty()) page.warn(k.description);
  const auto wrong = static_cast<int>(k.rows.size()) - judged - count(k, "reported");
  if (wrong > 0) page.warn(std::to_string(wrong) + " of the cases did not finish or gave wrong values.", true);
  page.part("Cases", "Cycles are counted by the tiles themselves; values are compared word by word with the golden result.", "Cases");
  cycles_chart(page, k);
  ratio_chart(page, k);
  Table table("", {{"case", Column::kText}, {"kernel", Column::kName}, {"machine", Column::kName}, {"tiles"}, {"words or size"}, {"cycles"}, {"origin", Column::kName}, {"expected"}, {"difference"}, {"verdict", Column::kName}, {"source", Column::kText}, {"note", Column::kText}});
  for (const KernelRow& row : k.rows) {
    const std::optional<double> off = difference(row);
    const std::string interval = row.low && row.high ? " (" + page::number(*row.low) + " to " + page::number(*row.high) + ")" : "";
    table.row({page::escaped(row.name), page::escaped(row.kernel), page::escaped(row.machine), array_text(row), row.size.empty() ? grouped(row.words) : page::escaped(row.size), row.cycles ? page::number(*row.cycles) + interval : "none", page::origin_mark(row.origin, ""), expectation(row),
               off ? signed_share(*off) : "", page::escaped(row.verdict), page::escaped(row.source), page::escaped(row.note)},
              row.verdict != "within" && row.verdict != "reported" ? Table::Row::kMarked : Table::Row::kPlain);
  }
  if (table.empty()) {
    page.paragraph("No case was run.");
  } else {
    page.html(table.html("Cases"));
  }
  page::heat_part(page, k.heat_maps);
  page.part("Reproduce");
  std::string commands;
  for (const std::string& line : k.reproduce) commands += page::escaped(line) + "\n";
  if (!commands.empty()) page.html("<pre tabindex=\"0\"><code>" + commands + "</code></pre>\n");
  Table made("Made by", {{"what", Column::kText}, {"which", Column::kText}});
  made.row({"waferloom", page::escaped(project_version() + ", commit " + project_commit())});
  for (const auto& [name, value] : k.made_by) made.row({page::escaped(name), "<code>" + page::escaped(value) + "</code>"});
  page.html(made.html("Made by"));
  if (!k.resolved_yaml.empty()) page.html("<details><summary>The whole configuration</summary><pre tabindex=\"0\"><code>" + page::escaped(k.resolved_yaml) + "</code></pre></details>\n");
  return page.text();
}

}  // namespace waferloom::report
