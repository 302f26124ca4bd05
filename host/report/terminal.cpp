#include "host/report/terminal.h"

#include <algorithm>

#include "host/report/numbers.h"
#include "host/report/summary.h"

namespace waferloom::report {
namespace {

constexpr std::size_t kTerminalColumns = 80;

std::string ascii(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) continue;
    out += byte >= 0x20 && byte < 0x7F ? c : '?';
  }
  return out;
}

void row_to(std::string& out, const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    std::string cell = i < cells.size() ? ascii(cells[i]) : "";
    if (cell.size() > widths[i]) cell = cell.substr(0, widths[i] > 1 ? widths[i] - 1 : 0) + "~";
    const std::string pad(widths[i] - cell.size(), ' ');
    line += "  " + (i == 0 ? cell + pad : pad + cell);
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  out += line + '\n';
}

void wrap(std::string& out, const std::string& text, std::size_t indent) {
  std::string line(indent, ' ');
  std::size_t begin = 0;
  const std::string all = ascii(text);
  while (begin < all.size()) {
    std::size_t end = all.find(' ', begin);
    if (end == std::string::npos) end = all.size();
    const std::string word = all.substr(begin, std::min(end - begin, kTerminalColumns - indent));
    if (line.size() + 1 + word.size() > kTerminalColumns && line.size() > indent) {
      out += line + '\n';
      line = std::string(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += word;
    begin = end + 1;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  out += line + '\n';
}

std::string epochs(const RunReport& r) {
  std::vector<std::vector<std::string>> rows;
  for (const EpochRow& e : r.epochs) {
    rows.push_back({std::to_string(e.epoch), fixed(e.train_loss, 4), percent(e.train_accuracy), e.tested ? fixed(e.test_loss, 4) : "-",
                    e.tested ? percent(e.test_accuracy) : "-", grouped(e.steps), grouped(e.skipped_steps), grouped(e.cycles)});
  }
  return "\nTraining\n" +
         text_table({"epoch", "loss", "accuracy", "test loss", "test acc.", "steps", "skipped", "cycles"}, rows);
}

std::string phases(const std::string& kind, const std::vector<StepRow>& steps) {
  const std::vector<PhaseSummary> all = phase_summary(steps);
  if (all.empty()) return {};
  std::int64_t total = 0;
  for (const StepRow& step : steps) total += step.cycles;
  const auto count = static_cast<std::int64_t>(steps.size());
  std::vector<std::vector<std::string>> rows;
  for (const PhaseSummary& p : all) {
    rows.push_back({p.name, grouped(p.total / count), grouped(p.least), grouped(p.most),
                    percent(total > 0 ? static_cast<double>(p.total) / static_cast<double>(total) : 0)});
  }
  rows.push_back({"all", grouped(total / count), "", "", percent(1)});
  return "\nCycles of a step: " + ascii(kind) + " (mean of " + grouped(count) + ")\n" +
         text_table({"phase", "mean", "least", "most", "share"}, rows);
}

std::string causes(const RunReport& r) {
  std::string out;
  for (const UnitCauses& unit : r.units) {
    const std::int64_t total = total_cycles(unit);
    std::vector<std::vector<std::string>> rows;
    for (const Share& share : unit.causes) {
      if (share.cycles == 0) continue;
      rows.push_back({share.name, grouped(share.cycles),
                      percent(total > 0 ? static_cast<double>(share.cycles) / static_cast<double>(total) : 0)});
    }
    rows.push_back({"all", grouped(total), percent(1)});
    out += "\nWhere the cycles went: " + ascii(unit.unit) + " (" + (r.systems > 1 ? grouped(r.systems) + " x " + grouped(unit.units / r.systems) : grouped(unit.units)) + " x " + grouped(r.cycles) +
           " cycles)\n" + text_table({"cause", "unit-cycles", "share"}, rows);
  }
  return out;
}

// Each system beside the others: its own counters, and what its processing elements did.
std::string systems(const RunReport& r) {
  if (r.system_rows.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  for (const SystemRow& s : r.system_rows) {
    rows.push_back({std::to_string(s.system), grouped(s.cycles), percent(s.lane_utilisation), grouped(s.wavelets_in), grouped(s.wavelets_out), grouped(s.saturations)});
  }
  std::string out = "\nSystems (each an array of " + std::to_string(r.width) + "x" + std::to_string(r.height) + " tiles)\n" +
                    text_table({"system", "cycles", "lanes in use", "words in", "words out", "saturations"}, rows);
  rows.clear();
  for (const UnitCauses& unit : r.system_rows.front().units) {
    for (std::size_t c = 0; c < unit.causes.size(); ++c) {
      std::vector<std::string> row = {unit.unit + ": " + unit.causes[c].name};
      bool any = false;
      for (const SystemRow& s : r.system_rows) {
        const UnitCauses& own = *std::find_if(s.units.begin(), s.units.end(), [&](const UnitCauses& u) { return u.unit == unit.unit; });
        const std::int64_t total = total_cycles(own);
        any = any || own.causes[c].cycles != 0;
        row.push_back(percent(total > 0 ? static_cast<double>(own.causes[c].cycles) / static_cast<double>(total) : 0));
      }
      if (any) rows.push_back(std::move(row));
    }
  }
  std::vector<std::string> header = {"cause"};
  for (const SystemRow& s : r.system_rows) header.push_back("system " + std::to_string(s.system));
  return out + "\nWhere the cycles went, system by system\n" + text_table(header, rows);
}

std::string totals(const RunReport& r) {
  const double units = static_cast<double>(r.evaluated_units + r.skipped_units);
  std::vector<std::vector<std::string>> rows = {{"cycles", grouped(r.cycles), "measured"}};
  if (shows(r, "utilisation")) {
    rows.push_back({"multiply-accumulates", grouped(r.macs), "measured"});
    rows.push_back({"lane utilisation", percent(r.lane_utilisation), "measured"});
  }
  if (shows(r, "wavelets")) {
    rows.push_back({"wavelets sent on links", grouped(r.wavelets_sent), "measured"});
    rows.push_back({"wavelets received", grouped(r.wavelets_received), "measured"});
    rows.push_back({"wavelets into the edge", grouped(r.edge_wavelets_in), "measured"});
    rows.push_back({"wavelets out of the edge", grouped(r.edge_wavelets_out), "measured"});
  }
  if (units > 0)
    rows.push_back({"unit-cycles skipped (nothing could change)", percent(static_cast<double>(r.skipped_units) / units),
                    "measured"});
  return "\nTotals\n" + text_table({"figure", "value", "origin"}, rows);
}

Quantity without_interval(Quantity q) {
  q.low.reset();
  q.high.reset();
  return q;
}

// "-4.4/+6.7 %": how far the ends of the interval lie from the value.
std::string relative_interval(const Quantity& q) {
  if (!q.low || !q.high || q.value == 0) return {};
  return fixed((*q.low / q.value - 1) * 100, 1) + "/+" + fixed((*q.high / q.value - 1) * 100, 1) + " %";
}

std::string extrapolations(const RunReport& r) {
  std::string out;
  for (const ExtrapolationRow& x : r.extrapolations) {
    out += "\nExtrapolation: " + ascii(x.name) + " on " + ascii(x.machine) + ", " + std::to_string(x.width) + "x" +
           std::to_string(x.height) + " tiles\n";
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, q] : x.figures) rows.push_back({name, text_of(without_interval(q)), relative_interval(q), to_string(q.origin)});
    for (const auto& [name, q] : x.terms)
      rows.push_back({"- " + name, text_of(without_interval(q)), relative_interval(q), to_string(q.origin)});
    rows.push_back({"largest error of the fit", percent(x.fit_error), "", "measured"});
    if (!x.bound.empty()) rows.push_back({"bound by", x.bound, "", ""});
    out += text_table({"figure", "value", "interval", "origin"}, rows);
    if (!x.note.empty()) wrap(out, x.note, 2);
  }
  return out;
}

}  // namespace

std::string text_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& cell : header) widths.push_back(ascii(cell).size());
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
      widths[i] = std::max(widths[i], ascii(row[i]).size());
  }
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width + 2;
  // The widest column gives way, again and again, but none falls below four.
  while (total > kTerminalColumns) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= 4) break;
    --*widest;
    --total;
  }
  std::string out;
  row_to(out, header, widths);
  out += "  " + std::string(total - 2, '-') + '\n';
  for (const std::vector<std::string>& row : rows) row_to(out, row, widths);
  return out;
}

std::string terminal_report(const RunReport& r) {
  std::string out;
  wrap(out,
       r.run + ": " + r.model + " on " + (r.systems > 1 ? std::to_string(r.systems) + " systems of " : "") + std::to_string(r.width) + "x" + std::to_string(r.height) + " " + r.machine +
           " tiles, seed " + std::to_string(r.seed) + ", " + r.status,
       0);
  if (shows(r, "loss") && !r.epochs.empty()) out += epochs(r);
  if (shows(r, "cycles")) {
    for (const std::string& kind : step_kinds(r.steps)) out += phases(kind, steps_of(r.steps, kind));
    out += causes(r);
    out += systems(r);
  }
  out += totals(r);
  if (shows(r, "extrapolation")) out += extrapolations(r);
  return out;
}

}  // namespace waferloom::report
