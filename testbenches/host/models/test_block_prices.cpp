// Norms and attention of a model, priced on a wafer as large as an array that was measured, cost what the calibration predicts for that array: the way from a model's sizes to those of the fit.
// State space: every array of the shipped calibrations that no fit saw. Left out: what the fits are worth (extrapolate_operators_test), products (host_cluster_projection).
#include <cstdio>

#include "host/config/resolver.h"
#include "host/models/cost_model.h"
#include "testbenches/lib/catch.h"

using namespace waferloom;

TEST_CASE("an operator of a block is priced at the sizes that were measured") {
  for (const char* name : {"wse2", "wse3"}) {
    const config::Result<extrapolate::Calibration> calibration = extrapolate::read_calibration(std::string(WL_SOURCE_DIR) + "/configs/calibration/" + name + ".json");
    REQUIRE(calibration.ok());
    config::Machine machine = config::resolve_machine(name)->value;
    int count = 0;
    for (const report::MeasuredShape& shape : calibration->shapes) {
      const bool norm = shape.pass.rfind("norm", 0) == 0;
      if (!shape.held_out || (!norm && shape.pass.rfind("attention", 0) != 0)) continue;
      int tokens = 0, features = 0, columns = 0, rows = 0;
      const std::string sizes = shape.label.substr(shape.label.find("tiles, "));
      INFO(name << " " << shape.label);
      REQUIRE(std::sscanf(sizes.c_str(), "tiles, %d tokens, %d features, heads of %d columns, sequences of %d rows", &tokens, &features, &columns, &rows) == 4);
      machine.user_width.value = shape.width;
      machine.user_height.value = shape.height;
      const models::CostKnobs knobs;
      const models::FittedCost cost(*calibration, machine, config::Accumulate::kFp32, knobs);
      models::StepOperator op;
      op.kernel = norm ? models::Kernel::kNorm : models::Kernel::kAttention;
      op.pass = shape.pass.find("gradient") != std::string::npos ? models::StepPass::kDelta : models::StepPass::kForward;
      op.features = features * shape.width;
      op.query_width = op.features;
      op.key_width = op.features;
      op.head_width = features * columns;
      op.heads = shape.width / columns;
      op.keys = tokens * rows;
      op.mean_keys = op.keys;
      op.tokens_per_pe = tokens;
      op.tokens = tokens * shape.height;
      const models::Price price = cost.price(op);
      CHECK(price.origin == report::Origin::kExtrapolated);
      CHECK(price.note.empty());
      CHECK(price.cycles == Approx(shape.predicted_cycles).epsilon(1e-6));
      CHECK(price.low < price.cycles);
      CHECK(price.high > price.cycles);
      ++count;
    }
    CHECK(count >= 20);
  }
}
