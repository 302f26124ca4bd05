// Task flags and the end of a task.
#include "sim/golden/meaning.h"
#include "sim/golden/pe.h"

namespace waferloom::golden {

using spec::Opcode;
namespace {

uint8_t id(const ScalarStep& s) { return (s.pe.reg(s.ins.b) + s.ins.task) & 63u; }

void act(ScalarStep& s) { s.pe.set_activated(id(s), true); }
void blk(ScalarStep& s) { s.pe.set_blocked(id(s), true); }
void unb(ScalarStep& s) { s.pe.set_blocked(id(s), false); }
void yield(ScalarStep& s) { s.pe.end_task(); }
void waitu(ScalarStep&) {}  // Pe::main_wait holds the main thread until the microthread is idle

}  // namespace

const Meaning kTaskMeanings[] = {
    scalar_meaning(Opcode::kAct, act),     scalar_meaning(Opcode::kBlk, blk),     scalar_meaning(Opcode::kUnb, unb),
    scalar_meaning(Opcode::kYield, yield), scalar_meaning(Opcode::kWaitu, waitu), no_meaning(),
};

}  // namespace waferloom::golden
