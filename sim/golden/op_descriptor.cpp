// Descriptor registers.
#include "sim/golden/meaning.h"
#include "sim/golden/pe.h"

namespace waferloom::golden {

using spec::Opcode;
namespace {

void ldd(ScalarStep& s) {
  const uint16_t address = static_cast<uint16_t>(s.pe.reg(s.ins.b) + static_cast<uint32_t>(s.ins.imm));
  if ((address & 7u) != 0) {
    s.pe.raise(spec::Trap::kMisaligned);
    return;
  }
  uint32_t words[4];
  for (uint32_t k = 0; k < 4; ++k) {
    if (!s.pe.in_memory(static_cast<uint16_t>(address + 4 * k), 4)) {
      s.pe.raise(spec::Trap::kOutOfRange);
      return;
    }
    words[k] = s.pe.peek(static_cast<uint16_t>(address + 4 * k), 4);
  }
  for (uint32_t k = 0; k < 4; ++k) s.pe.set_dsr_word(s.ins.a, k, words[k]);
}
void dset(ScalarStep& s) { s.pe.set_dsr_word(s.ins.a, s.ins.word, s.pe.reg(s.ins.b)); }
void dget(ScalarStep& s) { s.pe.set_reg(s.ins.a, s.pe.dsr(s.ins.b).words[s.ins.word]); }

}  // namespace

const Meaning kDescriptorMeanings[] = {
    scalar_meaning(Opcode::kLdd, ldd), scalar_meaning(Opcode::kDset, dset), scalar_meaning(Opcode::kDget, dget), no_meaning(),
};

}  // namespace waferloom::golden
