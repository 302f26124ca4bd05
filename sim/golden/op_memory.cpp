// Loads and stores of the main thread: SRAM, window and memory-mapped registers.
#include "sim/golden/meaning.h"
#include "sim/golden/pe.h"

namespace waferloom::golden {

using spec::Opcode;
namespace {

uint16_t address(const ScalarStep& s) {
  return static_cast<uint16_t>(s.pe.reg(s.ins.b) + static_cast<uint32_t>(s.ins.imm));
}

void lw(ScalarStep& s) {
  uint32_t value = 0;
  if (s.pe.load_scalar(address(s), 4, &value)) s.pe.set_reg(s.ins.a, value);
}
void lhu(ScalarStep& s) {
  uint32_t value = 0;
  if (s.pe.load_scalar(address(s), 2, &value)) s.pe.set_reg(s.ins.a, value);
}
void sw(ScalarStep& s) { s.pe.store_scalar(address(s), 4, s.pe.reg(s.ins.a)); }
void sh(ScalarStep& s) { s.pe.store_scalar(address(s), 2, s.pe.reg(s.ins.a) & 0xffffu); }

}  // namespace

const Meaning kMemoryMeanings[] = {
    scalar_meaning(Opcode::kLw, lw), scalar_meaning(Opcode::kLhu, lhu), scalar_meaning(Opcode::kSw, sw), scalar_meaning(Opcode::kSh, sh), no_meaning(),
};

}  // namespace waferloom::golden
