// Every constant that enters a projection, with its origin; and those whose intervals the uncertainty walks.
#include <algorithm>

#include <fmt/format.h>

#include "host/cluster/project.h"
#include "host/config/scalar.h"

namespace waferloom::cluster {
namespace {

using report::Origin;

Origin origin_of(bool published) { return published ? Origin::kPublished : Origin::kAssumed; }

void set_clock(Point& p, double v) { p.machine.clock_hz.value = v; }
void set_forward(Point& p, double v) { p.knobs.residual[0] = v; }
void set_delta(Point& p, double v) { p.knobs.residual[1] = v; }
void set_gradient(Point& p, double v) { p.knobs.residual[2] = v; }
void set_others(Point& p, double v) { p.knobs.residual[3] = v; }
void set_assumed(Point& p, double v) { p.knobs.assumed_scale = v; }
void set_launch(Point& p, double v) { p.knobs.launch_cycles = v; }
void set_imbalance(Point& p, double v) { p.knobs.imbalance = v; }
void set_node_latency(Point& p, double v) { p.cluster.swarmx_node_latency_s.value = v; }
void set_host_latency(Point& p, double v) { p.cluster.host_link_latency_s.value = v; }
void set_dram(Point& p, double v) { p.cluster.memoryx_dram_bytes_per_s.value = v; }
void set_flash(Point& p, double v) { p.cluster.memoryx_flash_bytes_per_s.value = v; }
void set_prefetch(Point& p, double v) { p.cluster.prefetch_bytes.value = v; }

}  // namespace

std::vector<Knob> knobs_of(const ProjectionInputs& inputs, const Point& nominal, bool some_assumed) {
  const config::ProjectionRun& run = inputs.run;
  std::vector<Knob> knobs;
  auto add = [&](const char* key, const char* label, double low, double high, const char* unit, Origin origin, void (*set)(Point&, double)) {
    knobs.push_back({{key, label, low, high, unit, 0, 0, origin}, set});
  };
  const double clock = run.machine.clock_hz.value;
  add("machine.clock_hz", "clock", std::min(run.clock_low_hz, clock), std::max(run.clock_high_hz, clock), "Hz", origin_of(run.machine.clock_hz.published()), set_clock);
  add("residual.forward", "error of the forward fit", -1, 1, "of its largest error", Origin::kFitted, set_forward);
  add("residual.delta", "error of the delta fit", -1, 1, "of its largest error", Origin::kFitted, set_delta);
  add("residual.gradient", "error of the gradient fit", -1, 1, "of its largest error", Origin::kFitted, set_gradient);
  add("residual.others", "error of the other fits", -1, 1, "of their largest errors", Origin::kFitted, set_others);
  if (some_assumed) {
    add("operators.assumed_scale", "cost of operators not run on RTL", nominal.knobs.assumed_low, nominal.knobs.assumed_high, "x", Origin::kAssumed, set_assumed);
    add("operators.launch_cycles", "launch of a vector instruction", nominal.knobs.launch_low, nominal.knobs.launch_high, "cycles", Origin::kAssumed, set_launch);
  }
  if (run.density < 1) add("sparsity.imbalance", "wait for fuller columns", nominal.knobs.imbalance_low, nominal.knobs.imbalance_high, "x", Origin::kAssumed, set_imbalance);
  auto around = [&](const char* key, const char* label, const config::Sourced<double>& value, double factor, const char* unit, void (*set)(Point&, double)) {
    if (value.value > 0) add(key, label, value.value / factor, value.value * factor, unit, origin_of(value.published()), set);
  };
  around("cluster.swarmx_node_latency_s", "latency of a SwarmX node", run.cluster.swarmx_node_latency_s, 10, "s", set_node_latency);
  around("cluster.host_link_latency_s", "latency of the host link", run.cluster.host_link_latency_s, 10, "s", set_host_latency);
  around("cluster.memoryx_dram_bytes_per_s", "memory bandwidth of MemoryX", run.cluster.memoryx_dram_bytes_per_s, 2, "B/s", set_dram);
  if (run.cluster.memoryx_dram_bytes) around("cluster.memoryx_flash_bytes_per_s", "flash bandwidth of MemoryX", run.cluster.memoryx_flash_bytes_per_s, 2, "B/s", set_flash);
  around("cluster.prefetch_bytes", "weights held ahead of a wafer", run.cluster.prefetch_bytes, 4, "B", set_prefetch);
  return knobs;
}

void add_assumptions(const ProjectionInputs& inputs, const Point& nominal, const std::vector<Knob>& knobs, report::Projection& p) {
  const config::Machine& m = inputs.run.machine;
  const config::Cluster& c = inputs.run.cluster;
  auto add = [&](const std::string& key, const std::string& value, const char* unit, Origin origin, const std::string& source) {
    report::Assumption a{key, value, unit, origin, source, {}, {}};
    for (const Knob& knob : knobs) {
      if (knob.entry.key != key) continue;
      a.low = config::format_real(knob.entry.low_value);
      a.high = config::format_real(knob.entry.high_value);
    }
    p.assumptions.push_back(std::move(a));
  };
  auto real = [&](const std::string& key, const config::Sourced<double>& v, const char* unit) { add(key, config::format_real(v.value), unit, origin_of(v.published()), v.source); };
  auto whole = [&](const std::string& key, const config::Sourced<int>& v, const char* unit) { add(key, std::to_string(v.value), unit, origin_of(v.published()), v.source); };
  real("machine.clock_hz", m.clock_hz, "Hz");
  whole("machine.user_width", m.user_width, "tiles");
  whole("machine.user_height", m.user_height, "tiles");
  whole("machine.lanes", m.lanes, "fp16 elements/cycle");
  whole("machine.sram_bytes", m.sram_bytes, "B");
  whole("machine.accumulator_window_bytes", m.accumulator_window_bytes, "B");
  whole("machine.hop_cycles", m.hop_cycles, "cycles");
  whole("machine.ramp_cycles", m.ramp_cycles, "cycles");
  real("machine.io_bits_per_s", m.io_bits_per_s, "bit/s");
  real("machine.system_power_w", m.system_power_w, "W");
  whole("cluster.systems", c.systems, "");
  real("cluster.memoryx_bytes", c.memoryx_bytes, "B");
  real("cluster.memoryx_link_bits_per_s", c.memoryx_link_bits_per_s, "bit/s");
  real("cluster.memoryx_dram_bytes_per_s", c.memoryx_dram_bytes_per_s, "B/s");
  if (c.memoryx_dram_bytes) {
    real("cluster.memoryx_dram_bytes", *c.memoryx_dram_bytes, "B");
    real("cluster.memoryx_flash_bytes_per_s", c.memoryx_flash_bytes_per_s, "B/s");
  }
  whole("cluster.swarmx_fanout", c.swarmx_fanout, "");
  real("cluster.swarmx_link_bits_per_s", c.swarmx_link_bits_per_s, "bit/s");
  real("cluster.swarmx_node_latency_s", c.swarmx_node_latency_s, "s");
  real("cluster.host_link_latency_s", c.host_link_latency_s, "s");
  real("cluster.prefetch_bytes", c.prefetch_bytes, "B");
  add("weights.wire_bits", "32", "bit", Origin::kPublished, "Hot Chips 34: value and index in one wavelet");
  const bool some_assumed = std::any_of(knobs.begin(), knobs.end(), [](const Knob& knob) { return knob.entry.key == "operators.assumed_scale"; });
  if (some_assumed) add("operators.launch_cycles", config::format_real(nominal.knobs.launch_cycles), "cycles", Origin::kAssumed, "one vector instruction in a loop of the main thread");
  if (some_assumed) add("operators.assumed_scale", config::format_real(nominal.knobs.assumed_scale), "x", Origin::kAssumed, "operators that have not been run on RTL: a factor of two each way");
  add("optimiser.bytes_per_parameter", config::format_real(memoryx_bytes_per_parameter(inputs.run.optimiser)), "B", Origin::kAssumed,
      "binary32 master weight, gradient and moments, binary16 copy");
  if (inputs.run.density < 1) add("sparsity.imbalance", config::format_real(nominal.knobs.imbalance), "x", Origin::kAssumed, "what is waited for fuller columns, as their outputs are played through two buffers");
  for (const char* pass : {"forward", "delta", "gradient"}) {
    const extrapolate::OperatorFit* fit = inputs.calibration.find(pass);
    if (fit == nullptr) continue;
    add(std::string("residual.") + pass, "0", "of its largest error", Origin::kFitted,
        fmt::format("{:.0f} cycles, {:.2f} for each output and {:.2f} %: holds 19 of 20 arrays left out of the fit (at most {:.2f} % off) or never seen by it ({:.2f} %)", fit->bound.cycles, fit->bound.each, 100 * fit->bound.share,
                    100 * fit->left_out_error, 100 * fit->held_out_error));
  }
  std::string others;
  for (const char* name : {"norm", "norm gradient", "activation", "activation gradient", "attention", "attention gradient", "loss"}) {
    const extrapolate::OperatorFit* fit = inputs.calibration.find(name);
    if (fit != nullptr) others += fmt::format("{}{} {:.0f} cycles and {:.2f} %", others.empty() ? "" : ", ", name, fit->bound.cycles, 100 * fit->bound.share);
  }
  if (!others.empty()) add("residual.others", "0", "of their largest errors", Origin::kFitted, others);
}

}  // namespace waferloom::cluster
