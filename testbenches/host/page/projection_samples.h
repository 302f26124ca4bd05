// Projections for the page: GPT-3 on 192 systems with every list filled, one with nothing, one with hostile names and numbers, and two compared. Made by arithmetic alone;
// the figures are of the right size and nothing more.
#pragma once

#include <cmath>
#include <string>

#include "host/report/projection.h"

namespace waferloom::test {

inline report::Quantity about(double value, const std::string& unit, double spread, report::Origin origin = report::Origin::kExtrapolated, const std::string& source = "sum of the operators; bounds added linearly") {
  return {value, unit, origin, source, value * (1 - spread), value * (1 + spread)};
}

inline void add_operator(report::Projection& p, const std::string& layer, const std::string& tensor, const std::string& name, const std::string& pass, std::int64_t count, double cycles, const std::string& limit,
                         report::Origin origin = report::Origin::kExtrapolated) {
  report::OperatorRow o;
  o.layer = layer;
  o.tensor = tensor;
  o.name = name;
  o.pass = pass;
  o.count = count;
  o.cycles = about(cycles, "cycles", origin == report::Origin::kAssumed ? 0.2 : 0.045, origin, origin == report::Origin::kAssumed ? "not measured: two passes over the slab" : "fit on arrays up to 16x16, judged on 32x32");
  o.total_cycles = cycles * static_cast<double>(count);
  o.flops = cycles * 2.6e6;
  o.edge_words = cycles * (limit == "edge I/O" ? 40 : 11);
  o.limit = limit;
  if (name == "stream_matmul") o.terms = {{"lane groups", cycles * 0.62}, {"weights", cycles * 0.2}, {"reduction", cycles * 0.11}, {"outputs", cycles * 0.05}, {"fill", cycles * 0.02}};
  if (origin == report::Origin::kAssumed) o.note = "assumed, not measured";
  p.operators.push_back(o);
}

inline void add_operators(report::Projection& p) {
  using report::Origin;
  for (const char* pass : {"forward", "delta", "gradient"}) {
    const double more = std::string(pass) == "gradient" ? 1.15 : 1;
    for (const char* tensor : {"attention.q", "attention.k", "attention.v", "attention.out"}) add_operator(p, "block", tensor, "stream_matmul", pass, 96, 4'480'000 * more, std::string(pass) == "delta" ? "edge I/O" : "lanes");
    for (const char* tensor : {"mlp.up", "mlp.down"}) add_operator(p, "block", tensor, "stream_matmul", pass, 96, 17'900'000 * more, std::string(pass) == "gradient" ? "reduction" : "lanes");
  }
  for (const char* pass : {"forward", "delta"}) {
    add_operator(p, "block", "", "attention_scores", pass, 96, 3'100'000, "link", Origin::kAssumed);
    add_operator(p, "block", "", "softmax", pass, 96, 410'000, "lanes", Origin::kAssumed);
    add_operator(p, "block", "", "norm", pass, 192, 160'000, "reduction");
    add_operator(p, "block", "", "activation", pass, 96, 220'000, "SRAM");
  }
  add_operator(p, "embedding", "tokens", "embedding", "forward", 1, 900'000, "edge I/O");
  add_operator(p, "head", "tokens", "stream_matmul", "forward", 1, 18'300'000, "lanes");
  add_operator(p, "head", "tokens", "stream_matmul", "gradient", 1, 21'300'000, "reduction");
  add_operator(p, "head", "", "loss", "forward", 1, 2'300'000, "lanes");
  double all = 0;
  for (const auto& o : p.operators) all += o.total_cycles;
  for (auto& o : p.operators) o.share = o.total_cycles / all;
  for (const auto& o : p.operators) {
    if (o.name != "stream_matmul" && o.name != "attention_scores") continue;
    p.roofline.push_back({(o.tensor.empty() ? o.name : o.tensor) + ", " + o.pass, o.flops / o.edge_words * (1 + 0.21 * static_cast<double>(p.roofline.size() % 5)), o.flops / o.cycles.value * 8.5e8 * (0.7 + 0.05 * static_cast<double>(p.roofline.size() % 6)), o.limit, o.share});
  }
  p.ceilings = {{"fp16 lanes", 5.07e15, 0}, {"fp32 accumulation", 2.53e15, 0}, {"edge port", 0, 3.75e10}};
}

inline void add_timeline(report::Projection& p) {
  p.step_s = 14.2;
  report::TimelineRow send{"MemoryX send", 0.71, {}};
  report::TimelineRow down{"SwarmX down", 0.69, {}};
  report::TimelineRow wafer{"wafer", 0.985, {}};
  report::TimelineRow up{"SwarmX up", 0.33, {}};
  report::TimelineRow update{"MemoryX update", 0.41, {}};
  double at = 0;
  for (int layer = 0; layer < 96; ++layer, at += 0.047) {
    const std::string name = "layer " + std::to_string(layer) + ": forward";
    send.intervals.push_back({at - 0.06, at - 0.028, name, "forward", layer});
    down.intervals.push_back({at - 0.05, at - 0.018, name, "forward", layer});
    wafer.intervals.push_back({at, at + 0.0465, name, "forward", layer});
  }
  wafer.intervals.push_back({at, at + 0.08, "loss", "loss", -1});
  at += 0.08;
  for (int layer = 95; layer >= 0; --layer, at += 0.1) {
    const std::string name = "layer " + std::to_string(layer);
    send.intervals.push_back({at - 0.06, at - 0.02, name + ": delta", "delta", layer});
    down.intervals.push_back({at - 0.045, at - 0.005, name + ": delta", "delta", layer});
    wafer.intervals.push_back({at, at + 0.046, name + ": delta", "delta", layer});
    wafer.intervals.push_back({at + 0.046, at + 0.099, name + ": gradient", "gradient", layer});
    up.intervals.push_back({at + 0.05, at + 0.0995, name + ": gradient", "gradient", layer});
    update.intervals.push_back({at + 0.06, at + 0.11, name + ": update", "update", layer});
  }
  p.timeline = {send, down, wafer, up, update};
}

inline void add_curves(report::Projection& p) {
  for (int systems = 1; systems <= 2048; systems *= 2) {
    report::ScalingPoint weak;
    weak.systems = systems;
    weak.batch_tokens = 16384.0 * systems;
    weak.efficiency = 1 / (1 + 0.0002 * systems);
    weak.step_time = about(13.9 / weak.efficiency, "s", 0.06);
    weak.tokens_per_s = about(weak.batch_tokens / weak.step_time.value, "tokens/s", 0.06);
    weak.limit = systems >= 1024 ? "SwarmX" : "lanes";
    p.weak_scaling.push_back(weak);
    report::ScalingPoint strong = weak;
    strong.batch_tokens = 3'200'000;
    strong.efficiency = 1 / (1 + 0.004 * systems);
    strong.tokens_per_s = about(1180.0 * systems * strong.efficiency, "tokens/s", 0.08);
    strong.step_time = about(3.2e6 / strong.tokens_per_s.value, "s", 0.08);
    strong.limit = systems >= 256 ? "MemoryX" : "lanes";
    if (systems > 1562) {
      strong = {};
      strong.systems = systems;
      strong.refused = "a batch of 3,200,000 tokens is 1,562 sequences, fewer than the systems";
    }
    p.strong_scaling.push_back(strong);
  }
  for (const double density : {1.0, 0.75, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.02}) {
    const double speedup = 1 / (0.13 + 0.87 * density);
    p.sparsity.push_back({density, about(14.2 / speedup, "s", 0.07), about(speedup, "x", 0.04), density > 0.3 ? "lanes" : "reduction"});
  }
  p.sparsity_knee = "Below a density of 25 % the reduction of partial sums takes over from the lanes.";
  p.memory = {49152, 44712, true, "recompute", "Activations of all layers would take 2.1 MiB of each PE: blocks are computed again on the way back.", 4,
              {{"activations of one block", 21504, ""}, {"keys and values", 9216, "of the sequences of this row"}, {"partial sums", 6144, "four buffers"}, {"code and descriptors", 5992, ""}, {"block inputs kept", 1856, "one of four layers"}}};
  p.tornado = {{"machine.clock_hz", "clock", 0.85e9, 1.1e9, "Hz", 14.9, 11.6, report::Origin::kAssumed},   {"residual.gradient", "residual of the gradient pass", -0.05, 0.05, "", 13.8, 14.6, report::Origin::kFitted},
               {"attention.factor", "attention, cycles for a score", 0.8, 1.4, "x", 13.9, 14.8, report::Origin::kAssumed}, {"machine.io_bits_per_s", "wafer input and output", 1.1e12, 1.3e12, "bit/s", 14.4, 14.1, report::Origin::kPublished},
               {"cluster.swarmx_latency_s", "latency of a SwarmX node", 1e-6, 2e-5, "s", 14.19, 14.24, report::Origin::kAssumed}};
  p.accelerators = {{"V100 SXM2", 1.25e14, 9e11, 3.4e10, 300, 0.35, 41, 5460, 3650, 88, "NVIDIA V100 datasheet"}, {"A100 SXM 80 GB", 3.12e14, 2.04e12, 8.6e10, 400, 0.45, 134, 1680, 1118, 35, "NVIDIA A100 datasheet"},
                    {"H100 SXM", 9.89e14, 3.35e12, 8.6e10, 700, 0.4, 377, 596, 397, 35, "NVIDIA H100 datasheet"}};
}

inline void add_trust(report::Projection& p) {
  for (int i = 0; i < 24; ++i) {
    const int side = i % 3 == 2 ? 32 : i % 2 == 0 ? 8 : 16;
    const double cycles = 9000.0 * (1 + i);
    const double error = (i % 2 == 0 ? 1 : -1) * 0.002 * (1 + i % 11);
    const char* pass = i % 3 == 0 ? "forward" : i % 3 == 1 ? "delta" : "gradient";
    p.calibration.shapes.push_back({std::string(pass) + " " + std::to_string(side) + "x" + std::to_string(side) + ", " + std::to_string(4 + i) + " x 16, 8 tokens", pass, side, side, i % 3 == 2, cycles, cycles * (1 + error), error});
  }
  p.calibration.fits = {{"forward", {{"groups", 1.004}, {"weights", 0.21}, {"reduction", 6.02}, {"output", 12.4}, {"start", 96}}, 0.011, 0.021, 34.2, 5}, {"gradient", {{"groups", 1.01}, {"weights", 2.1}, {"output", 18.9}}, 0.016, 0.022, 51.7, 5}};
  report::HeatMap map{"Busy cycles of each tile, forward pass, 16x16", "cycles", 16, 16, {}};
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 16; ++x) map.values.push_back(41'000 + 310 * x - 150 * y + 90 * ((x * 7 + y * 11) % 13));
  }
  report::HeatMap large{"Wavelets through each router, 250x100", "wavelets", 250, 100, {}};
  for (int y = 0; y < 100; ++y) {
    for (int x = 0; x < 250; ++x) large.values.push_back(1000.0 * (100 - y) + 12 * x);
  }
  p.calibration.heat_maps = {map, large};
  p.calibration.machine = "wse2";
  p.calibration.router_hash = "4f7a09b1c2";
  p.calibration.pe_hash = "a55de01f33";
  p.calibration.firmware_hash = "0c1d2e3f44";
  p.calibration.from = "shipped";
  p.validation = {{"V1", "broadcast over 750 PEs, 256 words", 1010, 1023, "cycles", 0.05, true, "arXiv 2404.15888"}, {"V2", "chain reduction over 512 PEs", 3200, 3091, "cycles", 0.05, true, "arXiv 2404.15888"},
                  {"V7", "GPT-3 13B, tokens a second of one system", 1890, 2340, "tokens/s", 0.15, false, "vendor's blog"}, {"V9", "stencil of seven points", 0.86, 0.83, "PFLOP/s", 0.1, true, "arXiv 2010.03660"}};
  p.assumptions = {{"machine.clock_hz", "850,000,000", "Hz", report::Origin::kAssumed, "0.85, 1.0 and 1.1 GHz are stated in different places", "850,000,000", "1,100,000,000"},
                   {"machine.io_bits_per_s", "1.2e12", "bit/s", report::Origin::kPublished, "Hot Chips 34", "", ""},
                   {"cluster.swarmx_node_latency_s", "5e-6", "s", report::Origin::kAssumed, "of the order of an Ethernet switch with buffering", "1e-6", "2e-5"}};
}

inline report::Projection gpt3_projection() {
  using namespace report;
  Projection p;
  p.name = "gpt3-175b-cs2-192";
  p.description = "GPT-3 175B on 192 systems";
  p.machine = "wse2";
  p.cluster = "condor";
  p.wafer_width = 750;
  p.wafer_height = 994;
  p.systems = 192;
  p.batch_tokens = 3'200'000;
  p.training_tokens = 3.5e12;
  p.answer = {about(14.2, "s", 0.064), about(225'352, "tokens/s", 0.068), about(179.8, "days", 0.07), about(36.4, "%", 0.065), "lanes",
              "One step of 3.2 million tokens takes 14.2 s (13.3 to 15.1 s) on 192 WSE-2 systems: 225,000 tokens a second, 180 days for 3.5 trillion tokens."};
  p.figures = {{"steps", "steps", {1'093'750, "", Origin::kExtrapolated, "tokens over batch", {}, {}}}, {"energy_j", "energy", about(6.8e13, "J", 0.07)}, {"flops_per_s", "useful FLOP/s", about(2.37e17, "FLOP/s", 0.066)},
               {"memoryx_bytes", "memory of MemoryX in use", {2.8e12, "bytes", Origin::kExtrapolated, "weights, gradients and two moments at fp32", {}, {}}}};
  p.model = {"GPT-3 175B", "gpt2", 174'591'683'584, 174'591'683'584, 96, 12288, 96, 96, 50257, 2048,
             {{"embedding.tokens", {50257, 12288}, 1, 617'558'016}, {"block.attention.qkv", {12288, 36864}, 96, 43'486'543'872}, {"block.mlp.up", {12288, 49152}, 96, 57'982'058'496}}};
  add_timeline(p);
  add_operators(p);
  add_curves(p);
  add_trust(p);
  p.notes = {"Attention scores and softmax have not been measured on verilated tiles: they are assumed, and so marked."};
  p.reproduce = {"git checkout 0123abcd", "waferloom report configs/runs/gpt3-175b-cs2-192.yaml -o out/gpt3"};
  p.resolved_yaml = "name: gpt3-175b-cs2-192\nmachine: wse2\nmodel: gpt3-175b\nsystems: 192\n";
  return p;
}

inline report::Projection hostile_projection() {
  report::Projection p = gpt3_projection();
  const std::string bad = "</script><img src=x onerror=\"throw 1\">'&";
  p.name = bad;
  p.answer.sentence = bad;
  p.answer.step_time = {1e-300, "s", report::Origin::kAssumed, bad, {}, {}};
  p.answer.tokens_per_s = {9.9e307, "tokens/s", report::Origin::kExtrapolated, "", 1e-5, 1.7e308};
  p.answer.days_to_train.low.reset();
  p.timeline[2].resource = bad;
  p.timeline[2].intervals[0].label = bad;
  p.operators[0].tensor = bad;
  p.operators[0].note = bad;
  p.operators[1].limit = bad;
  p.roofline[0].name = bad;
  p.tornado[0].label = "a-label-without-any-place-to-break-a-line-that-goes-on-and-on-and-on-until-nobody-reads-it";
  p.assumptions[0].key = bad;
  p.notes.push_back(bad);
  p.weak_scaling.resize(1);
  p.strong_scaling.clear();
  p.sparsity.resize(1);
  p.systems = 1;
  return p;
}

inline report::ProjectionComparison compared() {
  using namespace report;
  ProjectionComparison c;
  c.a = "wse2";
  c.b = "wse3";
  c.first = gpt3_projection();
  c.second = gpt3_projection();
  c.second.machine = "wse3";
  c.second.assumptions[1].value = "1.3e12";
  c.figures = {{"step_time_s", "time of a step", about(14.2, "s", 0.064), about(7.6, "s", 0.07), 7.6 / 14.2, true}, {"tokens_per_s", "tokens per second", about(225'352, "tokens/s", 0.068), about(421'053, "tokens/s", 0.07), 421'053.0 / 225'352, true},
               {"days", "days to train", about(179.8, "days", 0.07), about(96.2, "days", 0.07), 96.2 / 179.8, true}, {"mfu", "utilisation (MFU)", about(36.4, "%", 0.065), about(34.9, "%", 0.07), 34.9 / 36.4, false},
               {"cost", "cost", {0, "", Origin::kAssumed, "", {}, {}}, {0, "", Origin::kAssumed, "", {}, {}}, 0, false}};
  for (const char* pass : {"forward", "delta", "gradient"}) {
    c.operators.push_back({std::string("matmul.") + pass, std::string("stream_matmul, ") + pass, about(5.1e9, "cycles", 0.05), about(2.7e9, "cycles", 0.06), 2.7 / 5.1, true});
  }
  c.operators.push_back({"norm", "norm, forward", about(3.1e7, "cycles", 0.05), about(3.0e7, "cycles", 0.06), 3.0 / 3.1, false});
  return c;
}

}  // namespace waferloom::test
