// Reductions into one element: S/2 binary32 accumulators, element k goes to accumulator k mod S/2, a balanced tree at the end.
#include "sim/golden/meaning.h"

namespace waferloom::golden {

using spec::Opcode;
namespace {

using macros::AccOp;

AccOp dot(uint8_t) { return AccOp::kProduct; }
// enum red: sum, max, min
AccOp red(uint8_t fn) { return fn == 0 ? AccOp::kSum : fn == 1 ? AccOp::kMax : AccOp::kMin; }

constexpr Meaning reduction(Opcode opcode, AccOp (*op)(uint8_t), uint8_t sources, bool counts_macs) {
  return {opcode, Shape::kReduce, nullptr, nullptr, op, TypeRule::kFloat, sources, false, counts_macs};
}

}  // namespace

const Meaning kReductionMeanings[] = {
    reduction(Opcode::kVdot, dot, 2, true),
    reduction(Opcode::kVred, red, 1, false),
    no_meaning(),
};

}  // namespace waferloom::golden
