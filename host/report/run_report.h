// What a run found out, as plain data. The run command fills it; the writers (terminal table, JSON, CSV, HTML) only
// read it.
//
// Cycles are attributed, never lost: for each step the phases sum to the step's cycles, and for each kind of unit the
// causes sum to units x cycles (check_report says where they do not). Nothing here depends on wall-clock time except
// `wall`, which is written apart from all else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace waferloom::report {

// Where a number comes from. Every figure shown carries one.
enum class Origin { kMeasured, kFitted, kExtrapolated, kPublished, kAssumed };
const char* to_string(Origin origin);

// A figure with its unit, where it comes from, and, for fitted and extrapolated ones, the interval it lies in.
struct Quantity {
  double value = 0;
  std::string unit;  // "cycles", "s", "tokens/s", "%"; empty for a pure number
  Origin origin = Origin::kMeasured;
  std::string source;  // "8x8 array, seed 1"; a publication; how it was assumed
  std::optional<double> low;
  std::optional<double> high;
};

// A name and a count of cycles: a phase of a step, or a cause of a unit's cycles.
struct Share {
  std::string name;
  std::int64_t cycles = 0;
};

// All units of one kind ("pe", "router", "port") together.
struct UnitCauses {
  std::string unit;
  std::int64_t units = 0;
  std::vector<Share> causes;  // sum = units x cycles of the step
};

// What one of several systems (wafers) did in a step, or in the whole run.
struct SystemRow {
  int system = 0;  // from 0
  std::int64_t cycles = 0;
  std::int64_t saturations = 0;
  std::int64_t wavelets_in = 0;  // over its array's edge
  std::int64_t wavelets_out = 0;
  double lane_utilisation = 0;   // whole run only
  std::vector<Share> phases;     // steps only: sum = cycles
  std::vector<UnitCauses> units;
};

struct StepRow {
  std::int64_t step = 0;       // from 0
  int epoch = 0;               // from 1
  std::string kind = "train";  // or "evaluate": tables of cycles keep them apart
  double loss = 0;
  double loss_scale = 1;
  bool skipped = false;  // gradients were not finite
  std::int64_t saturations = 0;
  std::int64_t cycles = 0;       // of the system that took longest
  std::int64_t wavelets_in = 0;  // over the edges of all arrays
  std::int64_t wavelets_out = 0;
  std::vector<Share> phases;  // of the system that took longest: forward, delta, gradient, ...: sum = cycles
  std::vector<UnitCauses> units;  // of all systems together
  std::vector<SystemRow> systems;  // with several systems; their causes and wavelets add up to those above
};

struct EpochRow {
  int epoch = 0;  // from 1
  std::int64_t steps = 0;
  std::int64_t skipped_steps = 0;
  std::int64_t saturations = 0;
  std::int64_t cycles = 0;
  double train_loss = 0;
  double train_accuracy = 0;  // 0 to 1
  double test_loss = 0;
  double test_accuracy = 0;
  bool tested = true;  // false: the held-out rows were not evaluated in this epoch; the two figures above mean nothing
};

// One workload on the whole wafer.
struct ExtrapolationRow {
  std::string name;
  std::string machine;
  int width = 0;  // of the rectangle priced, in tiles
  int height = 0;
  std::vector<std::pair<std::string, Quantity>> figures;  // "step", "tokens per second", "utilisation", ...
  std::vector<std::pair<std::string, Quantity>>
      terms;             // what the cycles are made of: fill, steady rate, per-item overhead
  double fit_error = 0;  // largest relative error of the fit on arrays it never saw
  std::string bound;     // the slowest resource: "edge port", "lanes", ...
  std::string note;
};

// Values of an array that was measured, row by row.
struct HeatMap {
  std::string title;  // "busy cycles of each tile, forward pass, 8x8"
  std::string unit;
  int width = 0;
  int height = 0;
  std::vector<double> values;  // width x height, y outer
};

struct Wall {
  std::string started;  // ISO 8601, UTC
  double seconds = 0;
  double simulated_cycles_per_s = 0;
  int threads = 1;
};

struct RunReport {
  std::string run;
  std::string machine;
  std::string model;
  int width = 0;
  int height = 0;
  int lanes = 0;
  int systems = 1;  // arrays of this size that share the rows of every step
  std::uint64_t seed = 0;
  std::string views;   // "fast" or "rtl"
  std::string status;  // "finished", "interrupted", "diverged" (NaN), "stopped" (deadlock, cycle limit), "failed"
                       // (trap, mismatch)
  std::vector<std::string>
      sections;  // tables to show: loss, cycles, utilisation, wavelets, extrapolation; empty: all of them
  std::vector<EpochRow> epochs;
  std::vector<StepRow> steps;
  // Totals of the whole run, of all systems together; cycles are those of the system that ran longest.
  std::int64_t cycles = 0;
  std::int64_t macs = 0;               // multiply-accumulates that lanes carried out
  std::int64_t lane_slots = 0;         // fp16 lane slots that were used
  double lane_utilisation = 0;         // used over available, 0 to 1, all tiles and cycles
  std::int64_t wavelets_sent = 0;      // put on a link by any unit
  std::int64_t wavelets_received = 0;  // taken from a link; equal at the end of a clean run
  std::int64_t edge_wavelets_in = 0;
  std::int64_t edge_wavelets_out = 0;
  std::int64_t evaluated_units = 0;  // unit-cycles that were evaluated ...
  std::int64_t skipped_units = 0;    // ... and that were skipped because nothing could change
  std::vector<UnitCauses> units;     // over the whole run
  std::vector<SystemRow> system_rows;  // over the whole run, with several systems
  std::vector<HeatMap> heat_maps;    // of the array, over the whole run; may be empty
  std::vector<ExtrapolationRow> extrapolations;
  std::vector<std::pair<std::string, Quantity>> parameters;  // of the machine, with their sources
  Wall wall;
};

// What does not add up, in words; empty when all is well. A non-empty answer is a failed check (exit code 1), not a
// user's mistake.
std::vector<std::string> check_report(const RunReport& report);

}  // namespace waferloom::report
