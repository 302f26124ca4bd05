// Who waits for what: the text of traps and of deadlocks.
#include <cstdio>

#include "sim/golden/fabric.h"

namespace waferloom::golden {
namespace {

using spec::Direction;

std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%04x", value);
  return text;
}

std::string context_name(const Context& c, int index) {
  return (index == kMainContext ? std::string("main thread") : "microthread " + std::to_string(index)) + " (" +
         c.ins.instruction->name + " at " + hex(c.pc) + ")";
}

}  // namespace

std::string FabricTrap::text() const {
  const std::string where = "tile (" + std::to_string(x) + ", " + std::to_string(y) + ")";
  if (router) {
    return where + " router: " + spec::router_trap_name(cause) + ", colour " + std::to_string(colour) + " from " +
           spec::kDirectionNames[port] + ": " + spec::router_trap_meaning(cause);
  }
  return where + " PE: " + spec::trap_name(cause) + " at " + hex(pc) + ": " + spec::trap_meaning(cause);
}

void Fabric::describe_pe(uint32_t index, std::vector<Waiting>* all) const {
  Pe pe = tiles_[index].pe;  // a copy: looking at a stream may drop zero weights
  const uint32_t x = index % options_.width;
  const uint32_t y = index / options_.width;
  const auto say = [&](const std::string& text) { all->push_back({x, y, text}); };
  for (int k = 0; k < kContexts; ++k) {
    const Context& c = pe.context(k);
    if (!c.active) continue;
    const std::string name = context_name(c, k);
    const Operand* source = c.fabric_source();
    const Stop stop = pe.state_of(k);
    if (stop == Stop::kInput && source != nullptr) {
      const uint32_t queue = source->descriptor.queue();
      say(name + " waits for a wavelet of colour " + std::to_string(pe.binding(static_cast<int>(queue)) & 31u) + " in input queue " +
          std::to_string(queue));
    } else {
      say(name + " waits for room in output queue " + std::to_string(c.dest.descriptor.queue()) + " (colour " +
          std::to_string(c.dest.descriptor.colour()) + ")");
    }
  }
  const MainWait wait = pe.main_wait();
  const std::string task = "task " + std::to_string(pe.current_task()) + " at " + hex(pe.pc());
  switch (wait.kind) {
    case MainWait::Kind::kContext: say(task + " waits to launch: microthread " + std::to_string(wait.index) + " is busy"); break;
    case MainWait::Kind::kInputQueue: say(task + " waits to launch: input queue " + std::to_string(wait.index) + " is in use"); break;
    case MainWait::Kind::kOutputQueue: say(task + " waits to launch: output queue " + std::to_string(wait.index) + " is in use"); break;
    case MainWait::Kind::kWaitu: say(task + " waits for microthread " + std::to_string(wait.index)); break;
    default: break;
  }
  for (int q = 0; q < kInputQueues; ++q) {
    const Fifo<Wavelet>& in = pe.input(q);
    if (in.empty()) continue;
    bool read = false;
    for (int k = 0; k < kContexts; ++k) {
      const Context& c = pe.context(k);
      const Operand* source = c.active ? c.fabric_source() : nullptr;
      read = read || (source != nullptr && static_cast<int>(source->descriptor.queue()) == q);
    }
    if (read) continue;
    const Wavelet& head = in.front();
    std::string text = "input queue " + std::to_string(q) + " holds " + std::to_string(in.size()) + " of colour " +
                       std::to_string(head.colour) + " and nobody reads it";
    if (head.control) {
      const uint32_t id = spec::control_task(head.data);
      text += ": a control wavelet for task " + std::to_string(id) +
              (pe.blocked(static_cast<uint8_t>(id)) ? ", which is blocked" : pe.stopped() ? ", but the PE has stopped" : "");
    } else if ((pe.binding(q) & 0x40u) != 0) {
      text += pe.blocked(head.colour) ? ": its data task is blocked" : pe.stopped() ? ": the PE has stopped" : "";
    }
    say(text);
  }
}

void Fabric::describe_router(uint32_t index, std::vector<Waiting>* all) const {
  const Tile& t = tiles_[index];
  const uint32_t x = index % options_.width;
  const uint32_t y = index / options_.width;
  for (int q = 0; q < kOutputQueues; ++q) {
    if (t.pe.output(q).empty()) continue;
    all->push_back({x, y, "output queue " + std::to_string(q) + " holds " + std::to_string(t.pe.output(q).size()) + ": the router does not take colour " +
                              std::to_string(t.pe.output(q).front().colour) + " from the ramp"});
  }
  for (uint32_t c = 0; c < static_cast<uint32_t>(spec::kColours); ++c) {
    const RouterColour& colour = t.router.colour(c);
    if (colour.queue.empty()) continue;
    std::string text = "router holds " + std::to_string(colour.queue.size()) + " of colour " + std::to_string(c) + " (switch position " +
                       std::to_string(colour.position) + "), not taken by";
    for (int d = 0; d < spec::kDirections; ++d) {
      if ((colour.queue.front().owed & spec::direction_bit(static_cast<Direction>(d))) != 0) text += std::string(" ") + spec::kDirectionNames[d];
    }
    all->push_back({x, y, text});
  }
}

std::vector<Waiting> Fabric::waiting(size_t at_most) const {
  std::vector<Waiting> all;
  for (const Port& p : ports_) {
    for (const auto& queue : p.in) {
      if (queue.empty()) continue;
      all.push_back({p.tile % options_.width, p.tile / options_.width,
                     "host port " + std::string(spec::kDirectionNames[static_cast<int>(p.direction)]) + " cannot send " +
                         std::to_string(queue.size()) + " of colour " + std::to_string(queue.front().colour)});
    }
  }
  for (uint32_t index = 0; index < tiles_.size() && all.size() < at_most; ++index) {
    describe_pe(index, &all);
    describe_router(index, &all);
  }
  if (all.size() > at_most) all.resize(at_most);
  return all;
}

bool Fabric::something_waits() const { return !waiting(1).empty(); }

}  // namespace waferloom::golden
