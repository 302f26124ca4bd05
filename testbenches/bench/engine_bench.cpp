// Ratios of the composed fabric: against the whole array as one verilated model, with fast views against rtl views, with and without skipping. All sides of a
// ratio run in one process and one thread, turn by turn; times are processor time of the thread; the figure is the median over the rounds. Before anything is
// timed, and after each round, both sides must have given the same words, registers and memories.
// Usage: engine_bench [--rounds N] [--rtl DIR] [--no-array] [--only step|busy|audit]     exit 1: sides differ or something failed; figures that fall short are only said
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <stdexcept>

#include "testbenches/bench/whole_array.h"
#include "testbenches/bench/workloads.h"

namespace waferloom::bench {
namespace {

constexpr std::uint32_t kSize = 4;
constexpr std::uint64_t kBusyCycles = 2000;  // of one turn
constexpr std::uint64_t kLimit = 1'000'000;

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void require(bool good, const std::string& message) {
  if (!good) throw std::runtime_error(message);
}

// Seconds per turn of each side, round by round.
struct Side {
  std::string name;
  std::function<void()> turn;
  std::vector<double> seconds;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// How many times faster `fast` is than `slow`: median of the rounds' ratios.
double ratio(const Side& slow, const Side& fast) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < slow.seconds.size(); ++i) ratios.push_back(slow.seconds[i] / fast.seconds[i]);
  return median(ratios);
}

// The order turns from round to round, so that nobody always follows the same neighbour.
void measure(std::vector<Side>& sides, int rounds, const std::function<void()>& check) {
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      Side& side = sides[(i + static_cast<std::size_t>(round)) % sides.size()];
      const double start = thread_seconds();
      side.turn();
      side.seconds.push_back(thread_seconds() - start);
    }
    check();
  }
}

void figure(const std::string& what, double value, const char* relation, double wanted) {
  const bool met = *relation == '>' ? value >= wanted : value <= wanted;
  fmt::print("{:<62} {:6.3f}   wanted {} {:.2f}   {}\n", what, value, relation, wanted, met ? "met" : "FALLS SHORT");
  std::fflush(stdout);
}

void speeds(const std::vector<Side>& sides, double tile_cycles) {
  for (const Side& side : sides) fmt::print("    {:<42} {:7.3f} million tile-cycles a second\n", side.name, 1e-6 * tile_cycles / median(side.seconds));
  std::fflush(stdout);
}

// One step on a wafer; its cycles. Results are kept.
struct Stepper {
  std::unique_ptr<systemc::FabricWafer> wafer;
  std::vector<EdgeResult> results;

  void step(const StepWorkload& work, std::uint64_t cycles) {
    fabric::Fabric& f = wafer->fabric();
    const std::uint64_t start = f.cycle();
    work.offer(f.ports(), start);
    f.run(start + cycles, true);
    require(f.traps().empty() && f.error().empty(), wafer->traps());
    results = StepWorkload::take(f.ports(), start);
  }
};

std::uint64_t step_cycles(const StepWorkload& work, Stepper& stepper) {
  fabric::Fabric& f = stepper.wafer->fabric();
  const std::uint64_t start = f.cycle();
  stepper.step(work, kLimit);
  const std::string judged = work.judge(stepper.results);
  require(judged.empty(), judged);
  return f.last_active_cycle() + 2 - start;
}

void bench_step(const Units& units, const plugin::Unit& whole_unit, int rounds) {
  const StepWorkload work(units.machine, kSize, kSize);
  Stepper fast{work.wafer(units, {}), {}}, all{work.wafer(units, {false, false, false}), {}}, rtl{work.wafer(units, {true, true, false}), {}};
  const std::uint64_t cycles = step_cycles(work, fast);
  all.step(work, cycles);
  rtl.step(work, cycles);
  std::unique_ptr<WholeArray> whole;
  std::vector<EdgeResult> whole_results;
  std::string error;
  std::vector<Side> sides;
  sides.push_back({"composed, fast views", [&] { fast.step(work, cycles); }, {}});
  sides.push_back({"composed, fast views, nothing skipped", [&] { all.step(work, cycles); }, {}});
  sides.push_back({"composed, rtl views", [&] { rtl.step(work, cycles); }, {}});
  if (whole_unit.loaded()) {
    whole = WholeArray::take_over(whole_unit, fast.wafer->fabric(), &error);
    require(whole != nullptr, error);
    sides.push_back({"one model, fast views", [&] {
                       const std::uint64_t start = whole->cycle();
                       work.offer(whole->ports(), start);
                       const std::string failed = whole->run(start + cycles);
                       require(failed.empty(), failed);
                       whole_results = StepWorkload::take(whole->ports(), start);
                     }, {}});
  }
  const fabric::Activity before = fast.wafer->fabric().activity();
  measure(sides, rounds, [&] {
    require(fast.results == all.results, "skipping changed the words of the step");
    require(fast.results == rtl.results, "the rtl views gave other words");
    if (whole == nullptr) return;
    require(fast.results == whole_results, "the array as one model gave other words");
    const std::string different = whole->difference(fast.wafer->fabric());
    require(different.empty(), different);
  });
  fmt::print("training step 64-32-10, batch 64, on {}x{}: {} cycles, {} words in, {} words out; all sides equal\n", kSize, kSize, cycles, work.words().size(), fast.results.size());
  const fabric::Activity after = fast.wafer->fabric().activity();
  const double kind_cycles = static_cast<double>(cycles) * kSize * kSize * rounds;
  fmt::print("    evaluated: {:.1f} % of PE cycles, {:.1f} % of router cycles\n", 100 * static_cast<double>(after.pe_evaluations - before.pe_evaluations) / kind_cycles,
             100 * static_cast<double>(after.router_evaluations - before.router_evaluations) / kind_cycles);
  speeds(sides, static_cast<double>(cycles) * kSize * kSize);
  if (whole != nullptr) figure("step: composed against one model, identical views", ratio(sides[3], sides[0]), ">=", 1.5);
  figure("step: fast views against rtl views", ratio(sides[2], sides[0]), ">=", 3.0);
  fmt::print("{:<62} {:6.3f}\n", "step: skipping against none", ratio(sides[1], sides[0]));
}

void bench_busy(const Units& units, const plugin::Unit& whole_unit, int rounds) {
  const auto fast = busy_fabric(units, false, true, kSize, kSize), all = busy_fabric(units, false, false, kSize, kSize), rtl = busy_fabric(units, true, true, kSize, kSize);
  const auto turn = [](fabric::Fabric& f) { require(f.run(f.cycle() + kBusyCycles) == fabric::Stop::kCycle, "the all-busy program stopped"); };
  std::unique_ptr<WholeArray> whole;
  std::string error;
  std::vector<Side> sides;
  sides.push_back({"composed, fast views", [&] { turn(*fast); }, {}});
  sides.push_back({"composed, fast views, nothing skipped", [&] { turn(*all); }, {}});
  sides.push_back({"composed, rtl views", [&] { turn(*rtl); }, {}});
  if (whole_unit.loaded()) {
    whole = WholeArray::take_over(whole_unit, *fast, &error);
    require(whole != nullptr, error);
    sides.push_back({"one model, fast views", [&] {
                       const std::string failed = whole->run(whole->cycle() + kBusyCycles);
                       require(failed.empty(), failed);
                     }, {}});
  }
  const BusyCounts before = count_busy(*fast);
  measure(sides, rounds, [&] {
    require(fast->digest() == all->digest(), "skipping changed a register of the all-busy program");
    if (whole == nullptr) return;
    const std::string different = whole->difference(*fast);
    require(different.empty(), different);
  });
  const BusyCounts after = count_busy(*fast);
  const double cycles = static_cast<double>(after.cycle - before.cycle);
  const double links = 4.0 * kSize * (kSize - 1), tiles = kSize * kSize;
  fmt::print("all-busy program on {}x{}: {:.1f} % of lane slots, {:.1f} % of the links between tiles, {:.1f} % of units evaluated; all sides equal\n", kSize, kSize,
             100 * static_cast<double>(after.lane_slots - before.lane_slots) / (cycles * tiles * units.machine.lanes.value),
             100 * static_cast<double>(after.link_words - before.link_words) / (cycles * links), 100 * static_cast<double>(after.evaluations - before.evaluations) / (cycles * tiles * 2));
  speeds(sides, static_cast<double>(kBusyCycles) * tiles);
  if (whole != nullptr) figure("all busy: composed against one model, identical views", ratio(sides[3], sides[0]), ">=", 1.0);
  fmt::print("{:<62} {:6.3f}\n", "all busy: fast views against rtl views", ratio(sides[2], sides[0]));
  fmt::print("{:<62} {:6.3f}\n", "all busy: skipping against none", ratio(sides[1], sides[0]));
}

void bench_audit(const Units& units) {
  for (const int size : {4, 8}) {
    const StepWorkload work(units.machine, size, size);
    Stepper stepper{work.wafer(units, {false, true, true}), {}};
    const fabric::AuditReport boot = stepper.wafer->fabric().audit_report();
    step_cycles(work, stepper);
    const fabric::AuditReport& report = stepper.wafer->fabric().audit_report();
    require(report.violations == 0, "audit: " + report.first_violation);
    const double evaluated = static_cast<double>(report.evaluated - boot.evaluated), changed = static_cast<double>(report.changed - boot.changed);
    fmt::print("audit on {}x{}: {:.0f} unit-cycles evaluated, {:.0f} of them changed something, {} violations\n", size, size, evaluated, changed, report.violations);
    figure(fmt::format("step on {0}x{0}: evaluated unit-cycles against those that changed", size), evaluated / changed, "<=", 1.15);
  }
}

int run(int argc, char** argv) {
  int rounds = 7;
  std::string rtl, only;
  bool array = true;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--no-array") {
      array = false;
    } else if (argument == "--rounds" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      rounds = std::atoi(argv[++i]);
    } else if (argument == "--only" && i + 1 < argc && (argv[i + 1] == std::string("step") || argv[i + 1] == std::string("busy") || argv[i + 1] == std::string("audit"))) {
      only = argv[++i];
    } else if (argument == "--rtl" && i + 1 < argc) {
      rtl = argv[++i];
    } else {
      fmt::print(stderr, "engine_bench: error: unknown argument '{}'\nhint: engine_bench [--rounds N] [--rtl DIR] [--no-array] [--only step|busy|audit]\n", argument);
      return 2;
    }
  }
  try {
    const Units units = open_units(rtl);
    plugin::Unit whole;
    if (array && only != "audit") {
      fmt::print(stderr, "the array as one model takes minutes to build the first time\n");
      whole = open_whole(units.machine, rtl, kSize, kSize);
    }
    if (only.empty() || only == "step") bench_step(units, whole, rounds);
    if (only.empty() || only == "busy") bench_busy(units, whole, rounds);
    if (only.empty() || only == "audit") bench_audit(units);
  } catch (const std::exception& e) {
    fmt::print(stderr, "engine_bench: error: {}\n", e.what());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace waferloom::bench

int main(int argc, char** argv) { return waferloom::bench::run(argc, argv); }
