#pragma once
// What the PEs of a grid executed, as text: one file per tile, one line per event, with cycle, context, program counter, instruction and result.
// Needs a PE with the tracer attached (pe_trace.h). A result stands in the cycle in which it is written, which for loads, arithmetic and vector work
// is some cycles after the instruction.
// Threads: one. Errors: open() and close() return the reason.
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/trace/pe_trace.h"
#include "sim/trace/text_file.h"
#include "sim/trace/window.h"

namespace waferloom::trace {

// The word at an address of a tile's SRAM, and whether there is one.
class CodeReader {
 public:
  CodeReader() = default;
  explicit CodeReader(const TileGrid& grid);
  bool word(const TileGrid& grid, uint32_t tile, uint16_t address, uint32_t* word) const;

 private:
  uint32_t memory_ = 0, word_bytes_ = 0, bytes_ = 0;
};

// An instruction word as text.
using Disassembler = std::function<std::string(uint32_t word)>;

class InstructionTrace {
 public:
  // Makes folder/tile_X_Y.txt for each tile. The folder exists.
  std::string open(const std::string& folder, const TileGrid& grid, Disassembler disassembler);
  // After edge `cycle`.
  void show(const TileGrid& grid, uint64_t cycle);
  uint64_t written() const;
  std::string close();

 private:
  const std::string& text_of(const TileGrid& grid, uint32_t tile, uint16_t pc);
  void line(const TileGrid& grid, uint32_t tile, const lockstep::EdgeTrace& edge, std::string* out);

  PeTrace trace_;
  Disassembler disassembler_;
  std::vector<TextFile> files_;
  std::vector<uint32_t> serials_;
  std::unordered_map<uint32_t, std::string> texts_;  // by instruction word
  CodeReader code_;
  const WlRegister* tag_ = nullptr;                  // {dsrs, pc, scalar} of each context
};

}  // namespace waferloom::trace
