// Ratios of the composed fabric against controls made of the same RTL, views and flags: the whole array as one verilated model, and one verilated tile in
// N x N instances that are all evaluated in every cycle, once as Verilator writes it and once through our own pass (sim/plugin/one_pass.h), which
// nobody has who does it by hand; with fast views against rtl views, with and without skipping. All sides of a
// ratio run in one process and one thread, turn by turn; times are processor time of the thread; the figure is the median over the rounds. Before anything is
// timed, and after each round, all sides must have given the same words, registers and memories.
// Usage: engine_bench [--rounds N] [--rtl DIR] [--no-array] [--large] [--only step|at-once|busy|sparse|audit|threads] [--size N] [--curve]
// exit 1: sides differ or something failed; figures that fall short are only said
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <chrono>
#include <functional>
#include <stdexcept>

#include "testbenches/bench/digits_steps.h"
#include "testbenches/bench/other_process.h"
#include "testbenches/bench/tile_grid.h"
#include "testbenches/bench/wafer_cases.h"
#include "testbenches/bench/whole_array.h"
#include "testbenches/bench/workloads.h"

namespace waferloom::bench {
namespace {

constexpr std::uint64_t kBusyCycles = 2000;  // of one turn
constexpr std::uint64_t kLimit = 1'000'000;
constexpr int kMostSteps = 13;  // whole batches of the digits run's first epoch, without its first step
constexpr std::uint64_t kSparseCycles = 4000;  // of one turn
constexpr std::uint64_t kSparseGap = 16;

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
  fmt::print("{:<76} {:6.3f}   wanted {} {:.2f}   {}\n", what, value, relation, wanted, met ? "met" : "FALLS SHORT");
  std::fflush(stdout);
}

// The same where 0 means that nothing is wanted.
void say(const std::string& what, double value, double wanted) {
  if (wanted > 0) return figure(what, value, ">=", wanted);
  fmt::print("{:<76} {:6.3f}\n", what, value);
  std::fflush(stdout);
}

void speeds(const std::vector<Side>& sides, double tile_cycles) {
  for (const Side& side : sides) fmt::print("    {:<42} {:7.3f} million tile-cycles a second\n", side.name, 1e-6 * tile_cycles / median(side.seconds));
  std::fflush(stdout);
}

// The units of the controls; `whole` only if it was built.
struct ControlUnits {
  plugin::Unit whole, tile, tile_as_written;
};

// The controls, taken over from a fabric in the state that it is in.
struct Controls {
  struct Grid {
    const char* name;
    std::unique_ptr<TileGrid> grid;
    std::size_t side = 0;
  };
  std::unique_ptr<WholeArray> whole;
  std::vector<Grid> grids;
  std::size_t whole_side = 0;

  Controls(const ControlUnits& units, fabric::Fabric& f) {
    std::string error;
    for (const auto& [name, unit] : {std::pair("one tile in NxN, as Verilator makes it", &units.tile_as_written), std::pair("one tile in NxN, through our own pass", &units.tile)}) {
      grids.push_back({name, TileGrid::take_over(*unit, f, &error)});
      require(grids.back().grid != nullptr, std::string(name) + ": " + error);
    }
    if (!units.whole.loaded()) return;
    whole = WholeArray::take_over(units.whole, f, &error);
    require(whole != nullptr, error);
  }
  // Adds a side for each control; turn(control) runs one turn of it.
  template <typename Turn>
  void add(std::vector<Side>* sides, Turn turn) {
    for (Grid& g : grids) {
      g.side = sides->size();
      sides->push_back({g.name, [grid = g.grid.get(), turn] { turn(*grid); }, {}});
    }
    if (whole == nullptr) return;
    whole_side = sides->size();
    sides->push_back({"one model of the whole array", [this, turn] { turn(*whole); }, {}});
  }
  void compare(fabric::Fabric& f) const {
    std::string different;
    for (const Grid& g : grids) {
      different = g.grid->difference(f);
      require(different.empty(), std::string(g.name) + ": " + different);
    }
    if (whole != nullptr) different = whole->difference(f);
    require(different.empty(), "one model of the whole array: " + different);
  }
  // `faster` is wanted against the faster control, by both meanings of the tile by hand; `one_model` against the whole array alone, 0 if nothing.
  void figures(const std::string& what, const std::vector<Side>& sides, double faster, double one_model) const {
    const double whole_ratio = whole == nullptr ? 0 : ratio(sides[whole_side], sides[0]);
    for (const Grid& g : grids) {
      const double grid_ratio = ratio(sides[g.side], sides[0]);
      const std::string name = what + ": against " + g.name;
      if (whole == nullptr) {
        say(name, grid_ratio, faster);
        continue;
      }
      say(name, grid_ratio, 0);
      say("  and the faster of that and one model of the array", std::min(whole_ratio, grid_ratio), faster);
    }
    if (whole != nullptr) say(what + ": against one model of the whole array", whole_ratio, one_model);
    say(what + ": what our own pass makes of the tile", ratio(sides[grids[0].side], sides[grids[1].side]), 0);
  }
};

// What all parts of a run need.
struct Bench {
  Units units;
  ControlUnits controls;
  std::uint32_t size = 4;        // of what has the whole array as a control
  std::uint32_t whole_size = 0;  // of that control
  int rounds = 7;
};

// What the host took in the last turn of a side.
using Words = std::vector<EdgeResult>;

// The composed fabric's three ways to run the same steps, and what they gave.
struct StepSides {
  std::unique_ptr<systemc::FabricWafer> fast, all, rtl;
  Words fast_words, all_words, rtl_words;
  std::vector<Words> controls;

  fabric::Fabric& fabric() const { return fast->fabric(); }
  void check() {
    require(fast_words == all_words, "skipping changed the words of the step");
    require(fast_words == rtl_words, "the rtl views gave other words");
    for (const Words& words : controls) require(fast_words == words, "a control gave other words");
    controls.clear();
  }
};

void run_fabric(fabric::Fabric& f, std::uint64_t until) {
  f.run(until, true);
  require(f.traps().empty() && f.error().empty(), "a trap in the training step " + f.error());
}

template <typename Control>
void run_control(Control& control, std::uint64_t until) {
  const std::string failed = control.run(until);
  require(failed.empty(), failed);
}

// Measures turns of steps: `step(ports, run)` drives one side over one, after every round `next` moves on; prints the ratios. `wanted`: against the faster
// control and against one model of the array, 0 for none.
void measure_steps(StepSides* sides, const ControlUnits& units, const std::string& what, int rounds, const std::function<Words(fabric::HostPorts&, std::uint64_t, const std::function<void(std::uint64_t)>&)>& step,
                   const std::function<void()>& next, double faster, double one_model) {
  const auto on_fabric = [&](systemc::FabricWafer& wafer) {
    fabric::Fabric& f = wafer.fabric();
    return step(f.ports(), f.cycle(), [&f](std::uint64_t until) { run_fabric(f, until); });
  };
  std::vector<Side> turns;
  turns.push_back({"composed, fast views", [&] { sides->fast_words = on_fabric(*sides->fast); }, {}});
  turns.push_back({"composed, fast views, nothing skipped", [&] { sides->all_words = on_fabric(*sides->all); }, {}});
  turns.push_back({"composed, rtl views", [&] { sides->rtl_words = on_fabric(*sides->rtl); }, {}});
  Controls controls(units, sides->fabric());
  controls.add(&turns, [&](auto& control) {
    sides->controls.push_back(step(control.ports(), control.cycle(), [&control](std::uint64_t until) { run_control(control, until); }));
  });
  const fabric::Activity before = sides->fabric().activity();
  const std::uint64_t start = sides->fabric().cycle();
  measure(turns, rounds, [&] {
    sides->check();
    controls.compare(sides->fabric());
    next();
  });
  const fabric::Activity after = sides->fabric().activity();
  const double unit_cycles = static_cast<double>(sides->fabric().cycle() - start) * static_cast<double>(sides->fabric().tiles());
  fmt::print("    all sides equal; evaluated: {:.1f} % of PE cycles, {:.1f} % of router cycles\n", 100 * static_cast<double>(after.pe_evaluations - before.pe_evaluations) / unit_cycles,
             100 * static_cast<double>(after.router_evaluations - before.router_evaluations) / unit_cycles);
  speeds(turns, unit_cycles / rounds);
  controls.figures(what, turns, faster, one_model);
  const double views = ratio(turns[2], turns[0]);
  say(what + ": fast views against rtl views", views, faster > 0 ? 2.5 : 0);
  say(what + ": skipping against none", ratio(turns[1], turns[0]), 0);
}

ControlUnits controls_of(const Bench& bench, std::uint32_t size) {
  ControlUnits units = bench.controls;
  if (bench.whole_size != size) units.whole = plugin::Unit();
  return units;
}

// The steps of the real run: one a round, each another batch and other weights.
void bench_step(const Bench& bench, std::uint32_t size) {
  const int rounds = std::min(bench.rounds, kMostSteps);
  const DigitsSteps digits(bench.units, static_cast<int>(size), static_cast<int>(size), rounds + 1);
  StepSides sides{digits.wafer(bench.units, {}), digits.wafer(bench.units, {false, false, false}), digits.wafer(bench.units, {true, true, false}), {}, {}, {}, {}};
  std::size_t at = 1;
  fmt::print("digits step on {0}x{0}: the steps of configs/runs/digits-8x8.yaml with the words and pauses that its host gives; {1} cycles, {2} words in and {3} out in the first\n", size,
             digits.end(1) - digits.begin(1), digits.words_in(1), digits.words_out(1));
  measure_steps(&sides, controls_of(bench, size), fmt::format("digits step on {0}x{0}", size), rounds,
                [&](fabric::HostPorts& ports, std::uint64_t, const std::function<void(std::uint64_t)>& run) { return digits.replay(at, ports, run); },
                [&at] { ++at; }, 3.0, size == 4 ? 1.5 : 0);
}

// The same network without a host: all words of a step at the edge at once.
Words step_at_once(const StepWorkload& work, std::uint64_t cycles, fabric::HostPorts& ports, std::uint64_t start, const std::function<void(std::uint64_t)>& run) {
  offer_words(work.words(), ports, start);
  run(start + cycles);
  return StepWorkload::take(ports, start);
}

std::uint64_t step_cycles(const StepWorkload& work, systemc::FabricWafer& wafer) {
  fabric::Fabric& f = wafer.fabric();
  const std::uint64_t start = f.cycle();
  const Words words = step_at_once(work, kLimit, f.ports(), start, [&f](std::uint64_t until) { run_fabric(f, until); });
  const std::string judged = work.judge(words);
  require(judged.empty(), judged);
  return f.last_active_cycle() + 2 - start;
}

void bench_at_once(const Bench& bench) {
  const std::uint32_t size = bench.size;
  const StepWorkload work(bench.units.machine, static_cast<int>(size), static_cast<int>(size));
  StepSides sides{work.wafer(bench.units, {}), work.wafer(bench.units, {false, false, false}), work.wafer(bench.units, {true, true, false}), {}, {}, {}, {}};
  const std::uint64_t cycles = step_cycles(work, *sides.fast);
  const auto step = [&](fabric::HostPorts& ports, std::uint64_t start, const std::function<void(std::uint64_t)>& run) { return step_at_once(work, cycles, ports, start, run); };
  for (systemc::FabricWafer* wafer : {sides.all.get(), sides.rtl.get()}) {
    fabric::Fabric& f = wafer->fabric();
    step(f.ports(), f.cycle(), [&f](std::uint64_t until) { run_fabric(f, until); });
  }
  fmt::print("step without a host on {0}x{0}: the same network, all words at the edge at once; {1} cycles, {2} words in\n", size, cycles, work.words().size());
  measure_steps(&sides, controls_of(bench, size), "step without a host", bench.rounds, step, [] {}, 0, 0);
}

void bench_busy(const Bench& bench) {
  const std::uint32_t size = bench.size;
  const auto fast = busy_fabric(bench.units, false, true, size, size), all = busy_fabric(bench.units, false, false, size, size), rtl = busy_fabric(bench.units, true, true, size, size);
  const auto turn = [](fabric::Fabric& f) { require(f.run(f.cycle() + kBusyCycles) == fabric::Stop::kCycle, "the all-busy program stopped"); };
  std::vector<Side> sides;
  sides.push_back({"composed, fast views", [&] { turn(*fast); }, {}});
  sides.push_back({"composed, fast views, nothing skipped", [&] { turn(*all); }, {}});
  sides.push_back({"composed, rtl views", [&] { turn(*rtl); }, {}});
  Controls controls(controls_of(bench, size), *fast);
  controls.add(&sides, [](auto& control) {
    const std::string failed = control.run(control.cycle() + kBusyCycles);
    require(failed.empty(), failed);
  });
  const BusyCounts before = count_busy(*fast);
  measure(sides, bench.rounds, [&] {
    require(fast->digest() == all->digest(), "skipping changed a register of the all-busy program");
    controls.compare(*fast);
  });
  const BusyCounts after = count_busy(*fast);
  const double cycles = static_cast<double>(after.cycle - before.cycle);
  const double links = 4.0 * size * (size - 1), tiles = size * size;
  fmt::print("all-busy program on {0}x{0}: {1:.1f} % of lane slots, {2:.1f} % of the links between tiles, {3:.1f} % of units evaluated; all sides equal\n", size,
             100 * static_cast<double>(after.lane_slots - before.lane_slots) / (cycles * tiles * bench.units.machine.lanes.value),
             100 * static_cast<double>(after.link_words - before.link_words) / (cycles * links), 100 * static_cast<double>(after.evaluations - before.evaluations) / (cycles * tiles * 2));
  speeds(sides, static_cast<double>(kBusyCycles) * tiles);
  controls.figures("all busy", sides, 1.0, 1.0);
  say("all busy: fast views against rtl views", ratio(sides[2], sides[0]), 0);
  say("all busy: skipping against none", ratio(sides[1], sides[0]), 0);
}

// Now and then a word goes down a column of an array that else rests; the PE at the end of the column stores it.
void bench_sparse(const Bench& bench) {
  const std::uint32_t size = 4 * bench.size;
  std::vector<Phase> phases;
  const auto f = idle_wafer(bench.units, {size, size}, &phases);
  column_traffic_routes(*f);
  require(f->run(f->cycle() + 1000) == fabric::Stop::kIdle, "the array did not come to rest");
  std::vector<Side> sides;
  std::uint64_t turns = 0;
  const auto offer = [&](fabric::HostPorts& ports, std::uint64_t start) {
    for (std::uint64_t k = 0; k < kSparseCycles / kSparseGap; ++k) {
      const std::uint32_t column = static_cast<std::uint32_t>((k * 7 + turns * 3) % size);
      ports.send(column, k + 1, start + k * kSparseGap, false);
    }
  };
  sides.push_back({"composed, fast views", [&] {
                     offer(f->ports(), f->cycle());
                     f->run(f->cycle() + kSparseCycles, true);
                     require(f->traps().empty() && f->error().empty(), "a trap in the sparse traffic " + f->error());
                   }, {}});
  // No unit of one model: at 16x16 it would take hours to build.
  Controls controls(controls_of(bench, size), *f);
  controls.add(&sides, [&](auto& control) {
    offer(control.ports(), control.cycle());
    const std::string failed = control.run(control.cycle() + kSparseCycles);
    require(failed.empty(), failed);
  });
  const fabric::Activity before = f->activity();
  const std::uint64_t start = f->cycle();
  measure(sides, bench.rounds, [&] {
    ++turns;
    controls.compare(*f);
  });
  const double unit_cycles = 2.0 * size * size * static_cast<double>(f->cycle() - start);
  const fabric::Activity after = f->activity();
  fmt::print("sparse traffic on {0}x{0}: a word every {1} cycles, {2:.2f} % of units evaluated; all sides equal\n", size, kSparseGap,
             100 * static_cast<double>(after.router_evaluations + after.pe_evaluations - before.router_evaluations - before.pe_evaluations) / unit_cycles);
  speeds(sides, static_cast<double>(kSparseCycles) * size * size);
  controls.figures("sparse traffic", sides, 20, 0);
}

// The same activity, words that circle on eight squares, in arrays of growing size.
void bench_curve(const Bench& bench) {
  fmt::print("eight words that circle, the rest of the array idle:\n");
  double first = 0, last = 0;
  for (const WaferCase& size : {WaferCase{16, 16}, WaferCase{64, 64}, WaferCase{256, 256}, WaferCase{757, 996}}) {
    std::vector<Phase> phases;
    const auto f = idle_wafer(bench.units, size, &phases);
    circling_words(*f, 8);
    constexpr std::uint64_t kCycles = 20'000;
    const fabric::Activity before = f->activity();
    std::vector<double> times;
    for (int round = 0; round < bench.rounds; ++round) {
      const double start = thread_seconds();
      require(f->run(f->cycle() + kCycles) == fabric::Stop::kCycle, "the words stopped");
      times.push_back(1e9 * (thread_seconds() - start) / kCycles);
    }
    const fabric::Activity after = f->activity();
    last = median(times);
    if (first == 0) first = last;
    const double evaluations = static_cast<double>(after.router_evaluations + after.pe_evaluations - before.router_evaluations - before.pe_evaluations);
    fmt::print("    {:>4}x{:<4} {:8.0f} ns a cycle, {:.1f} unit evaluations a cycle\n", size.width, size.height, last, evaluations / (bench.rounds * static_cast<double>(kCycles)));
    std::fflush(stdout);
  }
  figure("757x996 against 16x16 at the same activity, time a cycle", last / first, "<=", 2.0);
}

double wall_seconds() { return 1e-9 * static_cast<double>(std::chrono::steady_clock::now().time_since_epoch().count()); }

// Two threads against one on 64x64, elapsed time, turn by turn. What the machine itself allows in the same rounds: two processes, each with half of the tiles and
// nothing in common, at once against one after the other.
void bench_threads(const Bench& bench) {
  constexpr std::uint32_t kThreadsSize = 64;
  constexpr std::uint64_t kCycles = 60;
  const auto turn = [](fabric::Fabric& f) { require(f.run(f.cycle() + kCycles) == fabric::Stop::kCycle, "the all-busy program stopped"); };
  const auto half = [&] { return busy_fabric(bench.units, false, true, kThreadsSize, kThreadsSize / 2, 1); };
  OtherProcess other([&] {  // first, so that the two have no page in common that either writes
    return [&turn, f = std::shared_ptr<fabric::Fabric>(half())] { turn(*f); };
  });
  const auto one = busy_fabric(bench.units, false, true, kThreadsSize, kThreadsSize, 1), two = busy_fabric(bench.units, false, true, kThreadsSize, kThreadsSize, 2), own = half();
  const auto timed = [](const std::function<void()>& body) {
    const double start = wall_seconds();
    body();
    return wall_seconds() - start;
  };
  std::vector<double> ratios, limits, shares;
  for (int round = 0; round < 5; ++round) {
    double seconds[2];
    for (const int side : {round % 2, 1 - round % 2}) seconds[side] = timed([&] { turn(side == 0 ? *one : *two); });
    require(one->digest() == two->digest(), "two threads changed a register");
    const double after = timed([&] {
      turn(*own);
      other.begin();
      other.end();
    });
    const double at_once = timed([&] {
      other.begin();
      turn(*own);
      other.end();
    });
    ratios.push_back(seconds[0] / seconds[1]);
    limits.push_back(after / at_once);
    shares.push_back(ratios.back() / limits.back());
  }
  fmt::print("all-busy program on {0}x{0}, {1} cycles a round, one thread and two; both equal\n", kThreadsSize, kCycles);
  figure("two threads against one, elapsed time, median of five rounds", median(ratios), ">=", 1.7);
  say("the ceiling of this machine: two processes that share nothing", median(limits), 0);
  say("two threads against that ceiling", median(shares), 0);
}

void audit_figure(const std::string& what, const fabric::AuditReport& before, const fabric::AuditReport& after) {
  require(after.violations == 0, "audit: " + after.first_violation);
  const double evaluated = static_cast<double>(after.evaluated - before.evaluated), changed = static_cast<double>(after.changed - before.changed);
  fmt::print("audit, {}: of {} unit-cycles {:.0f} were evaluated, {:.0f} of them changed something, no violation\n", what, after.unit_cycles - before.unit_cycles, evaluated, changed);
  figure(what + ": evaluated unit-cycles against those that changed", evaluated / changed, "<=", 1.15);
}

// Every skipped unit evaluated all the same and compared: a step of the real run, and one without a host.
void bench_audit(const Units& units) {
  for (const int size : {4, 8}) {
    const DigitsSteps digits(units, size, size, 2);
    const auto wafer = digits.wafer(units, {false, true, true});
    fabric::Fabric& f = wafer->fabric();
    const fabric::AuditReport before = f.audit_report();
    digits.replay(1, f.ports(), [&f](std::uint64_t until) { run_fabric(f, until); });
    audit_figure(fmt::format("digits step on {0}x{0}", size), before, f.audit_report());
    const StepWorkload work(units.machine, size, size);
    const auto other = work.wafer(units, {false, true, true});
    const fabric::AuditReport boot = other->fabric().audit_report();
    step_cycles(work, *other);
    audit_figure(fmt::format("step without a host on {0}x{0}", size), boot, other->fabric().audit_report());
  }
}

int run(int argc, char** argv) {
  const char* const kParts[] = {"step", "at-once", "busy", "sparse", "audit", "threads"};
  Bench bench;
  std::string rtl, only;
  std::vector<std::uint32_t> sizes = {4, 8};  // of the digits step
  bool array = true, curve = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool more = i + 1 < argc;
    if (argument == "--no-array") {
      array = false;
    } else if (argument == "--large") {
      bench.size = 8;
    } else if (argument == "--size" && more && std::atoi(argv[i + 1]) > 0 && std::atoi(argv[i + 1]) <= 64) {
      sizes = {static_cast<std::uint32_t>(std::atoi(argv[++i]))};
    } else if (argument == "--curve") {
      curve = true;
    } else if (argument == "--rounds" && more && std::atoi(argv[i + 1]) > 0) {
      bench.rounds = std::atoi(argv[++i]);
    } else if (argument == "--only" && more && std::count(std::begin(kParts), std::end(kParts), std::string(argv[i + 1])) != 0) {
      only = argv[++i];
    } else if (argument == "--rtl" && more) {
      rtl = argv[++i];
    } else {
      fmt::print(stderr, "engine_bench: error: unknown argument '{}'\nhint: engine_bench [--rounds N] [--rtl DIR] [--no-array] [--large] [--only step|at-once|busy|sparse|audit|threads] [--size N] [--curve]\n", argument);
      return 2;
    }
  }
  try {
    bench.units = open_units(rtl);
    const auto wanted = [&](const char* part) { return !curve && (only.empty() || only == part); };
    if (wanted("step") || wanted("at-once") || wanted("busy") || wanted("sparse")) {
      bench.controls.tile = open_tile(bench.units.machine, rtl, TileForm::kOnePass);
      bench.controls.tile_as_written = open_tile(bench.units.machine, rtl, TileForm::kVerilator);
    }
    if (array && (wanted("step") || wanted("at-once") || wanted("busy"))) {
      fmt::print(stderr, "the array as one model takes minutes to build the first time\n");
      bench.controls.whole = open_whole(bench.units.machine, rtl, bench.size, bench.size);
      bench.whole_size = bench.size;
    }
    if (curve) bench_curve(bench);
    for (const std::uint32_t size : sizes) {
      if (wanted("step")) bench_step(bench, size);
    }
    if (wanted("at-once")) bench_at_once(bench);
    if (wanted("busy")) bench_busy(bench);
    if (wanted("sparse")) bench_sparse(bench);
    if (wanted("audit")) bench_audit(bench.units);
    if (wanted("threads")) bench_threads(bench);
  } catch (const std::exception& e) {
    fmt::print(stderr, "engine_bench: error: {}\n", e.what());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace waferloom::bench

int main(int argc, char** argv) { return waferloom::bench::run(argc, argv); }
