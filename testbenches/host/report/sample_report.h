// A report with something in every field, and one NaN.
#pragma once

#include <limits>

#include "host/report/manifest.h"
#include "host/report/run_report.h"
#include "host/report/safetensors.h"

namespace waferloom::test {

inline report::RunReport sample_report() {
  using namespace report;
  RunReport r;
  r.run = "sample";
  r.machine = "wse2";
  r.model = "digits-mlp";
  r.width = 8;
  r.height = 4;
  r.lanes = 4;
  r.seed = 7;
  r.views = "fast";
  r.status = "finished";
  for (int i = 0; i < 4; ++i) {
    StepRow s;
    s.step = i;
    s.epoch = 1 + i / 2;
    if (i == 3) s.kind = "evaluate";
    s.loss = i == 3 ? std::numeric_limits<double>::quiet_NaN() : 2.3 - 0.1 * i;
    s.loss_scale = 128;
    s.skipped = i == 3;
    s.saturations = i == 3 ? 5 : 0;
    s.cycles = 1000 + i;
    s.wavelets_in = 4000;
    s.wavelets_out = 3000;
    s.phases = {{"forward", 400}, {"delta", 250}, {"gradient", 350 + i}};
    s.units = {{"pe", 32, {{"axpy", 12000}, {"waiting", 32 * s.cycles - 12000}}},
               {"router", 32, {{"idle", 32 * s.cycles}}}};
    r.steps.push_back(s);
    r.cycles += s.cycles;
  }
  r.epochs = {{1, 2, 0, 0, 2001, 2.25, 0.25, 2.2, 0.3}, {2, 2, 1, 5, 2005, 2.0, 0.5, 1.9, 0.55}};
  r.macs = 123456;
  r.lane_slots = 246912;
  r.lane_utilisation = 0.482;
  r.wavelets_sent = 999;
  r.wavelets_received = 999;
  r.edge_wavelets_in = 16000;
  r.edge_wavelets_out = 12000;
  r.evaluated_units = 200000;
  r.skipped_units = 56384;
  r.units = {{"pe", 32, {{"axpy", 48000}, {"waiting", 32 * r.cycles - 48000}}},
             {"router", 32, {{"idle", 32 * r.cycles}}}};
  ExtrapolationRow x;
  x.name = "dense-12288";
  x.machine = "wse2";
  x.width = 750;
  x.height = 994;
  x.figures = {{"step", {4.5e6, "cycles", Origin::kExtrapolated, "fit over 12 arrays", 4.3e6, 4.8e6}},
               {"clock", {1.1e9, "Hz", Origin::kPublished, "Hot Chips 34", {}, {}}}};
  x.terms = {{"edge port", {4.4e6, "cycles", Origin::kFitted, "fit over 12 arrays", 4.3e6, 4.5e6}}};
  x.fit_error = 0.018;
  x.bound = "edge port";
  x.note = "An assumption: <ports> share the edge's bandwidth & nothing else limits them.";
  r.extrapolations = {x};
  r.parameters = {{"hop_cycles", {1, "cycles", Origin::kPublished, "arXiv 2404.15888", {}, {}}},
                  {"router_queue_depth", {3, "words", Origin::kAssumed, "assumed", {}, {}}}};
  r.wall = {"2026-01-01T00:00:00Z", 12.5, 320.48, 2};
  return r;
}

inline report::Manifest sample_manifest() {
  report::Manifest m;
  m.tools = {{"verilator", "5.006"}};
  m.units = {{"pe", "fast", "0123abcd"}, {"router", "fast", "4567ef01"}};
  m.firmware_hash = "89abcdef";
  return m;
}

inline report::TensorFile sample_weights() {
  report::TensorFile f;
  f.metadata = {{"format", "pt"}};
  f.tensors.push_back(report::f32_tensor("hidden.weight", {2, 3}, {1.0F, -2.5F, 0.0F, 1e-40F, 3.4e38F, -0.0F}));
  f.tensors.push_back(report::f16_tensor("hidden.half", {3}, {0x3C00, 0xC000, 0x0001}));
  f.tensors.push_back(report::f32_tensor("hidden.bias", {2}, {0.5F, 0.25F}));
  f.tensors.push_back(report::f32_tensor("scalar", {}, {42.0F}));
  f.tensors.push_back(report::f32_tensor("empty", {0, 5}, {}));
  return f;
}

}  // namespace waferloom::test
