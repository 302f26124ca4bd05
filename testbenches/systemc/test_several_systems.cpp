// Several wafers against one wafer with the whole batch: every value of every token has the same bits, and gradients and losses differ by no more than the order of their
// sums can do.
//
// The bound. A token's activations and output gradients are sums over features, in an order that the columns fix; all arrays here have the same columns, so these values
// have the same bits wherever the token lies. A weight's gradient is the sum over tokens of products d x that binary32 holds exactly, added up in binary32 in a tree that
// depends on the arrangement: lane accumulators of a tile, the tile's tree, the chain of its column, SwarmX. If no product passes more than h additions, each rounded
// once (u = 2^-24), the sum lies within h u / (1 - h u) * sum |d x| of the exact one. Two arrangements with h1 and h2 additions so differ by at most the sum of both
// bounds. d and x are read from the tiles' memories.
//
// State space: even and uneven shares, more systems than rows (some get none), partial batches. Left out: the program around it (run_program_test.py) and other columns,
// where values of tokens differ too. Each scenario runs in a process of its own, because SystemC elaborates once.
#include <cmath>
#include <cstring>
#include <memory>
#include <variant>

#include "host/config/resolver.h"
#include "host/systemc/fabric_wafer.h"
#include "host/systemc/training.h"
#include "host/systemc/units.h"
#include "sim/macros/arith.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/child.h"
#include "testbenches/lib/temporary_folder.h"

namespace sy = waferloom::systemc;
namespace pl = waferloom::plan;
namespace cf = waferloom::config;
namespace macros = waferloom::macros;

namespace {

constexpr int kInputs = 64;
constexpr int kHidden = 7;
constexpr int kClasses = 10;
constexpr int kWidth = 3;

std::string run_text(int systems, int height, int batch) {
  return "name: several\nmachine: wse2\nsystems: " + std::to_string(systems) + "\narray: {width: " + std::to_string(kWidth) + ", height: " + std::to_string(height) + "}\nbatch: " + std::to_string(batch) + R"(
io_words_per_cycle: 2
model:
  name: small
  inputs: 64
  layers:
    - {name: hidden, outputs: 7, activation: relu}
    - {name: logits, outputs: 10}
  loss: softmax_cross_entropy
data: {file: digits.csv.gz, train_rows: 40, test_rows: 8, value_min: 0, value_max: 16, scale: 0.0625}
epochs: 1
optimiser: {kind: sgd, learning_rate: 0.1}
loss_scale: 64
accumulate: fp32
seed: 5
)";
}

// What one step left: sums, and the values of every token of the step, in the order of its rows.
struct Step {
  float loss_sum = 0;
  float wrong = 0;
  std::vector<float> gradient[2];  // of each layer's weights
  std::vector<float> bias[2];
  std::vector<float> input[2];   // [row][feature]: what each layer multiplies
  std::vector<float> delta[2];   // [row][output]: what its gradient is made of
  int additions = 0;             // that a product passes at most

  void transfer(waferloom::checkpoint::Archive& archive) {
    archive(loss_sum, wrong, additions);
    for (int l = 0; l < 2; ++l) archive(gradient[l], bias[l], input[l], delta[l]);
  }
};

float half_at(const sy::FabricWafer& wafer, int x, int y, std::uint32_t address) {
  const std::uint32_t word = wafer.sram_word(x, y, address);
  return macros::to_float(macros::half_to_single(static_cast<std::uint16_t>((address & 2U) != 0 ? word >> 16U : word)));
}

// Features of one token, from the tiles of its row.
void read_token(const sy::FabricWafer& wafer, const pl::Plan& plan, const pl::Split& features, const std::string& symbol, int row, std::vector<float>& into) {
  const int y = plan.tokens.owner(row);
  for (int f = 0; f < features.items; ++f) {
    const int x = features.owner(f);
    const int element = (f - features.first(x)) * plan.tokens_padded + row - plan.tokens.first(y);
    into.push_back(half_at(wafer, x, y, plan.address(symbol) + static_cast<std::uint32_t>(2 * element)));
  }
}

// The first training step of a run whose step has `rows` rows, on verilated tiles, in this process.
std::string first_step(int systems, int height, int batch, int rows, Step& step) {
  const waferloom::test::TemporaryFolder folder;
  const auto resolved = cf::resolve_run(folder.write("run.yaml", run_text(systems, height, batch)).string());
  if (!resolved) return cf::render(resolved.errors());
  const cf::Run& run = resolved->value;
  const auto data = cf::load_dataset(run.data, kInputs, kClasses);
  if (!data) return cf::render(data.errors());
  const pl::Plan plan = std::get<pl::Plan>(pl::make_plan(pl::network_of(run.model), pl::target_of(run), sy::rows_per_system(run)));
  sy::FabricWaferOptions options;
  std::string error = options.router.open(sy::router_spec(run.machine, {})) + options.pe.open(sy::pe_spec(run.machine, {}));
  if (!error.empty()) return error;
  options.io_words_per_cycle = 2;
  std::vector<std::unique_ptr<sy::FabricWafer>> wafers;
  std::vector<sy::Wafer*> ports;
  for (int i = 0; i < systems; ++i) {
    wafers.push_back(sy::FabricWafer::create(options, plan, &error));
    if (wafers.back() == nullptr) return error;
    ports.push_back(wafers.back().get());
  }
  sy::Schedule schedule = sy::make_schedule(run, data.value());
  schedule.steps.resize(1);
  schedule.steps[0].rows.resize(static_cast<std::size_t>(rows));
  sy::TrainingHooks hooks;
  hooks.on_outcome = [&](const sy::StepOutcome& outcome) {
    step.loss_sum = outcome.result->loss_sum;
    step.wrong = outcome.result->wrong;
    for (std::size_t l = 0; l < 2; ++l) {
      step.gradient[l] = outcome.result->weight_gradient[l];
      step.bias[l] = outcome.result->bias_gradient[l];
    }
  };
  const sy::TrainingResult result = sy::train(run, data.value(), plan, schedule, ports, hooks, {});
  if (result.ending != sy::Ending::kDone) return "not done: " + result.message;
  for (int i = 0; i < systems; ++i) {
    const sy::Rows own = sy::rows_of(schedule.steps[0], i, systems);
    for (int row = 0; row < own.count; ++row) {
      for (std::size_t l = 0; l < 2; ++l) {
        read_token(*wafers[static_cast<std::size_t>(i)], plan, plan.features[l], "slab" + std::to_string(l), row, step.input[l]);
        read_token(*wafers[static_cast<std::size_t>(i)], plan, plan.features[l + 1], "delta" + std::to_string(l), row, step.delta[l]);
      }
    }
  }
  const int lanes = plan.target.lanes / 2;  // accumulators of a tile's sum
  step.additions = plan.tokens_padded / lanes + static_cast<int>(std::lround(std::log2(lanes))) + height - 1 + systems - 1;
  return {};
}

Step step_of(int systems, int height, int batch, int rows) {
  const std::string bytes = waferloom::test::bytes_of_child([&] {
    Step step;
    std::string error = first_step(systems, height, batch, rows, step);
    waferloom::checkpoint::Archive archive;
    archive(error, step);
    return archive.bytes();
  });
  std::string error;
  Step step;
  waferloom::checkpoint::Archive archive(bytes);
  archive(error, step);
  if (!error.empty()) FAIL(error);
  return step;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) { return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0; }

double bound(int additions, double magnitude) {
  const double hu = additions * 0x1p-24;
  return hu / (1 - hu) * magnitude;
}

// Every gradient within the bound; *differ counts those that are not equal, *worst is the largest share of the bound that was used.
void within(const Step& one, const Step& many, int rows, int* differ, double* worst) {
  const int features[] = {kInputs, kHidden, kClasses};
  for (int l = 0; l < 2; ++l) {
    REQUIRE(many.gradient[l].size() == one.gradient[l].size());
    int outside = 0;
    const auto judge = [&](float a, float b, double magnitude) {
      const double limit = bound(one.additions, magnitude) + bound(many.additions, magnitude);
      const double error = std::abs(static_cast<double>(a) - static_cast<double>(b));
      outside += error <= limit ? 0 : 1;
      *differ += a == b ? 0 : 1;
      if (limit > 0) *worst = std::max(*worst, error / limit);
    };
    for (int o = 0; o < features[l + 1]; ++o) {
      double bias = 0;
      for (int t = 0; t < rows; ++t) bias += std::abs(one.delta[l][static_cast<std::size_t>(t * features[l + 1] + o)]);
      judge(one.bias[l][static_cast<std::size_t>(o)], many.bias[l][static_cast<std::size_t>(o)], bias);
      for (int i = 0; i < features[l]; ++i) {
        double magnitude = 0;
        for (int t = 0; t < rows; ++t) {
          magnitude += std::abs(static_cast<double>(one.delta[l][static_cast<std::size_t>(t * features[l + 1] + o)]) * one.input[l][static_cast<std::size_t>(t * features[l] + i)]);
        }
        const std::size_t index = static_cast<std::size_t>(o * features[l] + i);
        judge(one.gradient[l][index], many.gradient[l][index], magnitude);
      }
    }
    INFO("layer " << l);
    CHECK(outside == 0);
  }
}

void compare(int systems, int height, int batch, int rows, int* differ) {
  INFO(systems << " systems, batch " << batch << ", " << rows << " rows");
  const Step one = step_of(1, height, batch, rows);
  const Step many = step_of(systems, height, batch, rows);
  for (int l = 0; l < 2; ++l) {
    CHECK(same_bits(one.input[l], many.input[l]));
    CHECK(same_bits(one.delta[l], many.delta[l]));
  }
  CHECK(one.loss_sum > 0);
  CHECK(std::abs(static_cast<double>(one.loss_sum) - static_cast<double>(many.loss_sum)) <= bound(one.additions, one.loss_sum) + bound(many.additions, one.loss_sum));
  CHECK(one.wrong == many.wrong);
  double worst = 0;
  within(one, many, rows, differ, &worst);
  INFO(*differ << " gradients differ, by at most " << worst << " of the bound");
  CHECK(worst <= 1);
}

}  // namespace

TEST_CASE("two wafers with half of the batch each are one with the whole batch, within the rounding of their sums", "[systems]") {
  int differ = 0;
  compare(2, 2, 24, 24, &differ);
  CHECK(differ > 0);  // the order of the sums is another one: a bound that nothing uses would not be needed
}

TEST_CASE("shares that do not divide, and partial batches that leave systems without rows", "[systems]") {
  int differ = 0;
  compare(2, 2, 21, 21, &differ);
  compare(3, 1, 8, 7, &differ);
  compare(4, 1, 8, 2, &differ);
}
