// Mutants of tile programs, for tests that must see a wrong opcode.
#pragma once

#include <cstdint>

#include "sim/generated/isa.h"

namespace waferloom::testing {

// For an arithmetic instruction: one that takes the same operands and computes something else (a nop where the table has none). Other words: themselves.
inline std::uint32_t arithmetic_sibling(std::uint32_t word) {
  const auto opcode = static_cast<spec::Opcode>(spec::kOpcodeField.get(word));
  const auto with = [&](spec::Opcode other) { return (word & ~spec::kOpcodeField.mask()) | spec::kOpcodeField.put(static_cast<std::uint32_t>(other)); };
  const auto function = [&](std::uint32_t fn) { return (word & ~spec::field(spec::FieldId::kFn).mask()) | spec::field(spec::FieldId::kFn).put(fn); };
  switch (opcode) {
    case spec::Opcode::kVadd: return with(spec::Opcode::kVsub);
    case spec::Opcode::kVsub: return with(spec::Opcode::kVadd);
    case spec::Opcode::kVmul: return with(spec::Opcode::kVadd);
    case spec::Opcode::kVmax: return with(spec::Opcode::kVmin);
    case spec::Opcode::kVsel: return with(spec::Opcode::kVmul);
    case spec::Opcode::kVfma: return with(spec::Opcode::kVmul);
    case spec::Opcode::kVsfu: return function(spec::field(spec::FieldId::kFn).get(word) ^ 1u);
    case spec::Opcode::kVred: return function(1);
    case spec::Opcode::kSaxpy:
    case spec::Opcode::kSdot: return spec::kOpcodeField.put(static_cast<std::uint32_t>(spec::Opcode::kNop));
    default: return word;
  }
}

}  // namespace waferloom::testing
