// A fabric saved at any moment of a training step and loaded into a fresh one goes on bit by bit as the one that never stopped: registers, memories, links,
// host ports, counts of what was evaluated and skipped. Also into the traced twin, and with memory that tiles share.
// State space: moments in boot, load, forward, loss, gradient and at rest; words held by the edge's budget, results that the host has not taken.
// Left out: host models (resume_program_test), a whole wafer (wafer benchmark).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <variant>

#include "host/config/resolver.h"
#include "host/plan/edge_stream.h"
#include "host/systemc/fabric_wafer.h"
#include "host/systemc/message.h"
#include "host/systemc/units.h"
#include "sim/checkpoint/fabric_state.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

namespace sy = waferloom::systemc;
namespace pl = waferloom::plan;
namespace fb = waferloom::fabric;
namespace ck = waferloom::checkpoint;

namespace {

constexpr std::int64_t kEnd = 12000;

class Bench {
 public:
  explicit Bench(int width = 3, bool traced = false) {
    const auto machine = waferloom::config::resolve_machine("wse2");
    REQUIRE(machine.ok());
    pl::Target target;
    target.width = width;
    target.height = 2;
    pl::NetworkSpec network;
    network.layers.push_back({"first", 6, 5, true, true, false});
    network.layers.push_back({"second", 5, 4, true, false, false});
    auto planned = pl::make_plan(network, target, 4);
    REQUIRE(std::holds_alternative<pl::Plan>(planned));
    plan = std::move(std::get<pl::Plan>(planned));
    sy::UnitChoice choice;
    choice.trace = traced;
    sy::FabricWaferOptions options;
    REQUIRE(options.router.open(sy::router_spec(machine->value, choice)).empty());
    REQUIRE(options.pe.open(sy::pe_spec(machine->value, choice)).empty());
    options.io_words_per_cycle = 1;
    options.out_buffer_words = 2;  // the wafer soon waits for the host
    std::string error;
    wafer = sy::FabricWafer::create(options, plan, &error);
    REQUIRE(error.empty());
  }

  // All words of one training step, at once.
  void offer() {
    std::vector<std::uint16_t> weights[2] = {std::vector<std::uint16_t>(30, 0x3155), std::vector<std::uint16_t>(20, 0xb0aa)};
    std::vector<std::uint16_t> bias(5, 0x2c00);
    std::vector<float> samples;
    for (int i = 0; i < 24; ++i) samples.push_back(static_cast<float>(i % 7) / 8.0F);
    const std::vector<int> labels = {0, 1, 2, 3};
    pl::StepInputs inputs;
    inputs.samples = samples.data();
    inputs.labels = labels.data();
    inputs.rows = 4;
    std::vector<pl::LayerWeights> layers(2);
    for (int l = 0; l < 2; ++l) layers[static_cast<std::size_t>(l)] = {weights[l].data(), bias.data(), nullptr};
    pl::EdgeStream stream(plan, inputs, layers);
    pl::EdgeWord word;
    while (stream.next(word)) {
      const std::uint64_t packed = sy::pack_edge(word.column, word.link);
      wafer->offer(&packed, 1);
    }
    wafer->allow(1000000);
  }

  // Runs on, taking results every 64 cycles; all that left so far.
  void run_to(std::int64_t cycle) {
    while (wafer->cycle() < cycle) {
      REQUIRE(wafer->run_to(std::min(cycle, (wafer->cycle() / 64 + 1) * 64)) == sy::WaferState::kRunning);
      if (wafer->cycle() % 64 != 0) continue;
      for (const std::uint64_t result : wafer->results()) results.push_back(result);
    }
  }

  fb::Fabric& fabric() { return wafer->fabric(); }

  pl::Plan plan;
  std::unique_ptr<sy::FabricWafer> wafer;
  std::vector<std::uint64_t> results;
};

void save(Bench& bench, const std::string& file) {
  ck::FileWriter writer(file);
  ck::Archive beside;
  bench.wafer->transfer(beside);
  writer.section("wafer", beside.bytes());
  ck::save_fabric(bench.fabric(), writer);
  REQUIRE(writer.finish() == "");
}

ck::Fault load(Bench& bench, const std::string& file) {
  ck::FileReader reader;
  ck::Fault fault = reader.open(file);
  std::string bytes;
  if (fault.ok()) fault = reader.read("wafer", &bytes);
  if (fault.ok()) fault = ck::load_fabric(bench.fabric(), reader);
  if (!fault.ok()) return fault;
  ck::Archive beside(bytes);
  bench.wafer->transfer(beside);
  REQUIRE(beside.complete());
  return fault;
}

void check_same(Bench& a, Bench& b) {
  CHECK(a.fabric().cycle() == b.fabric().cycle());
  CHECK(a.fabric().digest() == b.fabric().digest());
  CHECK(a.fabric().activity().router_evaluations == b.fabric().activity().router_evaluations);
  CHECK(a.fabric().activity().pe_evaluations == b.fabric().activity().pe_evaluations);
  CHECK(a.fabric().last_active_cycle() == b.fabric().last_active_cycle());
  CHECK(a.fabric().class_totals(fb::UnitKind::kPe) == b.fabric().class_totals(fb::UnitKind::kPe));
  CHECK(a.fabric().class_totals(fb::UnitKind::kRouter) == b.fabric().class_totals(fb::UnitKind::kRouter));
  CHECK(a.wafer->taken() == b.wafer->taken());
}

}  // namespace

TEST_CASE("a fabric goes on from any moment as if it had never stopped", "[checkpoint]") {
  const waferloom::test::TemporaryFolder folder;
  const std::string file = (folder.path() / "c.wlc").string();
  Bench whole;
  whole.offer();
  whole.run_to(kEnd);
  REQUIRE(whole.results.size() > 40);
  REQUIRE(whole.wafer->quiet());
  const std::int64_t busy = static_cast<std::int64_t>(whole.fabric().last_active_cycle());
  REQUIRE(busy < kEnd);
  for (const std::int64_t moment : {std::int64_t{0}, std::int64_t{3}, busy / 5, busy / 3 + 1, busy / 2, 2 * busy / 3 + 17, busy - 5, busy + 100}) {
    INFO("saved at cycle " << moment);
    Bench first;
    first.offer();
    first.run_to(moment);
    save(first, file);
    Bench second;
    // What it held before counts for nothing: it has run elsewhere.
    if (moment % 2 == 1) {
      second.offer();
      second.run_to(moment / 2 + 100);
    }
    const ck::Fault fault = load(second, file);
    INFO(fault.reason);
    REQUIRE(fault.ok());
    check_same(first, second);
    second.results = first.results;
    second.run_to(kEnd);
    check_same(whole, second);
    CHECK(second.results == whole.results);
    // Saving changed nothing.
    first.run_to(kEnd);
    check_same(whole, first);
    CHECK(first.results == whole.results);
    CHECK(second.fabric().private_bytes() == first.fabric().private_bytes());
  }
}

TEST_CASE("pages that tiles share are stored once and shared again", "[checkpoint]") {
  const waferloom::test::TemporaryFolder folder;
  const std::string file = (folder.path() / "c.wlc").string();
  Bench first;
  CHECK(first.fabric().private_bytes() == 0);
  save(first, file);
  Bench second;
  second.offer();
  second.run_to(kEnd);
  CHECK(second.fabric().private_bytes() > 0);
  REQUIRE(load(second, file).ok());
  CHECK(second.fabric().private_bytes() <= 6 * 2 * 1024);  // programs that one tile alone has
  check_same(first, second);
}

// WAFERLOOM_TEST_ARRAY=757x996 measures a whole wafer; the default crosses the blocks of 512 tiles in which a file is written.
TEST_CASE("a larger array is saved and loaded in blocks", "[checkpoint]") {
  const waferloom::test::TemporaryFolder folder;
  const std::string file = (folder.path() / "c.wlc").string();
  fb::FabricOptions options;
  options.width = 40;
  options.height = 30;
  if (const char* array = std::getenv("WAFERLOOM_TEST_ARRAY")) REQUIRE(std::sscanf(array, "%ux%u", &options.width, &options.height) == 2);
  const auto machine = waferloom::config::resolve_machine("wse2");
  REQUIRE(machine.ok());
  REQUIRE(options.router.open(sy::router_spec(machine->value, {})).empty());
  REQUIRE(options.pe.open(sy::pe_spec(machine->value, {})).empty());
  std::string error;
  const auto make = [&] {
    std::unique_ptr<fb::Fabric> fabric = fb::Fabric::create(options, &error);
    REQUIRE(fabric != nullptr);
    return fabric;
  };
  const std::unique_ptr<fb::Fabric> first = make();
  const std::string sram = first->unit(fb::UnitKind::kPe).api().memory(first->arena(fb::UnitKind::kPe), 0)->name;
  const fb::Region all{0, 0, options.width, options.height};
  std::vector<std::uint64_t> program(700), late(300, 7);
  for (std::size_t i = 0; i < program.size(); ++i) program[i] = i * 2654435761U & 0xffffffffU;
  REQUIRE(first->load_image(all, sram, 0, program).empty());
  // A program that only the last rows have, and words that a tile has for itself, in shared pages and in empty ones.
  REQUIRE(first->load_image({0, options.height - 5, options.width, 5}, sram, 1024, late).empty());
  for (std::uint32_t tile = 0; tile < first->tiles(); tile += 3) {
    REQUIRE(first->set_memory(tile % options.width, tile / options.width, sram, tile % 2 == 0 ? 5 : 5000, tile + 1).empty());
  }
  first->run(40, true);
  const auto seconds_since = [](std::chrono::steady_clock::time_point begin) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  auto begin = std::chrono::steady_clock::now();
  {
    ck::FileWriter writer(file);
    ck::save_fabric(*first, writer);
    REQUIRE(writer.finish() == "");
  }
  const double saved = seconds_since(begin);
  const std::unique_ptr<fb::Fabric> second = make();
  // What was there before goes: also a page that the checkpoint has as zeros.
  for (std::uint32_t x = 0; x < options.width; ++x) REQUIRE(second->set_memory(x, 1, sram, 9000, 1).empty());
  begin = std::chrono::steady_clock::now();
  ck::FileReader reader;
  REQUIRE(reader.open(file).ok());
  const double checked = seconds_since(begin);
  const ck::Fault fault = ck::load_fabric(*second, reader);
  INFO(fault.reason);
  REQUIRE(fault.ok());
  std::printf("%u tiles: %llu bytes, saved in %.2f s, checked in %.2f s, checked and loaded in %.2f s\n", first->tiles(),
              static_cast<unsigned long long>(std::filesystem::file_size(file)), saved, checked, seconds_since(begin));
  CHECK(second->private_bytes() == first->private_bytes());
  const bool with_memory = first->tiles() <= 100000;
  CHECK(second->digest(with_memory) == first->digest(with_memory));
  first->run(80, true);
  second->run(80, true);
  CHECK(second->digest(with_memory) == first->digest(with_memory));
  CHECK(second->activity().pe_evaluations == first->activity().pe_evaluations);
}

TEST_CASE("a checkpoint of a plain build opens in the traced twin", "[checkpoint]") {
  const waferloom::test::TemporaryFolder folder;
  const std::string file = (folder.path() / "c.wlc").string();
  Bench plain;
  plain.offer();
  plain.run_to(1500);
  save(plain, file);
  Bench traced(3, true);
  REQUIRE(traced.fabric().unit(fb::UnitKind::kPe).api().traced == 1);
  const ck::Fault fault = load(traced, file);
  INFO(fault.reason);
  REQUIRE(fault.ok());
  check_same(plain, traced);
  traced.run_to(2500);
  plain.run_to(2500);
  check_same(plain, traced);
}

TEST_CASE("a checkpoint of another array is refused", "[checkpoint]") {
  const waferloom::test::TemporaryFolder folder;
  const std::string file = (folder.path() / "c.wlc").string();
  Bench wide;
  save(wide, file);
  Bench narrow(2);
  const ck::Fault fault = load(narrow, file);
  CHECK(fault.kind == ck::Fault::Kind::kForeign);
  CHECK(fault.reason == "is of an array of 3x2 tiles, not 2x2");
}
