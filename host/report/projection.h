// What `waferloom report` found out about a model on a wafer or a cluster, as plain data. The report command fills it (host/cluster); the writers (HTML page, JSON, CSV,
// terminal) only read it.
//
// Units. A Quantity carries its own unit. Every other member that holds a dimension says so in its name: _s seconds, _cycles wafer cycles, _bytes, _flops_per_s.
// Shares and efficiencies are 0 to 1. Nothing here is NaN or infinite: what does not exist is an empty list, an absent optional or an empty text.
// Intervals. `low` and `high` of a Quantity enclose `value` (low <= value <= high); bounds were added linearly over operators, never as squares.
// Origin. Every Quantity and Assumption says where it comes from. A figure is never better than the worst figure that entered it: an operator that was not measured
// on RTL is Origin::kAssumed, and so is shown.
// Order. Lists stand in the order in which they are to be shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/report/run_report.h"

namespace waferloom::report {

// A figure with the key that JSON, CSV and the terminal call it by, and the words that a page shows.
struct Figure {
  std::string key;    // "tokens_per_s": lower case, unit in the name; unique in its list
  std::string label;  // "tokens per second"
  Quantity quantity;
};

// The first screen.
struct Answer {
  Quantity step_time;      // "s"
  Quantity tokens_per_s;   // "tokens/s", of the whole cluster
  Quantity days_to_train;  // "days", for training_tokens
  Quantity mfu;            // "%": model FLOPs (6 per parameter and token, attention added) over what the lanes could do at fp16
  std::string limit;       // what limits the step: one of limit_names()
  std::string sentence;    // one plain sentence that says the answer with its interval
};

// One thing that a resource did in a steady step. Times count from the moment the wafer begins the step's forward pass; weights that were fetched ahead lie before 0.
struct Interval {
  double begin_s = 0;
  double end_s = 0;
  std::string label;  // "layers 12: forward"
  std::string pass;   // "forward", "delta", "gradient", "update", "recompute", "loss", "idle"
  int layer = -1;     // index from 0; -1: not of one layer (embedding, head, optimiser of all)
};

// One resource over the step, in the order of the way that a weight takes.
struct TimelineRow {
  std::string resource;  // "MemoryX send", "SwarmX down", "wafer", "SwarmX up", "MemoryX update"
  double busy = 0;       // share of the step
  std::vector<Interval> intervals;  // ascending, not overlapping; at most 2,000: neighbours are merged before
};

// A part of an operator's cycles, for example "lane groups", "reduction", "edge words". Terms of one operator sum to its cycles unless `bound` of the row says that another
// resource was slower: then they sum to less.
struct CostTerm {
  std::string name;
  double cycles = 0;
};

// One operator of the plan. Equal layers are one row with a count.
struct OperatorRow {
  std::string layer;          // "block", "embedding", "head"
  std::string tensor;         // the weight it streams ("attention.q"), or empty
  std::string name;           // "stream_matmul", "attention_scores", "softmax", "norm", "activation", "embedding", "loss", "optimiser"
  std::string pass;           // "forward", "delta", "gradient", "recompute", "update"
  std::int64_t count = 1;     // how often in a step
  Quantity cycles;            // of one, with interval; origin says measured, extrapolated, assumed
  double total_cycles = 0;    // count x cycles
  double share = 0;           // of the wafer's busy cycles
  double flops = 0;           // of one, useful
  double edge_words = 0;      // of one: 32-bit words over the wafer's edge, both ways
  std::string limit;          // one of limit_names()
  std::vector<CostTerm> terms;
  std::string note;           // why it is assumed, what leaves the measured range
};

// What a processing element holds at the worst moment of the step.
struct MemoryRow {
  std::string what;  // "activations kept", "keys and values", "partial sums", "code and descriptors", ...
  double bytes = 0;
  std::string note;
};

struct MemoryUse {
  double capacity_bytes = 0;  // of one PE
  double used_bytes = 0;      // sum of rows
  bool fits = true;
  std::string choice;  // "keep", "recompute" (blocks are computed again on the way back), "accumulate" (several micro-batches in a step)
  std::string reason;  // why, with the figures
  std::int64_t micro_batches = 1;
  std::vector<MemoryRow> rows;
};

// One point of a scaling curve.
struct ScalingPoint {
  int systems = 1;
  double batch_tokens = 0;
  Quantity step_time;     // "s"
  Quantity tokens_per_s;  // "tokens/s"
  double efficiency = 0;  // against the first point of its curve, per system
  std::string limit;      // one of limit_names()
  std::string refused;    // why there is no figure (batch smaller than the systems ...); then the quantities are zero
};

struct SparsityPoint {
  double density = 1;  // share of the weights that is not zero
  Quantity step_time;  // "s"
  Quantity speedup;    // "x" against density 1
  std::string limit;
};

// What one constant does to the step time when it goes from one end of its interval to the other.
struct TornadoEntry {
  std::string key;    // of the assumption, or "residual.forward"
  std::string label;
  double low_value = 0;
  double high_value = 0;
  std::string unit;
  double step_at_low_s = 0;
  double step_at_high_s = 0;
  Origin origin = Origin::kAssumed;
};

struct RooflineCeiling {
  std::string name;            // "fp16 lanes", "fp32 accumulation", "edge port"
  double flops_per_s = 0;      // flat part; 0: none
  double words_per_s = 0;      // slope: flops/s = intensity x words/s; 0: none
};
struct RooflinePoint {
  std::string name;            // operator
  double intensity = 0;        // FLOP per 32-bit word over the edge
  double flops_per_s = 0;      // reached on one wafer
  std::string limit;
  double share = 0;            // of the step
};

// Another accelerator, from published figures alone. `assumed` in the page's words: a roofline, not a measurement.
struct Accelerator {
  std::string name;  // "H100 SXM"
  double peak_fp16_flops_per_s = 0;
  double memory_bytes_per_s = 0;
  double memory_bytes = 0;
  double power_w = 0;
  double utilisation = 0;      // model FLOPs over peak that was assumed
  double tokens_per_s = 0;     // of one
  double count_for_equal = 0;  // how many give the cluster's tokens/s
  double days_one = 0;         // days to train on one
  double least_for_memory = 0; // how many hold weights and optimiser state at all
  std::string source;
};

// A case of published work or a held-out measurement, agreement and disagreement alike.
struct ValidationRow {
  std::string id;  // "V3", "held-out"
  std::string what;
  double expected = 0;
  double obtained = 0;
  std::string unit;
  double tolerance = 0;  // relative
  bool agrees = true;
  std::string source;
};

struct Assumption {
  std::string key;    // "machine.clock_hz", "cluster.swarmx_node_latency_s", "attention.groups_per_score"
  std::string value;  // as text, without the unit
  std::string unit;
  Origin origin = Origin::kAssumed;
  std::string source;  // who states it, or why it was assumed
  std::string low;     // ends of its interval as text, empty if it has none
  std::string high;
};

// One array that was run on verilated tiles.
struct MeasuredShape {
  std::string label;  // "forward 8x8, 4 x 16, 8 tokens"
  std::string pass;
  int width = 0;
  int height = 0;
  bool held_out = false;  // the fit never saw it
  double measured_cycles = 0;
  double predicted_cycles = 0;
  double error = 0;  // relative, signed
};

struct FitRow {
  std::string pass;  // the operator: "forward", "delta in SRAM", "loss", ...
  std::vector<std::pair<std::string, double>> coefficients;  // term, cycles for each
  double worst_error = 0;     // relative, on the arrays of the fit
  double held_out_error = 0;  // relative, on the others
  double condition = 0;
  int rank = 0;
};

struct CalibrationInfo {
  std::string machine;
  std::string router_hash;  // of RTL sources and parameters
  std::string pe_hash;
  std::string firmware_hash;
  std::string from;  // "shipped", "store" or "measured now"
  double seconds = 0;  // that measuring took; 0 if it did not happen now
  std::vector<FitRow> fits;
  std::vector<MeasuredShape> shapes;
  std::vector<HeatMap> heat_maps;
};

struct ModelTensor {
  std::string name;  // of one tensor; equal layers are one row with a count
  std::vector<std::int64_t> shape;
  std::int64_t count = 1;
  std::int64_t parameters = 0;  // count x product of shape
};

struct ModelSummary {
  std::string name;
  std::string architecture;  // "gpt2", "llama", ...
  std::int64_t parameters = 0;
  std::int64_t active_parameters = 0;  // of one token; differs for experts
  std::int64_t layers = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t key_value_heads = 0;
  std::int64_t vocabulary = 0;
  std::int64_t sequence = 0;  // tokens
  std::vector<ModelTensor> tensors;
};

struct Projection {
  std::string name;
  std::string description;
  std::string machine;
  std::string cluster;
  int wafer_width = 0;  // user rectangle, tiles
  int wafer_height = 0;
  int systems = 1;
  double batch_tokens = 0;     // of a step, all systems
  double training_tokens = 0;  // all steps
  double density = 1;

  Answer answer;
  std::vector<Figure> figures;  // steps, flops, energy, cost, memory of MemoryX, ...
  ModelSummary model;
  std::vector<TimelineRow> timeline;
  double step_s = 0;  // length of the steady step that the timeline shows
  std::vector<OperatorRow> operators;
  MemoryUse memory;
  std::vector<ScalingPoint> weak_scaling;    // batch grows with the systems
  std::vector<ScalingPoint> strong_scaling;  // batch stays
  std::vector<SparsityPoint> sparsity;
  std::string sparsity_knee;  // a sentence: below which density what takes over
  std::vector<TornadoEntry> tornado;  // largest first
  std::vector<RooflineCeiling> ceilings;
  std::vector<RooflinePoint> roofline;
  std::vector<Accelerator> accelerators;
  std::vector<ValidationRow> validation;
  std::vector<Assumption> assumptions;
  CalibrationInfo calibration;
  std::vector<std::string> notes;      // what a reader must know: assumed operators, ranges left, choices made
  std::vector<std::string> reproduce;  // commands, one per line
  std::string resolved_yaml;
};

// A against B.
struct DifferenceRow {
  std::string key;
  std::string label;
  Quantity a;
  Quantity b;
  double ratio = 0;         // b / a; 0 when a is 0
  bool beyond = false;      // the intervals do not overlap: the difference exceeds the uncertainty
};

struct ProjectionComparison {
  std::string a;  // titles
  std::string b;
  Projection first;
  Projection second;
  std::vector<DifferenceRow> figures;    // the answer, then every figure that both have
  std::vector<DifferenceRow> operators;  // total cycles of a step
};

// What limits an operator or a step: "lanes", "reduction", "SRAM", "link", "edge I/O", "SwarmX", "MemoryX", "optimiser", "latency".
const std::vector<std::string>& limit_names();

// projection.json, schema configs/schemas/projection.schema.json; ends with a newline. The same projection gives the same bytes in every locale.
std::string projection_json(const Projection& projection);
std::string comparison_json(const ProjectionComparison& comparison);

// One table as comma-separated values (RFC 4180, CRLF-free), first line the column names. `name` is a file name.
struct CsvTable {
  std::string name;
  std::string text;
};
std::vector<CsvTable> projection_tables(const Projection& projection);

// For a terminal: ASCII, at most 80 columns.
std::string projection_text(const Projection& projection);
std::string comparison_text(const ProjectionComparison& comparison);

// Differences of two projections: what both have, in the order of `a`.
ProjectionComparison compare_projections(Projection a, Projection b);

// What does not add up, in words; empty when all is well: shares that do not sum to one, an interval that does not enclose its value, a number that is not finite, a
// limit without a name. A non-empty answer is our own mistake.
std::vector<std::string> check_projection(const Projection& projection);

}  // namespace waferloom::report
