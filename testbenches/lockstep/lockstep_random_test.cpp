// Random programs on the verilated PE, every effect compared with the golden model. Space: machines of 2, 4 and 8 lanes with and without window, the
// reduced tile (4 KiB, 8 colours), macros as logic;
// programs as program_generator.h has them; random feeding and stalls. The number of programs grows with WL_SCALE; the long run executes more
// than 100,000 instructions. Left out: more than one tile (kernels_lockstep_test).
#include <cstdio>

#include "testbenches/lib/catch.h"
#include "testbenches/lockstep/pe_bench.h"

using namespace waferloom;
using namespace waferloom::test;

namespace {

std::vector<PeBenchOptions> machines() {
  std::vector<PeBenchOptions> all(5);
  all[0].lanes = 4;
  all[0].window_bytes = 256;
  all[1].lanes = 8;
  all[1].window_bytes = 512;
  all[2].lanes = 2;
  all[2].window_bytes = 0;
  all[2].sram_bytes = 49152;
  all[3].lanes = 2;  // nano
  all[3].window_bytes = 0;
  all[3].sram_bytes = 4096;
  all[3].colours = 8;
  all[3].deep_queue = 4;
  all[4].lanes = 4;
  all[4].window_bytes = 256;
  all[4].view = plugin::View::kRtl;
  return all;
}

lockstep::GeneratorOptions generator_of(const PeBenchOptions& machine) {
  lockstep::GeneratorOptions g;
  g.window_bytes = machine.window_bytes;
  g.sram_bytes = machine.sram_bytes;
  g.colours = machine.colours;
  return g;
}

}  // namespace

TEST_CASE("random programs in lockstep") {
  uint64_t instructions = 0;
  uint64_t elements = 0;
  for (const PeBenchOptions& machine : machines()) {
    PeBench bench(machine);
    lockstep::GeneratorOptions g = generator_of(machine);
    const uint64_t programs = machine.sram_bytes == 4096 ? 40 : 12;  // they are short there
    for (uint64_t k = 0; k < scaled(programs); ++k) {
      const uint64_t seed = lockstep::hash(bench_seed(), machine.lanes, k);
      g.blocks = 40 + 20 * static_cast<uint32_t>(k % 4);
      const PeRun r = bench.run(lockstep::generate_program(seed, g), seed, 200000);
      INFO(machine.lanes << " lanes, window " << machine.window_bytes << ", SRAM " << machine.sram_bytes << ", " << plugin::to_string(machine.view) << " view, program "
                         << k << ", seed " << seed);
      INFO(r.text);
      CHECK(r.ok);
      instructions += r.scalars;
      elements += r.elements;
    }
    {
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
    const lockstep::GeneratorOptions g = generator_of(machine);
    for (uint64_t k = 0; k < scaled(10); ++k) {
      const uint64_t seed = lockstep::hash(bench_seed(), 77 + machine.lanes, k);
      const PeRun r = bench.run(lockstep::generate_trap(seed, g), seed, 100000);
      INFO(machine.lanes << " lanes, program " << k << ", seed " << seed);
      INFO(r.text);
      CHECK(r.ok);
    }
  }
}

TEST_CASE("a wrong opcode, wavelet or last bit is found") {
  const PeBenchOptions machine = machines()[0];
  PeBench bench(machine);
  lockstep::GeneratorOptions g;
  g.window_bytes = machine.window_bytes;
  const uint64_t seed = lockstep::hash(bench_seed(), 4711, 0);
  const lockstep::RandomProgram program = lockstep::generate_program(seed, g);
  const auto find = [&](const Mutation& m) {
    const PeRun r = bench.run(program, seed, 200000, m);
    CHECK_FALSE(r.ok);
    return r.text;
  };
  // The first instruction of the boot task: another immediate, then another opcode.
  const uint32_t entry = program.program.bytes[2 * spec::kBootTask] | static_cast<uint32_t>(program.program.bytes[2 * spec::kBootTask + 1]) << 8;
  for (const uint32_t flip : {0x00100000u, static_cast<uint32_t>(spec::Opcode::kLi) ^ static_cast<uint32_t>(spec::Opcode::kLih)}) {
    const std::string text = find({Mutation::Kind::kInstruction, entry, flip, 0});
    INFO(text);
    CHECK(text.find("tile (3, 5), cycle") == 0);
    CHECK(text.find(" li r13, -16384: ") != std::string::npos);
    CHECK(text.find("register r13: expected 0xffffc000") != std::string::npos);
  }
  for (const uint64_t index : {0u, 5u, 9u}) {
    INFO(index);
    CHECK(find({Mutation::Kind::kArrival, 0, 0, index}) != "");
    CHECK(find({Mutation::Kind::kPush, 0, 0, index}).find("output queue") != std::string::npos);
    CHECK(find({Mutation::Kind::kRounding, 0, 0, index}).find("memory 0x") != std::string::npos);
  }
}
