// Why to believe it: what was measured, validation, the model counted, assumptions, how to do it again.
#include <algorithm>
#include <cmath>

#include "host/report/numbers.h"
#include "host/report/page/format.h"
#include "host/report/page/markup.h"
#include "host/report/page/projection_parts.h"
#include "host/report/page/run_parts.h"
#include "host/report/version.h"

namespace waferloom::report::page {
namespace {

using Column = Table::Column;

void error_chart(Document& page, const CalibrationInfo& info) {
  std::vector<const MeasuredShape*> held;
  for (const MeasuredShape& s : info.shapes) {
    if (s.held_out && std::isfinite(s.error)) held.push_back(&s);
  }
  if (held.empty()) return;
  std::stable_sort(held.begin(), held.end(), [](const MeasuredShape* a, const MeasuredShape* b) { return std::abs(a->error) > std::abs(b->error); });
  Chart c;
  c.kind = ChartKind::kRanges;
  c.title = "Error of the prediction on arrays that the fit never saw";
  c.lead = "Worst of " + std::to_string(held.size()) + ": " + share_text(std::abs(held[0]->error)) + ", median " + share_text(std::abs(held[held.size() / 2]->error)) + ".";
  c.x = axis("predicted against measured", "%");
  c.reference = 0;
  for (std::size_t i = 0; i < held.size() && i < 16; ++i) {
    const MeasuredShape& s = *held[i];
    Range r;
    r.low = std::min(0.0, 100 * s.error);
    r.high = std::max(0.0, 100 * s.error);
    r.colour = r.colour_high = 1;
    r.words = {{"measured", with_unit(s.measured_cycles, "cycles")}, {"predicted", with_unit(s.predicted_cycles, "cycles")}, {"error", (s.error < 0 ? "−" : "+") + share_text(std::abs(s.error))}};
    c.rows.push_back(s.label);
    c.ranges.push_back(r);
  }
  if (held.size() > 16) c.note = "The 16 largest of " + std::to_string(held.size()) + "; the table below has all.";
  page.chart(std::move(c));
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t side : shape) text += (text.empty() ? "" : " × ") + grouped(side);
  return text;
}

}  // namespace

void figures_part(Document& page, const Projection& p) {
  if (p.figures.empty()) return;
  page.part("Figures");
  Table table("", {{"figure", Column::kText}, {"value"}, {"interval"}, {"", Column::kNumber}, {"origin", Column::kName}, {"from", Column::kText}});
  for (const Figure& f : p.figures)
    table.row({escaped(f.label), escaped(with_unit(f.quantity)), escaped(interval_text(f.quantity)), escaped(relative_interval(f.quantity)), origin_mark(f.quantity.origin, f.quantity.source), escaped(f.quantity.source)});
  page.html(table.html("Figures"));
}

void measured_part(Document& page, const Projection& p) {
  const CalibrationInfo& info = p.calibration;
  if (info.shapes.empty() && info.fits.empty() && info.heat_maps.empty()) return;
  page.part("What was measured", "Arrays of verilated tiles that ran, the fit to them, and arrays that the fit never saw.", "Measured");
  error_chart(page, info);
  heat_charts(page, info.heat_maps);
  if (!info.fits.empty()) {
    Table fits("Coefficients of the fit, in cycles for each", {{"operator", Column::kName}, {"coefficients", Column::kText}, {"worst on the fit's arrays"}, {"worst on others"}, {"rank"}, {"condition"}});
    for (const FitRow& f : info.fits) {
      std::string terms;
      for (const auto& [name, cycles] : f.coefficients) terms += (terms.empty() ? "" : ", ") + name + " " + number(cycles);
      fits.row({escaped(f.pass), escaped(terms), share_text(f.worst_error), share_text(f.held_out_error), std::to_string(f.rank), number(f.condition)});
    }
    page.html(fits.html("Fits"));
  }
  if (!info.shapes.empty()) {
    Table shapes("Every array that was run", {{"array", Column::kText}, {"operator", Column::kName}, {"size"}, {"used for", Column::kName}, {"measured cycles"}, {"predicted cycles"}, {"error"}});
    for (const MeasuredShape& s : info.shapes) {
      shapes.row({escaped(s.label), escaped(s.pass), std::to_string(s.width) + " × " + std::to_string(s.height), s.held_out ? "judging" : "fitting", number(s.measured_cycles), number(s.predicted_cycles), (s.error < 0 ? "−" : "+") + share_text(std::abs(s.error))});
    }
    page.html(shapes.html("Arrays that were run"));
  }
}

void validation_part(Document& page, const Projection& p) {
  if (p.validation.empty()) return;
  const auto agree = std::count_if(p.validation.begin(), p.validation.end(), [](const ValidationRow& v) { return v.agrees; });
  page.part("Validation", std::to_string(agree) + " of " + std::to_string(p.validation.size()) + " published or held-out figures are met within their tolerance; those that are not are marked.");
  Chart c;
  c.kind = ChartKind::kRanges;
  c.title = "Obtained against expected";
  c.lead = "The bar is the tolerance about what was expected; the dot is what came out.";
  c.x = axis("share of what was expected", "%");
  c.reference = 100;
  c.legend = {{"within tolerance", 3, LegendEntry::Shape::kBox, ""}, {"outside", 6, LegendEntry::Shape::kBox, ""}};
  int off = 0;
  for (const ValidationRow& v : p.validation) {
    const double ratio = v.expected != 0 ? v.obtained / v.expected : NAN;
    if (!std::isfinite(ratio) || ratio <= 0 || ratio > 3) {
      ++off;
      continue;
    }
    Range r;
    r.low = 100 * (1 - v.tolerance);
    r.high = 100 * (1 + v.tolerance);
    r.mid = 100 * ratio;
    r.colour = r.colour_high = v.agrees ? 3 : 6;
    r.words = {{"expected", with_unit(v.expected, v.unit)}, {"obtained", with_unit(v.obtained, v.unit)}, {"ratio", share_text(ratio)}, {"tolerance", "± " + share_text(v.tolerance)}};
    c.rows.push_back(v.id.empty() ? v.what : v.id + ": " + v.what);
    c.ranges.push_back(r);
  }
  if (off > 0) c.note = std::to_string(off) + (off == 1 ? " case lies" : " cases lie") + " outside the drawing; the table has all.";
  page.chart(std::move(c));
  Table table("", {{"case", Column::kText}, {"what", Column::kText}, {"expected"}, {"obtained"}, {"difference"}, {"tolerance"}, {"verdict", Column::kName}, {"source", Column::kText}});
  for (const ValidationRow& v : p.validation) {
    const double difference = v.expected != 0 ? v.obtained / v.expected - 1 : NAN;
    table.row({escaped(v.id), escaped(v.what), escaped(with_unit(v.expected, v.unit)), escaped(with_unit(v.obtained, v.unit)), std::isfinite(difference) ? (difference < 0 ? "−" : "+") + share_text(std::abs(difference)) : "", "± " + share_text(v.tolerance),
               v.agrees ? "agrees" : "disagrees", escaped(v.source)},
              v.agrees ? Table::Row::kPlain : Table::Row::kMarked);
  }
  page.html(table.html("Validation"));
}

void model_part(Document& page, const Projection& p) {
  const ModelSummary& m = p.model;
  if (m.name.empty() && m.tensors.empty()) return;
  std::string lead = grouped(m.parameters) + " parameters";
  if (m.active_parameters > 0 && m.active_parameters != m.parameters) lead += ", of which " + grouped(m.active_parameters) + " work on one token";
  page.part("Model", m.name + (m.architecture.empty() ? ": " : " (" + m.architecture + "): ") + lead + "; " + grouped(m.layers) + " layers of width " + grouped(m.width) + ", " + grouped(m.heads) + " heads" +
                         (m.key_value_heads > 0 && m.key_value_heads != m.heads ? " (" + grouped(m.key_value_heads) + " for keys and values)" : "") + ", vocabulary " + grouped(m.vocabulary) + ", sequences of " + grouped(m.sequence) + " tokens.");
  if (m.tensors.empty()) return;
  Table table("", {{"tensor", Column::kText}, {"shape"}, {"count"}, {"parameters"}});
  std::int64_t all = 0;
  for (const ModelTensor& t : m.tensors) {
    table.row({escaped(t.name), escaped(shape_text(t.shape)), grouped(t.count), grouped(t.parameters)});
    all += t.parameters;
  }
  table.row({"all", "", "", grouped(all)}, Table::Row::kSum);
  page.html("<details><summary>Every tensor of the model</summary>" + table.html("Tensors of the model") + "</details>\n");
}

void assumptions_part(Document& page, const Projection& p) {
  if (p.assumptions.empty()) return;
  page.part("Assumptions", "Every constant that entered the answer, with where it comes from.");
  Table table("", {{"constant", Column::kText}, {"value"}, {"interval"}, {"origin", Column::kName}, {"source", Column::kText}});
  for (const Assumption& a : p.assumptions) {
    const std::string unit = a.unit.empty() ? "" : " " + a.unit;
    table.row({"<code>" + escaped(a.key) + "</code>", escaped(a.value + unit), a.low.empty() && a.high.empty() ? "" : escaped(a.low + " to " + a.high + unit), origin_mark(a.origin, a.source), escaped(a.source)});
  }
  page.html(table.html("Assumptions"));
}

void reproduce_part(Document& page, const Projection& p) {
  page.part("Reproduce", "The same commit, configuration and calibration give the same bytes.");
  std::string commands;
  for (const std::string& line : p.reproduce) commands += escaped(line) + "\n";
  if (!commands.empty()) page.html("<pre tabindex=\"0\"><code>" + commands + "</code></pre>\n");
  Table table("Made by", {{"what", Column::kText}, {"which", Column::kText}});
  table.row({"waferloom", escaped(project_version() + ", commit " + project_commit())});
  for (const auto& [name, version] : tool_versions()) table.row({escaped(name), escaped(version)});
  const auto hash = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.row({name, "<code>" + escaped(value) + "</code>"});
  };
  hash("RTL of the router", p.calibration.router_hash);
  hash("RTL of the PE", p.calibration.pe_hash);
  hash("firmware", p.calibration.firmware_hash);
  if (!p.calibration.from.empty()) table.row({"calibration", escaped(p.calibration.from + (p.calibration.machine.empty() ? "" : ", " + p.calibration.machine))});
  page.html(table.html("Made by"));
  if (!p.resolved_yaml.empty()) page.html("<details><summary>The whole configuration</summary><pre tabindex=\"0\"><code>" + escaped(p.resolved_yaml) + "</code></pre></details>\n");
}

}  // namespace waferloom::report::page
