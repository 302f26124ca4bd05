// Operators, fits and keys without RTL: what invalidates a measurement and what does not, what is refused, what intervals hold, what a plan is priced as. And the shipped
// calibrations: that they state the errors that this project promises.
#include <clocale>
#include <cmath>
#include <locale>
#include <set>
#include <variant>

#include "host/config/resolver.h"
#include "host/extrapolate/calibrate.h"
#include "host/extrapolate/plan_price.h"
#include "host/extrapolate/price.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom;
namespace ex = waferloom::extrapolate;

namespace {

config::Run run_of(const std::string& name) {
  const config::Result<config::Resolved<config::Machine>> machine = config::resolve_machine(name);
  REQUIRE(machine.ok());
  config::Run run;
  run.machine = machine->value;
  return run;
}

ex::StepShape small_shape() {
  ex::StepShape shape;
  shape.width = 3;
  shape.height = 2;
  shape.inputs_per_column = 2;
  shape.hidden_per_column = 3;
  shape.outputs_per_column = 2;
  shape.tokens = 8;
  return shape;
}

std::string key_of(const ex::StepShape& shape, const config::Run& run, const std::string& router = "r", const std::string& pe = "p") {
  const ex::MadeExperiment made = ex::make_step_experiment(shape, run);
  INFO(made.refusal);
  REQUIRE(made.experiment != nullptr);
  return made.experiment->key(router, pe);
}

ex::Calibration shipped(const std::string& machine) {
  const config::Result<ex::Calibration> read = ex::read_calibration(config::default_configs_dir() / "calibration" / (machine + ".json"));
  INFO((read ? std::string() : config::render(read.errors())));
  REQUIRE(read.ok());
  return *read;
}

// Samples that obey a law exactly, but for `bias` each way in turn.
std::vector<ex::OperatorSample> lawful(const std::string& op, const std::vector<double>& law, double bias, bool large) {
  std::vector<ex::OperatorSample> samples;
  for (double width : {2.0, 5.0, 12.0}) {
    for (double height : {2.0, 7.0, 16.0}) {
      for (double items : {1.0, 6.0, 20.0}) {
        for (double tokens : {8.0, 12.0, 24.0}) {
          ex::OperatorSample s;
          s.op = op;
          s.size.width = large ? 4 * width : width;
          s.size.height = large ? 4 * height : height;
          s.size.items = items;
          s.size.tokens = tokens;
          s.size.outputs = 3 * width + items + (samples.size() % 3);
          s.size.features = 2 + static_cast<double>(samples.size() % 5);
          s.size.even_features = s.size.features - 0.5 * static_cast<double>(samples.size() % 2);
          const double same = 0.25 * static_cast<double>(samples.size() % 5);
          s.size.apart = {same, 1 - same, 0, 0};
          s.size.placed = true;
          s.size.bias = samples.size() % 2 == 0;
          s.size.activation = samples.size() % 3 == 0;
          s.cycles = ex::predict(law, ex::find_operator(op)->count(s.size, 4)) * (1 + (samples.size() % 2 == 0 ? bias : -bias));
          samples.push_back(s);
        }
      }
    }
  }
  return samples;
}

struct CommaNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST_CASE("a measurement's key changes with all that its cycles depend on, and with nothing else") {
  const config::Run run = run_of("wse2");
  const std::string key = key_of(small_shape(), run);
  CHECK(key_of(small_shape(), run) == key);
  std::set<std::string> keys = {key};
  auto other = [&](const std::string& what, const std::string& changed) {
    INFO(what);
    CHECK(keys.insert(changed).second);
  };
  other("the router's sources or parameters", key_of(small_shape(), run, "r2"));
  other("the processing element's", key_of(small_shape(), run, "r", "p2"));
  config::Run changed = run;
  changed.accumulate = config::Accumulate::kFp16;
  other("the format of the sums", key_of(small_shape(), changed));
  changed = run;
  changed.machine.hop_cycles.value = 2;
  other("the hop", key_of(small_shape(), changed));
  changed = run;
  changed.machine.accumulator_window_bytes.value = 0;
  other("the window, which moves the accumulators", key_of(small_shape(), changed));
  for (int field = 0; field < 9; ++field) {
    ex::StepShape shape = small_shape();
    int* sizes[] = {&shape.width, &shape.height, &shape.inputs_per_column, &shape.hidden_per_column, &shape.outputs_per_column};
    if (field < 5) ++*sizes[field];
    if (field == 5) shape.tokens = 12;
    if (field == 6) shape.bias = true;
    if (field == 7) shape.activation = true;
    if (field == 8) shape.whole = true;
    other("field " + std::to_string(field), key_of(shape, run));
  }
  // What a report is made of besides: clock, wafer, power, edge.
  changed = run;
  changed.machine.name = "another";
  changed.machine.clock_hz.value = 2e9;
  changed.machine.user_width.value = 100;
  changed.machine.user_height.value = 3;
  changed.machine.io_bits_per_s.value = 1;
  changed.machine.system_power_w.value = 1;
  CHECK(key_of(small_shape(), changed) == key);
}

TEST_CASE("a block's key changes with what its cycles depend on; what a tile cannot hold is refused") {
  const config::Run run = run_of("wse2");
  const ex::BlockArray array{4, 2, 4, 2, 4, 2, 1};
  auto key = [](const ex::BlockArray& a, const config::Run& of, const std::string& router = "r", const std::string& pe = "p") {
    const ex::MadeExperiment made = ex::make_block_experiment(a, of);
    INFO(made.refusal);
    REQUIRE(made.experiment != nullptr);
    CHECK(made.experiment->width() == a.width);
    CHECK(made.experiment->work() > 0);
    return made.experiment->key(router, pe);
  };
  std::set<std::string> keys = {key(array, run)};
  CHECK(key(array, run) == *keys.begin());
  CHECK(keys.insert(key(array, run, "r2")).second);
  CHECK(keys.insert(key(array, run, "r", "p2")).second);
  config::Run changed = run;
  changed.machine.hop_cycles.value = 2;
  CHECK(keys.insert(key(array, changed)).second);
  for (const ex::BlockArray& other : {ex::BlockArray{6, 2, 4, 2, 4, 2, 1}, {4, 4, 4, 2, 4, 2, 1}, {4, 2, 8, 2, 4, 2, 1}, {4, 2, 4, 3, 4, 2, 1}, {4, 2, 4, 2, 5, 2, 1}, {4, 2, 4, 2, 4, 1, 1}, {4, 2, 4, 2, 4, 2, 2}}) {
    CHECK(keys.insert(key(other, run)).second);
  }
  changed = run;
  changed.machine.clock_hz.value = 2e9;
  changed.machine.user_width.value = 100;
  changed.machine.io_bits_per_s.value = 1;
  CHECK(key(array, changed) == key(array, run));
  CHECK(ex::make_block_experiment({4, 2, 200, 8, 32, 2, 1}, run).refusal.find("do not fit") != std::string::npos);
  CHECK(ex::make_block_experiment({4, 2, 4, 2, 4, 3, 1}, run).refusal.find("heads") != std::string::npos);
  CHECK(ex::block_program_hash(run.machine).size() == 64);
  CHECK(ex::block_program_hash(run_of("nano").machine).empty());
}

TEST_CASE("outputs of a gradient in a tall array come in turns, whose size the fit finds") {
  std::vector<ex::OperatorSample> samples;
  for (const double height : {60.0, 120.0, 250.0}) {
    for (const double outputs : {18.0, 23.0, 40.0, 61.0}) {
      for (const double tokens : {4.0, 12.0}) {
        ex::OperatorSample s;
        s.op = "gradient in tall arrays";
        s.size.height = height;
        s.size.outputs = outputs;
        s.size.tokens = tokens;
        s.size.items = 1 + static_cast<double>(samples.size() % 4);
        s.size.ahead = 11;
        s.cycles = ex::predict({7, 30, 1, 3, 2, 20, 100}, ex::find_operator(s.op)->count(s.size, 4));
        s.size.ahead = 1;
        samples.push_back(s);
      }
    }
  }
  ex::Calibration c;
  c.lanes = 4;
  REQUIRE(ex::fit_operators(samples, samples, &c).empty());
  CHECK(c.fits.front().ahead == 11);
  CHECK(c.fits.front().held_out_error < 1e-6);
  for (const ex::OperatorSample& s : samples) CHECK(ex::predict_operator(c, c.fits.front(), s.size).cycles == Approx(s.cycles));
}

TEST_CASE("wse1 shares the tile of wse2, and so its calibration; wse3 does not") {
  std::string error;
  const ex::CalibrationKey one = ex::calibration_key(run_of("wse1").machine, config::Accumulate::kFp32, {}, &error);
  const ex::CalibrationKey two = ex::calibration_key(run_of("wse2").machine, config::Accumulate::kFp32, {}, &error);
  const ex::CalibrationKey three = ex::calibration_key(run_of("wse3").machine, config::Accumulate::kFp32, {}, &error);
  REQUIRE(error.empty());
  CHECK(one == two);
  CHECK(three.pe_hash != two.pe_hash);
  CHECK(three.router_hash != two.router_hash);
  CHECK(three.firmware_hash.size() == 64);
  ex::calibration_key(run_of("wse2").machine, config::Accumulate::kFp32, "/nowhere", &error);
  CHECK_FALSE(error.empty());
  error.clear();
  ex::calibration_key(run_of("nano").machine, config::Accumulate::kFp32, {}, &error);  // 8 colours
  CHECK(error.find("colour") != std::string::npos);
}

TEST_CASE("every operator's counts are finite, not negative and as many as its terms") {
  std::set<std::string> names;
  for (const ex::OperatorModel& model : ex::operator_models()) {
    INFO(model.name);
    CHECK(names.insert(model.name).second);
    for (const ex::OperatorSample& s : lawful(model.name, std::vector<double>(model.terms.size(), 1.0), 0, true)) {
      for (int lanes : {2, 4, 8}) {
        const std::vector<double> counts = model.count(s.size, lanes);
        REQUIRE(counts.size() == model.terms.size());
        for (double count : counts) CHECK((std::isfinite(count) && count >= 0));
      }
    }
  }
  CHECK(ex::find_operator("nothing") == nullptr);
  CHECK(ex::pass_operator(config::Pass::kForward, 256, 32, config::Accumulate::kFp32) == "forward");
  CHECK(ex::pass_operator(config::Pass::kForward, 256, 36, config::Accumulate::kFp32) == "forward in SRAM");
  CHECK(ex::pass_operator(config::Pass::kForward, 256, 64, config::Accumulate::kFp16) == "forward");
  CHECK(ex::pass_operator(config::Pass::kDelta, 512, 68, config::Accumulate::kFp32) == "delta in SRAM");
  CHECK(ex::pass_operator(config::Pass::kGradient, 256, 96, config::Accumulate::kFp32) == "gradient");
  CHECK(ex::pass_operator(config::Pass::kForward, 0, 96, config::Accumulate::kFp32) == "forward");
}

TEST_CASE("lawful samples give back their law, and larger arrays obey it") {
  ex::Calibration c;
  const std::vector<double> law = {1, 0.5, 0, 0.3, 2, 21, 2, 0, 8, 0.9, 1, 3, 40};
  REQUIRE(ex::fit_operators(lawful("gradient", law, 0, false), lawful("gradient", law, 0, true), &c).empty());
  const ex::OperatorFit& fit = *c.find("gradient");
  for (std::size_t t = 0; t < law.size(); ++t) CHECK(fit.coefficients[t] == Approx(law[t]).epsilon(1e-6));
  CHECK(fit.held_out_error < 1e-6);
  CHECK(fit.slack(1e6, 100) < 1);
  CHECK(fit.judged == 81);
  CHECK(c.find("forward") == nullptr);
}

TEST_CASE("a bound holds 19 of 20 arrays that were left out or never seen") {
  ex::Calibration c;
  const std::vector<double> law = {1, 0.5, 0, 0.3, 2, 21, 2, 0, 8, 0.9, 1, 3, 40};
  const std::vector<ex::OperatorSample> unseen = lawful("gradient", law, 0.06, true);
  REQUIRE(ex::fit_operators(lawful("gradient", law, 0.02, false), unseen, &c).empty());
  const ex::OperatorFit& fit = *c.find("gradient");
  CHECK(fit.held_out_error > 0.05);
  int inside = 0;
  for (const ex::OperatorSample& s : unseen) {
    const ex::Prediction p = ex::predict_operator(c, fit, s.size);
    inside += p.low <= s.cycles * 1.000001 && p.high >= s.cycles * 0.999999 ? 1 : 0;
  }
  CHECK(inside >= 81 - 162 / 20);
  CHECK(fit.bound.share > 0.01);
  // Sizes beyond what was measured widen the interval.
  ex::OperatorSize size = unseen.front().size;
  size.items = 40;
  size.tokens = 24;
  const ex::Prediction twice = ex::predict_operator(c, fit, size);
  CHECK(twice.beyond == Approx(2));
  CHECK(twice.high - twice.cycles == Approx(2 * fit.slack(twice.cycles, size.outputs)));
}

TEST_CASE("the narrowest bound holds all errors, by cycles, by turns of the loop, or by a share") {
  auto holds = [](const ex::Bound& bound, const std::vector<ex::BoundSample>& samples) {
    for (const ex::BoundSample& s : samples) CHECK(bound.cycles + bound.each * s.times + bound.share * s.predicted >= std::abs(s.error) - 1e-9);
  };
  const std::vector<ex::BoundSample> fill = {{100, 10, 1}, {1000, -10, 1}, {10000, 10, 1}, {100000, 10, 1}, {1000, 10, 1}, {5000, 1, 1}, {100, 3, 1}, {700, 3, 1}, {800, 2, 1}, {900, 1, 1}, {600, 2, 1}};
  holds(ex::narrowest_bound(fill), fill);
  CHECK(ex::narrowest_bound(fill).cycles + ex::narrowest_bound(fill).each > 5);
  const std::vector<ex::BoundSample> rate = {{100, 5, 1}, {1000, 50, 1}, {10000, -500, 1}};
  CHECK(ex::narrowest_bound(rate).share == Approx(0.05));
  CHECK(ex::narrowest_bound(rate).cycles < 1e-9);
  // Two cycles for each turn, whatever else the operator takes.
  const std::vector<ex::BoundSample> turns = {{1000, 20, 10}, {100000, -20, 10}, {2000, 200, 100}, {100000, 200, 100}, {100000, 0, 1}, {1000, 0, 1}, {5000, 0, 1}, {9000, 0, 1}};
  holds(ex::narrowest_bound(turns), turns);
  CHECK(ex::narrowest_bound(turns).each > 0);
  CHECK(ex::narrowest_bound(turns).share < 0.06);
  CHECK(ex::narrowest_bound({}).share == 0);
}

TEST_CASE("rows that lie elsewhere in the banks cost otherwise, and a tile that nobody laid out may have any of it") {
  const ex::Calibration c = shipped("wse2");
  ex::OperatorSize size;
  size.width = 256;
  size.height = 2;
  size.outputs = 256;
  size.tokens = 4;
  size.placed = true;
  const ex::OperatorFit& fit = *c.find("gradient");
  double least = INFINITY, most = 0;
  for (std::size_t pairs = 0; pairs < 4; ++pairs) {
    size.apart.fill(0);
    size.apart[pairs] = 1;
    const double cycles = ex::predict_operator(c, fit, size).cycles;
    least = std::min(least, cycles);
    most = std::max(most, cycles);
  }
  CHECK(most > least * 1.08);
  const ex::OperatorSize anywhere = [&] {
    ex::OperatorSize other = size;
    other.apart.fill(0.25);
    other.placed = false;
    return other;
  }();
  const ex::Prediction p = ex::predict_operator(c, fit, anywhere);
  CHECK(p.low < least);
  CHECK(p.high > most);
  CHECK(p.cycles > least);
  CHECK(p.cycles < most);
}

TEST_CASE("one shape, and shapes that are all alike, are refused by name") {
  ex::Calibration c;
  const std::vector<double> law = {1, 0.5, 0, 0.3, 2, 21, 2, 0, 8, 0.9, 1, 3, 40};
  std::vector<ex::OperatorSample> samples = lawful("gradient", law, 0, false);
  samples.resize(1);
  CHECK(ex::fit_operators(samples, {}, &c).find("gradient: 1 samples for") != std::string::npos);
  const std::vector<ex::OperatorSample> alike(30, samples.front());
  CHECK(ex::fit_operators(alike, {}, &c).find("gradient: rank 1 of") != std::string::npos);
}

TEST_CASE("the shipped calibrations keep what is promised on arrays that no fit saw") {
  for (const char* machine : {"wse2", "wse3"}) {
    const ex::Calibration c = shipped(machine);
    std::vector<double> all;
    int large = 0;
    for (const report::MeasuredShape& s : c.shapes) {
      if (!s.held_out) {
        CHECK(s.width * s.height <= 512);
        CHECK(std::min(s.width, s.height) <= 16);
        continue;
      }
      INFO(machine << " " << s.label << " " << s.error);
      REQUIRE(c.find(s.pass) != nullptr);
      large += s.width == 64 && s.height == 64 ? 1 : 0;
      if (s.pass == "overlap") continue;
      all.push_back(s.error);
      // A load of a dozen words waits for the tile's start: on wse3 3.5 cycles of 65 are the miss that docs/user/calibration.md names.
      CHECK(std::abs(s.error) <= (c.lanes != 4 && s.measured_cycles < 100 ? 0.06 : 0.05));
    }
    CHECK(large >= 7);
    CHECK(ex::median_magnitude(all) <= 0.01);
    for (const ex::OperatorFit& fit : c.fits) {
      INFO(machine << " " << fit.name << ": median " << fit.held_out_median << ", worst " << fit.held_out_error << ", share " << fit.bound.share);
      if (fit.name == "overlap") continue;
      CHECK(fit.judged >= 1);
      CHECK(fit.held_out_median <= (c.lanes == 4 ? 0.02 : 0.04));
      CHECK(fit.rank >= 3);
      CHECK(fit.condition < 1000);
      CHECK(fit.bound.share <= 0.05);
      // No operator rests on one array: without any one of them, the others still say what it takes. A load of a few words on wse3 is off by some cycles.
      CHECK(fit.left_out_error <= (fit.name == "load" ? 0.25 : 0.12));
    }
  }
}

TEST_CASE("a calibration is the same text in every locale, and reads back as it was") {
  const ex::Calibration c = shipped("wse2");
  const std::string text = ex::calibration_json(c);
  const test::TemporaryFolder folder;
  const auto file = folder.write("c.json", text);
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaNumbers));
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // where the system has it
  const config::Result<ex::Calibration> again = ex::read_calibration(file);
  const std::string text_again = again ? ex::calibration_json(*again) : std::string();
  std::setlocale(LC_NUMERIC, "C");
  std::locale::global(before);
  REQUIRE(again.ok());
  CHECK(text_again == text);
}

TEST_CASE("a plan is priced phase by phase, by the edge where that is slower") {
  const ex::Calibration c = shipped("wse2");
  config::Run run = run_of("wse2");
  plan::NetworkSpec network;
  network.layers.push_back({"first", 64, 32, true, true, false});
  network.layers.push_back({"second", 32, 10, true, false, false});
  plan::Target target = plan::target_of(run);
  target.width = target.height = 8;
  const std::variant<plan::Plan, plan::Refusal> made = plan::make_plan(network, target, 64);
  REQUIRE(std::holds_alternative<plan::Plan>(made));
  const plan::Plan& plan = std::get<plan::Plan>(made);
  const ex::PlanPrice wide = ex::price_plan(plan, c, 1000);
  REQUIRE(wide.refusal.empty());
  REQUIRE(wide.phases.size() == plan.train_step.size());
  double sum = 0;
  for (const ex::PhasePrice& p : wide.phases) {
    INFO(p.phase);
    CHECK(p.low <= p.cycles);
    CHECK(p.high >= p.cycles);
    CHECK(p.cycles > 50);
    CHECK_FALSE(p.edge);
    sum += p.cycles;
  }
  // Where the planner put them: eight tokens are two lines, so every second row of a slab of eight lies as far from the row that is multicast.
  const ex::PhaseOperator gradient = ex::phase_operator(plan, plan.train_step.back());
  CHECK(gradient.op == "gradient");
  CHECK(gradient.size.placed);
  CHECK(gradient.size.apart[0] + gradient.size.apart[1] + gradient.size.apart[2] + gradient.size.apart[3] == Approx(1));
  CHECK(std::count(gradient.size.apart.begin(), gradient.size.apart.end(), 0.5) == 2);
  CHECK(wide.overlap > 0);
  CHECK(wide.cycles == Approx(sum - wide.overlap));
  CHECK(wide.ahead == 0);
  const ex::PlanPrice narrow = ex::price_plan(plan, c, 0.25);
  CHECK(narrow.cycles > 3 * wide.cycles);
  // Ten classes on eight columns: six columns have one fewer, eight tokens of it in each of eight rows, two to a word.
  CHECK(narrow.ahead == Approx(6 * 8 * 8 / 2 / 0.25));
  CHECK(narrow.phases.front().edge);
  ex::Calibration without = c;
  without.fits.erase(without.fits.begin());
  CHECK(ex::price_plan(plan, without, 4).refusal.find("'forward'") != std::string::npos);
}

TEST_CASE("rows of an extrapolation have intervals, and refuse what does not fit") {
  const ex::Calibration c = shipped("wse2");
  const config::Run run = run_of("wse2");
  config::Extrapolation wanted;
  wanted.name = "dense";
  wanted.inputs = wanted.outputs = 12288;
  wanted.tokens_per_pe = 16;
  const report::ExtrapolationRow row = ex::price_extrapolation(run, c, wanted);
  REQUIRE(row.terms.size() == 3);
  for (const auto& [pass, quantity] : row.terms) {
    INFO(pass);
    CHECK(*quantity.low <= quantity.value);
    CHECK(*quantity.high >= quantity.value);
    CHECK(*quantity.high < quantity.value * 1.25);
    CHECK(*quantity.low > quantity.value * 0.75);
  }
  wanted.tokens_per_pe = 2000;
  CHECK(ex::price_extrapolation(run, c, wanted).bound == "does not fit");
  wanted.tokens_per_pe = INT32_MAX;
  CHECK(ex::price_extrapolation(run, c, wanted).bound == "does not fit");
}
