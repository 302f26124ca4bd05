// Scalar floating point: binary32 in registers.
#include "sim/golden/meaning.h"
#include "sim/golden/pe.h"

namespace waferloom::golden {

using spec::Opcode;
namespace {

using macros::Formats;
using macros::LaneOp;

constexpr Formats kSingle{true, true, true, true};

uint32_t a(const ScalarStep& s) { return s.pe.reg(s.ins.a); }
uint32_t b(const ScalarStep& s) { return s.pe.reg(s.ins.b); }
uint32_t c(const ScalarStep& s) { return s.pe.reg(s.ins.c); }
void set(ScalarStep& s, macros::Result r) {
  s.pe.count(spec::PeEvent::kSaturations, r.saturated ? 1 : 0);
  s.pe.set_reg(s.ins.a, r.bits);
}

void fadd(ScalarStep& s) { set(s, macros::lane_element(LaneOp::kAdd, kSingle, b(s), c(s), 0)); }
void fsub(ScalarStep& s) { set(s, macros::lane_element(LaneOp::kSub, kSingle, b(s), c(s), 0)); }
void fmul(ScalarStep& s) { set(s, macros::lane_element(LaneOp::kMul, kSingle, b(s), c(s), 0)); }
void fmadd(ScalarStep& s) { set(s, macros::lane_element(LaneOp::kFma, kSingle, b(s), c(s), a(s))); }
void flt(ScalarStep& s) { set(s, macros::lane_element(LaneOp::kLt, kSingle, b(s), c(s), 0)); }

// enum fcvt: f32_f16, f16_f32, f32_i32, i32_f32 (to_from)
void fcvt(ScalarStep& s) {
  switch (s.ins.fn) {
    case 0: set(s, macros::lane_element(LaneOp::kMove, {false, false, false, true}, b(s) & 0xffffu, 0, 0)); break;
    case 1: set(s, macros::lane_element(LaneOp::kMove, {true, false, false, false}, b(s), 0, 0)); break;
    case 2: set(s, macros::lane_element(LaneOp::kItof, kSingle, b(s), 0, 0)); break;
    default: set(s, macros::lane_element(LaneOp::kFtoi, kSingle, b(s), 0, 0)); break;
  }
}

void fsfu(ScalarStep& s) { set(s, macros::sfu(static_cast<macros::SfuOp>(s.ins.fn), b(s))); }

}  // namespace

const Meaning kFloatMeanings[] = {
    scalar_meaning(Opcode::kFadd, fadd), scalar_meaning(Opcode::kFsub, fsub), scalar_meaning(Opcode::kFmul, fmul), scalar_meaning(Opcode::kFmadd, fmadd),
    scalar_meaning(Opcode::kFlt, flt),   scalar_meaning(Opcode::kFcvt, fcvt), scalar_meaning(Opcode::kFsfu, fsfu), no_meaning(),
};

}  // namespace waferloom::golden
