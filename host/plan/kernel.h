// A kernel folder of firmware/kernels: a small program on a small array, with what goes in and what must come out.
//
// layout.yaml says where the kernel runs and what is expected; the program beside it is assembled once per tile, with COLUMN, ROW, WIDTH and HEIGHT given.
// The loader yields plain data, so that any fabric (golden, verilated) can run a kernel and be judged by the same check.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "host/config/diagnostic.h"
#include "host/plan/edge_stream.h"
#include "host/plan/plan.h"

namespace waferloom::plan {

enum class KernelType { kF16, kF32 };

// Values that must be found in a tile's memory, or leave a column of the north edge (in order, as binary32 payloads of one colour).
struct KernelExpectation {
  int x = 0;
  int y = 0;
  std::string symbol;  // memory: where; edge: empty
  std::uint16_t address = 0;
  std::uint8_t colour = 0;
  KernelType type = KernelType::kF32;
  std::vector<double> values;
  double within = 0;  // 0: equal
};

// An instruction of the program of tile (0, 0), and the source line that it comes from ("product.wl:12").
struct KernelInstruction {
  std::uint32_t address = 0;
  std::string where;
};

struct Kernel {
  std::string name;   // the folder's
  std::string title;
  Target target;      // width, height, lanes, memory sizes
  std::vector<std::vector<std::uint8_t>> images;  // [y * width + x], from address 0
  std::vector<KernelInstruction> code;
  std::vector<EdgeWord> edge;                     // enters after all tiles have booted
  std::vector<KernelExpectation> memory;
  std::vector<KernelExpectation> results;         // at the edge: at most one per column
  std::uint64_t boot_cycles = 0;
  std::vector<std::string> task_names;            // by id: the label of its entry in the program of tile (0, 0), or ""

  const std::vector<std::uint8_t>& image(int x, int y) const { return images[static_cast<std::size_t>(y * target.width + x)]; }
};

// Reads folder/layout.yaml and the program that it names. Every mistake in either is a located error. `target`: lanes and memory sizes where the layout gives none.
config::Result<Kernel> load_kernel(const std::filesystem::path& folder, const Target& target = {});

// What a fabric holds after a kernel has run.
struct KernelOutcome {
  std::vector<std::vector<std::uint64_t>> edge;  // per column, link words in the order in which they left
  std::function<std::uint32_t(int x, int y, std::uint16_t address, std::uint32_t bytes)> peek;
};

// One line per difference (at most 20); empty when everything is as expected. Words nobody expects are differences too.
std::vector<std::string> check_kernel(const Kernel& kernel, const KernelOutcome& outcome);

// Number of values that check_kernel compares.
std::size_t expected_values(const Kernel& kernel);

}  // namespace waferloom::plan
