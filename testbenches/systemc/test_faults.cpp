// Faults on verilated tiles end a step and say where: a control wavelet that never comes (deadlock), a tile without its route, two streams on one colour, a
// program that reads or jumps beyond its memory (traps). Each is put into an otherwise good step on a 2x2 array. Left out: time limits of the whole program (run_program_test.py).
#include <memory>
#include <string>
#include <variant>

#include "firmware/assembler/assembler.h"
#include "host/config/resolver.h"
#include "host/systemc/direct.h"
#include "host/systemc/message.h"
#include "host/systemc/units.h"
#include "sim/generated/packet.h"
#include "testbenches/lib/catch.h"

namespace sy = waferloom::systemc;
namespace pl = waferloom::plan;

namespace {

struct Small {
  pl::Plan plan;
  std::unique_ptr<sy::FabricWafer> wafer;
  std::vector<std::uint16_t> weights = std::vector<std::uint16_t>(6 * 4, 0x3000);  // 0.125
  std::vector<float> samples = std::vector<float>(4 * 6, 0.5F);
  std::vector<int> labels = {0, 1, 2, 3};

  Small() {
    const auto machine = waferloom::config::resolve_machine("wse2");
    REQUIRE(machine.ok());
    pl::Target target;
    target.width = target.height = 2;
    pl::NetworkSpec network;
    network.layers.push_back({"only", 6, 4, false, false, false});
    auto planned = pl::make_plan(network, target, 4);
    REQUIRE(std::holds_alternative<pl::Plan>(planned));
    plan = std::move(std::get<pl::Plan>(planned));
    sy::FabricWaferOptions options;
    REQUIRE(options.router.open(sy::router_spec(machine->value, {})).empty());
    REQUIRE(options.pe.open(sy::pe_spec(machine->value, {})).empty());
    options.io_words_per_cycle = 2;
    std::string error;
    wafer = sy::FabricWafer::create(options, plan, &error);
    REQUIRE(error.empty());
  }

  sy::DirectResult run() {
    pl::StepInputs inputs;
    inputs.samples = samples.data();
    inputs.labels = labels.data();
    inputs.rows = 4;
    std::vector<pl::LayerWeights> layers(1);
    layers[0].weights = weights.data();
    return sy::run_step(*wafer, plan, inputs, layers, sy::Offer::kWhole, 100000);
  }
};

}  // namespace

TEST_CASE("a good step ends", "[faults]") {
  Small small;
  const sy::DirectResult result = small.run();
  CHECK(result.error.empty());
  CHECK(result.result.loss_sum > 0);
  std::int64_t due = 0;
  for (int x = 0; x < 2; ++x) due += small.plan.words_out(pl::StepKind::kTrain, x);
  CHECK(static_cast<std::int64_t>(result.words_out) == due);
}

TEST_CASE("a row whose partner never starts is a deadlock that names tiles and classes", "[faults]") {
  Small small;
  // Tile (1, 1) is never booted: its row waits for its partial sums for ever.
  using waferloom::fabric::UnitKind;
  waferloom::fabric::Fabric& fabric = small.wafer->fabric();
  REQUIRE(fabric.set_register({1, 1, 1, 1}, UnitKind::kPe, fabric.unit(UnitKind::kPe).reg_ending("task_act_q")->name, 0).empty());
  const sy::DirectResult result = small.run();
  INFO(result.error);
  CHECK(result.error.find("tile (") != std::string::npos);
  CHECK((result.error.find("wait") != std::string::npos || result.error.find("trap") != std::string::npos));
  CHECK(fabric.cycle() < 200000);
}

TEST_CASE("a colour without a route is a trap that names tile, cycle and colour", "[faults]") {
  Small small;
  small.wafer->run_to(static_cast<std::int64_t>(small.plan.boot_cycles));
  REQUIRE(small.wafer->fabric().set_route({1, 0, 1, 1}, 0, 0, 0, 0).empty());
  const sy::DirectResult result = small.run();
  INFO(result.error);
  CHECK(result.error.find("tile (1, 0)") != std::string::npos);
  CHECK(result.error.find("no_route") != std::string::npos);
  CHECK(result.error.find("colour 0") != std::string::npos);
}

TEST_CASE("a route over the edge is a trap", "[faults]") {
  Small small;
  small.wafer->run_to(static_cast<std::int64_t>(small.plan.boot_cycles));
  REQUIRE(small.wafer->fabric().set_route({1, 1, 1, 1}, 0, 0, 1, 1U << 2U | 1U << 4U).empty());
  const sy::DirectResult result = small.run();
  INFO(result.error);
  CHECK(result.error.find("tile (1, 1)") != std::string::npos);
  CHECK(result.error.find("over_edge") != std::string::npos);
}

TEST_CASE("a wavelet on a colour that no queue is bound to is a trap of the PE", "[faults]") {
  Small small;
  small.wafer->run_to(static_cast<std::int64_t>(small.plan.boot_cycles));
  REQUIRE(small.wafer->fabric().set_route({0, 0, 1, 1}, 20, 0, 1, 1U << 4U).empty());
  const std::uint64_t word = sy::pack_edge(0, waferloom::spec::link_word(7, 20));
  small.wafer->offer(&word, 1);
  const sy::DirectResult result = small.run();
  INFO(result.error);
  CHECK(result.error.find("unbound_colour") != std::string::npos);
  CHECK(result.error.find("instruction at 0x") != std::string::npos);
}

TEST_CASE("two streams of one colour that meet are a trap", "[faults]") {
  Small small;
  small.wafer->run_to(static_cast<std::int64_t>(small.plan.boot_cycles));
  // Colour 0 comes from the north in every column; tile (0, 0) sends its own on to tile (1, 0), which takes both.
  REQUIRE(small.wafer->fabric().set_route({0, 0, 1, 1}, 0, 0, 1, 1U << 1U | 1U << 4U).empty());
  REQUIRE(small.wafer->fabric().set_route({1, 0, 1, 1}, 0, 0, 1U | 1U << 3U, 1U << 4U).empty());
  const sy::DirectResult result = small.run();
  INFO(result.error);
  CHECK(result.error.find("tile (1, 0) cycle ") != std::string::npos);
  CHECK(result.error.find("router trap two_ports (3), colour 0, port ") != std::string::npos);
}

TEST_CASE("a read or a vector beyond SRAM is a trap that names tile, cycle and instruction", "[faults]") {
  struct Bad {
    const char* source;
    const char* message;
  };
  std::string tasks;  // whichever starts next
  for (int task = 0; task < 64; ++task) tasks += "  .task " + std::to_string(task) + ", bad\n";
  // The vector is one word longer than what is left of the accumulator window.
  for (const Bad& bad : {Bad{"bad: li32 r2, 0xd000\n  lw r1, 0(r2)\n  yield\n", "PE trap out_of_range (3), instruction at 0x"},
                         Bad{"bad: li32 r2, 0xd000\n  jalr r1, r2, 0\n", "PE trap out_of_range (3), instruction at 0xd000"},
                         Bad{"bad: ldd d0, to(r0)\n  vmov d0, r0\n  yield\n  .desc to kind=mem1d, type=i32, base=0xc1f8, len0=3, stride0=4\n", "PE trap out_of_range (3), instruction at 0x"}}) {
    Small small;
    small.wafer->run_to(static_cast<std::int64_t>(small.plan.boot_cycles));
    waferloom::assembler::Assembler assembler;
    const auto outcome = assembler.assemble_text("bad.wl", tasks + bad.source);
    REQUIRE(outcome.ok());
    auto& fabric = small.wafer->fabric();
    std::vector<std::uint64_t> words;
    for (std::uint32_t at = 0; at + 4 <= outcome.program->image.size(); at += 4) words.push_back(outcome.program->word(at));
    REQUIRE(fabric.load_image({1, 1, 1, 1}, "u_mem.u_sram", 0, words).empty());
    using waferloom::fabric::UnitKind;
    REQUIRE(fabric.set_register({1, 1, 1, 1}, UnitKind::kPe, fabric.unit(UnitKind::kPe).reg_ending("task_act_q")->name, 8).empty());
    const sy::DirectResult result = small.run();
    INFO(bad.source << result.error);
    CHECK(result.error.find("tile (1, 1) cycle ") != std::string::npos);
    CHECK(result.error.find(bad.message) != std::string::npos);
    CHECK(fabric.cycle() < 100000);
  }
}
