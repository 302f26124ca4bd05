// The composed fabric of whole tiles (router and PE with a program) against a monolithic model of wl_array, and against itself
// in other modes. State space: random words and control wavelets down the columns, answers along the rows whose content depends
// on the order of arrival and on the time, vector work on microthreads, hosts that read slowly, word budgets.
// Compared: every register of both units in every cycle, counters included, and the whole SRAM.
#include <cstdio>
#include <cstdlib>

#include "testbenches/system/echo.h"
#include "testbenches/system/monolith.h"
#include "testbenches/system/traffic.h"

using namespace waferloom;
using namespace waferloom::test;
using fabric::Stop;
using fabric::UnitKind;

namespace {

plugin::Unit open_pe(plugin::View view = plugin::View::kFast) {
  plugin::UnitSpec spec = small_pe_spec();
  spec.view = view;
  plugin::Unit unit;
  const std::string error = unit.open(spec);
  INFO(error);
  REQUIRE(error.empty());
  return unit;
}

// A fabric with the echo program on every tile, north ports in, east ports out.
struct Echo {
  Echo(const fabric::FabricOptions& options, const std::string& name) : fabric(make_fabric(options)), traffic(fabric.get(), name) {}
  void drive(bool sending) { traffic.drive(sending); }

  std::unique_ptr<Fabric> fabric;
  EchoTraffic traffic;
};

fabric::FabricOptions options_for(uint32_t width, uint32_t height) {
  fabric::FabricOptions o;
  o.width = width;
  o.height = height;
  o.router = open_router();
  o.pe = open_pe();
  return o;
}

MonolithShape array_shape() {
  MonolithShape m;
  m.top = "wl_array";
  m.spec.params = small_pe_spec().params;
  m.spec.optimise = 1;
  m.spec.split = 20000;
  m.edges_are_ports = true;
  m.row = "g_row[";
  m.column = "].g_tile[";
  m.router = "].u_tile.u_router.";
  m.pe = "].u_tile.u_pe.";
  return m;
}

void compare_with_monolith(uint32_t width, uint32_t height, uint64_t cycles) {
  fabric::FabricOptions options = options_for(width, height);
  options.threads = 2;
  options.parallel_units = 4;
  options.edge_in = {2, 1};
  Echo echo(options, "tile mono " + std::to_string(width));
  Monolith whole(echo.fabric.get(), array_shape());
  for (uint64_t c = 0; c < cycles; ++c) {
    echo.drive(c % 600 < 400);
    whole.drive();
    const Stop stop = echo.fabric->step();
    whole.tick();
    const bool exact = c % 97 == 0;
    if (exact) echo.fabric->credit_all();
    const std::string different = whole.difference(exact);
    if (stop == Stop::kCycle && different.empty()) continue;
    INFO("cycle " << c << ": " << different);
    for (const fabric::Trap& t : echo.fabric->traps()) UNSCOPED_INFO("trap " << t.cause << " at " << t.x << "," << t.y << " pc " << t.program_counter);
    REQUIRE(stop == Stop::kCycle);
    REQUIRE(different.empty());
  }
  CHECK(whole.memory_difference() == "");
  CHECK(echo.traffic.received.size() > cycles / 100);
  const uint64_t unit_cycles = 2 * cycles * width * height;
  CHECK(echo.fabric->activity().router_evaluations + echo.fabric->activity().pe_evaluations < unit_cycles);  // something was skipped
}

}  // namespace

TEST_CASE("tiles: the composed 3x2 fabric equals the monolithic array in every register and cycle") {
  compare_with_monolith(3, 2, scaled(3000));
}

// Long to build: only in the full run (hidden from a run without a name).
TEST_CASE("tiles: the composed 4x4 fabric equals the monolithic array", "[.full]") { compare_with_monolith(4, 4, scaled(3000)); }

// How much can be skipped is a property of the traffic: answers of every tile add up along a row, so larger arrays are busier. What the engine owes is
// that nearly every evaluation changes something.
TEST_CASE("tiles: what is evaluated has a reason, whatever the size") {
  for (const uint32_t size : {2u, 4u}) {
    fabric::FabricOptions options = options_for(size, size);
    options.edge_in = {2, 1};
    options.audit = true;
    Echo echo(options, "tile reasons");
    for (uint64_t c = 0; c < scaled(1200); ++c) {
      echo.drive(c % 600 < 400);
      REQUIRE(echo.fabric->step() == Stop::kCycle);
    }
    const fabric::AuditReport& audit = echo.fabric->audit_report();
    INFO(size << "x" << size << ": " << audit.first_violation);
    CHECK(audit.violations == 0);
    std::printf("%ux%u: of %llu unit-cycles %llu evaluated, %llu changed something\n", size, size, static_cast<unsigned long long>(audit.unit_cycles),
                static_cast<unsigned long long>(audit.evaluated), static_cast<unsigned long long>(audit.changed));
    CHECK(audit.evaluated < audit.unit_cycles);
    CHECK(double(audit.evaluated) <= 1.15 * double(audit.changed));
  }
}

TEST_CASE("tiles: skipping, order of evaluation, audit and views do not change a bit") {
  std::vector<Received> words;
  uint64_t digest = 0, memory = 0;
  for (int mode = 0; mode < 8; ++mode) {
    fabric::FabricOptions o = options_for(4, 3);
    o.skip = mode != 1;
    o.shuffle_seed = mode == 2 ? 77 : 0;
    o.audit = mode == 3;
    if (mode > 4) o.threads = static_cast<unsigned>(mode) - 3;
    o.parallel_units = 6;
    if (mode == 4) o.pe = open_pe(plugin::View::kRtl);
    o.edge_in = {3, 2};
    Echo echo(o, "tile modes");
    Fabric& f = *echo.fabric;
    for (uint64_t c = 0; c < scaled(1500); ++c) {
      echo.drive(c % 500 < 300);
      REQUIRE(f.step() == Stop::kCycle);
    }
    INFO("mode " << mode);
    for (const UnitKind kind : {UnitKind::kRouter, UnitKind::kPe}) {
      uint64_t sum = 0;
      for (const uint64_t n : f.class_totals(kind)) sum += n;
      CHECK(sum == f.cycle() * f.tiles());
    }
    uint64_t words_digest = 0;
    for (uint32_t y = 0; y < f.height(); ++y) {
      for (uint32_t x = 0; x < f.width(); ++x) {
        for (uint32_t w = 0; w < 1024; ++w) words_digest = words_digest * 31 + f.get_memory(x, y, "u_mem.u_sram", w);
      }
    }
    if (mode == 0) {
      words = echo.traffic.received;
      digest = f.digest();
      memory = words_digest;
      CHECK(words.size() > 10);
      CHECK(memory != 0);
      continue;
    }
    CHECK(echo.traffic.received == words);
    CHECK(words_digest == memory);
    if (mode != 4) CHECK(f.digest() == digest);  // registers inside a macro differ between views
    if (mode != 3) continue;
    const fabric::AuditReport& audit = f.audit_report();
    INFO(audit.first_violation);
    CHECK(audit.violations == 0);
    CHECK(audit.evaluated < audit.unit_cycles / 2);
    CHECK(audit.changed <= audit.evaluated);
    // Of what is evaluated, nearly all has a reason.
    CHECK(double(audit.evaluated) <= 1.15 * double(audit.changed));
  }
}
