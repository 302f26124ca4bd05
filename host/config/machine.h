// A machine: every number that shapes a tile, the fabric and the wafer, each with where it comes from.
// Filled by the resolver (resolver.h) from configs/machines/*.yaml; ranges and defaults stand in schema.cpp, nowhere
// else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace waferloom::config {

// A value with its origin: the public source that states it, or the word "assumed".
template <class T>
struct Sourced {
  T value{};
  std::string source = "assumed";

  bool published() const { return source != "assumed"; }
  operator const T&() const { return value; }  // NOLINT(google-explicit-constructor): a parameter reads like its value
};

struct Machine {
  std::string name;
  std::string description;

  // Fabric, in tiles. The user rectangle is what a program may occupy; the rest serves the wafer's own edges.
  Sourced<int> fabric_width;
  Sourced<int> fabric_height;
  Sourced<int> user_x;
  Sourced<int> user_y;
  Sourced<int> user_width;
  Sourced<int> user_height;

  Sourced<double> clock_hz;

  // Tile memory.
  Sourced<int> sram_bytes;
  Sourced<int> sram_banks;
  Sourced<int> accumulator_window_bytes;  // 0, 256 or 512

  // Datapath. `lanes` counts fp16 elements a cycle; fp32 accumulation runs at half of it.
  Sourced<int> lanes;
  Sourced<int> microthreads;
  Sourced<std::vector<int>> input_queue_depths;   // words, one entry per queue
  Sourced<std::vector<int>> output_queue_depths;  // words, one entry per queue

  // Router.
  Sourced<int> colours;
  Sourced<int> switch_positions;
  Sourced<int> hop_cycles;
  Sourced<int> ramp_cycles;         // T_R, each way
  Sourced<int> router_queue_depth;  // words per colour

  // Wafer and system.
  Sourced<double> io_bits_per_s;  // into the wafer, all edges together; the same again out of it
  Sourced<double> system_power_w;

  // Published figures that a report may be held against; absent where the public record is silent.
  std::optional<Sourced<int>> cores_marketed;
  std::optional<Sourced<double>> peak_fp16_flops_per_s;
  std::optional<Sourced<double>> peak_sparse_flops_per_s;
  std::optional<Sourced<double>> sram_total_bytes;
  std::optional<Sourced<double>> memory_bytes_per_s;
  std::optional<Sourced<double>> fabric_bits_per_s;
  std::optional<Sourced<double>> process_nm;
  std::optional<Sourced<double>> area_mm2;

  std::int64_t user_tiles() const { return std::int64_t{user_width.value} * user_height.value; }
  // 32-bit words the whole wafer's edge takes per cycle, one way.
  double edge_words_per_cycle() const { return io_bits_per_s.value / 32.0 / clock_hz.value; }
};

}  // namespace waferloom::config
