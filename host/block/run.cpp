#include "host/block/run.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "host/plan/protocol.h"
#include "sim/generated/packet.h"
#include "sim/macros/arith.h"

namespace waferloom::block {
namespace {

// A slab of every tile, [tokens][features].
void store(Program& program, const std::string& symbol, const std::vector<std::uint16_t>& values) {
  const Shape& s = program.shape;
  const int n = s.tile_tokens(), f = s.tile_features();
  for (int y = 0; y < s.height; ++y) {
    for (int x = 0; x < s.width; ++x) {
      TileImage& tile = program.tiles[static_cast<std::size_t>(y * s.width + x)];
      std::uint32_t at = tile.symbols.at(symbol);
      for (int j = 0; j < f; ++j) {
        for (int t = 0; t < n; ++t, at += 2) {
          const std::uint16_t value = values[static_cast<std::size_t>((y * n + t) * s.features + x * f + j)];
          tile.bytes[at] = static_cast<std::uint8_t>(value);
          tile.bytes[at + 1] = static_cast<std::uint8_t>(value >> 8);
        }
      }
    }
  }
}

Bits read(const Machine& machine, const Program& program, const Slab& slab) {
  const Shape& s = program.shape;
  const int n = s.tile_tokens(), features = slab.rows * s.width;
  Bits bits;
  bits.values.resize(static_cast<std::size_t>(s.tokens * features));
  for (int y = 0; y < s.height; ++y) {
    for (int x = 0; x < s.width; ++x) {
      std::uint32_t at = program.tile(x, y).symbols.at(slab.symbol) + static_cast<std::uint32_t>(2 * n * slab.offset_rows);
      for (int j = 0; j < slab.rows; ++j) {
        for (int t = 0; t < n; ++t, at += 2) bits.values[static_cast<std::size_t>((y * n + t) * features + x * slab.rows + j)] = machine.peek(x, y, at, 2);
      }
    }
  }
  return bits;
}

}  // namespace

PassResult run_pass(Machine& machine, const Program& given, const Parameters& parameters, const Inputs& inputs, const Change& change) {
  PassResult result;
  Program program = given;
  store(program, "input", inputs.input);
  store(program, "output_delta", inputs.output_delta);
  std::uint64_t p = 0;       // phase
  std::uint64_t number = 0;  // of the next word
  machine.carry([&](checkpoint::Archive& archive) { archive(p, number, result.tensors, result.cycles, result.words); });
  result.problem = machine.start(program);
  if (!result.problem.empty()) {
    result.ended = machine.ended();
    result.problem = "boot: " + result.problem;
    return result;
  }
  const std::vector<Phase> all = phases();
  for (bool sent = machine.goes_on(); p < all.size(); ++p, sent = false) {
    if (!sent) {
      std::vector<plan::EdgeWord> words = phase_words(program, p, parameters);
      for (plan::EdgeWord& word : words) {
        if (change) change(number, word);
        ++number;
        machine.send(word);
      }
      result.words.push_back(words.size());
    }
    result.problem = machine.rest(all[p].kind == PhaseKind::kProduct);
    result.ended = machine.ended();
    result.cycles.push_back(machine.phase_cycles());
    const std::vector<std::vector<Place>> places = phase_results(program, p);
    for (int x = 0; x < program.shape.width && result.problem.empty(); ++x) {
      std::uint64_t link = 0;
      for (const Place& place : places[static_cast<std::size_t>(x)]) {
        if (!machine.receive(x, &link) || spec::link_control(link) || spec::link_colour(link) != plan::kChainYEven) {
          result.problem = "column " + std::to_string(x) + " lacks results";
          break;
        }
        Bits& bits = result.tensors[place.tensor];
        bits.single = true;
        if (bits.values.size() <= place.index) bits.values.resize(place.index + 1);
        bits.values[place.index] = spec::link_data(link);
      }
      if (machine.receive(x, &link)) result.problem = "column " + std::to_string(x) + " has a word more than the phase gives";
    }
    if (!result.problem.empty()) {
      result.problem = all[p].name + ": " + result.problem;
      return result;
    }
  }
  for (const Slab& slab : slabs(program.shape)) result.tensors[slab.name] = read(machine, program, slab);
  return result;
}

std::string time_phases(Machine& machine, const Program& program, const std::vector<std::size_t>& which, std::vector<std::uint64_t>* cycles) {
  const std::vector<Phase> all = phases();
  const Parameters parameters = random_parameters(program.shape, 1);
  std::string problem = machine.start(program);
  for (const std::size_t p : which) {
    if (!problem.empty()) return problem;
    for (const plan::EdgeWord& word : phase_words(program, p, parameters)) machine.send(word);
    problem = machine.rest(all[p].kind == PhaseKind::kProduct);
    cycles->push_back(machine.phase_cycles());
  }
  return problem;
}

std::map<std::string, Error> errors_of(const PassResult& pass, const Shape& shape, const Parameters& parameters, const Inputs& inputs) {
  std::map<std::string, Error> errors;
  for (const auto& [name, tensor] : reference_pass(shape, parameters, inputs, &pass.tensors)) {
    const Bits& bits = pass.tensors.at(name);
    assert(bits.values.size() == tensor.value.size());
    Error& error = errors[name];
    for (std::size_t i = 0; i < bits.values.size(); ++i) {
      const double difference = std::fabs(bits.value(i) - tensor.value[i]);
      const double share = difference == 0 ? 0 : difference / tensor.bound[i];
      error.of_bound = std::isnan(share) ? std::numeric_limits<double>::infinity() : std::max(error.of_bound, share);
    }
  }
  for (const auto& [name, tensor] : reference_pass(shape, parameters, inputs)) {
    const Bits& bits = pass.tensors.at(name);
    Error& error = errors[name];
    double squares = 0, of_values = 0;
    for (std::size_t i = 0; i < bits.values.size(); ++i) {
      const double difference = std::fabs(bits.value(i) - tensor.value[i]);
      if (!(difference <= error.largest)) error.largest = difference;
      squares += difference * difference;
      of_values += tensor.value[i] * tensor.value[i];
    }
    error.relative = squares == 0 ? 0 : std::sqrt(squares / of_values);
  }
  return errors;
}

}  // namespace waferloom::block
