// Records: what the microcode of a phase needs in one tile, as a block of SRAM words. A control wavelet carries a record's address; its first word is the
// address of the handler, the descriptors that the handler loads stand at fixed offsets (firmware/runtime names the same offsets).
#pragma once

#include <cstdint>
#include <vector>

#include "host/plan/layout.h"
#include "host/plan/plan.h"
#include "host/plan/routes.h"

namespace waferloom::plan {

// The handlers that records name, as the assembler found them.
struct Entries {
  std::uint16_t load = 0, pass = 0, gradient = 0, gradient_stored = 0, loss = 0, relu = 0, relu_gradient = 0;
};

// What one record is for.
enum class RecordKind { kLoad, kPass, kLoss, kGradient, kRelu, kReluGradient };
struct RecordId {
  RecordKind kind = RecordKind::kLoad;
  PhaseKind phase = PhaseKind::kLoad;
  int layer = -1;
};

std::uint32_t record_bytes(const RecordId& id, const NetworkSpec& network);

// What a record's contents depend on beside the layout: two tiles with equal shares have equal images.
struct Share {
  Position position;
  std::vector<int> features;  // local features[l] of the plan's splits

  bool operator==(const Share& other) const { return position == other.position && features == other.features; }
};

// The words of a record in a tile with this share.
std::vector<std::uint32_t> record_words(const RecordId& id, const NetworkSpec& network, const Layout& layout, const Share& share,
                                        int tokens_padded, config::Accumulate accumulate, const Entries& entries);

}  // namespace waferloom::plan
