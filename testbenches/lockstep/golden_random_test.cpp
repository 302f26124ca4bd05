// The random programs on the golden model alone: legal (none traps), ending, and reaching every instruction. Order of issue and arrival is
// drawn too. What they compute is compared in lockstep with the hardware (lockstep_random_test).
#include "testbenches/lib/catch.h"
#include "sim/lockstep/checker.h"
#include "sim/lockstep/program_generator.h"

using namespace waferloom;

namespace {

struct Outcome {
  bool halted = false;
  golden::TrapRecord trap;
  uint64_t steps = 0;
  uint64_t instructions = 0;
};

Outcome run_alone(const lockstep::RandomProgram& program, uint64_t seed, std::array<uint64_t, 128>* executed) {
  golden::PeParameters p;
  p.output_depth = 0;
  golden::Pe pe(p);
  std::string error;
  REQUIRE(pe.load(program.program, &error));
  pe.boot();
  lockstep::Draws draws(seed, 0x0de7);
  std::vector<lockstep::WaveletSource> sources;
  for (const uint8_t colour : program.colours) sources.emplace_back(seed, colour);
  Outcome out;
  for (; out.steps < 2000000 && pe.trap().cause == golden::Trap::kNone; ++out.steps) {
    const size_t k = draws.below(static_cast<uint32_t>(sources.size()));
    if (pe.queue_of(program.colours[k]) >= 0 && pe.accepts(program.colours[k])) pe.deliver(sources[k].next());
    const int c = static_cast<int>(draws.below(golden::kContexts));
    if (pe.context(c).active) {
      golden::Stop stop;
      pe.issue(c, 1 + draws.below(8), &stop);
      if (stop == golden::Stop::kResult) pe.issue_result(c);
      if (stop == golden::Stop::kEnd) pe.complete(c);
    }
    golden::TaskStart start;
    if (pe.main_wait().kind == golden::MainWait::Kind::kNone) {
      if (pe.in_memory(pe.pc(), 4)) ++(*executed)[pe.peek(pe.pc(), 4) & 127u];
      pe.step();
    } else if (pe.next_task(&start)) {
      pe.start_task(start);
    }
    if (pe.halted()) break;
  }
  out.halted = pe.halted();
  out.trap = pe.trap();
  out.instructions = pe.events(golden::Event::kInstructions);
  return out;
}

}  // namespace

TEST_CASE("random programs are legal, end, and reach every instruction") {
  std::array<uint64_t, 128> executed{};
  uint64_t instructions = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    const Outcome out = run_alone(lockstep::generate_program(seed, {}), seed, &executed);
    INFO("trap " << spec::trap_name(static_cast<uint32_t>(out.trap.cause)) << " at " << out.trap.pc << " after " << out.steps);
    CHECK(out.halted);
    instructions += out.instructions;
  }
  CHECK(instructions > 3000);
  for (const spec::Instruction& row : spec::kInstructionTable) {
    INFO(row.name);
    if (row.opcode != spec::Opcode::kTrap) CHECK(executed[static_cast<size_t>(row.opcode)] > 0);
  }
}

TEST_CASE("programs that must trap do") {
  std::array<uint64_t, 128> executed{};
  std::array<int, 16> causes{};
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    const Outcome out = run_alone(lockstep::generate_trap(seed, {}), seed, &executed);
    CHECK(out.trap.cause != golden::Trap::kNone);
    ++causes[static_cast<size_t>(out.trap.cause)];
  }
  for (const golden::Trap t : {golden::Trap::kIllegalInstruction, golden::Trap::kMisaligned, golden::Trap::kOutOfRange, golden::Trap::kIllegalDescriptor, golden::Trap::kSoftware,
                               golden::Trap::kIllegalMmio}) {
    INFO(spec::trap_name(static_cast<uint32_t>(t)));
    CHECK(causes[static_cast<size_t>(t)] > 0);
  }
}
