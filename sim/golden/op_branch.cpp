// Branches and jumps; targets are relative to the instruction's own address.
#include "sim/golden/meaning.h"
#include "sim/golden/pe.h"

namespace waferloom::golden {

using spec::Opcode;
namespace {

void take(ScalarStep& s) { s.next_pc = static_cast<uint16_t>(s.pc + 4 * s.ins.rel); }
uint32_t a(const ScalarStep& s) { return s.pe.reg(s.ins.a); }
uint32_t b(const ScalarStep& s) { return s.pe.reg(s.ins.b); }

void beq(ScalarStep& s) {
  if (a(s) == b(s)) take(s);
}
void bne(ScalarStep& s) {
  if (a(s) != b(s)) take(s);
}
void blt(ScalarStep& s) {
  if (static_cast<int32_t>(a(s)) < static_cast<int32_t>(b(s))) take(s);
}
void bge(ScalarStep& s) {
  if (static_cast<int32_t>(a(s)) >= static_cast<int32_t>(b(s))) take(s);
}
void jal(ScalarStep& s) {
  s.pe.set_reg(s.ins.a, static_cast<uint16_t>(s.pc + 4));
  take(s);
}
void jalr(ScalarStep& s) {
  const uint16_t target = static_cast<uint16_t>(b(s) + static_cast<uint32_t>(s.ins.imm));
  if ((target & 3u) != 0) {
    s.pe.raise(spec::Trap::kMisaligned);
    return;
  }
  s.pe.set_reg(s.ins.a, static_cast<uint16_t>(s.pc + 4));
  s.next_pc = target;
}

}  // namespace

const Meaning kBranchMeanings[] = {
    scalar_meaning(Opcode::kBeq, beq), scalar_meaning(Opcode::kBne, bne), scalar_meaning(Opcode::kBlt, blt),   scalar_meaning(Opcode::kBge, bge),
    scalar_meaning(Opcode::kJal, jal), scalar_meaning(Opcode::kJalr, jalr), no_meaning(),
};

}  // namespace waferloom::golden
