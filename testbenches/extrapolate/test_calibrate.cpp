// Calibration on RTL, small: the result does not depend on threads, on interruptions or on what the store had; what is stored is not measured again; predictions hold on
// arrays that are listed nowhere. What is left out: large arrays (judged_test.cpp).
#include <atomic>
#include <filesystem>

#include "testbenches/extrapolate/calibration_bench.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom;
namespace ex = waferloom::extrapolate;

namespace {

// The part of the sweep that runs in seconds: small arrays, of each kind, and such wide ones as tell moves of an owner from columns.
std::vector<ex::StepShape> small_sweep() {
  std::vector<ex::StepShape> shapes;
  for (const ex::StepShape& shape : ex::sweep_shapes()) {
    const bool few_owners = shape.outputs > 0 && shape.outputs < shape.width;
    if (shape.width * shape.height <= (few_owners ? 128 : 24) && shape.tokens <= 64) shapes.push_back(shape);
  }
  return shapes;
}

ex::CalibrationOutcome calibrated(const test::Bench& bench, ex::Store* store, int jobs, const std::vector<ex::StepShape>& shapes) {
  ex::CalibrationRequest request = bench.request();
  request.store = store;
  request.jobs = jobs;
  request.shapes = shapes;
  return ex::calibrate(request, false);
}

}  // namespace

TEST_CASE("threads, interruptions and the store's history do not change a calibration") {
  const test::TemporaryFolder folder;
  test::Bench bench("wse2");
  const std::vector<ex::StepShape> shapes = small_sweep();
  REQUIRE(shapes.size() > 20);
  const ex::CalibrationOutcome plain = calibrated(bench, nullptr, 1, shapes);
  INFO(plain.error);
  REQUIRE(plain.fault == ex::CalibrationFault::kNone);
  CHECK(plain.measured == static_cast<int>(shapes.size()));
  const std::string text = ex::calibration_json(plain.calibration);

  const auto file = folder.path() / "store.sqlite";
  auto open = [&] { return std::move(ex::Store::open(file, ex::StoreAccess::kReadWrite)).value(); };
  int measured = 0;
  {
    // Stopped when some arrays are done.
    const auto store = open();
    ex::CalibrationRequest request = bench.request();
    request.store = store.get();
    request.jobs = 2;
    request.shapes = shapes;
    request.progress = [&](const ex::CalibrationProgress& p) { return p.done < 4; };
    const ex::CalibrationOutcome stopped = ex::calibrate(request, false);
    REQUIRE(stopped.fault == ex::CalibrationFault::kInterrupted);
    CHECK(stopped.measured >= 4);
    CHECK(stopped.measured < static_cast<int>(shapes.size()));
    measured = stopped.measured;
    CHECK(*store->count() == measured);
  }
  {
    const auto store = open();
    double last = -1;
    ex::CalibrationRequest request = bench.request();
    request.store = store.get();
    request.jobs = 3;
    request.shapes = shapes;
    request.progress = [&](const ex::CalibrationProgress& p) {
      CHECK(p.share >= last);
      last = p.share;
      return true;
    };
    const ex::CalibrationOutcome resumed = ex::calibrate(request, false);
    REQUIRE(resumed.fault == ex::CalibrationFault::kNone);
    CHECK(resumed.found == measured);
    CHECK(resumed.measured == static_cast<int>(shapes.size()) - measured);
    CHECK(ex::calibration_json(resumed.calibration) == text);
    CHECK(last == Approx(1));
  }
  {
    // All of it is there now: no unit is needed.
    const auto store = open();
    ex::CalibrationRequest request = bench.request();
    request.store = store.get();
    request.shapes = shapes;
    request.units = [](const plugin::Unit**, const plugin::Unit**) { return std::string("no unit is needed"); };
    const ex::CalibrationOutcome found = ex::calibrate(request, false);
    REQUIRE(found.fault == ex::CalibrationFault::kNone);
    CHECK(found.measured == 0);
    CHECK(ex::calibration_json(found.calibration) == text);
    // Another clock, another wafer: nothing to measure. One more shape: one.
    request.machine.clock_hz.value = 5e8;
    request.machine.user_width.value = 11;
    CHECK(ex::calibrate(request, false).measured == 0);
    request.units = bench.request().units;
    ex::StepShape more = shapes.front();
    more.tokens = 20;
    request.shapes.push_back(more);
    CHECK(ex::calibrate(request, false).measured == 1);
    request.force = true;
    request.shapes = {more};
    const ex::CalibrationOutcome forced = ex::calibrate(request, false);
    CHECK(forced.measured == 1);
    CHECK(forced.fault == ex::CalibrationFault::kFailed);  // one shape determines nothing
    CAPTURE(forced.error);
    CHECK(forced.error.find("2 samples for 8 terms") != std::string::npos);
  }
}

TEST_CASE("a store that cannot be written stops a calibration, or costs it nothing but the keeping") {
  test::Bench bench("wse2");
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "store.sqlite";
  { const auto made = ex::Store::open(file, ex::StoreAccess::kReadWrite); }
  const auto store = std::move(ex::Store::open(file, ex::StoreAccess::kReadOnly)).value();
  ex::CalibrationRequest request = bench.request();
  request.store = store.get();
  request.shapes = small_sweep();
  request.shapes.resize(2);
  const ex::CalibrationOutcome strict = ex::calibrate(request, false);
  CHECK(strict.fault == ex::CalibrationFault::kStore);
  CHECK(config::render(strict.store_errors).find("read-only") != std::string::npos);
  const ex::CalibrationOutcome lenient = ex::calibrate(request, true);
  CHECK(lenient.measured == 2);
  CHECK_FALSE(lenient.store_errors.empty());
}

TEST_CASE("small networks on RTL take what their plans are priced at, operator by operator") {
  test::Bench bench("wse2");
  const ex::Calibration calibration = bench.calibration();
  test::Judged judged;
  const ex::StepShape shapes[] = {test::shape(5, 4, 7, 9, 3, 12, true, true), test::shape(4, 7, 13, 5, 4, 24, true, false), test::shape(9, 6, 3, 4, 2, 16, false, true), test::shape(3, 8, 18, 11, 5, 28, true, true)};
  for (const ex::StepShape& shape : shapes) judged.add(bench.judge(shape, calibration));
  judged.print();
  CHECK(judged.rows.size() == 28);
  CHECK(judged.median_error() <= 0.01);
  CHECK(judged.worst_error() <= 0.05);
  CHECK(judged.inside() >= 0.9);
}

TEST_CASE("where rows lie in the banks is priced: a wide array of short rows, a loss of uneven rows, tall arrays in SRAM") {
  for (const char* machine : {"wse2", "wse3"}) {
    test::Bench bench(machine);
    const ex::Calibration calibration = bench.calibration();
    test::Judged judged;
    ex::StepShape wide = test::shape(72, 2, 1, 1, 1, 4, false, false);
    wide.outputs = 50;
    ex::StepShape tall = test::shape(2, 64, 3, 4, 2, 76, false, false);
    for (const ex::StepShape& shape : {wide, test::shape(3, 4, 5, 8, 4, 20, false, false), tall}) judged.add(bench.judge(shape, calibration));
    judged.print();
    CHECK(judged.median_error() <= 0.02);
    CHECK(judged.inside() >= 0.9);
    for (const test::JudgedRow& row : judged.rows) {
      INFO(machine << " " << row.label);
      // What is further off says so by its interval: accumulators in SRAM on wse3.
      CHECK((std::abs(row.error()) <= 0.05 || row.inside()));
    }
  }
}
