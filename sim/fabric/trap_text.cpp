#include "sim/fabric/trap_text.h"

#include <cstdio>
#include <set>

#include "sim/fabric/program_readers.h"
#include "sim/fabric/tile_state.h"
#include "sim/generated/fabric.h"
#include "sim/generated/registers.h"

namespace waferloom::fabric {
namespace {

constexpr unsigned kRampPort = 4;
constexpr unsigned kNoPort = 5;  // a configuration write, not an arrival

std::string at(uint32_t x, uint32_t y) { return "tile (" + std::to_string(x) + ", " + std::to_string(y) + ")"; }

std::string hex(uint32_t address) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%04x", address);
  return text;
}

class Sender {
 public:
  Sender(const Fabric& fabric, const InstructionText& instruction) : fabric_(fabric), state_(fabric), programs_(fabric), instruction_(instruction) {}

  std::string of(const Trap& trap) const {
    if (trap.port == kNoPort) return "; a configuration write left stored wavelets without a route";
    if (!state_.error().empty()) return "; who sent it cannot be told: " + state_.error();
    const bool over_edge = trap.cause == static_cast<unsigned>(spec::RouterTrap::kOverEdge);
    uint32_t x = trap.x, y = trap.y;
    unsigned from = over_edge ? only(state_.route(tile(x, y), trap.colour).receive) : trap.port;
    for (uint32_t steps = 0; steps < fabric_.tiles(); ++steps) {
      if (from == kRampPort) return fabric_.has_pe() ? "; sent by " + at(x, y) + sent(tile(x, y), trap.colour) : "; sent by the host into the ramp of " + at(x, y);
      if (from > kRampPort) return "; it passed " + at(x, y) + ", where the way back parts";
      const bool outside = (from == 0 && y == 0) || (from == 1 && x + 1 == fabric_.width()) || (from == 2 && y + 1 == fabric_.height()) || (from == 3 && x == 0);
      if (outside) return "; sent by the host into " + at(x, y) + " from the " + spec::kDirectionNames[from];
      x = from == 1 ? x + 1 : from == 3 ? x - 1 : x;
      y = from == 0 ? y - 1 : from == 2 ? y + 1 : y;
      const RouteMasks masks = state_.route(tile(x, y), trap.colour);
      if (((masks.transmit >> (from ^ 2u)) & 1) == 0) return "; it came from " + at(x, y) + ", whose switch has moved on";
      from = only(masks.receive);
    }
    return "; its route goes round";
  }

  std::string instruction(uint32_t where, uint32_t address) const {
    const std::string text = address % 4 == 0 && address + 4 <= programs_.sram_bytes() ? instruction_(programs_.word(where, static_cast<uint16_t>(address))) : std::string();
    return "instruction at " + hex(address) + (text.empty() ? "" : ": " + text);
  }
  uint32_t tile(uint32_t x, uint32_t y) const { return y * fabric_.width() + x; }

 private:
  // The direction of a mask with one bit; else none.
  static unsigned only(unsigned mask) { return mask != 0 && (mask & (mask - 1)) == 0 ? static_cast<unsigned>(__builtin_ctz(mask)) : kNoPort; }

  std::string sent(uint32_t where, unsigned colour) const {
    std::set<uint16_t> addresses;
    for (unsigned k = 0; k < kContexts; ++k) {
      const ContextState c = state_.last(where, k);
      if (c.writes && c.colour == colour) addresses.insert(c.pc);
    }
    if (addresses.empty()) return ", by an instruction that is past";
    std::string text;
    for (const uint16_t address : addresses) text += (text.empty() ? ", " : " or ") + instruction(where, address);
    return text;
  }

  const Fabric& fabric_;
  TileState state_;
  ProgramReaders programs_;
  const InstructionText& instruction_;
};

std::string text_of(const Sender& sender, const Trap& trap) {
  const std::string place = at(trap.x, trap.y) + " cycle " + std::to_string(trap.cycle) + ": ";
  const std::string cause = " (" + std::to_string(trap.cause) + "), ";
  if (trap.unit == UnitKind::kPe) return place + "PE trap " + spec::trap_name(trap.cause) + cause + sender.instruction(sender.tile(trap.x, trap.y), trap.program_counter);
  const std::string port = trap.port < kNoPort ? " (" + std::string(spec::kDirectionNames[trap.port]) + ")" : "";
  return place + "router trap " + spec::router_trap_name(trap.cause) + cause + "colour " + std::to_string(trap.colour) + ", port " + std::to_string(trap.port) + port + sender.of(trap);
}

}  // namespace

std::string trap_text(const Fabric& fabric, const Trap& trap, const InstructionText& instruction) {
  fabric.collect();
  return text_of(Sender(fabric, instruction), trap);
}

std::string traps_text(const Fabric& fabric, const InstructionText& instruction, size_t lines) {
  fabric.collect();
  const Sender sender(fabric, instruction);
  std::string text;
  for (size_t i = 0; i < fabric.traps().size() && i < lines; ++i) text += text_of(sender, fabric.traps()[i]) + "\n";
  if (fabric.traps().size() > lines) text += "and " + std::to_string(fabric.traps().size() - lines) + " more traps in the same cycle\n";
  return text;
}

}  // namespace waferloom::fabric
