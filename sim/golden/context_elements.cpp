// Elements of vector instructions: operands read, meaning applied, result written; and how contexts end.
#include <cassert>

#include "sim/golden/pe.h"

namespace waferloom::golden {
namespace {

using Role = Operand::Role;

}  // namespace

bool Pe::check_vector_access(uint16_t address, uint32_t bytes) {
  if ((address & (bytes - 1)) != 0) {
    raise(Trap::kMisaligned);
  } else if (!in_memory(address, bytes)) {
    raise(Trap::kOutOfRange);
  } else {
    return true;
  }
  return false;
}

// Whether a fabric source offers its next element.
Stop Pe::source_ready(Context& c, const Operand& o) {
  if (o.role != Role::kFabricIn || o.half_held) return Stop::kCount;
  const Fifo<Wavelet>& in = inputs_[o.descriptor.queue()];
  if (in.empty()) return Stop::kInput;
  if (!in.front().control) return Stop::kCount;
  if (o.descriptor.on_control() == spec::OnControl::kTrap) {
    raise(Trap::kUnexpectedControl);
    return Stop::kTrap;
  }
  c.ended = true;
  return Stop::kEnd;
}

// Requires source_ready. False: trapped.
bool Pe::read_operand(Operand& o, uint32_t* bits) {
  switch (o.role) {
    case Role::kMemory:
      if (!check_vector_access(o.cursor.address(), type_bytes(o.type))) return false;
      *bits = peek(o.cursor.address(), type_bytes(o.type));
      o.cursor.next();
      return true;
    case Role::kIota:
      *bits = o.cursor.address();
      o.cursor.next();
      return true;
    case Role::kScalar: *bits = o.scalar; return true;
    case Role::kFabricIn: break;
    default: assert(false); return false;
  }
  if (o.half_held) {
    o.half_held = false;
    *bits = o.half;
    return true;
  }
  const uint32_t data = inputs_[o.descriptor.queue()].pop().data;
  if (o.descriptor.pack()) {
    o.half_held = true;
    o.half = static_cast<uint16_t>(data >> 16);
  }
  *bits = is_wide(o.type) ? data : data & 0xffffu;
  return true;
}

bool Pe::room(const Operand& dest, bool last) const {
  if (dest.role != Role::kFabricOut || parameters_.output_depth == 0) return true;
  if (dest.descriptor.pack() && !dest.half_held && !last) return true;
  return outputs_[dest.descriptor.queue()].size() < parameters_.output_depth;
}

void Pe::push(Operand& dest, uint32_t data) {
  const Descriptor& d = dest.descriptor;
  const Wavelet w{data, static_cast<uint8_t>(d.colour()), d.control()};
  outputs_[d.queue()].push(w);
  log({EffectKind::kPush, 4, fault_pc_, d.queue(), data, w});
}

// Requires room. False: trapped.
bool Pe::write_operand(Operand& dest, uint32_t bits, bool last) {
  if (dest.role == Role::kMemory) {
    if (!check_vector_access(dest.cursor.address(), type_bytes(dest.type))) return false;
    poke(dest.cursor.address(), type_bytes(dest.type), bits);
    dest.cursor.next();
    return true;
  }
  if (!dest.descriptor.pack()) {
    push(dest, bits);
  } else if (dest.half_held) {
    dest.half_held = false;
    push(dest, dest.half | (bits << 16));
  } else if (last) {
    push(dest, bits & 0xffffu);
  } else {
    dest.half_held = true;
    dest.half = static_cast<uint16_t>(bits);
  }
  return true;
}

void Pe::count_element(const Context& c) {
  count(Event::kLaneSlots, c.counts_wide ? 2 : 1);
  if (c.meaning->counts_macs) count(Event::kMacs, 1);
}

Stop Pe::element_step(Context& c) {
  if (c.remaining == 0) return Stop::kEnd;
  for (const Operand* o : {&c.src0, &c.src1}) {
    const Stop s = source_ready(c, *o);
    if (s != Stop::kCount) return s;
  }
  const bool last = c.remaining == 1;
  if (!room(c.dest, last)) return Stop::kOutput;
  ElementInputs e;
  e.src0 = c.src0.type;
  e.src1 = c.src1.type;
  e.dest = c.dest.type;
  e.fn = c.ins.fn;
  if (!read_operand(c.src0, &e.a)) return Stop::kTrap;
  if (c.meaning->sources == 2 && !read_operand(c.src1, &e.b)) return Stop::kTrap;
  if (c.meaning->reads_destination) {
    e.third = c.dest.type;
    if (!check_vector_access(c.dest.cursor.address(), type_bytes(c.dest.type))) return Stop::kTrap;
    e.c = peek(c.dest.cursor.address(), type_bytes(c.dest.type));
  } else {
    e.third = c.scalar_type;
    e.c = c.scalar;
  }
  const macros::Result r = c.meaning->element(e);
  if (!write_operand(c.dest, r.bits, last)) return Stop::kTrap;
  count(Event::kSaturations, r.saturated ? 1 : 0);
  count_element(c);
  --c.remaining;
  return Stop::kCount;
}

// Element k of a reduction, into accumulator k mod S/2.
void Pe::accumulate(Context& c, uint64_t k, Type ta, uint32_t a, Type tb, uint32_t b) {
  using macros::AccOp;
  uint32_t& acc = c.acc.acc[k & (parameters_.lanes / 2 - 1)];
  const uint32_t before = acc;
  const uint32_t x = macros::detail::widen(a, is_wide(ta));
  bool finite = macros::is_finite32(before) && macros::is_finite32(x);
  switch (c.meaning->reduction(c.ins.fn)) {
    case AccOp::kMax: acc = macros::max32(before, x); return;
    case AccOp::kMin: acc = macros::min32(before, x); return;
    case AccOp::kSum: acc = macros::add32(before, x); break;
    default: {
      const uint32_t y = macros::detail::widen(b, is_wide(tb));
      finite = finite && macros::is_finite32(y);
      acc = is_wide(ta) || is_wide(tb) ? macros::fma32(x, y, before) : macros::add32(macros::mul32(x, y), before);
      break;
    }
  }
  if (finite && macros::is_infinite32(acc)) count(Event::kSaturations, 1);
}

Stop Pe::reduce_step(Context& c) {
  if (c.result_done) return Stop::kEnd;
  if (c.result_due) return Stop::kResult;
  for (const Operand* o : {&c.src0, &c.src1}) {
    const Stop s = source_ready(c, *o);
    if (s == Stop::kEnd) {
      c.result_due = true;
      return Stop::kResult;
    }
    if (s != Stop::kCount) return s;
  }
  uint32_t a = 0;
  uint32_t b = 0;
  if (!read_operand(c.src0, &a)) return Stop::kTrap;
  if (c.meaning->sources == 2 && !read_operand(c.src1, &b)) return Stop::kTrap;
  accumulate(c, c.k++, c.src0.type, a, c.src1.type, b);
  count_element(c);
  if (--c.remaining == 0) c.result_due = true;
  return Stop::kCount;
}

bool Pe::issue_result(int index, Effects* effects) {
  Context& c = contexts_[static_cast<size_t>(index)];
  if (!c.active || stopped_by_trap()) return false;
  fault_pc_ = c.pc;
  if (!c.result_due) advance(c, 0);  // a control wavelet at hand may make it due
  const bool streamed = c.meaning->shape == Shape::kSdot;
  if (!c.result_due || !room(c.dest, !streamed)) return false;
  effects_ = effects;
  using macros::AccOp;
  const AccOp op = c.meaning->reduction(c.ins.fn);
  const AccOp result = op == AccOp::kMax ? AccOp::kResultMax : op == AccOp::kMin ? AccOp::kResultMin : AccOp::kResultSum;
  uint32_t saturated = 0;
  const uint32_t sum = macros::acc_result(result, static_cast<int>(parameters_.lanes), c.acc, &saturated).bits;
  const macros::Result r = macros::detail::narrow_result(sum, is_wide(c.dest.type), macros::is_finite32(sum));
  if (write_operand(c.dest, r.bits, !streamed)) {
    count(Event::kSaturations, saturated + (r.saturated ? 1 : 0));
    c.result_due = false;
    c.result_done = !streamed;
  }
  effects_ = nullptr;
  return true;
}

Stop Pe::advance(Context& c, uint32_t count) {
  switch (c.meaning->shape) {
    case Shape::kElementwise: return count == 0 ? probe_elements(c) : element_step(c);
    case Shape::kReduce: return count == 0 ? probe_elements(c) : reduce_step(c);
    case Shape::kSaxpy: return count == 0 ? saxpy_wavelet(c) : saxpy_step(c);
    case Shape::kSdot: return count == 0 ? sdot_index(c) : sdot_step(c);
    case Shape::kScalar: break;
  }
  assert(false);
  return Stop::kEnd;
}

// What an elementwise or reducing context would do next, without doing it.
Stop Pe::probe_elements(Context& c) {
  const bool reduces = c.meaning->shape == Shape::kReduce;
  if (reduces && c.result_done) return Stop::kEnd;
  if (reduces && c.result_due) return Stop::kResult;
  if (c.remaining == 0) return Stop::kEnd;
  for (const Operand* o : {&c.src0, &c.src1}) {
    const Stop s = source_ready(c, *o);
    if (s == Stop::kEnd && reduces) {
      c.result_due = true;
      return Stop::kResult;
    }
    if (s != Stop::kCount) return s;
  }
  return !reduces && !room(c.dest, c.remaining == 1) ? Stop::kOutput : Stop::kCount;
}

Stop Pe::state_of(int index) {
  Context& c = contexts_[static_cast<size_t>(index)];
  assert(c.active);
  if (stopped_by_trap()) return Stop::kTrap;
  fault_pc_ = c.pc;
  return advance(c, 0);
}

uint32_t Pe::issue(int index, uint32_t count, Stop* stop, Effects* effects) {
  Context& c = contexts_[static_cast<size_t>(index)];
  assert(c.active);
  *stop = Stop::kTrap;
  if (stopped_by_trap()) return 0;
  effects_ = effects;
  fault_pc_ = c.pc;
  uint32_t done = 0;
  *stop = Stop::kCount;
  while (done < count) {
    if (effects == nullptr && c.meaning->shape == Shape::kSaxpy) {
      const uint32_t run = saxpy_wavelet(c) == Stop::kCount ? saxpy_run(c, count - done) : 0;
      done += run;
      if (run != 0) continue;
    }
    *stop = advance(c, 1);
    if (*stop != Stop::kCount) break;
    ++done;
  }
  effects_ = nullptr;
  return done;
}

bool Pe::complete(int index, Effects* effects) {
  Context& c = contexts_[static_cast<size_t>(index)];
  if (!c.active || state_of(index) != Stop::kEnd) return false;
  if (c.dest.half_held) {
    if (!room(c.dest, true)) return false;
    effects_ = effects;
    push(c.dest, c.dest.half);
  }
  effects_ = effects;
  if (const Operand* source = c.fabric_source();
      c.ended && source != nullptr && source->descriptor.on_control() == spec::OnControl::kConsume) {
    inputs_[source->descriptor.queue()].pop();
  }
  const bool streamed = c.meaning->shape == Shape::kSaxpy || c.meaning->shape == Shape::kSdot;
  const auto save = [this](const Operand& o) {
    if ((o.role != Role::kMemory && o.role != Role::kIota) || !o.descriptor.save()) return;
    set_dsr_word(o.dsr, 0, (dsrs_[o.dsr].words[0] & 0xffff0000u) | o.cursor.saved());
  };
  save(c.src0);
  if (!streamed) save(c.src1);
  if (c.meaning->shape != Shape::kSaxpy) save(c.dest);
  if (c.dest.descriptor.on_done() == spec::OnDone::kActivate) {
    set_activated(static_cast<uint8_t>(c.dest.descriptor.done_task()), true);
  } else if (c.dest.descriptor.on_done() == spec::OnDone::kUnblock) {
    set_blocked(static_cast<uint8_t>(c.dest.descriptor.done_task()), false);
  }
  c.active = false;
  effects_ = nullptr;
  return true;
}

}  // namespace waferloom::golden
