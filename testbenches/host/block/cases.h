// Shapes of the transformer block that its tests run, and what they check alike.
#pragma once

#include <algorithm>
#include <iostream>
#include <vector>

#include "host/block/run.h"
#include "testbenches/lib/catch.h"

namespace waferloom::testing {

struct BlockCase {
  const char* name;
  block::Shape shape;
};

inline block::Shape block_shape(int width, int height, int tokens, int features, int hidden, int heads, int sequences, bool causal) {
  return {width, height, tokens, features, hidden, heads, sequences, causal};
}

// Roles that a tile can take: heads of one, two and three columns, sequences of one, two, three and more rows, odd and even sizes.
inline std::vector<BlockCase> block_cases() {
  return {
      {"4x4, 2 heads, causal", block_shape(4, 4, 16, 16, 32, 2, 1, true)},
      {"6x2, 2 heads of 3 columns, 8 tokens a tile", block_shape(6, 2, 16, 12, 24, 2, 1, true)},
      {"2x6, 2 heads, 2 sequences of 3 rows", block_shape(2, 6, 24, 6, 10, 2, 2, false)},
      {"3x4, 1 head of 3 columns, 4 rows", block_shape(3, 4, 32, 12, 12, 1, 1, false)},
      {"3x1, 3 heads, one row", block_shape(3, 1, 4, 6, 6, 3, 1, true)},
  };
}

inline block::Program block_program(const block::Shape& shape) {
  const auto refused = block::refuse(shape);
  if (refused) FAIL(refused->message);
  auto made = block::make_program(shape);
  if (const auto* refusal = std::get_if<block::Refusal>(&made)) FAIL(refusal->message << "\n" << refusal->hint);
  return std::get<block::Program>(std::move(made));
}

// The largest deviation of a whole pass that these shapes may show, relative to the tensor: that of binary16 is 2^-11 for each of many roundings. A wrong term shows as far more.
constexpr double kBlockRelative = 0x1p-8;

// Every element within the bound of its phase, every tensor within kBlockRelative of the whole pass. Prints the figures if `verbose`.
inline void check_against_reference(const block::PassResult& pass, const block::Shape& shape, const block::Parameters& parameters, const block::Inputs& inputs, bool verbose) {
  const std::map<std::string, block::Error> errors = block::errors_of(pass, shape, parameters, inputs);
  CHECK(errors.size() == pass.tensors.size());
  for (const auto& [name, error] : errors) {
    INFO(name);
    if (verbose) std::cout << "  " << name << ": of bound " << error.of_bound << ", relative " << error.relative << ", largest " << error.largest << "\n";
    CHECK(error.of_bound <= 1);
    CHECK(error.relative < kBlockRelative);
  }
}

}  // namespace waferloom::testing
