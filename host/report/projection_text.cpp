#include <fmt/format.h>

#include <algorithm>

#include "host/report/numbers.h"
#include "host/report/projection.h"
#include "host/report/terminal.h"

namespace waferloom::report {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kMostOperators = 14;

std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::string line(indent, ' ');
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find(' ', begin);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(begin, std::min(end - begin, kColumns - indent));
    if (line.size() > indent && line.size() + 1 + word.size() > kColumns) {
      out += line + "\n";
      line.assign(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += word;
    begin += word.size() + (begin + word.size() < text.size() && text[begin + word.size()] == ' ' ? 1 : 0);
  }
  return out + line + "\n";
}

std::string bare(const Quantity& q) {
  Quantity plain = q;
  plain.low.reset();
  plain.high.reset();
  return text_of(plain);
}

std::string interval(const Quantity& q) {
  if (!q.low || !q.high) return {};
  return short_number(*q.low) + " to " + short_number(*q.high);
}

std::string scaling(const char* title, const std::vector<ScalingPoint>& points) {
  if (points.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  for (const ScalingPoint& p : points) {
    if (!p.refused.empty()) {
      rows.push_back({std::to_string(p.systems), "refused", "", "", ""});
    } else {
      rows.push_back({std::to_string(p.systems), short_number(p.step_time.value), short_number(p.tokens_per_s.value), percent(p.efficiency), p.limit});
    }
  }
  return std::string("\n") + title + "\n" + text_table({"systems", "step, s", "tokens/s", "efficiency", "limit"}, rows);
}

}  // namespace

std::string projection_text(const Projection& p) {
  std::string out = wrapped(p.answer.sentence, 0);
  std::vector<std::vector<std::string>> rows;
  auto row = [&](const std::string& name, const Quantity& q) { rows.push_back({name, bare(q), interval(q), to_string(q.origin)}); };
  row("step time", p.answer.step_time);
  row("tokens per second", p.answer.tokens_per_s);
  row("days to train", p.answer.days_to_train);
  row("utilisation (MFU)", p.answer.mfu);
  for (const Figure& f : p.figures) row(f.label, f.quantity);
  out += "\nAnswer\n" + text_table({"figure", "value", "interval", "origin"}, rows);

  std::vector<OperatorRow> operators = p.operators;
  std::stable_sort(operators.begin(), operators.end(), [](const OperatorRow& a, const OperatorRow& b) { return a.share > b.share; });
  rows.clear();
  double rest = 0;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const OperatorRow& r = operators[i];
    if (i >= kMostOperators) {
      rest += r.share;
      continue;
    }
    rows.push_back({r.tensor.empty() ? r.name : r.tensor, r.pass, grouped(r.count), short_number(r.cycles.value), percent(r.share), r.limit, to_string(r.cycles.origin)});
  }
  if (rest > 0) rows.push_back({"all others", "", "", "", percent(rest), "", ""});
  out += "\nWhere the wafer's time goes\n" + text_table({"operator", "pass", "count", "cycles", "share", "limit", "origin"}, rows);

  rows.clear();
  for (const TimelineRow& r : p.timeline) rows.push_back({r.resource, percent(r.busy)});
  out += "\nBusy share of the step\n" + text_table({"resource", "busy"}, rows);

  rows.clear();
  for (const MemoryRow& r : p.memory.rows) rows.push_back({r.what, grouped(static_cast<std::int64_t>(r.bytes))});
  rows.push_back({"used of " + grouped(static_cast<std::int64_t>(p.memory.capacity_bytes)), grouped(static_cast<std::int64_t>(p.memory.used_bytes))});
  out += "\nMemory of a tile, bytes\n" + text_table({"what", "bytes"}, rows) + wrapped(p.memory.reason, 2);

  out += scaling("Weak scaling (the batch grows with the systems)", p.weak_scaling);
  out += scaling("Strong scaling (the batch stays)", p.strong_scaling);
  if (!p.sparsity.empty()) {
    rows.clear();
    for (const SparsityPoint& s : p.sparsity) rows.push_back({short_number(s.density), short_number(s.step_time.value), fixed(s.speedup.value, 2), s.limit});
    out += "\nSparsity\n" + text_table({"density", "step, s", "speed-up", "limit"}, rows) + wrapped(p.sparsity_knee, 2);
  }
  if (!p.tornado.empty()) {
    rows.clear();
    for (const TornadoEntry& t : p.tornado) {
      rows.push_back({t.label, short_number(t.low_value) + " to " + short_number(t.high_value), short_number(t.step_at_low_s), short_number(t.step_at_high_s), to_string(t.origin)});
    }
    out += "\nWhat the step time hangs on\n" + text_table({"constant", "interval", "step at low", "at high", "origin"}, rows);
  }
  if (!p.accelerators.empty()) {
    rows.clear();
    for (const Accelerator& a : p.accelerators) {
      rows.push_back({a.name, percent(a.utilisation, 0), short_number(a.tokens_per_s), short_number(a.count_for_equal), short_number(a.least_for_memory)});
    }
    out += "\nOther accelerators, assumed from published peaks\n" + text_table({"part", "utilisation", "tokens/s of one", "for equal speed", "for memory"}, rows);
  }
  rows.clear();
  for (const ValidationRow& v : p.validation) rows.push_back({v.id, v.what, short_number(v.expected), short_number(v.obtained), v.agrees ? "agrees" : "DIFFERS"});
  if (!rows.empty()) out += "\nChecks\n" + text_table({"id", "what", "expected", "here", ""}, rows);
  out += "\nCalibration: " + p.calibration.from + ", RTL of " + p.calibration.machine + " (router " + p.calibration.router_hash.substr(0, 12) + ", pe " + p.calibration.pe_hash.substr(0, 12) + ")\n";
  for (const std::string& note : p.notes) out += wrapped("Note: " + note, 0);
  return out;
}

std::string comparison_text(const ProjectionComparison& c) {
  std::string out = wrapped("A: " + c.a, 0) + wrapped("B: " + c.b, 0);
  for (const auto& [title, list] : {std::pair("Figures", &c.figures), std::pair("Cycles of a step, by operator", &c.operators)}) {
    std::vector<std::vector<std::string>> rows;
    for (const DifferenceRow& r : *list) {
      if (r.a.value == 0 && r.b.value == 0) continue;
      rows.push_back({r.label, bare(r.a), bare(r.b), fixed(r.ratio, 3), r.beyond ? "yes" : "no"});
    }
    out += std::string("\n") + title + "\n" + text_table({"", "A", "B", "B/A", "beyond"}, rows);
  }
  return out + wrapped("beyond: the intervals do not overlap, so the difference exceeds the uncertainty.", 0);
}

}  // namespace waferloom::report
