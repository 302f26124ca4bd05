// What a fabric costs when threads and ranks share it: the inputs of docs/scaling.md, measured, and the model there held against two runs.
//   ranks_bench [--size N] [--rounds N]            alone: cost of a unit-cycle, of a meeting of threads, activity of a training step
//   mpirun -n R ranks_bench [--size N] [--rounds N]  also: a message between ranks by size, an exchange, predicted against measured
// The ceiling of the machine stands beside it: as many processes that share nothing, at once against one after the other, in the same rounds.
// Elapsed times of short turns; the figure is the fastest of them, which other work on the machine disturbs least. Two ways to run are compared in one process, turn
// by turn. Exit 1: something failed or differs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>

#include "sim/fabric/crew.h"
#include "sim/fabric/serve.h"
#include "sim/ranks/launch.h"
#include "testbenches/bench/other_process.h"
#include "testbenches/bench/workloads.h"

namespace waferloom::bench {
namespace {

constexpr std::uint64_t kBusyCycles = 5;  // of one turn
constexpr std::uint64_t kTileCycles = 100'000;  // of a turn of the ceiling
constexpr int kTurns = 8;                 // in a round
constexpr std::uint64_t kLimit = 1'000'000;
constexpr int kMessages = 25;  // in a batch
constexpr int kBatches = 60;   // in a round

double seconds() { return 1e-9 * static_cast<double>(std::chrono::steady_clock::now().time_since_epoch().count()); }

double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

void require(bool good, const std::string& message) {
  if (!good) throw std::runtime_error(message);
}

// Rank 0 and rank 1 send each other a message at once, as neighbours do: seconds until both have it.
std::vector<std::pair<std::size_t, double>> exchange_messages(fabric::Transport& transport, int rounds) {
  std::vector<std::pair<std::size_t, double>> out;
  if (transport.rank() > 1) return out;
  const unsigned other = 1 - transport.rank();
  std::string got;
  for (const std::size_t bytes : {16u, 256u, 4096u, 65536u, 1048576u}) {
    std::vector<double> times;
    for (int round = 0; round <= kBatches * rounds; ++round) {  // the first warms up
      const double start = seconds();
      for (int i = 0; i < kMessages; ++i) {
        require(transport.send(other, std::string(bytes, 'x')) && transport.receive(other, &got), "a rank was lost");
      }
      if (round != 0) times.push_back((seconds() - start) / kMessages);
    }
    out.emplace_back(bytes, least(times));
  }
  return out;
}

double crew_meeting(unsigned members, int rounds) {
  fabric::Crew crew(members, [](unsigned /*member*/) {});
  std::vector<double> times;
  for (int round = 0; round <= kBatches * rounds; ++round) {
    const double start = seconds();
    for (int i = 0; i < 50; ++i) crew.run();
    if (round != 0) times.push_back((seconds() - start) / 50);
  }
  return least(times);
}

struct Turn {
  double seconds = 0;
  std::uint64_t evaluations = 0, cycles = 0;
  fabric::SpreadStatistics statistics;
};

// One turn of a workload: what it took and what the ranks did.
Turn turn_of(fabric::Fabric& f, const std::function<void()>& body) {
  Turn turn;
  const fabric::Activity before = f.activity();
  const fabric::SpreadStatistics none, s = f.spread_statistics() != nullptr ? *f.spread_statistics() : none;
  const std::uint64_t cycle = f.cycle();
  const double start = seconds();
  body();
  turn.seconds = seconds() - start;
  turn.cycles = f.cycle() - cycle;
  turn.evaluations = f.activity().router_evaluations + f.activity().pe_evaluations - before.router_evaluations - before.pe_evaluations;
  if (f.spread_statistics() != nullptr) {
    turn.statistics = *f.spread_statistics();
    turn.statistics.windows -= s.windows;
    turn.statistics.exchanges -= s.exchanges;
    turn.statistics.words -= s.words;
    turn.statistics.busy_ns -= s.busy_ns;
    turn.statistics.waiting_ns -= s.waiting_ns;
  }
  return turn;
}

struct Case {
  std::string name;
  std::unique_ptr<systemc::FabricWafer> wafers[2];  // alone, shared
  std::unique_ptr<fabric::Fabric> fabrics[2];
  std::function<void(int)> turn;
  fabric::Fabric& fabric(int side) { return wafers[side] ? wafers[side]->fabric() : *fabrics[side]; }
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// What the machine gives to as many processes as there are ranks, each with its share of the all-busy tiles and nothing in common: the most that ranks can give.
// Its turns are long, some 20 ms: what the processes need to wake up shall not count. The figure is the median, and never more than there are processes.
class Ceiling {
 public:
  Ceiling(const Units& units, std::uint32_t size, unsigned ranks) {
    const std::uint64_t cycles = std::max<std::uint64_t>(kBusyCycles, kTileCycles / (std::uint64_t{size} * size));
    const auto share = [&units, size, ranks, cycles] {
      const std::shared_ptr<fabric::Fabric> f = busy_fabric(units, false, true, size, std::max(2u, size / ranks));
      return [f, cycles] { require(f->run(f->cycle() + cycles) == fabric::Stop::kCycle, "the all-busy program stopped"); };
    };
    for (unsigned rank = 1; rank < ranks; ++rank) others_.push_back(std::make_unique<OtherProcess>(share));
    own_ = share();
  }
  // One turn one after the other, and one at once.
  void turn() {
    double start = seconds();
    own_();
    for (const auto& other : others_) {
      other->begin();
      other->end();
    }
    const double after = seconds() - start;
    start = seconds();
    for (const auto& other : others_) other->begin();
    own_();
    for (const auto& other : others_) other->end();
    gains_.push_back(after / (seconds() - start));
  }
  // Of the turns since the last call.
  double take() {
    const double gain = std::min(median(gains_), static_cast<double>(others_.size() + 1));
    gains_.clear();
    return gain;
  }

 private:
  std::vector<std::unique_ptr<OtherProcess>> others_;
  std::function<void()> own_;
  std::vector<double> gains_;
};

// The model of docs/scaling.md with this machine's figures. `ceiling`: null if nobody shares.
void compare(Case& c, Ceiling* ceiling, unsigned ranks, double exchange_s, int rounds) {
  const bool shared = ceiling != nullptr;
  std::vector<double> alone, together, exchanges, waited, busy;
  Turn one, many;
  for (int round = 0; round <= kTurns * rounds; ++round) {
    for (const int side : {round % 2, 1 - round % 2}) {
      if (side == 1 && !shared) continue;
      (side == 0 ? one : many) = turn_of(c.fabric(side), [&] { c.turn(side); });
    }
    if (round == 0) continue;
    alone.push_back(one.seconds);
    if (!shared) continue;
    ceiling->turn();
    together.push_back(many.seconds);
    exchanges.push_back(static_cast<double>(many.statistics.windows) * exchange_s);
    waited.push_back(static_cast<double>(many.statistics.waiting_ns) / static_cast<double>(std::max<std::uint64_t>(1, many.statistics.windows)));
    busy.push_back(static_cast<double>(many.statistics.busy_ns));
  }
  const double per_unit = least(alone) * 1e9 / static_cast<double>(one.evaluations);
  fmt::print("{}: {} unit-cycles a turn, {:.1f} ns each\n", c.name, one.evaluations, per_unit);
  if (!shared) return;
  require(c.fabric(0).digest() == c.fabric(1).digest(), c.name + ": the ranks changed a register");
  const auto windows = static_cast<double>(std::max<std::uint64_t>(1, many.statistics.windows));
  fmt::print("  {} ranks: {} windows a turn, {:.1f} boundary words sent by rank 0 in each, {:.2f} us waited in each at least; rank 0 evaluates for {:.3f} ms of {:.3f} ms alone\n", ranks, many.statistics.windows,
             static_cast<double>(many.statistics.words) / windows, least(waited) / 1000, least(busy) * 1e-6, least(alone) * 1e3);
  const double most = ceiling->take(), speed = least(alone) / least(together);
  const auto model = [&](double share) { return least(alone) / (least(alone) / share + least(exchanges)); };
  fmt::print("  against one: {:.2f} times the speed; {} processes that share nothing: {:.2f}, the ceiling of this machine in these rounds; ranks against it: {:.2f}\n", speed, ranks, most, speed / most);
  fmt::print("  the model says {:.2f} for {} whole cores, {:.2f} at this ceiling; measured against that: {:.2f}\n", model(ranks), ranks, model(most), speed / model(most));
}

int run(fabric::Transport* transport, std::uint32_t size, int rounds) {
  const Units units = open_units("");
  const unsigned ranks = transport != nullptr ? transport->size() : 1;
  double exchange_s = 0;
  const std::unique_ptr<Ceiling> ceiling = transport != nullptr ? std::make_unique<Ceiling>(units, size, ranks) : nullptr;
  if (transport != nullptr) {
    for (const auto& [bytes, time] : exchange_messages(*transport, rounds)) {
      fmt::print("message of {} bytes each way between ranks 0 and 1: {:.2f} us, {:.2f} GB/s\n", bytes, time * 1e6, static_cast<double>(bytes) / time * 1e-9);
      // Words and agreement go together, and each further round of the agreement doubles the ranks that have been heard of.
      if (bytes == 4096) exchange_s = time * std::ceil(std::log2(ranks));
    }
  }
  for (unsigned members = 2; members <= std::max(2u, std::thread::hardware_concurrency()); members *= 2) {
    fmt::print("meeting of {} threads: {:.2f} us a cycle\n", members, crew_meeting(members, rounds) * 1e6);
  }
  {
    Case busy;
    busy.name = fmt::format("all-busy program on {0}x{0}", size);
    for (const int side : {0, 1}) {
      if (side == 0 || transport != nullptr) busy.fabrics[side] = busy_fabric(units, false, true, size, size, 1, side == 1 ? transport : nullptr);
    }
    busy.turn = [&](int side) { require(busy.fabrics[side]->run(busy.fabrics[side]->cycle() + kBusyCycles) == fabric::Stop::kCycle, "the all-busy program stopped"); };
    compare(busy, ceiling.get(), ranks, exchange_s, rounds);
  }
  for (const int side_length : {8, 16}) {
    const StepWorkload work(units.machine, side_length, side_length);
    Case step;
    step.name = fmt::format("training step of the digits network on {0}x{0}", side_length);
    for (const int side : {0, 1}) {
      StepMode mode;
      mode.ranks = side == 1 ? transport : nullptr;
      if (side == 0 || transport != nullptr) step.wafers[side] = work.wafer(units, mode);
    }
    std::uint64_t cycles = 0;
    step.turn = [&](int side) {
      fabric::Fabric& f = step.wafers[side]->fabric();
      const std::uint64_t start = f.cycle();
      offer_words(work.words(), f.ports(), start);
      f.run(start + kLimit, true);
      const std::string judged = work.judge(StepWorkload::take(f.ports(), start));
      require(judged.empty(), judged);
      cycles = f.last_active_cycle() + 2 - start;
    };
    const Turn first = turn_of(step.fabric(0), [&] { step.turn(0); });
    if (transport != nullptr) step.turn(1);
    fmt::print("step on {0}x{0}: {1} cycles, {2:.3f} of all units evaluated in a cycle\n", side_length, cycles,
               static_cast<double>(first.evaluations) / (2.0 * side_length * side_length * static_cast<double>(cycles)));
    compare(step, ceiling.get(), ranks, exchange_s, rounds);
  }
  return 0;
}

int start(int argc, char** argv) {
  std::uint32_t size = 64;
  int rounds = 5;
  for (int i = 1; i < argc; ++i) {
    const bool more = i + 1 < argc && std::atoi(argv[i + 1]) > 0;
    if (std::strcmp(argv[i], "--size") == 0 && more && std::atoi(argv[i + 1]) > 1) {
      size = static_cast<std::uint32_t>(std::atoi(argv[++i]));
    } else if (std::strcmp(argv[i], "--rounds") == 0 && more) {
      rounds = std::atoi(argv[++i]);
    } else {
      fmt::print(stderr, "ranks_bench: error: unknown argument '{}'\nhint: ranks_bench [--size N] [--rounds N]\n", argv[i]);
      return 2;
    }
  }
  std::unique_ptr<ranks::Launch> launch;
  int code = 0;
  try {
    if (ranks::launched_together()) {
      std::string error;
      launch = ranks::join(&error);
      require(launch != nullptr, error);
    }
    fabric::Transport* transport = launch != nullptr ? &launch->transport() : nullptr;
    if (transport != nullptr && transport->rank() != 0) {
      exchange_messages(*transport, rounds);
      fabric::serve(transport);
    } else {
      code = run(transport, size, rounds);
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "ranks_bench: error: {}\n", e.what());
    code = 1;
  }
  std::fflush(stdout);
  if (launch != nullptr) {
    if (launch->transport().rank() == 0) fabric::end_service(&launch->transport());
    launch->finish(code);
  }
  return code;
}

}  // namespace
}  // namespace waferloom::bench

int main(int argc, char** argv) { return waferloom::bench::start(argc, argv); }
