// Training runs of every kind for the page: as it should be, very long, empty, broken off, with hostile names and with numbers at their limits. Made by arithmetic alone.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "host/report/run_comparison.h"
#include "host/report/run_report.h"
#include "testbenches/host/report/sample_report.h"

namespace waferloom::test {

// `steps` training steps with an evaluation after each of the epochs.
inline report::RunReport digits_report(int epochs = 12, int steps_per_epoch = 15) {
  using namespace report;
  RunReport r;
  r.run = "digits-8x8";
  r.machine = "wse2";
  r.model = "digits-mlp";
  r.width = r.height = 8;
  r.lanes = 4;
  r.seed = 1;
  r.views = "fast";
  r.status = "finished";
  const std::vector<std::string> causes{"waiting", "axpy", "gradient", "reduction", "elementwise", "stream"};
  std::vector<std::int64_t> pe(causes.size(), 0);
  std::int64_t router_forward = 0;
  int step = 0;
  for (int e = 1; e <= epochs; ++e) {
    EpochRow epoch;
    epoch.epoch = e;
    for (int i = 0; i < steps_per_epoch + 1; ++i, ++step) {
      StepRow s;
      s.step = step;
      s.epoch = e;
      s.kind = i < steps_per_epoch ? "train" : "evaluate";
      const double wiggle = 0.12 * std::sin(step * 2.1) + 0.07 * std::sin(step * 0.7);
      s.loss = 2.3 * std::exp(-0.9 * step / steps_per_epoch) * (1 + wiggle) + 0.11;
      s.loss_scale = 128;
      const std::int64_t bump = step % 97 == 41 ? 3400 : step % 7 * 11;
      if (s.kind == "train") {
        s.phases = {{"load", 1240}, {"hidden.forward", 3320 + bump}, {"logits.forward", 812}, {"loss", 655}, {"logits.gradient", 540}, {"logits.delta", 990}, {"hidden.gradient", 2804}, {"drain", 312}, {"host", 448}};
      } else {
        s.phases = {{"load", 1240}, {"hidden.forward", 3320 + bump}, {"logits.forward", 812}, {"loss", 655}, {"drain", 312}, {"host", 448}};
      }
      for (const Share& phase : s.phases) s.cycles += phase.cycles;
      s.wavelets_in = 22416;
      s.wavelets_out = s.kind == "train" ? 2762 : 2;
      const std::int64_t all = 64 * s.cycles;
      const std::vector<std::int64_t> split{all * 45 / 100, all * 21 / 100, all * 9 / 100, all * 11 / 100, all * 6 / 100};
      UnitCauses unit{"pe", 64, {}};
      std::int64_t rest = all;
      for (std::size_t c = 0; c < causes.size(); ++c) {
        const std::int64_t cycles = c + 1 < causes.size() ? split[c] : rest;
        rest -= cycles;
        unit.causes.push_back({causes[c], cycles});
        pe[c] += cycles;
      }
      const std::int64_t forward = all * 26 / 100;
      router_forward += forward;
      s.units = {unit, {"router", 64, {{"waiting", all - forward}, {"forward", forward}}}};
      r.cycles += s.cycles;
      epoch.cycles += s.cycles;
      r.steps.push_back(s);
    }
    epoch.steps = steps_per_epoch;
    epoch.train_loss = 2.3 * std::exp(-0.9 * (e - 0.5)) + 0.11;
    epoch.test_loss = 2.2 * std::exp(-0.8 * (e - 0.5)) + 0.16;
    epoch.train_accuracy = 1 - 0.75 * std::exp(-0.8 * e) - 0.02;
    epoch.test_accuracy = 1 - 0.75 * std::exp(-0.7 * e) - 0.045;
    r.epochs.push_back(epoch);
  }
  UnitCauses unit{"pe", 64, {}};
  for (std::size_t c = 0; c < causes.size(); ++c) unit.causes.push_back({causes[c], pe[c]});
  r.units = {unit, {"router", 64, {{"waiting", 64 * r.cycles - router_forward}, {"forward", router_forward}}}};
  r.macs = r.cycles * 41;
  r.lane_slots = r.cycles * 83;
  r.lane_utilisation = 83.0 / 256;
  r.wavelets_sent = r.wavelets_received = 9'417'220;
  r.edge_wavelets_in = 4'326'288;
  r.edge_wavelets_out = 497'184;
  r.evaluated_units = r.cycles * 88;
  r.skipped_units = r.cycles * 40;
  HeatMap busy{"Busy cycles of each tile", "%", 8, 8, {}};
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) busy.values.push_back(52 + 3.1 * x - 1.7 * y + ((x * 5 + y * 3) % 7));
  }
  r.heat_maps = {busy};
  ExtrapolationRow network;
  network.name = "digits-network";
  network.machine = "wse2";
  network.width = 750;
  network.height = 994;
  network.figures = {{"matrix passes of a step", {21443, "cycles", Origin::kExtrapolated, "sum of the passes; bounds added linearly", 20100, 22786}},
                     {"time", {25.2, "us", Origin::kExtrapolated, "at the machine's clock: Hot Chips 34", 23.65, 26.8}},
                     {"lane utilisation", {0.031, "%", Origin::kExtrapolated, "of the lanes at fp32 accumulation", 0.029, 0.033}}};
  network.terms = {{"forward", {9012, "cycles", Origin::kExtrapolated, "fit on arrays up to 8x8, judged up to 12x4: 5.9 %", 8480, 9544}},
                   {"delta", {2430, "cycles", Origin::kExtrapolated, "fit on arrays up to 8x8, judged up to 12x4: 6.6 %", 2270, 2590}},
                   {"gradient", {10001, "cycles", Origin::kExtrapolated, "fit on arrays up to 8x8, judged up to 12x4: 6.5 %", 9350, 10652}}};
  network.fit_error = 0.066;
  network.bound = "lanes and reduction";
  network.note = "Matrix passes only: loading, loss and the host are not in it. Injector positions are assumed (north edge, one per column).";
  ExtrapolationRow dense = network;
  dense.name = "dense-12288";
  dense.figures[0].second = {13'402'000, "cycles", Origin::kExtrapolated, "sum of the passes; bounds added linearly", 12'560'000, 14'244'000};
  dense.figures[1].second = {15767, "us", Origin::kExtrapolated, "at the machine's clock: Hot Chips 34", 14776, 16757};
  dense.terms[0].second = {4'510'000, "cycles", Origin::kExtrapolated, "fit on arrays up to 8x8, judged up to 12x4: 5.9 %", 4'244'000, 4'776'000};
  dense.terms[1].second = {4'502'000, "cycles", Origin::kExtrapolated, "fit on arrays up to 8x8, judged up to 12x4: 6.6 %", 4'205'000, 4'799'000};
  dense.terms[2].second = {4'390'000, "cycles", Origin::kExtrapolated, "fit on arrays up to 8x8, judged up to 12x4: 6.5 %", 4'105'000, 4'675'000};
  dense.bound = "edge port";
  r.extrapolations = {network, dense};
  r.parameters = {{"user width", {750, "tiles", Origin::kPublished, "arXiv 2404.15888", {}, {}}},
                  {"clock", {8.5e8, "Hz", Origin::kAssumed, "between 0.85 and 1.1 GHz are stated", {}, {}}},
                  {"memory of a tile", {49152, "bytes", Origin::kPublished, "Hot Chips 34", {}, {}}},
                  {"fp16 lanes", {4, "", Origin::kPublished, "Hot Chips 34", {}, {}}},
                  {"router queue", {3, "words", Origin::kAssumed, "", {}, {}}},
                  {"wafer input and output", {1.2e12, "bit/s", Origin::kPublished, "Hot Chips 34", {}, {}}},
                  {"system power", {23000, "W", Origin::kPublished, "product page", {}, {}}}};
  return r;
}

// The same on two systems: every step twice.
inline report::RunReport two_systems_report() {
  using namespace report;
  RunReport r = digits_report(4, 15);
  r.run = "digits-2x8x8";
  r.systems = 2;
  const auto doubled = [](std::vector<UnitCauses>& units) {
    for (UnitCauses& unit : units) {
      unit.units *= 2;
      for (Share& cause : unit.causes) cause.cycles *= 2;
    }
  };
  for (StepRow& s : r.steps) {
    for (int i = 0; i < 2; ++i) s.systems.push_back({i, s.cycles, 0, s.wavelets_in, s.wavelets_out, 0, s.phases, s.units});
    s.wavelets_in *= 2;
    s.wavelets_out *= 2;
    doubled(s.units);
  }
  for (int i = 0; i < 2; ++i) r.system_rows.push_back({i, r.cycles, 0, r.edge_wavelets_in, r.edge_wavelets_out, r.lane_utilisation, {}, r.units});
  r.edge_wavelets_in *= 2;
  r.edge_wavelets_out *= 2;
  doubled(r.units);
  return r;
}

// A against B: another learning rate and an edit of the RTL that costs cycles in one layer. `other` is B.
inline report::RunComparison compared_runs(report::RunReport other) {
  using namespace report;
  StoredRun a;
  a.report = digits_report();
  a.manifest = sample_manifest();
  a.resolved_yaml = "optimiser:\n  learning_rate: 0.1\n";
  StoredRun b = a;
  b.report = std::move(other);
  b.manifest.units[0].hash = "fedc9876";
  b.resolved_yaml = "optimiser:\n  learning_rate: 0.05\n";
  return compare_runs(std::move(a), std::move(b));
}

// Stopped in the first epoch: one step, no epoch, no extrapolation.
inline report::RunReport broken_off_report() {
  report::RunReport r = digits_report(1, 1);
  r.status = "interrupted";
  r.epochs.clear();
  r.steps.resize(1);
  r.extrapolations.clear();
  r.heat_maps.clear();
  return r;
}

// Names that would be markup, numbers that are none or far from 1, intervals that are missing.
inline report::RunReport hostile_report() {
  using namespace report;
  RunReport r = digits_report(3, 4);
  r.run = "<img src=x onerror=\"throw 1\">&amp;'\"</script><!--";
  r.model = "a-very-long-name-without-any-place-where-a-line-could-break-that-goes-on-and-on-and-on-and-on";
  r.machine = "m\xC3\xA9\xFF\x01";
  for (StepRow& s : r.steps) {
    for (Share& phase : s.phases) phase.name = "<b>" + phase.name + "</b></script>";
    for (UnitCauses& u : s.units) u.causes[0].name = "<i>waiting</i>";
  }
  for (UnitCauses& u : r.units) u.causes[0].name = "<i>waiting</i>";
  r.steps[1].loss = std::numeric_limits<double>::quiet_NaN();
  r.steps[2].loss = std::numeric_limits<double>::infinity();
  r.epochs[1].test_loss = std::numeric_limits<double>::quiet_NaN();
  r.extrapolations[0].figures[0].second = {1.7e308, "cycles", Origin::kExtrapolated, "<u>source</u>", {}, {}};
  r.extrapolations[0].terms[0].second = {4e-300, "cycles", Origin::kExtrapolated, "", {}, {}};
  r.extrapolations[1].figures[0].second = {0, "cycles", Origin::kAssumed, "zero", 0.0, 0.0};
  r.extrapolations[1].terms.clear();
  r.parameters[0].first = "</td><script>throw 2</script>";
  return r;
}

}  // namespace waferloom::test
