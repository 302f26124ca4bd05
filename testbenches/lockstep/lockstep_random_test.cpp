// Random programs on the verilated PE, every effect compared with the golden model. Space: machines of 2, 4 and 8 lanes with and without window;
// programs as program_generator.h has them; random feeding and stalls. The number of programs grows with WL_SCALE; the long run executes more
// than 100,000 instructions. Left out: more than one tile (kernels_lockstep_test).
#include <cstdio>

#include "testbenches/lib/catch.h"
#include "testbenches/lockstep/pe_bench.h"

using namespace waferloom;
using namespace waferloom::test;

namespace {

std::vector<PeBenchOptions> machines() {
  std::vector<PeBenchOptions> all(3);
  all[0].lanes = 4;
  all[0].window_bytes = 256;
  all[1].lanes = 8;
  all[1].window_bytes = 512;
  all[2].lanes = 2;
  all[2].window_bytes = 0;
  all[2].sram_bytes = 49152;
  return all;
}

}  // namespace

TEST_CASE("random programs in lockstep") {
  uint64_t instructions = 0;
  uint64_t elements = 0;
  for (const PeBenchOptions& machine : machines()) {
    PeBench bench(machine);
    lockstep::GeneratorOptions g;
    g.window_bytes = machine.window_bytes;
    for (uint64_t k = 0; k < scaled(12); ++k) {
      const uint64_t seed = lockstep::hash(bench_seed(), machine.lanes, k);
      g.blocks = 40 + 20 * static_cast<uint32_t>(k % 4);
      const PeRun r = bench.run(lockstep::generate_program(seed, g), seed, 200000);
      INFO(machine.lanes << " lanes, window " << machine.window_bytes << ", program " << k << ", seed " << seed);
      INFO(r.text);
      CHECK(r.ok);
      instructions += r.scalars;
      elements += r.elements;
    }
    if (scaled(1) >= 1) {
      for (const spec::Instruction& row : spec::kInstructionTable) {
        INFO(row.name << " on " << machine.lanes << " lanes");
        if (row.opcode != spec::Opcode::kTrap) CHECK(bench.executed()[static_cast<size_t>(row.opcode)] > 0);
      }
    }
  }
  std::printf("%llu instructions and %llu elements compared\n", static_cast<unsigned long long>(instructions), static_cast<unsigned long long>(elements));
}

TEST_CASE("traps in lockstep") {
  for (const PeBenchOptions& machine : machines()) {
    PeBench bench(machine);
    lockstep::GeneratorOptions g;
    g.window_bytes = machine.window_bytes;
    for (uint64_t k = 0; k < scaled(10); ++k) {
      const uint64_t seed = lockstep::hash(bench_seed(), 77 + machine.lanes, k);
      const PeRun r = bench.run(lockstep::generate_trap(seed, g), seed, 100000);
      INFO(machine.lanes << " lanes, program " << k << ", seed " << seed);
      INFO(r.text);
      CHECK(r.ok);
    }
  }
}
