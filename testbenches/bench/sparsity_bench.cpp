// What zeros are worth on verilated tiles: unstructured zeros of weights at several densities, the load imbalance between columns that they bring, zeros of activations. Each beside what
// the projection's formula says (host/models/cost_model.h: the pass of a dense layer with the weights per column of the fullest column, by the binomial distribution).
// Usage: sparsity_bench [--machine M] [--array WxH] [--inputs N] [--outputs N] [--tokens N] [--io N] [--csv DIR]
//   inputs: features of a column; tokens: rows of the batch in a tile; io: words a cycle of the second table. Exit 1: a run failed, or zeros changed a result that they must not.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "host/config/resolver.h"
#include "host/models/cost_model.h"
#include "host/models/sparse_layer.h"
#include "host/systemc/units.h"

namespace waferloom::bench {
namespace {

constexpr double kDensities[] = {1, 0.75, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.02};

struct Arguments {
  std::string machine = "wse2";
  models::LayerCase layer{8, 8, 24, 24, 16, 0, 1};
  int io = 1;
  std::string csv;
};

struct Bench {
  config::Run run;
  plugin::Unit router;
  plugin::Unit pe;
};

// A table for people, the same as CSV for programs.
class Output {
 public:
  Output(std::string folder, std::string name, const std::string& header) : folder_(std::move(folder)), name_(std::move(name)), csv_(header + "\n") {}
  void line(const std::string& text, const std::string& csv) {
    fmt::print("  {}\n", text);
    std::fflush(stdout);
    csv_ += csv + "\n";
  }
  ~Output() {
    if (!folder_.empty()) std::ofstream(std::filesystem::path(folder_) / name_) << csv_;
  }

 private:
  std::string folder_, name_, csv_;
};

template <class Run>
Run checked(Run run) {
  if (!run.error.empty()) throw std::runtime_error(run.error);
  return run;
}

double edge_cycles(const models::LayerCase& layer, double density, int io) {
  const double words = density * layer.inputs_per_column * layer.width * layer.outputs + layer.outputs;
  return words / io + layer.width + layer.height;
}

// Cycles by the projection's formula, with the line of dense layers of this array in place of fitted coefficients.
double formula(const models::LayerCase& layer, const models::DenseLine& line, int pass, double density, double imbalance) {
  const double rows = pass == 0 ? layer.inputs_per_column : std::ceil(static_cast<double>(layer.outputs) / layer.width);
  const double even = rows * density;
  const double outputs = pass == 0 ? layer.outputs : static_cast<double>(layer.inputs_per_column) * layer.width;
  const double waited = density < 1 ? models::share_waited_for(rows, density, {line.slope[pass] / outputs, line.start[pass] / outputs, 7}) : 1;
  const double items = even + imbalance * waited * (models::expected_fullest(rows, density, layer.width) - even);
  return line.start[pass] + line.slope[pass] * items;
}

void weights(const Bench& bench, const Arguments& a, int io) {
  models::LayerCase layer = a.layer;
  layer.io_words_per_cycle = io;
  models::LayerCase wide = a.layer;
  wide.io_words_per_cycle = 0;
  const models::DenseLine line = checked(models::dense_line(wide, bench.run, bench.router, bench.pe));
  const models::WeightRun dense = checked(models::run_sparse_weights(layer, 1, bench.run, bench.router, bench.pe));
  fmt::print("\nWeights, {}: {} x {} on {}x{} tiles, {} tokens a tile\n", io == 0 ? "an edge that is wide enough" : fmt::format("an edge of {} words a cycle", io), layer.inputs_per_column * layer.width, layer.outputs,
             layer.width, layer.height, layer.tokens_per_pe);
  fmt::print("  density   forward speed-up   formula  error     delta speed-up   formula  error  gradient speed-up  forward limit\n");
  Output out(a.csv, io == 0 ? "sparsity-weights.csv" : "sparsity-weights-edge.csv",
             "density,forward_cycles,forward_speedup,forward_formula,delta_cycles,delta_speedup,delta_formula,gradient_cycles,gradient_speedup,limit");
  for (const double density : kDensities) {
    const models::WeightRun run = checked(models::run_sparse_weights(layer, density, bench.run, bench.router, bench.pe));
    double expected[2];
    for (int pass = 0; pass < 2; ++pass) {
      expected[pass] = formula(layer, line, pass, density, 1);
      if (io > 0) expected[pass] = std::max(expected[pass], edge_cycles(layer, run.density, io));
    }
    const double lanes = line.slope[0] * run.fullest[0];
    const char* limit = io > 0 && edge_cycles(layer, run.density, io) > line.start[0] + lanes ? "edge I/O" : lanes < line.start[0] ? "reduction" : "lanes";
    const auto speedup = [&](int pass) { return static_cast<double>(dense.cycles[pass]) / static_cast<double>(run.cycles[pass]); };
    const auto error = [&](int pass) { return 100 * (expected[pass] / static_cast<double>(run.cycles[pass]) - 1); };
    out.line(fmt::format("{:7.3f} {:9} {:8.2f} {:9.0f} {:+5.1f} % {:9} {:8.2f} {:9.0f} {:+5.1f} % {:9} {:7.2f}  {}", run.density, run.cycles[0], speedup(0), expected[0], error(0), run.cycles[1], speedup(1),
                         expected[1], error(1), run.cycles[2], speedup(2), limit),
             fmt::format("{},{},{},{},{},{},{},{},{},{}", run.density, run.cycles[0], speedup(0), expected[0], run.cycles[1], speedup(1), expected[1], run.cycles[2], speedup(2), limit));
  }
}

void imbalance(const Bench& bench, const Arguments& a) {
  const models::LayerCase& layer = a.layer;
  const models::DenseLine line = checked(models::dense_line(layer, bench.run, bench.router, bench.pe));
  fmt::print("\nLoad imbalance, forward: non-zeros of a column for one output (a dense column has {})\n", layer.inputs_per_column);
  fmt::print("  density   even share   fullest column   binomial   by the cycles   share of the imbalance paid\n");
  Output out(a.csv, "sparsity-imbalance.csv", "density,even,fullest,binomial,by_cycles,paid");
  for (const double density : kDensities) {
    if (density == 1) continue;
    const models::WeightRun run = checked(models::run_sparse_weights(layer, density, bench.run, bench.router, bench.pe));
    const double binomial = models::expected_fullest(layer.inputs_per_column, run.density, layer.width);
    const double items = line.items(0, static_cast<double>(run.cycles[0]));
    const double paid = (items - run.even[0]) / (run.fullest[0] - run.even[0]);
    out.line(fmt::format("{:7.3f} {:12.2f} {:16.2f} {:10.2f} {:15.2f} {:29.2f}", run.density, run.even[0], run.fullest[0], binomial, items, paid),
             fmt::format("{},{},{},{},{},{}", run.density, run.even[0], run.fullest[0], binomial, items, paid));
  }
}

bool same(const plan::StepResult& a, const plan::StepResult& b) {
  return std::memcmp(&a.loss_sum, &b.loss_sum, sizeof a.loss_sum) == 0 && a.weight_gradient == b.weight_gradient;
}

bool activations(const Bench& bench, const Arguments& a) {
  fmt::print("\nActivations, forward: zeros of single tokens, and features that are zero for the whole batch\n");
  fmt::print("  active  expected union  union of the batch     cycles  speed-up   dead features left out  speed-up  same results\n");
  Output out(a.csv, "sparsity-activations.csv", "tokens,active,union_expected,union,cycles,speedup,left_out_cycles,left_out_speedup,same");
  bool all = true;
  models::LayerCase layer = a.layer;
  const models::ActivationRun dense = checked(models::run_sparse_activations(layer, {1, 0, false}, bench.run, bench.router, bench.pe));
  const int batch = layer.height * layer.tokens_per_pe;
  const models::ActivationCase cases[] = {{1, 0, false}, {0.5, 0, false}, {0.1, 0, false}, {0.02, 0, false}, {0.5, 0.25, false}, {0.5, 0.5, false}, {0.5, 0.75, false}};
  for (models::ActivationCase c : cases) {
    const models::ActivationRun kept = checked(models::run_sparse_activations(layer, c, bench.run, bench.router, bench.pe));
    c.leave_out = true;
    const models::ActivationRun left = checked(models::run_sparse_activations(layer, c, bench.run, bench.router, bench.pe));
    const bool equal = same(kept.result, left.result);
    all = all && equal;
    const double expected = (1 - c.dead) * (1 - std::pow(1 - c.active, batch));
    const auto speedup = [&](const models::ActivationRun& r) { return static_cast<double>(dense.cycles) / static_cast<double>(r.cycles); };
    out.line(fmt::format("{:6.3f} {:15.3f} {:19.3f} {:10} {:9.2f} {:24} {:9.2f}  {}", kept.active, expected, kept.union_active, kept.cycles, speedup(kept), left.cycles, speedup(left), equal ? "yes" : "NO"),
             fmt::format("{},{},{},{},{},{},{},{},{}", batch, kept.active, expected, kept.union_active, kept.cycles, speedup(kept), left.cycles, speedup(left), equal));
  }
  return all;
}

bool parse(int argc, char** argv, Arguments& a) {
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 >= argc) return false;
    const std::string value = argv[i + 1];
    const int number = std::atoi(value.c_str());
    if (name == "--machine") {
      a.machine = value;
    } else if (name == "--array") {
      if (std::sscanf(value.c_str(), "%dx%d", &a.layer.width, &a.layer.height) != 2 || a.layer.width < 1 || a.layer.height < 1) return false;
    } else if (name == "--csv") {
      a.csv = value;
    } else if (number < 1) {
      return false;
    } else if (name == "--inputs") {
      a.layer.inputs_per_column = number;
    } else if (name == "--outputs") {
      a.layer.outputs = number;
    } else if (name == "--tokens") {
      a.layer.tokens_per_pe = number;
    } else if (name == "--io") {
      a.io = number;
    } else {
      return false;
    }
  }
  return true;
}

int run(int argc, char** argv) {
  Arguments a;
  if (!parse(argc, argv, a)) {
    fmt::print(stderr, "sparsity_bench: error: bad arguments\nhint: sparsity_bench [--machine M] [--array WxH] [--inputs N] [--outputs N] [--tokens N] [--io N] [--csv DIR]\n");
    return 2;
  }
  try {
    Bench bench;
    const auto machine = config::resolve_machine(a.machine);
    if (!machine) throw std::runtime_error(config::render(machine.errors()));
    bench.run.machine = machine->value;
    const std::string error = bench.router.open(systemc::router_spec(bench.run.machine, {})) + bench.pe.open(systemc::pe_spec(bench.run.machine, {}));
    if (!error.empty()) throw std::runtime_error(error);
    if (!a.csv.empty()) std::filesystem::create_directories(a.csv);
    weights(bench, a, 0);
    weights(bench, a, a.io);
    imbalance(bench, a);
    return activations(bench, a) ? 0 : 1;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "sparsity_bench: error: {}\n", failure.what());
    return 1;
  }
}

}  // namespace
}  // namespace waferloom::bench

int main(int argc, char** argv) { return waferloom::bench::run(argc, argv); }
