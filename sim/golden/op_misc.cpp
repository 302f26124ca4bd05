// Instructions about the instruction stream itself.
#include "sim/golden/meaning.h"
#include "sim/golden/pe.h"

namespace waferloom::golden {

using spec::Opcode;
namespace {

void nop(ScalarStep&) {}
void halt(ScalarStep& s) { s.pe.halt(); }
void trap(ScalarStep& s) { s.pe.raise(spec::Trap::kSoftware); }

}  // namespace

const Meaning kMiscMeanings[] = {
    scalar_meaning(Opcode::kNop, nop), scalar_meaning(Opcode::kHalt, halt), scalar_meaning(Opcode::kTrap, trap), no_meaning(),
};

}  // namespace waferloom::golden
