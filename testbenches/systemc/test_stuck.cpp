// Training runs that cannot end: a tile whose tasks are blocked (deadlock), a tile whose tasks start each other (livelock); and one whose host is slow, which
// is neither. What is checked: the ending, a bounded cycle that does not depend on the quantum, and that tiles, colours and tasks are named.
// Each scenario runs in a process of its own, because SystemC elaborates once. Left out: the graph itself (system/waits_for_test).
#include <functional>
#include <memory>
#include <variant>

#include "firmware/assembler/assembler.h"
#include "host/config/resolver.h"
#include "host/systemc/fabric_wafer.h"
#include "host/systemc/training.h"
#include "host/systemc/units.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/child.h"
#include "testbenches/lib/temporary_folder.h"

namespace sy = waferloom::systemc;
namespace pl = waferloom::plan;
namespace cf = waferloom::config;
using waferloom::fabric::UnitKind;

namespace {

const char* const kRun = R"(name: stuck
machine: wse2
array: {width: 2, height: 2}
io_words_per_cycle: 2
model:
  name: small
  inputs: 64
  layers:
    - {name: logits, outputs: 10}
  loss: softmax_cross_entropy
data: {file: digits.csv.gz, train_rows: 8, test_rows: 8, value_min: 0, value_max: 16, scale: 0.0625}
batch: 8
epochs: 1
optimiser: {kind: sgd, learning_rate: 0.1}
loss_scale: 64
accumulate: fp32
seed: 5
)";

constexpr std::int64_t kBooted = 400;

struct Outcome {
  int ending = -1;
  std::int64_t cycles = 0;
  std::string message;
};

// A wafer to which something happens in a cycle, after its boot has laid the routes.
class HarmedWafer : public sy::Wafer {
 public:
  HarmedWafer(sy::FabricWafer& wafer, std::function<void(sy::FabricWafer&)> harm) : wafer_(wafer), harm_(std::move(harm)) {}
  std::int64_t cycle() const override { return wafer_.cycle(); }
  void offer(const std::uint64_t* words, std::size_t count) override { wafer_.offer(words, count); }
  std::uint64_t taken() const override { return wafer_.taken(); }
  void allow(std::uint64_t words) override { wafer_.allow(words); }
  std::vector<std::uint64_t> results() override { return wafer_.results(); }
  sy::WaferState run_to(std::int64_t cycle) override {
    if (harm_ && cycle >= kBooted) {
      if (wafer_.cycle() < kBooted) wafer_.run_to(kBooted);
      harm_(wafer_);
      harm_ = nullptr;
    }
    return wafer_.run_to(cycle);
  }
  bool quiet() const override { return wafer_.quiet(); }
  std::string traps() const override { return wafer_.traps(); }
  std::string waiting() const override { return wafer_.waiting(); }
  std::string busy() override { return wafer_.busy(); }
  sy::WaferCounters counters() override { return wafer_.counters(); }
  void transfer(waferloom::checkpoint::Archive& archive) override { wafer_.transfer(archive); }

 private:
  sy::FabricWafer& wafer_;
  std::function<void(sy::FabricWafer&)> harm_;
};

// In a child process: the run, with `harm` done to its wafer.
Outcome train(const std::string& yaml, const std::function<void(sy::FabricWafer&)>& harm, std::int64_t quantum = 0) {
  const std::string all = waferloom::test::bytes_of_child([&] {
    const waferloom::test::TemporaryFolder folder;
    const std::string file = folder.write("stuck.yaml", yaml).string();
    std::string text = "unresolved";
    int ending = -1;
    std::int64_t cycles = 0;
    const auto resolved = cf::resolve_run(file);
    if (!resolved) {
      text = cf::render(resolved.errors());
    } else {
      const cf::Run run = resolved->value;
      const auto data = cf::load_dataset(run.data, run.model.inputs, run.model.outputs());
      const pl::Plan plan = std::get<pl::Plan>(pl::make_plan(pl::network_of(run.model), pl::target_of(run), run.batch));
      sy::FabricWaferOptions options;
      text = options.router.open(sy::router_spec(run.machine, {})) + options.pe.open(sy::pe_spec(run.machine, {}));
      options.io_words_per_cycle = 2;
      std::string error;
      const auto wafer = sy::FabricWafer::create(options, plan, &error);
      if (wafer && data) {
        HarmedWafer harmed(*wafer, harm);
        const sy::Schedule schedule = sy::make_schedule(run, data.value());
        sy::TrainingOptions how;
        how.quantum = quantum;
        const sy::TrainingResult result = sy::train(run, data.value(), plan, schedule, {&harmed}, {}, how);
        ending = static_cast<int>(result.ending);
        cycles = result.cycles;
        text = result.message;
      }
    }
    return std::to_string(ending) + " " + std::to_string(cycles) + "\n" + text;
  });
  Outcome outcome;
  const std::size_t line = all.find('\n');
  REQUIRE(line != std::string::npos);
  outcome.ending = std::stoi(all);
  outcome.cycles = std::stoll(all.substr(all.find(' ')));
  outcome.message = all.substr(line + 1);
  return outcome;
}

// After the boot, so that the routes are laid.
void blocked(sy::FabricWafer& wafer) {
  REQUIRE(wafer.fabric().set_register({1, 1, 1, 1}, UnitKind::kPe, wafer.fabric().unit(UnitKind::kPe).reg_ending("task_blk_q")->name, ~std::uint64_t{0}).empty());
}

// Tasks 3 and 4 of tile (1,1) start each other.
void ping_pong(sy::FabricWafer& wafer) {
  waferloom::assembler::Assembler assembler;
  const auto outcome = assembler.assemble_text("pingpong.wl", "  .task 3, ping\n  .task 4, pong\nping: act r0, 4\n  yield\npong: act r0, 3\n  yield\n");
  REQUIRE(outcome.ok());
  auto& fabric = wafer.fabric();
  std::vector<std::uint64_t> words;
  for (std::uint32_t at = 0; at + 4 <= outcome.program->image.size(); at += 4) words.push_back(outcome.program->word(at));
  REQUIRE(fabric.load_image({1, 1, 1, 1}, "u_mem.u_sram", 0, words).empty());
  REQUIRE(fabric.set_register({1, 1, 1, 1}, UnitKind::kPe, fabric.unit(UnitKind::kPe).reg_ending("task_act_q")->name, 8).empty());
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("stuck: a tile whose tasks are all blocked is a deadlock, found at once, in the same cycle for any quantum", "[stuck]") {
  const Outcome first = train(kRun, blocked);
  INFO(first.message);
  REQUIRE(first.ending == static_cast<int>(sy::Ending::kDeadlock));
  CHECK(first.cycles < 100000);
  CHECK(has(first.message, "deadlock in cycle " + std::to_string(first.cycles)));
  CHECK(has(first.message, "is blocked and nothing under way unblocks it"));
  CHECK(has(first.message, "tile (1,1): task 32 (phase"));
  CHECK(has(first.message, "colour "));
  for (const std::int64_t quantum : {1, 7, 200}) {
    const Outcome other = train(kRun, blocked, quantum);
    CHECK(other.cycles == first.cycles);
    CHECK(other.message == first.message);
  }
}

TEST_CASE("stuck: tasks that start each other are a livelock, found within the watchdog's time", "[stuck]") {
  const Outcome outcome = train(std::string(kRun) + "limits: {watchdog_cycles: 20000}\n", ping_pong);
  INFO(outcome.message);
  REQUIRE(outcome.ending == static_cast<int>(sy::Ending::kLivelock));
  CHECK(outcome.cycles < 200000);
  CHECK(has(outcome.message, "livelock in cycle"));
  CHECK(has(outcome.message, "tile (1,1): PE busy"));
  CHECK(has(outcome.message, "started task 3"));
}

TEST_CASE("stuck: a host whose every message takes a million cycles is no deadlock", "[stuck]") {
  const Outcome outcome = train(std::string(kRun) + "cluster: {extends: single, host_link_latency_s: 1.2e-3}\nlimits: {watchdog_cycles: 20000}\n", [](sy::FabricWafer&) {});
  INFO(outcome.message);
  CHECK(outcome.ending == static_cast<int>(sy::Ending::kDone));
  CHECK(outcome.cycles > 1000000);
}

// The host link is quick here, so the wafer knows of nothing for far longer than a message of its own takes: only the host models' inboxes tell.
TEST_CASE("stuck: a message that spends a million cycles inside SwarmX is no deadlock, and one that is not there is", "[stuck]") {
  const std::string slow = std::string(kRun) + "cluster: {extends: single, swarmx_node_latency_s: 1.2e-3}\nlimits: {watchdog_cycles: 20000}\n";
  const Outcome outcome = train(slow, [](sy::FabricWafer&) {});
  INFO(outcome.message);
  CHECK(outcome.ending == static_cast<int>(sy::Ending::kDone));
  CHECK(outcome.cycles > 1000000);
  const Outcome stuck = train(slow, blocked);
  INFO(stuck.message);
  CHECK(stuck.ending == static_cast<int>(sy::Ending::kDeadlock));
  CHECK(has(stuck.message, "is blocked and nothing under way unblocks it"));
}
