// One running vector or streamed instruction: the main context or a microthread. A copy of everything it needs, taken at launch.
#pragma once
#include <cstdint>

#include "sim/generated/fabric.h"
#include "sim/golden/descriptor.h"
#include "sim/golden/meaning.h"
#include "sim/macros/arith_group.h"

namespace waferloom::golden {

// Contexts 0 to 7 are the microthreads, 8 is the main context.
using spec::kMicrothreads;
constexpr int kMainContext = 8;
constexpr int kContexts = 9;

struct Operand {
  enum class Role : uint8_t { kNone, kMemory, kIota, kFabricIn, kFabricOut, kScalar };
  Role role = Role::kNone;
  Type type = Type::kF16;
  uint8_t dsr = 0;
  Descriptor descriptor;
  Cursor cursor;
  uint32_t scalar = 0;
  // Packed fabric operands: the half that waits (of a wavelet taken, or of one not yet sent).
  bool half_held = false;
  uint16_t half = 0;
};

struct Context {
  bool active = false;
  uint16_t pc = 0;
  spec::Decoded ins;
  const Meaning* meaning = nullptr;
  Operand dest, src0, src1, vector;
  uint64_t remaining = 0;   // elements (saxpy: always 0; sdot from memory: indices) still to be taken
  uint32_t scalar = 0;      // vmacs
  Type scalar_type = Type::kF32;
  bool counts_wide = false;  // elements belong to 32-bit groups
  // Streams: the wavelet in hand and the position within it.
  bool held = false;
  uint16_t weight = 0;
  uint64_t k = 0;
  uint64_t length = 0;      // elements per wavelet
  // Reductions.
  macros::Accumulators acc;
  bool result_due = false;
  bool result_done = false;  // vdot, vred
  bool ended = false;        // by the control wavelet at the head of its input queue

  // The operand that reads an input queue; null if none does.
  const Operand* fabric_source() const {
    return src0.role == Operand::Role::kFabricIn ? &src0 : src1.role == Operand::Role::kFabricIn ? &src1 : nullptr;
  }
};

// Why a context issues nothing more.
enum class Stop : uint8_t {
  kCount,   // the number asked for was reached: it may go on
  kInput,   // waits for a wavelet
  kOutput,  // waits for room in an output queue
  kResult,  // the result of a reduction is due: issue_result
  kEnd,     // all elements are done, or a control wavelet ends it: complete
  kTrap,
};

}  // namespace waferloom::golden
