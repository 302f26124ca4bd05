// What a step of the golden model did to the architectural state, in order. Recording is optional: it costs time.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/golden/wavelet.h"

namespace waferloom::golden {

enum class EffectKind : uint8_t {
  kRegister,    // where = register, value
  kDescriptor,  // where = 4 * descriptor + word, value
  kMemory,      // where = address, bytes 2 or 4, value
  kPush,        // where = output queue, wavelet
  kConfig,      // where = router configuration address {colour, word}, value
};

struct Effect {
  EffectKind kind = EffectKind::kRegister;
  uint8_t bytes = 4;
  uint16_t pc = 0;  // instruction that did it
  uint32_t where = 0;
  uint32_t value = 0;
  Wavelet wavelet;
};

using Effects = std::vector<Effect>;

}  // namespace waferloom::golden
