#pragma once
// Which tasks of a tile's program read an input queue: found by following the code from the entries of the task table, both ways at each branch, and by the
// descriptors that the program loads from fixed addresses or that stand in the descriptor registers now. An answer for a person: a descriptor that
// the program builds in memory as it goes may escape it.
// Ownership: refers to the fabric. Threads: the fabric's own. Errors: a PE without the memory or registers it needs gives no tasks.
#include <cstdint>
#include <vector>

#include "sim/fabric/tile_state.h"

namespace waferloom::fabric {

class ProgramReaders {
 public:
  explicit ProgramReaders(const Fabric& fabric);
  // In ascending order.
  std::vector<unsigned> tasks_reading(uint32_t tile, unsigned queue) const;
  uint32_t word(uint32_t tile, uint16_t address) const;  // 0 outside the SRAM
  uint32_t sram_bytes() const { return bytes_; }         // 0: none was found

 private:
  const Fabric& fabric_;
  uint32_t memory_ = 0, word_bytes_ = 0, bytes_ = 0;
  RegisterReader queue_words_, kind_words_;  // words 2 and 3 of the descriptor registers
  bool usable_ = false;
};

}  // namespace waferloom::fabric
