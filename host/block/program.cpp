#include "host/block/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "firmware/assembler/assembler.h"
#include "host/block/routes.h"
#include "sim/macros/arith.h"

namespace waferloom::block {
namespace {

constexpr std::uint32_t kBootPointer = 0x80;  // firmware/runtime/protocol.wl

void append(std::vector<std::uint8_t>& bytes, std::uint32_t word) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
}

}  // namespace

std::vector<Phase> phases() {
  return {
      {"attention_norm", PhaseKind::kNorm, false, 0, false},
      {"queries_keys_values", PhaseKind::kProduct, false, kQueriesKeysValues, false},
      {"attention", PhaseKind::kAttention, false, -1, false},
      {"projection", PhaseKind::kProduct, false, kProjection, false},
      {"middle_sum", PhaseKind::kElementwise, false, -1, false},
      {"hidden_norm", PhaseKind::kNorm, false, 1, false},
      {"first", PhaseKind::kProduct, false, kFirst, false},
      {"gelu", PhaseKind::kElementwise, false, -1, false},
      {"second", PhaseKind::kProduct, false, kSecond, false},
      {"output_sum", PhaseKind::kElementwise, false, -1, false},
      {"second_gradient", PhaseKind::kGradient, true, kSecond, false},
      {"second_delta", PhaseKind::kProduct, true, kSecond, true},
      {"gelu_gradient", PhaseKind::kElementwise, true, -1, false},
      {"first_gradient", PhaseKind::kGradient, true, kFirst, false},
      {"first_delta", PhaseKind::kProduct, true, kFirst, true},
      {"hidden_norm_gradient", PhaseKind::kNormGradient, true, 1, false},
      {"projection_gradient", PhaseKind::kGradient, true, kProjection, false},
      {"projection_delta", PhaseKind::kProduct, true, kProjection, true},
      {"attention_gradient", PhaseKind::kAttention, true, -1, false},
      {"queries_keys_values_gradient", PhaseKind::kGradient, true, kQueriesKeysValues, false},
      {"queries_keys_values_delta", PhaseKind::kProduct, true, kQueriesKeysValues, true},
      {"attention_norm_gradient", PhaseKind::kNormGradient, true, 0, false},
  };
}

std::vector<Slab> slabs(const Shape& s) {
  const int f = s.tile_features(), h = s.tile_hidden();
  return {
      {"normal_1", "normal_1", 0, f},        {"queries", "queries", 0, f},
      {"keys", "keys", 0, f},                {"values", "keys", f, f},
      {"attended", "attended", 0, f},        {"middle", "middle", 0, f},
      {"normal_2", "normal_2", 0, f},        {"hidden", "hidden", 0, h},
      {"active", "active", 0, h},            {"output", "output", 0, f},
      {"active_delta", "active_delta", 0, h}, {"hidden_delta", "hidden_delta", 0, h},
      {"normal_2_delta", "normal_2_delta", 0, f}, {"middle_delta", "middle_delta", 0, f},
      {"attended_delta", "attended_delta", 0, f}, {"query_delta", "query_delta", 0, f},
      {"key_delta", "query_delta", f, f},    {"value_delta", "query_delta", 2 * f, f},
      {"normal_1_delta", "normal_1_delta", 0, f}, {"input_delta", "input_delta", 0, f},
  };
}

std::variant<TileImage, Refusal> make_image(const Shape& shape, int x, int y) {
  const std::string file = (std::filesystem::path(WL_SOURCE_DIR) / "firmware" / "kernels" / "24-transformer-block" / "program.wl").string();
  const std::string runtime = (std::filesystem::path(WL_SOURCE_DIR) / "firmware" / "runtime").string();
  const auto single = [](double value) { return static_cast<std::int64_t>(macros::to_bits(static_cast<float>(value))); };
  assembler::Assembler assembler;
  assembler.set_sram_bytes(static_cast<std::uint32_t>(shape.sram_bytes));
  assembler.add_include_folder(runtime);
  const std::pair<const char*, std::int64_t> defines[] = {{"COLUMN", x},
                                                          {"ROW", y},
                                                          {"WIDTH", shape.width},
                                                          {"HEIGHT", shape.height},
                                                          {"HEADS", shape.heads},
                                                          {"SEQUENCES", shape.sequences},
                                                          {"TOKENS", shape.tile_tokens()},
                                                          {"FEATURES", shape.tile_features()},
                                                          {"HIDDEN", shape.tile_hidden()},
                                                          {"CAUSAL", shape.causal ? 1 : 0},
                                                          {"EXPONENT_BITS", single(shape.score_scale() * kLog2E)},
                                                          {"SCALE_BITS", single(shape.score_scale())},
                                                          {"EPSILON_BITS", single(static_cast<double>(shape.epsilon))}};
  for (const auto& [name, value] : defines) assembler.define(name, value);
  const assembler::Outcome outcome = assembler.assemble_file(file);
  if (!outcome.ok()) {
    return Refusal{"tokens", fmt::format("{} tokens of {} and {} features do not fit into a tile of {} bytes", shape.tile_tokens(), shape.tile_features(), shape.tile_hidden(), shape.sram_bytes),
                   "more columns or rows, or fewer tokens; the assembler says: " + outcome.errors.front().message};
  }
  TileImage image;
  for (const assembler::LineEntry& line : outcome.program->lines) {
    for (std::uint32_t at = line.address; line.code && at < line.address + line.bytes; at += 4) image.code[at] = outcome.program->where(at);
  }
  image.bytes.assign(outcome.program->image.begin(), outcome.program->image.end());
  for (const auto& [name, symbol] : outcome.program->symbols) image.symbols[name] = static_cast<std::uint32_t>(symbol.value);
  image.bytes.resize((image.symbols.at("memory_end") + 7) / 8 * 8, 0);
  const auto table = static_cast<std::uint32_t>(image.bytes.size());
  for (const plan::BootStore& store : boot_stores(shape, x, y)) {
    append(image.bytes, store.address);
    append(image.bytes, store.value);
  }
  append(image.bytes, 0);
  append(image.bytes, 0);
  if (image.bytes.size() > static_cast<std::size_t>(shape.sram_bytes)) {
    return Refusal{"tokens", fmt::format("the block takes {} bytes of a tile, which has {}", image.bytes.size(), shape.sram_bytes), "more columns or rows, or fewer tokens"};
  }
  image.bytes[kBootPointer] = static_cast<std::uint8_t>(table);
  image.bytes[kBootPointer + 1] = static_cast<std::uint8_t>(table >> 8);
  return image;
}

std::variant<Program, Refusal> make_program(const Shape& shape) {
  Program program;
  program.shape = shape;
  for (int y = 0; y < shape.height; ++y) {
    for (int x = 0; x < shape.width; ++x) {
      std::variant<TileImage, Refusal> made = make_image(shape, x, y);
      if (auto* refusal = std::get_if<Refusal>(&made)) return std::move(*refusal);
      program.tiles.push_back(std::move(std::get<TileImage>(made)));
      program.sram_used = std::max<std::uint64_t>(program.sram_used, program.tiles.back().bytes.size());
    }
  }
  for (const Phase& phase : phases()) program.records.push_back(static_cast<std::uint16_t>(program.tiles[0].symbols.at(phase.name + "_record")));
  return program;
}

}  // namespace waferloom::block
