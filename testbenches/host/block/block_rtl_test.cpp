// The transformer block on verilated tiles: the golden fabric's bits in every tensor, within its bounds of the reference, and a wrong opcode or wavelet is seen.
//
// State space: the shapes of cases.h; two machines (hops of one and two cycles, four and eight lanes); more seeds and larger shapes in block_rtl_full_test
// (WL_BLOCK_FULL). What is left out: instruction by instruction comparison (the kernels of normalisation and GELU run in lockstep).
#include <cstdlib>
#include <cstring>

#include "host/config/resolver.h"
#include "host/systemc/units.h"
#include "sim/generated/isa.h"
#include "sim/generated/packet.h"
#include "testbenches/host/block/cases.h"

namespace waferloom {
namespace {

using testing::block_program;
using testing::block_shape;

#ifdef WL_BLOCK_FULL
constexpr bool kFull = true;
#else
constexpr bool kFull = false;
#endif

struct Target {
  config::Machine machine;
  block::RtlOptions options;
};

Target target_of(const char* name) {
  Target target;
  const auto resolved = config::resolve_machine(name);
  if (!resolved) FAIL(config::render(resolved.errors()));
  target.machine = resolved->value;
  const std::string error = target.options.router.open(systemc::router_spec(target.machine, {})) + target.options.pe.open(systemc::pe_spec(target.machine, {}));
  if (!error.empty()) FAIL(error);
  target.options.hop = static_cast<unsigned>(target.machine.hop_cycles.value);
  target.options.limit_cycles = 2'000'000;
  return target;
}

const Target& target(const char* name) {
  static std::map<std::string, Target> targets;
  const auto found = targets.find(name);
  return found != targets.end() ? found->second : targets.emplace(name, target_of(name)).first->second;
}

block::Shape on(const Target& target, block::Shape shape) {
  shape.lanes = static_cast<int>(target.machine.lanes.value);
  shape.sram_bytes = static_cast<int>(target.machine.sram_bytes.value);
  shape.window_bytes = static_cast<int>(target.machine.accumulator_window_bytes.value);
  return shape;
}

block::PassResult rtl_pass(const Target& target, const block::Program& program, std::uint64_t seed, const block::Change& change = {}) {
  const auto machine = block::rtl_machine(target.options);
  return block::run_pass(*machine, program, block::random_parameters(program.shape, seed), block::random_inputs(program.shape, seed), change);
}

void passes_agree(const char* machine, const block::Shape& wanted, std::uint64_t seed) {
  const bool verbose = std::getenv("WL_VERBOSE") != nullptr;
  const Target& t = target(machine);
  const block::Program program = block_program(on(t, wanted));
  const block::Parameters parameters = block::random_parameters(program.shape, seed);
  const block::Inputs inputs = block::random_inputs(program.shape, seed);
  const auto golden = block::golden_machine();
  const block::PassResult expected = block::run_pass(*golden, program, parameters, inputs);
  REQUIRE(expected.problem == "");
  const block::PassResult found = rtl_pass(t, program, seed);
  REQUIRE(found.problem == "");
  for (const auto& [name, bits] : expected.tensors) {
    INFO(name);
    CHECK(bits == found.tensors.at(name));
  }
  testing::check_against_reference(found, program.shape, parameters, inputs, verbose);
  if (!verbose) return;
  const std::vector<block::Phase> phases = block::phases();
  for (std::size_t p = 0; p < phases.size(); ++p) std::cout << "  " << phases[p].name << " " << found.cycles[p] << " cycles, " << found.words[p] << " words\n";
}

TEST_CASE("the block on verilated tiles has the golden fabric's bits and keeps to its bounds") {
  for (const testing::BlockCase& c : testing::block_cases()) {
    for (std::uint64_t seed = 11; seed <= (kFull ? 18U : 11U); ++seed) {
      INFO(c.name << ", seed " << seed);
      passes_agree("wse2", c.shape, seed);
    }
  }
  INFO("eight lanes, two cycles a hop");
  passes_agree("wse3", block_shape(4, 3, 24, 8, 16, 2, 1, true), 12);
  if (!kFull) return;
  passes_agree("wse3", block_shape(6, 6, 48, 24, 48, 3, 2, true), 13);
  passes_agree("wse2", block_shape(8, 8, 64, 64, 256, 4, 1, true), 14);
  passes_agree("wse2", block_shape(8, 8, 128, 64, 256, 2, 2, false), 15);
}

TEST_CASE("one wrong opcode or wavelet on verilated tiles is seen") {
  const Target& t = target("wse2");
  const block::Program program = block_program(on(t, block_shape(3, 2, 8, 6, 6, 1, 1, true)));
  const block::PassResult straight = rtl_pass(t, program, 5);
  REQUIRE(straight.problem == "");
  int mutants = 0;
  for (const auto& [at, where] : program.tiles.back().code) {
    block::Program mutant = program;
    std::uint8_t& opcode = mutant.tiles.back().bytes[at];
    // Differences from the maximum become sums; a sum of squares, and what takes the mean out of a gradient, become products.
    const auto is = [&](spec::Opcode wanted, const char* file) { return (opcode & 0x7fU) == static_cast<unsigned>(wanted) && where.find(file) != std::string::npos; };
    if (is(spec::Opcode::kVsub, "attention.wl")) opcode = static_cast<std::uint8_t>((opcode & 0x80U) | static_cast<unsigned>(spec::Opcode::kVadd));
    else if (is(spec::Opcode::kVfma, "norm.wl")) opcode = static_cast<std::uint8_t>((opcode & 0x80U) | static_cast<unsigned>(spec::Opcode::kVmul));
    else continue;
    INFO(where);
    const block::PassResult pass = rtl_pass(t, mutant, 5);
    CHECK((!pass.problem.empty() || !(pass.tensors == straight.tensors)));
    ++mutants;
  }
  CHECK(mutants >= 3);
  std::uint64_t weights = 0;
  const block::PassResult pass = rtl_pass(t, program, 5, [&](std::uint64_t, plan::EdgeWord& word) {
    if (!spec::link_control(word.link) && ++weights == 100) word.link ^= 0x8000;
  });
  CHECK(pass.problem == "");
  CHECK_FALSE(pass.tensors == straight.tensors);
}

}  // namespace
}  // namespace waferloom
