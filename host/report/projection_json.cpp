#include <nlohmann/json.hpp>

#include "host/report/json_numbers.h"
#include "host/report/projection.h"

namespace waferloom::report {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Quantity& q) {
  ordered_json j;
  j["value"] = json_number(q.value);
  j["unit"] = q.unit;
  j["origin"] = to_string(q.origin);
  j["source"] = q.source;
  if (q.low) j["low"] = json_number(*q.low);
  if (q.high) j["high"] = json_number(*q.high);
  return j;
}

// Before the template that calls them.
ordered_json json_of(const Figure& item);
ordered_json json_of(const ModelTensor& item);
ordered_json json_of(const Interval& item);
ordered_json json_of(const TimelineRow& item);
ordered_json json_of(const CostTerm& item);
ordered_json json_of(const OperatorRow& item);
ordered_json json_of(const MemoryRow& item);
ordered_json json_of(const ScalingPoint& item);
ordered_json json_of(const SparsityPoint& item);
ordered_json json_of(const TornadoEntry& item);
ordered_json json_of(const RooflineCeiling& item);
ordered_json json_of(const RooflinePoint& item);
ordered_json json_of(const Accelerator& item);
ordered_json json_of(const ValidationRow& item);
ordered_json json_of(const Assumption& item);
ordered_json json_of(const MeasuredShape& item);
ordered_json json_of(const FitRow& item);
ordered_json json_of(const HeatMap& item);
ordered_json json_of(const DifferenceRow& item);

template <class T>
ordered_json list_of(const std::vector<T>& items) {
  ordered_json list = ordered_json::array();
  for (const T& item : items) list.push_back(json_of(item));
  return list;
}

ordered_json json_of(const Figure& f) {
  ordered_json j = {{"key", f.key}, {"label", f.label}};
  j.update(json_of(f.quantity));
  return j;
}
ordered_json json_of(const ModelTensor& t) { return {{"name", t.name}, {"shape", t.shape}, {"count", t.count}, {"parameters", t.parameters}}; }
ordered_json json_of(const Interval& i) { return {{"begin_s", json_number(i.begin_s)}, {"end_s", json_number(i.end_s)}, {"label", i.label}, {"pass", i.pass}, {"layer", i.layer}}; }
ordered_json json_of(const TimelineRow& r) { return {{"resource", r.resource}, {"busy", json_number(r.busy)}, {"intervals", list_of(r.intervals)}}; }
ordered_json json_of(const CostTerm& t) { return {{"name", t.name}, {"cycles", json_number(t.cycles)}}; }
ordered_json json_of(const OperatorRow& r) {
  return {{"layer", r.layer},
          {"tensor", r.tensor},
          {"name", r.name},
          {"pass", r.pass},
          {"count", r.count},
          {"cycles", json_of(r.cycles)},
          {"total_cycles", json_number(r.total_cycles)},
          {"share", json_number(r.share)},
          {"flops", json_number(r.flops)},
          {"edge_words", json_number(r.edge_words)},
          {"limit", r.limit},
          {"terms", list_of(r.terms)},
          {"note", r.note}};
}
ordered_json json_of(const MemoryRow& r) { return {{"what", r.what}, {"bytes", json_number(r.bytes)}, {"note", r.note}}; }
ordered_json json_of(const ScalingPoint& p) {
  return {{"systems", p.systems},        {"batch_tokens", json_number(p.batch_tokens)}, {"step_time", json_of(p.step_time)}, {"tokens_per_s", json_of(p.tokens_per_s)},
          {"efficiency", json_number(p.efficiency)}, {"limit", p.limit}, {"refused", p.refused}};
}
ordered_json json_of(const SparsityPoint& p) {
  return {{"density", json_number(p.density)}, {"step_time", json_of(p.step_time)}, {"speedup", json_of(p.speedup)}, {"limit", p.limit}};
}
ordered_json json_of(const TornadoEntry& e) {
  return {{"key", e.key},
          {"label", e.label},
          {"low_value", json_number(e.low_value)},
          {"high_value", json_number(e.high_value)},
          {"unit", e.unit},
          {"step_at_low_s", json_number(e.step_at_low_s)},
          {"step_at_high_s", json_number(e.step_at_high_s)},
          {"origin", to_string(e.origin)}};
}
ordered_json json_of(const RooflineCeiling& c) { return {{"name", c.name}, {"flops_per_s", json_number(c.flops_per_s)}, {"words_per_s", json_number(c.words_per_s)}}; }
ordered_json json_of(const RooflinePoint& p) {
  return {{"name", p.name}, {"intensity", json_number(p.intensity)}, {"flops_per_s", json_number(p.flops_per_s)}, {"limit", p.limit}, {"share", json_number(p.share)}};
}
ordered_json json_of(const Accelerator& a) {
  return {{"name", a.name},
          {"peak_fp16_flops_per_s", json_number(a.peak_fp16_flops_per_s)},
          {"memory_bytes_per_s", json_number(a.memory_bytes_per_s)},
          {"memory_bytes", json_number(a.memory_bytes)},
          {"power_w", json_number(a.power_w)},
          {"utilisation", json_number(a.utilisation)},
          {"tokens_per_s", json_number(a.tokens_per_s)},
          {"count_for_equal", json_number(a.count_for_equal)},
          {"days_one", json_number(a.days_one)},
          {"least_for_memory", json_number(a.least_for_memory)},
          {"source", a.source}};
}
ordered_json json_of(const ValidationRow& r) {
  return {{"id", r.id}, {"what", r.what}, {"expected", json_number(r.expected)}, {"obtained", json_number(r.obtained)}, {"unit", r.unit}, {"tolerance", json_number(r.tolerance)}, {"agrees", r.agrees}, {"source", r.source}};
}
ordered_json json_of(const Assumption& a) {
  return {{"key", a.key}, {"value", a.value}, {"unit", a.unit}, {"origin", to_string(a.origin)}, {"source", a.source}, {"low", a.low}, {"high", a.high}};
}
ordered_json json_of(const MeasuredShape& s) {
  return {{"label", s.label}, {"pass", s.pass}, {"width", s.width}, {"height", s.height}, {"held_out", s.held_out}, {"measured_cycles", json_number(s.measured_cycles)},
          {"predicted_cycles", json_number(s.predicted_cycles)}, {"error", json_number(s.error)}};
}
ordered_json json_of(const FitRow& r) {
  ordered_json coefficients = ordered_json::array();
  for (const auto& [term, value] : r.coefficients) coefficients.push_back({{"term", term}, {"cycles", json_number(value)}});
  return {{"pass", r.pass}, {"coefficients", coefficients}, {"worst_error", json_number(r.worst_error)}, {"held_out_error", json_number(r.held_out_error)}, {"condition", json_number(r.condition)}, {"rank", r.rank}};
}
ordered_json json_of(const HeatMap& m) {
  ordered_json values = ordered_json::array();
  for (double value : m.values) values.push_back(json_number(value));
  return {{"title", m.title}, {"unit", m.unit}, {"width", m.width}, {"height", m.height}, {"values", values}};
}
ordered_json json_of(const DifferenceRow& r) {
  return {{"key", r.key}, {"label", r.label}, {"a", json_of(r.a)}, {"b", json_of(r.b)}, {"ratio", json_number(r.ratio)}, {"beyond", r.beyond}};
}

ordered_json json_of(const Projection& p) {
  ordered_json j;
  j["schema"] = "waferloom-projection-1";
  j["name"] = p.name;
  j["description"] = p.description;
  j["machine"] = p.machine;
  j["cluster"] = p.cluster;
  j["wafer_width"] = p.wafer_width;
  j["wafer_height"] = p.wafer_height;
  j["systems"] = p.systems;
  j["batch_tokens"] = json_number(p.batch_tokens);
  j["training_tokens"] = json_number(p.training_tokens);
  j["density"] = json_number(p.density);
  const Answer& a = p.answer;
  j["answer"] = {{"step_time", json_of(a.step_time)}, {"tokens_per_s", json_of(a.tokens_per_s)}, {"days_to_train", json_of(a.days_to_train)}, {"mfu", json_of(a.mfu)}, {"limit", a.limit}, {"sentence", a.sentence}};
  j["figures"] = list_of(p.figures);
  const ModelSummary& m = p.model;
  j["model"] = {{"name", m.name},
                {"architecture", m.architecture},
                {"parameters", m.parameters},
                {"active_parameters", m.active_parameters},
                {"layers", m.layers},
                {"width", m.width},
                {"heads", m.heads},
                {"key_value_heads", m.key_value_heads},
                {"vocabulary", m.vocabulary},
                {"sequence", m.sequence},
                {"tensors", list_of(m.tensors)}};
  j["step_s"] = json_number(p.step_s);
  j["timeline"] = list_of(p.timeline);
  j["operators"] = list_of(p.operators);
  j["memory"] = {{"capacity_bytes", json_number(p.memory.capacity_bytes)},
                 {"used_bytes", json_number(p.memory.used_bytes)},
                 {"fits", p.memory.fits},
                 {"choice", p.memory.choice},
                 {"reason", p.memory.reason},
                 {"micro_batches", p.memory.micro_batches},
                 {"rows", list_of(p.memory.rows)}};
  j["weak_scaling"] = list_of(p.weak_scaling);
  j["strong_scaling"] = list_of(p.strong_scaling);
  j["sparsity"] = list_of(p.sparsity);
  j["sparsity_knee"] = p.sparsity_knee;
  j["tornado"] = list_of(p.tornado);
  j["ceilings"] = list_of(p.ceilings);
  j["roofline"] = list_of(p.roofline);
  j["accelerators"] = list_of(p.accelerators);
  j["validation"] = list_of(p.validation);
  j["assumptions"] = list_of(p.assumptions);
  const CalibrationInfo& c = p.calibration;
  j["calibration"] = {{"machine", c.machine},   {"router_hash", c.router_hash}, {"pe_hash", c.pe_hash},         {"firmware_hash", c.firmware_hash},        {"from", c.from},
                      {"seconds", json_number(c.seconds)}, {"fits", list_of(c.fits)}, {"shapes", list_of(c.shapes)}, {"heat_maps", list_of(c.heat_maps)}};
  j["notes"] = p.notes;
  j["reproduce"] = p.reproduce;
  j["resolved_yaml"] = p.resolved_yaml;
  return j;
}

}  // namespace

const std::vector<std::string>& limit_names() {
  static const std::vector<std::string> names = {"lanes", "reduction", "SRAM", "link", "edge I/O", "SwarmX", "MemoryX", "optimiser", "latency"};
  return names;
}

std::string projection_json(const Projection& projection) { return json_of(projection).dump(1) + "\n"; }

std::string comparison_json(const ProjectionComparison& c) {
  ordered_json j;
  j["schema"] = "waferloom-comparison-1";
  j["a"] = c.a;
  j["b"] = c.b;
  j["figures"] = list_of(c.figures);
  j["operators"] = list_of(c.operators);
  j["first"] = json_of(c.first);
  j["second"] = json_of(c.second);
  return j.dump(1) + "\n";
}

}  // namespace waferloom::report
