// Launch of vector and streamed instructions: what their descriptors must be, and the context that they start.
#include <cassert>

#include "sim/golden/pe.h"

namespace waferloom::golden {
namespace {

using Role = Operand::Role;

bool bad_pack(const Descriptor& d) { return d.pack() && is_wide(d.type()); }

// A destination: memory or fabric_out.
bool bind_destination(Operand* o) {
  const Descriptor& d = o->descriptor;
  o->type = d.type();
  if (is_memory(d)) {
    o->role = Role::kMemory;
    return true;
  }
  if (d.kind() != Kind::kFabricOut || d.queue() >= kOutputQueues || d.colour() >= static_cast<uint32_t>(spec::kColours) || bad_pack(d)) return false;
  o->role = Role::kFabricOut;
  return true;
}

bool type_fits(TypeRule rule, Type t, uint8_t fn, bool destination) {
  switch (rule) {
    case TypeRule::kFloat: return is_float(t);
    case TypeRule::kInteger: return !is_float(t);
    case TypeRule::kAlike: return true;  // checked against each other
    case TypeRule::kConvert: return is_float(t) == ((fn == static_cast<uint8_t>(spec::FnVcvt::kFloat)) == destination);
  }
  return false;
}

}  // namespace

// A source: memory, iota or fabric_in from a bound queue. `whole`: takes whole wavelets, whatever its type.
bool Pe::bind_source(Operand* o, bool whole) const {
  const Descriptor& d = o->descriptor;
  o->type = type_of(d);
  if (is_memory(d)) {
    o->role = Role::kMemory;
    return true;
  }
  if (d.kind() == Kind::kIota) {
    o->role = Role::kIota;
    return true;
  }
  if (d.kind() != Kind::kFabricIn || (binds_[d.queue()] & 0x80u) == 0 || (!whole && bad_pack(d))) return false;
  o->role = Role::kFabricIn;
  return true;
}

Trap Pe::bind_operands(Context* c) const {
  const spec::Decoded& ins = c->ins;
  const Meaning& m = *c->meaning;
  const auto operand = [this](uint8_t dsr) {
    Operand o;
    o.dsr = dsr;
    o.descriptor = dsrs_[dsr];
    return o;
  };
  c->dest = operand(ins.a);
  if (!bind_destination(&c->dest)) return Trap::kIllegalDescriptor;
  const bool fits = m.shape == Shape::kSaxpy || m.shape == Shape::kSdot ? bind_stream(c, operand(ins.b), operand(ins.c), operand(ins.s))
                                                                        : bind_elements(c, operand(ins.b), operand(ins.c));
  return fits ? Trap::kNone : Trap::kIllegalDescriptor;
}

bool Pe::bind_elements(Context* c, const Operand& first, const Operand& second) const {
  const spec::Decoded& ins = c->ins;
  const Meaning& m = *c->meaning;
  if (m.reads_destination && c->dest.role != Role::kMemory) return false;
  if (!type_fits(m.types, c->dest.type, ins.fn, true)) return false;

  const bool float_scalar = m.types == TypeRule::kFloat || (m.types == TypeRule::kAlike && is_float(c->dest.type));
  Operand scalar;
  scalar.role = Role::kScalar;
  scalar.type = float_scalar ? (ins.shalf ? Type::kF16 : Type::kF32) : (ins.shalf ? Type::kI16 : Type::kI32);
  scalar.scalar = ins.shalf ? reg(ins.s) & 0xffffu : reg(ins.s);
  const bool third = ins.instruction->scalar == spec::ScalarUse::kAlways;
  if (third) {
    c->scalar = scalar.scalar;
    c->scalar_type = scalar.type;
  }
  const bool replaces = ins.scalar && !third;

  c->src0 = replaces && m.sources == 1 ? scalar : first;
  if (c->src0.role != Role::kScalar && !bind_source(&c->src0, false)) return false;
  if (m.sources == 2) {
    c->src1 = replaces ? scalar : second;
    if (c->src1.role != Role::kScalar && !bind_source(&c->src1, false)) return false;
    if (c->src0.role == Role::kFabricIn && c->src1.role == Role::kFabricIn) return false;
  }
  for (const Operand* o : {&c->src0, &c->src1}) {
    if (o->role == Role::kNone) continue;
    if (!type_fits(m.types, o->type, ins.fn, false)) return false;
    if (m.types == TypeRule::kAlike && is_float(o->type) != is_float(c->dest.type)) return false;
  }
  return true;
}

bool Pe::bind_stream(Context* c, const Operand& stream, const Operand& slab, const Operand& vector) const {
  const bool dot = c->meaning->shape == Shape::kSdot;
  c->src0 = stream;
  c->src1 = slab;
  if (!bind_source(&c->src0, true) || !bind_source(&c->src1, false)) return false;
  if (!is_float(c->dest.type) || c->src1.role != Role::kMemory || !is_float(c->src1.type)) return false;
  if (!dot) return c->dest.role == Role::kMemory && c->src0.type == Type::kF16 && c->src0.role == Role::kFabricIn && c->src1.type == Type::kF16;
  c->vector = vector;
  if (!bind_source(&c->vector, false)) return false;
  if (c->src0.role != Role::kFabricIn && c->src0.type != Type::kI16) return false;
  return c->vector.role == Role::kMemory && is_float(c->vector.type);
}

void Pe::launch(const spec::Decoded& ins, const Meaning& meaning) {
  Context& c = contexts_[ins.async ? ins.ut : static_cast<size_t>(kMainContext)];
  assert(!c.active);
  c = Context{};
  c.ins = ins;
  c.meaning = &meaning;
  c.pc = pc_;
  const Trap fault = bind_operands(&c);
  if (fault != Trap::kNone) {
    raise(fault);
    return;
  }
  for (Operand* o : {&c.dest, &c.src0, &c.src1, &c.vector}) {
    if (o->role == Role::kMemory || o->role == Role::kIota) o->cursor.start(o->descriptor);
  }
  c.counts_wide = meaning.shape == Shape::kReduce || meaning.shape == Shape::kSdot || is_wide(c.dest.type);
  switch (meaning.shape) {
    case Shape::kElementwise:
      c.remaining = elements(c.dest.descriptor);
      for (const Operand* o : {&c.src0, &c.src1}) c.counts_wide = c.counts_wide || (o->role != Role::kNone && is_wide(o->type));
      if (ins.instruction->scalar == spec::ScalarUse::kAlways) c.counts_wide = c.counts_wide || is_wide(c.scalar_type);
      break;
    case Shape::kReduce:
      c.remaining = elements(c.src0.descriptor);
      c.result_due = c.remaining == 0;
      for (uint32_t& a : c.acc.acc) a = macros::acc_identity(meaning.reduction(ins.fn));
      break;
    case Shape::kSaxpy: c.length = elements(c.dest.descriptor); break;
    case Shape::kSdot:
      c.length = elements(c.vector.descriptor);
      c.remaining = elements(c.src0.descriptor);
      break;
    case Shape::kScalar: break;
  }
  c.active = true;
}

}  // namespace waferloom::golden
