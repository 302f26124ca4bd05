#include "host/report/html.h"

#include <algorithm>

#include "host/report/numbers.h"
#include "host/report/summary.h"
#include "host/report/version.h"

namespace waferloom::report {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1d2433; --paper: #ffffff; --soft: #5a6478; --rule: #d5dae3; --bar: #4a7fd0; --head: #f3f5f9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7ef; --paper: #14181f; --soft: #98a2b5; --rule: #333b49; --bar: #5f95e8; --head: #1d232d; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; } p.lead, p.note, footer { color: var(--soft); }
.wide { overflow-x: auto; } table { border-collapse: collapse; min-width: 50%; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; } th { background: var(--head); font-weight: 600; }
th:first-child, td:first-child { text-align: left; } td.text { text-align: left; white-space: normal; color: var(--soft); }
td.bar { width: 12rem; text-align: left; } td.bar span { display: block; height: .8rem; background: var(--bar); border-radius: 2px; }
tr.sum td { font-weight: 600; } .origin { font-size: .8rem; border: 1px solid var(--rule); border-radius: .6rem; padding: 0 .5rem; color: var(--soft); }
svg { width: 100%; max-width: 40rem; height: auto; } svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
        break;
    }
  }
  return out;
}

std::string origin(Origin of) { return std::string("<span class=\"origin\">") + to_string(of) + "</span>"; }

// Cells are HTML already.
class Table {
 public:
  explicit Table(const std::vector<std::string>& header) {
    html_ = "<div class=\"wide\"><table><thead><tr>";
    for (const std::string& cell : header) html_ += "<th scope=\"col\">" + escaped(cell) + "</th>";
    html_ += "</tr></thead><tbody>\n";
  }
  void row(const std::vector<std::string>& cells, bool sum = false) {
    html_ += sum ? "<tr class=\"sum\">" : "<tr>";
    for (const std::string& cell : cells) html_ += cell.compare(0, 3, "<td") == 0 ? cell : "<td>" + cell + "</td>";
    html_ += "</tr>\n";
  }
  std::string end() const { return html_ + "</tbody></table></div>\n"; }

 private:
  std::string html_;
};

std::string text_cell(const std::string& text) { return "<td class=\"text\">" + escaped(text) + "</td>"; }

std::string bar_cell(double share) {
  return "<td class=\"bar\"><span style=\"width:" + fixed(std::clamp(share, 0.0, 1.0) * 100, 1) + "%\"></span></td>";
}

double ratio(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// Training and test loss over the epochs, as a drawing. Nothing when there are too few points or one is not finite.
std::string loss_chart(const std::vector<EpochRow>& epochs) {
  double most = 0;
  for (const EpochRow& e : epochs) {
    if (fixed(e.train_loss, 1).find_first_not_of("0123456789.-") != std::string::npos ||
        fixed(e.test_loss, 1).find_first_not_of("0123456789.-") != std::string::npos)
      return {};
    most = std::max({most, e.train_loss, e.test_loss});
  }
  if (epochs.size() < 2 || most <= 0) return {};
  constexpr double kLeft = 50;
  constexpr double kTop = 15;
  constexpr double kWidth = 570;
  constexpr double kHeight = 170;
  const auto line = [&](double EpochRow::*value, const char* dash) {
    std::string points;
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      const double x = kLeft + kWidth * static_cast<double>(i) / static_cast<double>(epochs.size() - 1);
      const double y = kTop + kHeight * (1 - std::max(0.0, epochs[i].*value) / most);
      points += fixed(x, 1) + "," + fixed(y, 1) + " ";
    }
    return "<polyline fill=\"none\" stroke=\"var(--bar)\" stroke-width=\"2\" stroke-dasharray=\"" + std::string(dash) +
           "\" points=\"" + points + "\"/>";
  };
  return "<svg viewBox=\"0 0 640 220\" role=\"img\" aria-label=\"Loss over the epochs\"><path d=\"M50 15V185H620\" "
         "fill=\"none\" stroke=\"var(--rule)\"/>" +
         line(&EpochRow::train_loss, "none") + line(&EpochRow::test_loss, "5 4") +
         "<text x=\"45\" y=\"20\" text-anchor=\"end\">" + fixed(most, 2) +
         "</text><text x=\"45\" y=\"188\" text-anchor=\"end\">0</text><text x=\"50\" y=\"205\">epoch " +
         std::to_string(epochs.front().epoch) + "</text><text x=\"620\" y=\"205\" text-anchor=\"end\">epoch " +
         std::to_string(epochs.back().epoch) +
         "</text><text x=\"335\" y=\"205\" text-anchor=\"middle\">solid: training loss, dashed: test "
         "loss</text></svg>\n";
}

std::string training(const RunReport& r) {
  std::string out = "<h2>Training</h2>\n" + loss_chart(r.epochs);
  Table table({"epoch", "training loss", "training accuracy", "test loss", "test accuracy", "steps", "skipped",
               "saturations", "cycles"});
  for (const EpochRow& e : r.epochs) {
    table.row({std::to_string(e.epoch), fixed(e.train_loss, 4), percent(e.train_accuracy), fixed(e.test_loss, 4),
               percent(e.test_accuracy), grouped(e.steps), grouped(e.skipped_steps), grouped(e.saturations),
               grouped(e.cycles)});
  }
  return out + table.end() + "<p class=\"note\">" + origin(Origin::kMeasured) +
         " losses and accuracies by the host from what the array computed. A step is skipped when its gradients are "
         "not finite.</p>\n";
}

std::string phases(const std::string& kind, const std::vector<StepRow>& steps) {
  std::string out;
  const std::vector<PhaseSummary> all = phase_summary(steps);
  if (!all.empty()) {
    std::int64_t total = 0;
    for (const StepRow& step : steps) total += step.cycles;
    const auto count = static_cast<std::int64_t>(steps.size());
    Table table({"phase", "mean", "least", "most", "share", ""});
    for (const PhaseSummary& p : all)
      table.row({escaped(p.name), grouped(p.total / count), grouped(p.least), grouped(p.most),
                 percent(ratio(p.total, total)), bar_cell(ratio(p.total, total))});
    table.row({"all", grouped(total / count), "", "", percent(1), ""}, true);
    out += "<h2>Cycles of a step: " + escaped(kind) + "</h2>\n" + table.end() + "<p class=\"note\">" +
           origin(Origin::kMeasured) + " over " + grouped(count) + " steps.</p>\n";
  }
  return out;
}

std::string cycles(const RunReport& r) {
  std::string out;
  for (const std::string& kind : step_kinds(r.steps)) out += phases(kind, steps_of(r.steps, kind));
  for (const UnitCauses& unit : r.units) {
    const std::int64_t total = total_cycles(unit);
    Table table({"cause", "unit-cycles", "share", ""});
    for (const Share& share : unit.causes)
      table.row({escaped(share.name), grouped(share.cycles), percent(ratio(share.cycles, total)),
                 bar_cell(ratio(share.cycles, total))});
    table.row({"all", grouped(total), percent(1), ""}, true);
    out += "<h2>Where the cycles went: " + escaped(unit.unit) + "</h2>\n" + table.end() + "<p class=\"note\">" +
           origin(Origin::kMeasured) + " " + grouped(unit.units) + " units for " + grouped(r.cycles) +
           " cycles; every cycle has one cause.</p>\n";
  }
  return out;
}

std::string totals(const RunReport& r) {
  Table table({"figure", "value", "origin"});
  const auto add = [&](const char* name, const std::string& value) {
    table.row({name, value, origin(Origin::kMeasured)});
  };
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
  return "<h2>Totals</h2>\n" + table.end();
}

std::string extrapolations(const RunReport& r) {
  std::string out;
  for (const ExtrapolationRow& x : r.extrapolations) {
    Table table({"figure", "value", "interval", "origin", "from"});
    const auto add = [&](const std::string& name, const Quantity& q) {
      Quantity bare = q;
      bare.low.reset();
      bare.high.reset();
      const std::string interval = q.low && q.high ? short_number(*q.low) + " to " + short_number(*q.high) : "";
      table.row({escaped(name), escaped(text_of(bare)), interval, origin(q.origin), text_cell(q.source)});
    };
    for (const auto& [name, q] : x.figures) add(name, q);
    for (const auto& [name, q] : x.terms) add("of which " + name, q);
    out += "<h2>Extrapolation: " + escaped(x.name) + "</h2>\n<p>" + escaped(x.machine) + ", " +
           std::to_string(x.width) + " x " + std::to_string(x.height) + " tiles" +
           (x.bound.empty() ? "" : "; bound by " + escaped(x.bound)) + ".</p>\n" + table.end() +
           "<p class=\"note\">Largest error of the fit on arrays it never saw: " + percent(x.fit_error) + " " +
           origin(Origin::kMeasured) + (x.note.empty() ? "" : ". " + escaped(x.note)) + "</p>\n";
  }
  return out;
}

std::string parameters(const RunReport& r) {
  if (r.parameters.empty()) return {};
  Table table({"parameter", "value", "origin", "source"});
  for (const auto& [name, q] : r.parameters)
    table.row({escaped(name), escaped(text_of(q)), origin(q.origin), text_cell(q.source)});
  return "<h2>Machine</h2>\n" + table.end();
}

}  // namespace

std::string report_html(const RunReport& r, const Manifest& manifest) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>" +
      escaped(r.run) + " - Waferloom</title>\n<style>" + kStyle + "</style></head><body>\n";
  out += "<h1>" + escaped(r.run) + "</h1>\n<p class=\"lead\">" + escaped(r.model) + " on an array of " +
         std::to_string(r.width) + " x " + std::to_string(r.height) + " verilated " + escaped(r.machine) + " tiles, " +
         std::to_string(r.lanes) + " lanes, seed " + std::to_string(r.seed) + ", " + escaped(r.views) +
         " views: <strong>" + escaped(r.status) + "</strong></p>\n";
  if (shows(r, "loss") && !r.epochs.empty()) out += training(r);
  if (shows(r, "cycles")) out += cycles(r);
  out += totals(r);
  if (shows(r, "extrapolation")) out += extrapolations(r);
  out += parameters(r);
  out += "<h2>Made by</h2>\n";
  Table table({"what", "which"});
  table.row({"waferloom", escaped(project_version() + ", commit " + project_commit())});
  for (const auto& [name, version] : tool_versions()) table.row({escaped(name), escaped(version)});
  for (const auto& [name, version] : manifest.tools) table.row({escaped(name), escaped(version)});
  for (const UnitHash& unit : manifest.units)
    table.row(
        {escaped("RTL of " + unit.unit + ", " + unit.views + " view"), "<code>" + escaped(unit.hash) + "</code>"});
  if (!manifest.firmware_hash.empty()) table.row({"firmware", "<code>" + escaped(manifest.firmware_hash) + "</code>"});
  out += table.end() +
         "<footer><p>Every figure carries its origin: measured on verilated tiles, fitted to such measurements, "
         "extrapolated from the fit, published by others, or assumed. metrics.json beside this file holds all of it "
         "for programs; manifest.json also holds the times on the clock.</p></footer>\n</body></html>\n";
  return out;
}

}  // namespace waferloom::report
