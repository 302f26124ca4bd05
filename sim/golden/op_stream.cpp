// Streamed instructions. Their shapes are their meaning; the walk over the stream is in context_stream.cpp.
#include "sim/golden/meaning.h"

namespace waferloom::golden {

using spec::Opcode;
namespace {

macros::AccOp product(uint8_t) { return macros::AccOp::kProduct; }

}  // namespace

const Meaning kStreamMeanings[] = {
    {Opcode::kSaxpy, Shape::kSaxpy, nullptr, nullptr, nullptr, TypeRule::kFloat, 2, true, true},
    {Opcode::kSdot, Shape::kSdot, nullptr, nullptr, product, TypeRule::kFloat, 2, false, true},
    no_meaning(),
};

}  // namespace waferloom::golden
