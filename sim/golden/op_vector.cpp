// Vector instructions that make one destination element from one element of each source.
#include "sim/golden/meaning.h"

namespace waferloom::golden {

using spec::Opcode;
namespace {

using macros::Formats;
using macros::LaneOp;
using macros::Result;

Formats formats(const ElementInputs& e, bool two_sources) {
  return {is_wide(e.src0), two_sources && is_wide(e.src1), false, is_wide(e.dest)};
}
Result binary(LaneOp op, const ElementInputs& e) { return macros::lane_element(op, formats(e, true), e.a, e.b, 0); }

Result vmov(const ElementInputs& e) {
  const Formats f = formats(e, false);
  return macros::lane_element(is_float(e.dest) ? LaneOp::kMove : LaneOp::kIadd, f, e.a, 0, 0);
}
Result vadd(const ElementInputs& e) { return binary(LaneOp::kAdd, e); }
Result vsub(const ElementInputs& e) { return binary(LaneOp::kSub, e); }
Result vmul(const ElementInputs& e) { return binary(LaneOp::kMul, e); }
// src0 + s * src1
Result vmacs(const ElementInputs& e) {
  return macros::lane_element(LaneOp::kFma, {is_wide(e.third), is_wide(e.src1), is_wide(e.src0), is_wide(e.dest)}, e.c, e.b, e.a);
}
Result vfma(const ElementInputs& e) {
  Formats f = formats(e, true);
  f.c = f.y;
  return macros::lane_element(LaneOp::kFma, f, e.a, e.b, e.c);
}
Result vmax(const ElementInputs& e) { return binary(LaneOp::kMax, e); }
Result vmin(const ElementInputs& e) { return binary(LaneOp::kMin, e); }
Result vsel(const ElementInputs& e) {
  Formats f = formats(e, true);
  f.c = f.y;
  return macros::lane_element(LaneOp::kSel, f, e.a, e.b, 0);
}
// enum vcvt: float, int
Result vcvt(const ElementInputs& e) {
  return macros::lane_element(e.fn == 0 ? LaneOp::kItof : LaneOp::kFtoi, formats(e, false), e.a, 0, 0);
}
Result vsfu(const ElementInputs& e) {
  return macros::sfu_element(static_cast<macros::SfuOp>(e.fn), is_wide(e.src0) ? 32 : 16, is_wide(e.dest) ? 32 : 16, e.a);
}
Result viadd(const ElementInputs& e) { return binary(LaneOp::kIadd, e); }
// enum shift: sll, srl, sra
Result vshift(const ElementInputs& e) {
  return binary(e.fn == 0 ? LaneOp::kSll : e.fn == 1 ? LaneOp::kSrl : LaneOp::kSra, e);
}

constexpr Meaning macs(Meaning m, bool reads_destination) {
  m.counts_macs = true;
  m.reads_destination = reads_destination;
  return m;
}

}  // namespace

const Meaning kVectorMeanings[] = {
    element_meaning(Opcode::kVmov, vmov, TypeRule::kAlike, 1),
    element_meaning(Opcode::kVadd, vadd, TypeRule::kFloat, 2),
    element_meaning(Opcode::kVsub, vsub, TypeRule::kFloat, 2),
    element_meaning(Opcode::kVmul, vmul, TypeRule::kFloat, 2),
    macs(element_meaning(Opcode::kVmacs, vmacs, TypeRule::kFloat, 2), false),
    macs(element_meaning(Opcode::kVfma, vfma, TypeRule::kFloat, 2), true),
    element_meaning(Opcode::kVmax, vmax, TypeRule::kFloat, 2),
    element_meaning(Opcode::kVmin, vmin, TypeRule::kFloat, 2),
    element_meaning(Opcode::kVsel, vsel, TypeRule::kFloat, 2),
    element_meaning(Opcode::kVcvt, vcvt, TypeRule::kConvert, 1),
    element_meaning(Opcode::kVsfu, vsfu, TypeRule::kFloat, 1),
    element_meaning(Opcode::kViadd, viadd, TypeRule::kInteger, 2),
    element_meaning(Opcode::kVshift, vshift, TypeRule::kInteger, 2),
    no_meaning(),
};

}  // namespace waferloom::golden
