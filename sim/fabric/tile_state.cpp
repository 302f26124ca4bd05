#include "sim/fabric/tile_state.h"

namespace waferloom::fabric {
namespace {

// rtl/pe/wl_pe_pkg.sv: bit positions in a context's control word.
constexpr unsigned kCtlWrites = 12, kCtlReads = 14, kCtlOnDone = 24, kCtlDoneTask = 26, kCtlInput = 32, kCtlOutput = 35, kCtlColour = 37;

bool bit(uint64_t word, unsigned index) { return ((word >> index) & 1) != 0; }
unsigned field(uint64_t word, unsigned lsb, unsigned bits) { return static_cast<unsigned>((word >> lsb) & ((1u << bits) - 1)); }

}  // namespace

RegisterReader::RegisterReader(const plugin::Unit& unit, WlArena* arena, const char* name, std::string* missing) {
  const WlRegister* r = unit.reg(name);
  if (!r) {
    if (missing->empty()) *missing = std::string(unit.api().top) + " has no register " + name;
    return;
  }
  api_ = &unit.api();
  arena_ = arena;
  offset_ = r->offset;
  bytes_ = r->element_bytes;
}

TileState::TileState(const Fabric& fabric)
    : TileState(fabric.unit(UnitKind::kRouter), fabric.arena(UnitKind::kRouter), fabric.has_pe() ? &fabric.unit(UnitKind::kPe) : nullptr, fabric.arena(UnitKind::kPe)) {}

TileState::TileState(const plugin::Unit& router_unit, WlArena* routers, const plugin::Unit* pe_unit, WlArena* pes) {
  const auto router = [&](const std::string& name) { return RegisterReader(router_unit, routers, name.c_str(), &error_); };
  const auto pe = [&](const char* name) { return RegisterReader(*pe_unit, pes, name, &error_); };
  fill_ = router("fill1_q");
  control_ = router("ctl_q");
  position0_ = router("pos0_q");
  position1_ = router("pos1_q");
  const char* const suffixes[5] = {"n_q", "e_q", "s_q", "w_q", "r_q"};
  for (unsigned d = 0; d < 5; ++d) {
    owed_[d] = router(std::string("owed_") + suffixes[d]);
    receive_[d] = router(std::string("rx_") + suffixes[d]);
    transmit_[d] = router(std::string("tx_") + suffixes[d]);
  }
  if (pe_unit == nullptr) return;
  binds_ = pe("u_inq.bind_q");
  used_ = pe("u_inq.used_q");
  nonempty_ = pe("u_inq.nonempty_q");
  head_control_ = pe("u_inq.control_q");
  starts_ = pe("u_inq.starts_q");
  head_task_ = pe("u_inq.id_q");
  out_used_ = pe("u_outq.used_q");
  out_read_ = pe("u_outq.rd_q");
  out_words_ = pe("u_outq.fifo_q");
  active_ = pe("u_arb.active_q");
  need_in_ = pe("u_arb.need_in_q");
  need_out_ = pe("u_arb.need_out_q");
  reader_ = pe("u_arb.reader_q");
  writer_ = pe("u_arb.writer_q");
  ctl_ = pe("u_ctx.ctl_q");
  tag_ = pe("u_ctx.tag_q");
  run_ = pe("u_tasks.run_q");
  asks_ = pe("u_tasks.ask_q");
  waits_ = pe("u_tasks.wait_q");
  halted_ = pe("u_tasks.halted_q");
  task_ = pe("u_tasks.task_q");
  task_active_ = pe("u_tasks.task_act_q");
  task_blocked_ = pe("u_tasks.task_blk_q");
  pc_ = pe("u_fetch.pc_q");
  next_pc_ = pe("u_fetch.ask_pc_q");
  fetched_ = pe("u_fetch.valid_instr_q");
  if (const WlRegister* words = pe_unit->reg("u_outq.fifo_q")) out_stride_ = words->elements / kOutputQueues;
}

unsigned TileState::owed(uint32_t tile, unsigned colour) const {
  unsigned mask = 0;
  for (unsigned d = 0; d < 5; ++d) mask |= bit(owed_[d](tile), colour) ? 1u << d : 0;
  return mask;
}

RouteMasks TileState::route(uint32_t tile, unsigned colour) const {
  RouteMasks masks;
  masks.position = (bit(position1_(tile), colour) ? 2 : 0) + (bit(position0_(tile), colour) ? 1 : 0);
  for (unsigned d = 0; d < 5; ++d) {
    masks.receive |= bit(receive_[d](tile), colour) ? 1u << d : 0;
    masks.transmit |= bit(transmit_[d](tile), colour) ? 1u << d : 0;
  }
  return masks;
}

InputQueue TileState::input(uint32_t tile, unsigned queue) const {
  InputQueue q;
  const unsigned bind = field(binds_(tile), 8 * queue, 8);
  q.bound = bit(bind, 7);
  q.colour = bind & 31;
  q.used = static_cast<unsigned>(used_(tile, queue));
  q.can_start = bit(nonempty_(tile), queue) && (bit(head_control_(tile), queue) || bit(starts_(tile), queue));
  q.task = field(head_task_(tile), 6 * queue, 6);
  q.readers = static_cast<uint32_t>(reader_(tile, queue) & active_(tile));
  return q;
}

OutputQueue TileState::output(uint32_t tile, unsigned queue) const {
  OutputQueue q;
  q.used = static_cast<unsigned>(out_used_(tile, queue));
  if (q.used != 0) q.colour = field(out_words_(tile, out_stride_ * queue + static_cast<uint32_t>(out_read_(tile, queue))), 32, 5);
  q.writers = static_cast<uint32_t>(writer_(tile, queue) & active_(tile));
  return q;
}

ContextState TileState::context(uint32_t tile, unsigned context) const {
  const ContextState c = last(tile, context);
  return c.active ? c : ContextState{};
}

ContextState TileState::last(uint32_t tile, unsigned context) const {
  ContextState c;
  c.active = bit(active_(tile), context);
  const uint64_t ctl = ctl_(tile, context);
  c.needs_input = bit(need_in_(tile), context);
  c.needs_room = bit(need_out_(tile), context);
  c.reads = bit(ctl, kCtlReads);
  c.writes = bit(ctl, kCtlWrites);
  c.input_queue = field(ctl, kCtlInput, 3);
  c.output_queue = field(ctl, kCtlOutput, 2);
  c.colour = field(ctl, kCtlColour, 5);
  c.on_done = field(ctl, kCtlOnDone, 2);
  c.done_task = field(ctl, kCtlDoneTask, 6);
  c.pc = static_cast<uint16_t>(tag_(tile, context) >> 32);
  return c;
}

MainThread TileState::main(uint32_t tile) const {
  MainThread m;
  m.runs = run_(tile) != 0;
  m.starting = (asks_(tile) | waits_(tile)) != 0;
  m.halted = halted_(tile) != 0;
  m.task = static_cast<unsigned>(task_(tile));
  m.pc = static_cast<uint16_t>(fetched_(tile) != 0 ? pc_(tile) : next_pc_(tile));
  m.activated = task_active_(tile);
  m.blocked = task_blocked_(tile);
  return m;
}

}  // namespace waferloom::fabric
