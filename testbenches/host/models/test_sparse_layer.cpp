// Zeros on verilated tiles: cycles of a layer with unstructured zeros lie where the load imbalance between columns says, the binomial formula gives its size, and zeros of activations cost what
// other values cost. State space: densities from dense to nearly empty, three seeds. Left out: large arrays and narrow edges (scripts/bench sparsity).
#include "host/models/sparse_layer.h"

#include <cmath>
#include <cstring>

#include "host/config/resolver.h"
#include "host/models/cost_model.h"
#include "host/systemc/units.h"
#include "testbenches/lib/catch.h"

namespace models = waferloom::models;
namespace config = waferloom::config;
namespace systemc = waferloom::systemc;

namespace {

struct Bench {
  config::Run run;
  waferloom::plugin::Unit router;
  waferloom::plugin::Unit pe;

  Bench() {
    const auto machine = config::resolve_machine("wse2");
    if (!machine) FAIL(config::render(machine.errors()));
    run.machine = machine->value;
    REQUIRE(router.open(systemc::router_spec(run.machine, {})) == "");
    REQUIRE(pe.open(systemc::pe_spec(run.machine, {})) == "");
  }

  models::WeightRun weights(const models::LayerCase& layer, double density) const {
    models::WeightRun out = models::run_sparse_weights(layer, density, run, router, pe);
    REQUIRE(out.error == "");
    return out;
  }
  models::ActivationRun activations(const models::LayerCase& layer, const models::ActivationCase& wanted) const {
    models::ActivationRun out = models::run_sparse_activations(layer, wanted, run, router, pe);
    REQUIRE(out.error == "");
    return out;
  }
};

const models::LayerCase kLayer{6, 2, 24, 24, 8, 0, 1};

}  // namespace

TEST_CASE("the cycles of a sparse layer are those of columns between the even share and the fullest", "[sparsity]") {
  const Bench bench;
  models::LayerCase layer = kLayer;
  const models::DenseLine line = models::dense_line(layer, bench.run, bench.router, bench.pe);
  REQUIRE(line.error == "");
  CHECK(line.slope[0] > 0);
  const models::WeightRun dense = bench.weights(layer, 1);
  CHECK(dense.even[0] == 24);
  CHECK(dense.fullest[0] == 24);
  for (layer.seed = 1; layer.seed <= 3; ++layer.seed) {
    std::int64_t before = dense.cycles[0];
    for (const double density : {0.5, 0.25, 0.1}) {
      const models::WeightRun sparse = bench.weights(layer, density);
      INFO("density " << sparse.density << ", seed " << layer.seed);
      CHECK(std::abs(sparse.density - density) < 0.05);
      CHECK(sparse.cycles[0] < before);
      before = sparse.cycles[0];
      const double items = line.items(0, static_cast<double>(sparse.cycles[0]));
      INFO("even " << sparse.even[0] << ", fullest " << sparse.fullest[0] << ", by the cycles " << items);
      CHECK(items > sparse.even[0]);
      CHECK(items < sparse.fullest[0] * 1.05);
      // Part of the imbalance is paid: two partial buffers and the queues let a column run ahead of the fullest by an output or so, where another column is the fullest.
      CHECK(items > sparse.even[0] + 0.05 * (sparse.fullest[0] - sparse.even[0]));
      // The distribution: the fullest of six columns, mean over 24 outputs, to three standard errors (of a maximum: below that of one column).
      const double binomial = models::expected_fullest(24, sparse.density, 6);
      CHECK(std::abs(binomial - sparse.fullest[0]) < 3 * std::sqrt(24 * sparse.density * (1 - sparse.density) / 24));
      // How much of it is waited for.
      const double waited = models::share_waited_for(24, sparse.density, {line.slope[0] / 24, line.start[0] / 24, 7});
      CHECK(waited > 0.1);
      CHECK(waited < 0.9);
      const double formula = line.start[0] + line.slope[0] * (24 * sparse.density + waited * (binomial - 24 * sparse.density));
      INFO("formula " << formula << ", cycles " << sparse.cycles[0]);
      CHECK(std::abs(formula / static_cast<double>(sparse.cycles[0]) - 1) < 0.08);
    }
  }
}

TEST_CASE("below some density the reduction takes over: fewer weights buy nothing", "[sparsity]") {
  const Bench bench;
  const models::WeightRun few = bench.weights(kLayer, 0.03);
  const models::WeightRun fewer = bench.weights(kLayer, 0.01);
  const models::WeightRun dense = bench.weights(kLayer, 1);
  const double at_few = static_cast<double>(dense.cycles[0]) / static_cast<double>(few.cycles[0]);
  const double at_fewer = static_cast<double>(dense.cycles[0]) / static_cast<double>(fewer.cycles[0]);
  CHECK(at_few > 2);
  CHECK(at_fewer < 1.5 * at_few);  // a third of the weights
  CHECK(at_fewer < 20);            // a hundredth of the weights
}

TEST_CASE("zeros of single tokens save no cycle; a feature without a token may be left out", "[sparsity]") {
  const Bench bench;
  const models::ActivationRun dense = bench.activations(kLayer, {1, 0, false});
  for (const double active : {0.5, 0.05}) {
    const models::ActivationRun sparse = bench.activations(kLayer, {active, 0, false});
    CHECK(std::abs(sparse.active - active) < 0.03);
    CHECK(sparse.cycles == dense.cycles);
    // 16 tokens: the union is what independent zeros give.
    CHECK(std::abs(sparse.union_active - (1 - std::pow(1 - active, 16))) < 0.15);
  }
  const models::ActivationRun kept = bench.activations(kLayer, {0.5, 0.5, false});
  const models::ActivationRun left = bench.activations(kLayer, {0.5, 0.5, true});
  CHECK(kept.cycles == dense.cycles);
  CHECK(left.cycles < 0.8 * static_cast<double>(kept.cycles));
  CHECK(left.union_active < 0.65);
  CHECK(std::memcmp(&kept.result.loss_sum, &left.result.loss_sum, sizeof(float)) == 0);
  REQUIRE(kept.result.weight_gradient.size() == 1);
  CHECK(std::memcmp(kept.result.weight_gradient[0].data(), left.result.weight_gradient[0].data(), kept.result.weight_gradient[0].size() * sizeof(float)) == 0);
}
