// The transformer block on the golden functional fabric: within its bounds of the double-precision reference, the same bits in any order of events, and a wrong
// opcode or wavelet changes them.
//
// State space: the shapes of cases.h, several seeds; every arithmetic instruction of the program replaced by a sibling with the same operands; every k-th word
// that enters. What is left out: time, and verilated tiles (block_rtl_test runs the same shapes).
#include <cstdlib>
#include <cstring>
#include <set>

#include "sim/generated/packet.h"
#include "testbenches/host/block/cases.h"
#include "testbenches/lib/mutation.h"

namespace waferloom {
namespace {

using testing::block_cases;
using testing::block_program;
using testing::block_shape;

TEST_CASE("the block keeps to its bounds of the reference") {
  const bool verbose = std::getenv("WL_VERBOSE") != nullptr;
  for (const testing::BlockCase& c : block_cases()) {
    const block::Program program = block_program(c.shape);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      INFO(c.name << ", seed " << seed);
      if (verbose) std::cout << c.name << ", seed " << seed << ", " << program.sram_used << " bytes\n";
      const block::Parameters parameters = block::random_parameters(c.shape, seed);
      const block::Inputs inputs = block::random_inputs(c.shape, seed);
      const auto machine = block::golden_machine();
      const block::PassResult pass = block::run_pass(*machine, program, parameters, inputs);
      REQUIRE(pass.problem == "");
      testing::check_against_reference(pass, c.shape, parameters, inputs, verbose);
    }
  }
}

block::PassResult golden_pass(const block::Program& program, std::uint64_t seed, const block::Change& change = {}, std::uint64_t shuffle = 0) {
  const auto machine = block::golden_machine(shuffle);
  return block::run_pass(*machine, program, block::random_parameters(program.shape, seed), block::random_inputs(program.shape, seed), change);
}

// Small, and with every role: three columns to a head, two rows to a sequence.
block::Program small_program() { return block_program(block_shape(3, 2, 8, 6, 6, 1, 1, true)); }

TEST_CASE("the order of events does not change a bit") {
  const block::Program program = small_program();
  const block::PassResult straight = golden_pass(program, 3);
  REQUIRE(straight.problem == "");
  for (std::uint64_t shuffle = 1; shuffle <= 5; ++shuffle) {
    const block::PassResult other = golden_pass(program, 3, {}, shuffle);
    REQUIRE(other.problem == "");
    CHECK(straight.tensors == other.tensors);
  }
}

TEST_CASE("a corrupted wavelet is seen in the results") {
  const block::Program program = small_program();
  const block::PassResult golden = golden_pass(program, 4);
  std::vector<std::uint64_t> data;  // numbers of the words that carry a weight, a gain or a bias
  golden_pass(program, 4, [&](std::uint64_t number, plan::EdgeWord& word) {
    if (!spec::link_control(word.link)) data.push_back(number);
  });
  REQUIRE(data.size() > 400);
  for (std::size_t i = 0; i < data.size(); i += 13) {
    const block::PassResult corrupted = golden_pass(program, 4, [&](std::uint64_t number, plan::EdgeWord& word) {
      if (number == data[i]) word.link ^= 0x8000;  // the sign of a weight; a binary32's mantissa
    });
    INFO("word " << data[i]);
    CHECK(corrupted.problem == "");
    CHECK_FALSE(golden.tensors == corrupted.tensors);
  }
}

TEST_CASE("a corrupted arithmetic opcode is seen in the results") {
  const block::Program program = small_program();
  const block::PassResult golden = golden_pass(program, 5);
  REQUIRE(golden.problem == "");
  int mutants = 0;
  std::set<std::uint32_t> opcodes;
  // A tile whose queries have keys of other rows, with an owner on either side. Gradients at stored weights only do not occur in the block.
  constexpr std::size_t kTile = 4;  // (1, 1)
  const block::TileImage& tile = program.tiles[kTile];
  for (const auto& [at, where] : tile.code) {
    if (at >= tile.symbols.at("gradient_stored") && at < tile.symbols.at("gelu")) continue;
    std::uint32_t word = 0;
    std::memcpy(&word, tile.bytes.data() + at, 4);
    const std::uint32_t other = testing::arithmetic_sibling(word);
    if (other == word) continue;
    block::Program mutant = program;
    std::memcpy(mutant.tiles[kTile].bytes.data() + at, &other, 4);
    const block::PassResult pass = golden_pass(mutant, 5);
    INFO("address " << at << ", word " << word << ", " << where);
    CHECK((!pass.problem.empty() || !(golden.tensors == pass.tensors)));
    opcodes.insert(spec::kOpcodeField.get(word));
    ++mutants;
  }
  CHECK(mutants >= 70);
  CHECK(opcodes.size() >= 8);
}

TEST_CASE("shapes that a block cannot take are refused with the quantity to change") {
  const auto key_of = [](const block::Shape& shape) {
    const auto refusal = block::refuse(shape);
    return refusal ? refusal->key : std::string("accepted");
  };
  CHECK(key_of(block_shape(4, 4, 16, 16, 32, 2, 1, true)) == "accepted");
  CHECK(key_of(block_shape(1, 4, 16, 16, 32, 1, 1, true)) == "width");
  CHECK(key_of(block_shape(4, 4, 16, 16, 32, 3, 1, true)) == "heads");
  CHECK(key_of(block_shape(4, 4, 16, 16, 32, 0, 1, true)) == "heads");
  CHECK(key_of(block_shape(4, 4, 16, 16, 32, 8, 1, true)) == "heads");
  CHECK(key_of(block_shape(4, 4, 16, 16, 32, 2, 3, true)) == "sequences");
  CHECK(key_of(block_shape(4, 4, 16, 18, 32, 2, 1, true)) == "features");
  CHECK(key_of(block_shape(4, 4, 16, 0, 32, 2, 1, true)) == "features");
  CHECK(key_of(block_shape(4, 4, 16, 16, 31, 2, 1, true)) == "hidden");
  CHECK(key_of(block_shape(4, 4, 18, 16, 32, 2, 1, true)) == "tokens");
  CHECK(key_of(block_shape(4, 4, 0, 16, 32, 2, 1, true)) == "tokens");
  auto made = block::make_program(block_shape(2, 1, 256, 512, 2048, 1, 1, true));
  const auto* refusal = std::get_if<block::Refusal>(&made);
  REQUIRE(refusal != nullptr);
  CHECK(refusal->message.find("do not fit") != std::string::npos);
}

}  // namespace
}  // namespace waferloom
