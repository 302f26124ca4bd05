#pragma once
// A trap in words: tile, cycle, cause, and the instruction behind it. Of a router's trap that is who sent the wavelet: back along the route of its colour to the
// PE whose ramp it left, and there the last instruction that was launched to send on that colour. Where the way back parts (several receive ports, a
// switch that has moved on), or no such instruction is left in the PE's contexts, that is said.
// Ownership: refers to the fabric for the time of a call. Threads: the fabric's own.
#include <cstdint>
#include <functional>
#include <string>

#include "sim/fabric/fabric.h"

namespace waferloom::fabric {

// One word of a program as text.
using InstructionText = std::function<std::string(uint32_t word)>;

// A line without its end: "tile (1, 0) cycle 93: router trap no_route (1), colour 5, port 3 (west); sent by tile (0, 0), instruction at 0x0158: vmov d1, d0".
std::string trap_text(const Fabric& fabric, const Trap& trap, const InstructionText& instruction);

// A line for each of the fabric's traps, at most `lines`; then how many more there are.
std::string traps_text(const Fabric& fabric, const InstructionText& instruction, size_t lines = 8);

}  // namespace waferloom::fabric
