#pragma once
// The audit of quiet_o: every unit is evaluated in every cycle, and what would have been skipped must not have changed.
// Compared: every named register and combinational member, every output, fast-view SRAM by its count of changed words.
// Not compared: counters (`_cnt_q`), whose single increment must be the class that crediting would have used, and handles.
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/fabric/fabric.h"

namespace waferloom::fabric {

class Audit {
 public:
  explicit Audit(const Fabric& fabric);
  // Before the edge: remembers the states of every unit and which ones are due (marked active).
  void before(const Fabric::Side& side, const std::vector<uint32_t>& due);
  // After the edge.
  void after(const Fabric::Side& side, uint64_t cycle);
  const AuditReport& report() const { return report_; }

 private:
  struct Range {
    uint32_t offset;
    uint32_t bytes;
    bool is_register;  // counts as a change
    const char* name;
  };
  struct Kind {
    std::vector<Range> ranges;
    uint32_t image_bytes = 0;
    std::vector<char> images;       // [tile * image_bytes]
    std::vector<uint64_t> changes;  // SRAM words changed so far
    std::vector<uint8_t> due;
    std::vector<uint64_t> expected_count;  // class counter that crediting would have given
    const WlRegister* counter = nullptr;
  };
  Kind& kind(const Fabric::Side& side) { return kinds_[side.kind == UnitKind::kRouter ? 0 : 1]; }
  void prepare(const Fabric::Side& side, Kind* k);
  static uint64_t class_count(const Fabric::Side& side, const Kind& k, uint32_t tile);
  void violation(const Fabric::Side& side, uint32_t tile, uint64_t cycle, const char* what);

  const Fabric& fabric_;
  Kind kinds_[2];
  AuditReport report_;
};

}  // namespace waferloom::fabric
