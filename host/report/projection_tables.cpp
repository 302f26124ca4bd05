// CSV tables of a projection, the comparison of two, and the check that a projection adds up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/config/csv.h"
#include "host/report/projection.h"

namespace waferloom::report {
namespace {

std::string cell(const std::string& text) { return config::csv_cell(text); }
std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity"; }
std::string cell(std::int64_t value) { return std::to_string(value); }
std::string cell(int value) { return std::to_string(value); }
std::string cell(bool value) { return value ? "true" : "false"; }
std::string cell(const std::optional<double>& value) { return value ? cell(*value) : std::string(); }

template <class First, class... Rest>
void line(std::string& out, const First& first, const Rest&... rest) {
  out += cell(first);
  ((out += "," + cell(rest)), ...);
  out += "\n";
}

std::string text(const char* literal) { return literal; }

void check_quantity(const std::string& what, const Quantity& q, std::vector<std::string>& faults) {
  if (!std::isfinite(q.value) || (q.low && !std::isfinite(*q.low)) || (q.high && !std::isfinite(*q.high))) {
    faults.push_back(what + " is not finite");
    return;
  }
  const double slack = 1e-9 * std::abs(q.value);
  if ((q.low && *q.low > q.value + slack) || (q.high && *q.high < q.value - slack)) faults.push_back("the interval of " + what + " does not enclose its value");
}

void check_limit(const std::string& what, const std::string& limit, std::vector<std::string>& faults) {
  const std::vector<std::string>& names = limit_names();
  if (std::find(names.begin(), names.end(), limit) == names.end()) faults.push_back(what + " has a limit without a name: '" + limit + "'");
}

DifferenceRow difference(std::string key, std::string label, const Quantity& a, const Quantity& b) {
  DifferenceRow row{std::move(key), std::move(label), a, b, a.value != 0 ? b.value / a.value : 0, false};
  const double a_low = a.low.value_or(a.value), a_high = a.high.value_or(a.value);
  const double b_low = b.low.value_or(b.value), b_high = b.high.value_or(b.value);
  row.beyond = a_high < b_low || b_high < a_low;
  return row;
}

Quantity total_of(const OperatorRow& row) {
  Quantity q = row.cycles;
  const double count = static_cast<double>(row.count);
  q.value *= count;
  if (q.low) *q.low *= count;
  if (q.high) *q.high *= count;
  return q;
}

}  // namespace

std::vector<CsvTable> projection_tables(const Projection& p) {
  std::vector<CsvTable> tables;
  auto table = [&](const char* name, const char* header) -> std::string& {
    tables.push_back({name, std::string(header) + "\n"});
    return tables.back().text;
  };
  auto quantity = [](std::string& out, const std::string& key, const std::string& label, const Quantity& q) {
    line(out, key, label, q.value, q.low, q.high, q.unit, text(to_string(q.origin)), q.source);
  };
  {
    std::string& out = table("figures.csv", "key,label,value,low,high,unit,origin,source");
    quantity(out, "step_time", "step time", p.answer.step_time);
    quantity(out, "tokens_per_s", "tokens per second", p.answer.tokens_per_s);
    quantity(out, "days_to_train", "days to train", p.answer.days_to_train);
    quantity(out, "mfu", "model FLOPs utilisation", p.answer.mfu);
    for (const Figure& f : p.figures) quantity(out, f.key, f.label, f.quantity);
  }
  {
    std::string& out = table("operators.csv", "layer,tensor,name,pass,count,cycles,low,high,total_cycles,share,flops,edge_words,limit,origin,terms,note");
    for (const OperatorRow& r : p.operators) {
      std::string terms;
      for (const CostTerm& t : r.terms) terms += (terms.empty() ? "" : "; ") + t.name + " " + cell(t.cycles);
      line(out, r.layer, r.tensor, r.name, r.pass, r.count, r.cycles.value, r.cycles.low, r.cycles.high, r.total_cycles, r.share, r.flops, r.edge_words, r.limit, text(to_string(r.cycles.origin)), terms, r.note);
    }
  }
  {
    std::string& out = table("memory.csv", "what,bytes,note");
    for (const MemoryRow& r : p.memory.rows) line(out, r.what, r.bytes, r.note);
  }
  {
    std::string& out = table("timeline.csv", "resource,begin_s,end_s,label,pass,layer");
    for (const TimelineRow& r : p.timeline) {
      for (const Interval& i : r.intervals) line(out, r.resource, i.begin_s, i.end_s, i.label, i.pass, i.layer);
    }
  }
  {
    std::string& out = table("scaling.csv", "curve,systems,batch_tokens,step_s,step_low_s,step_high_s,tokens_per_s,efficiency,limit,refused");
    for (const auto& [curve, points] : {std::pair("weak", &p.weak_scaling), std::pair("strong", &p.strong_scaling)}) {
      for (const ScalingPoint& s : *points) line(out, text(curve), s.systems, s.batch_tokens, s.step_time.value, s.step_time.low, s.step_time.high, s.tokens_per_s.value, s.efficiency, s.limit, s.refused);
    }
  }
  {
    std::string& out = table("sparsity.csv", "density,step_s,speedup,speedup_low,speedup_high,limit");
    for (const SparsityPoint& s : p.sparsity) line(out, s.density, s.step_time.value, s.speedup.value, s.speedup.low, s.speedup.high, s.limit);
  }
  {
    std::string& out = table("tornado.csv", "key,label,low_value,high_value,unit,step_at_low_s,step_at_high_s,origin");
    for (const TornadoEntry& t : p.tornado) line(out, t.key, t.label, t.low_value, t.high_value, t.unit, t.step_at_low_s, t.step_at_high_s, text(to_string(t.origin)));
  }
  {
    std::string& out = table("roofline.csv", "name,intensity,flops_per_s,limit,share");
    for (const RooflinePoint& r : p.roofline) line(out, r.name, r.intensity, r.flops_per_s, r.limit, r.share);
  }
  {
    std::string& out = table("accelerators.csv", "name,peak_fp16_flops_per_s,memory_bytes_per_s,memory_bytes,power_w,utilisation,tokens_per_s,count_for_equal,days_one,least_for_memory,source");
    for (const Accelerator& a : p.accelerators) {
      line(out, a.name, a.peak_fp16_flops_per_s, a.memory_bytes_per_s, a.memory_bytes, a.power_w, a.utilisation, a.tokens_per_s, a.count_for_equal, a.days_one, a.least_for_memory, a.source);
    }
  }
  {
    std::string& out = table("validation.csv", "id,what,expected,obtained,unit,tolerance,agrees,source");
    for (const ValidationRow& v : p.validation) line(out, v.id, v.what, v.expected, v.obtained, v.unit, v.tolerance, v.agrees, v.source);
  }
  {
    std::string& out = table("assumptions.csv", "key,value,unit,origin,source,low,high");
    for (const Assumption& a : p.assumptions) line(out, a.key, a.value, a.unit, text(to_string(a.origin)), a.source, a.low, a.high);
  }
  {
    std::string& out = table("calibration.csv", "label,pass,width,height,held_out,measured_cycles,predicted_cycles,error");
    for (const MeasuredShape& s : p.calibration.shapes) line(out, s.label, s.pass, s.width, s.height, s.held_out, s.measured_cycles, s.predicted_cycles, s.error);
  }
  {
    std::string& out = table("tensors.csv", "name,shape,count,parameters");
    for (const ModelTensor& t : p.model.tensors) {
      std::string shape;
      for (std::int64_t size : t.shape) shape += (shape.empty() ? "" : " x ") + std::to_string(size);
      line(out, t.name, shape, t.count, t.parameters);
    }
  }
  return tables;
}

ProjectionComparison compare_projections(Projection a, Projection b) {
  ProjectionComparison c;
  c.a = a.name + " on " + std::to_string(a.systems) + " x " + a.machine;
  c.b = b.name + " on " + std::to_string(b.systems) + " x " + b.machine;
  c.figures.push_back(difference("step_time", "step time", a.answer.step_time, b.answer.step_time));
  c.figures.push_back(difference("tokens_per_s", "tokens per second", a.answer.tokens_per_s, b.answer.tokens_per_s));
  c.figures.push_back(difference("days_to_train", "days to train", a.answer.days_to_train, b.answer.days_to_train));
  c.figures.push_back(difference("mfu", "model FLOPs utilisation", a.answer.mfu, b.answer.mfu));
  for (const Figure& f : a.figures) {
    const auto other = std::find_if(b.figures.begin(), b.figures.end(), [&](const Figure& g) { return g.key == f.key; });
    if (other != b.figures.end() && other->quantity.unit == f.quantity.unit) c.figures.push_back(difference(f.key, f.label, f.quantity, other->quantity));
  }
  for (const OperatorRow& r : a.operators) {
    const auto other = std::find_if(b.operators.begin(), b.operators.end(), [&](const OperatorRow& o) { return o.layer == r.layer && o.tensor == r.tensor && o.name == r.name && o.pass == r.pass; });
    if (other == b.operators.end()) continue;
    const std::string label = (r.tensor.empty() ? r.name : r.tensor) + ", " + r.pass;
    c.operators.push_back(difference(r.layer + "." + (r.tensor.empty() ? r.name : r.tensor) + "." + r.pass, label, total_of(r), total_of(*other)));
  }
  c.first = std::move(a);
  c.second = std::move(b);
  return c;
}

std::vector<std::string> check_projection(const Projection& p) {
  std::vector<std::string> faults;
  check_quantity("the step time", p.answer.step_time, faults);
  check_quantity("the tokens per second", p.answer.tokens_per_s, faults);
  check_quantity("the days to train", p.answer.days_to_train, faults);
  check_quantity("the utilisation", p.answer.mfu, faults);
  check_limit("the step", p.answer.limit, faults);
  for (const Figure& f : p.figures) check_quantity("'" + f.key + "'", f.quantity, faults);
  double shares = 0;
  for (const OperatorRow& r : p.operators) {
    const std::string what = r.layer + " " + r.name + " " + r.tensor + " " + r.pass;
    check_quantity(what, r.cycles, faults);
    check_limit(what, r.limit, faults);
    shares += r.share;
    if (r.pass != "update" && r.cycles.value <= 0) faults.push_back(what + " costs nothing");
  }
  if (!p.operators.empty() && std::abs(shares - 1) > 1e-6) faults.push_back(fmt::format("the operators' shares sum to {}", shares));
  double bytes = 0;
  for (const MemoryRow& r : p.memory.rows) bytes += r.bytes;
  if (std::abs(bytes - p.memory.used_bytes) > 1) faults.push_back("the rows of memory do not sum to what is used");
  for (const TimelineRow& r : p.timeline) {
    for (std::size_t i = 0; i < r.intervals.size(); ++i) {
      if (r.intervals[i].end_s < r.intervals[i].begin_s || (i > 0 && r.intervals[i].begin_s < r.intervals[i - 1].end_s - 1e-9)) {
        faults.push_back("intervals of '" + r.resource + "' overlap");
        break;
      }
    }
  }
  for (const auto* points : {&p.weak_scaling, &p.strong_scaling}) {
    for (const ScalingPoint& s : *points) {
      if (!s.refused.empty()) continue;
      check_quantity(fmt::format("the step of {} systems", s.systems), s.step_time, faults);
      check_limit(fmt::format("the step of {} systems", s.systems), s.limit, faults);
    }
  }
  for (const SparsityPoint& s : p.sparsity) check_quantity(fmt::format("the speed-up at density {}", s.density), s.speedup, faults);
  for (const TornadoEntry& t : p.tornado) {
    if (!(t.step_at_low_s > 0 && t.step_at_high_s > 0 && std::isfinite(t.step_at_low_s + t.step_at_high_s))) faults.push_back("'" + t.key + "' gives no step time");
  }
  std::int64_t parameters = 0;
  for (const ModelTensor& t : p.model.tensors) parameters += t.parameters;
  if (parameters != p.model.parameters) faults.push_back("the tensors do not sum to the parameters");
  return faults;
}

}  // namespace waferloom::report
