// Integer instructions: 32 bits, wrapping.
#include "sim/golden/meaning.h"
#include "sim/golden/pe.h"

namespace waferloom::golden {

using spec::Opcode;
namespace {

uint32_t b(const ScalarStep& s) { return s.pe.reg(s.ins.b); }
uint32_t c(const ScalarStep& s) { return s.pe.reg(s.ins.c); }
void set(ScalarStep& s, uint32_t value) { s.pe.set_reg(s.ins.a, value); }
int32_t signed_of(uint32_t v) { return static_cast<int32_t>(v); }

void add(ScalarStep& s) { set(s, b(s) + c(s)); }
void sub(ScalarStep& s) { set(s, b(s) - c(s)); }
void and_(ScalarStep& s) { set(s, b(s) & c(s)); }
void or_(ScalarStep& s) { set(s, b(s) | c(s)); }
void xor_(ScalarStep& s) { set(s, b(s) ^ c(s)); }
void sll(ScalarStep& s) { set(s, b(s) << (c(s) & 31u)); }
void srl(ScalarStep& s) { set(s, b(s) >> (c(s) & 31u)); }
void sra(ScalarStep& s) { set(s, static_cast<uint32_t>(signed_of(b(s)) >> (c(s) & 31u))); }
void slt(ScalarStep& s) { set(s, signed_of(b(s)) < signed_of(c(s)) ? 1u : 0u); }
void sltu(ScalarStep& s) { set(s, b(s) < c(s) ? 1u : 0u); }
void addi(ScalarStep& s) { set(s, b(s) + static_cast<uint32_t>(s.ins.imm)); }
void li(ScalarStep& s) { set(s, static_cast<uint32_t>(s.ins.imm)); }
void lih(ScalarStep& s) { set(s, (s.ins.uimm << 16) | (s.pe.reg(s.ins.a) & 0xffffu)); }

}  // namespace

const Meaning kIntegerMeanings[] = {
    scalar_meaning(Opcode::kAdd, add),   scalar_meaning(Opcode::kSub, sub),   scalar_meaning(Opcode::kAnd, and_), scalar_meaning(Opcode::kOr, or_),
    scalar_meaning(Opcode::kXor, xor_),  scalar_meaning(Opcode::kSll, sll),   scalar_meaning(Opcode::kSrl, srl),  scalar_meaning(Opcode::kSra, sra),
    scalar_meaning(Opcode::kSlt, slt),   scalar_meaning(Opcode::kSltu, sltu), scalar_meaning(Opcode::kAddi, addi), scalar_meaning(Opcode::kLi, li),
    scalar_meaning(Opcode::kLih, lih),   no_meaning(),
};

}  // namespace waferloom::golden
