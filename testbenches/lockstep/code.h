// Programs by hand: instruction words from the generated fields, an image with a boot task, descriptors in memory.
#pragma once
#include <cassert>
#include <initializer_list>
#include <utility>
#include <vector>

#include "sim/generated/isa.h"
#include "sim/generated/packet.h"
#include "sim/golden/pe.h"
#include "sim/golden/program.h"

namespace waferloom::test {

using golden::Descriptor;
using golden::Kind;
using golden::Type;
using spec::FieldId;
using spec::Opcode;

inline uint32_t word(Opcode opcode, std::initializer_list<std::pair<FieldId, int64_t>> fields = {}) {
  uint32_t w = static_cast<uint32_t>(opcode);
  for (const auto& [id, value] : fields) w |= spec::field(id).put(static_cast<uint32_t>(value));
  return w;
}

// Flags of a vector instruction.
struct Flags {
  int ut = -1;         // 0 to 7: asynchronous
  uint8_t fn = 0;
  int scalar = -1;     // register that holds the scalar
  bool shalf = false;
};

inline uint32_t with_flags(uint32_t w, const Flags& f) {
  if (f.ut >= 0) w |= spec::field(FieldId::kAsync).put(1) | spec::field(FieldId::kUt).put(static_cast<uint32_t>(f.ut));
  w |= spec::field(FieldId::kFn).put(f.fn);
  if (f.scalar >= 0) {
    w |= spec::field(FieldId::kScalar).put(1) | spec::field(FieldId::kSReg).put(static_cast<uint32_t>(f.scalar)) |
         spec::field(FieldId::kShalf).put(f.shalf ? 1 : 0);
  }
  return w;
}

inline uint32_t r3(Opcode op, int a, int b, int c) { return word(op, {{FieldId::kAReg, a}, {FieldId::kBReg, b}, {FieldId::kCReg, c}}); }
inline uint32_t ri(Opcode op, int a, int b, int imm) { return word(op, {{FieldId::kAReg, a}, {FieldId::kBReg, b}, {FieldId::kImm, imm}}); }
inline uint32_t li(int a, int imm) { return word(Opcode::kLi, {{FieldId::kAReg, a}, {FieldId::kImm, imm}}); }
inline uint32_t lih(int a, uint32_t imm) { return word(Opcode::kLih, {{FieldId::kAReg, a}, {FieldId::kUimm, imm}}); }
inline uint32_t branch(Opcode op, int a, int b, int rel) { return word(op, {{FieldId::kAReg, a}, {FieldId::kBReg, b}, {FieldId::kRel, rel}}); }
inline uint32_t task(Opcode op, int b, int id) { return word(op, {{FieldId::kBReg, b}, {FieldId::kTask, id}}); }
inline uint32_t waitu(int ut) { return word(Opcode::kWaitu, {{FieldId::kUt, ut}}); }
inline uint32_t ldd(int d, int imm, int b = 0) { return word(Opcode::kLdd, {{FieldId::kADsr, d}, {FieldId::kImm, imm}, {FieldId::kBReg, b}}); }
inline uint32_t vec(Opcode op, int d, int s0, int s1, const Flags& f = {}) {
  const bool one = (f.scalar >= 0 && op != Opcode::kVmacs);
  return with_flags(word(op, {{FieldId::kADsr, d}, {FieldId::kBDsr, s0}, {FieldId::kCDsr, one ? 0 : s1}}), f);
}
inline uint32_t vec1(Opcode op, int d, int s0, const Flags& f = {}) {
  return with_flags(word(op, {{FieldId::kADsr, d}, {FieldId::kBDsr, f.scalar >= 0 ? 0 : s0}}), f);
}
inline uint32_t sdot(int d, int index, int slab, int vector, const Flags& f = {}) {
  return with_flags(word(Opcode::kSdot, {{FieldId::kADsr, d}, {FieldId::kBDsr, index}, {FieldId::kCDsr, slab}, {FieldId::kSDsr, vector}}), f);
}

inline Descriptor mem1d(Type type, uint32_t base, uint32_t length) {
  Descriptor d;
  d.set_base(base);
  d.set_len0(length);
  d.set_stride0(static_cast<int32_t>(golden::type_bytes(type)));
  d.set_type(type);
  return d;
}
inline Descriptor fabric_in(Type type, uint32_t queue, uint32_t length, spec::OnControl on_control = spec::OnControl::kConsume) {
  Descriptor d;
  d.set_kind(Kind::kFabricIn);
  d.set_type(type);
  d.set_queue(queue);
  d.set_len0(length);
  d.set_on_control(on_control);
  return d;
}
inline Descriptor fabric_out(Type type, uint32_t queue, uint32_t colour, uint32_t length) {
  Descriptor d;
  d.set_kind(Kind::kFabricOut);
  d.set_type(type);
  d.set_queue(queue);
  d.set_colour(colour);
  d.set_len0(length);
  return d;
}

// A program image under construction: code from 0x100 on (the boot task), descriptors from 0x1000 on.
class Code {
 public:
  static constexpr uint32_t kEntry = 0x100;
  static constexpr uint32_t kDescriptors = 0x1000;

  Code() : next_(kEntry) { entry(spec::kBootTask); }
  // The next instruction is where task `id` starts.
  Code& entry(int id) {
    put16(static_cast<uint32_t>(2 * id), next_);
    return *this;
  }
  Code& op(uint32_t w) {
    put32(next_, w);
    next_ += 4;
    return *this;
  }
  // Loads descriptor register `d`.
  Code& dsr(int d, const Descriptor& descriptor) {
    const uint32_t at = kDescriptors + 16 * count_++;
    for (uint32_t k = 0; k < 4; ++k) put32(at + 4 * k, descriptor.words[k]);
    return op(ldd(d, static_cast<int>(at)));
  }
  Code& reg(int r, uint32_t value) {
    op(li(r, static_cast<int16_t>(value)));
    if (static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(value))) != value) op(lih(r, value >> 16));
    return *this;
  }
  Code& put16(uint32_t address, uint32_t value) {
    grow(address + 2);
    program_.bytes[address] = static_cast<uint8_t>(value);
    program_.bytes[address + 1] = static_cast<uint8_t>(value >> 8);
    return *this;
  }
  Code& put32(uint32_t address, uint32_t value) { return put16(address, value & 0xffffu).put16(address + 2, value >> 16); }
  Code& bind(int queue, int colour, bool tasks = false) {
    program_.registers.push_back({static_cast<uint16_t>(spec::kMmioBase + spec::kMmioQueueBind + 4 * static_cast<uint32_t>(queue)),
                                  0x80u | (tasks ? 0x40u : 0u) | static_cast<uint32_t>(colour)});
    return *this;
  }
  Code& block(int id) {
    blocked_ |= uint64_t{1} << id;
    return *this;
  }
  uint32_t here() const { return next_; }
  golden::Program program() const {
    golden::Program p = program_;
    p.registers.push_back({static_cast<uint16_t>(spec::kMmioBase + spec::kMmioTaskBlocked), static_cast<uint32_t>(blocked_)});
    p.registers.push_back({static_cast<uint16_t>(spec::kMmioBase + spec::kMmioTaskBlocked + 4), static_cast<uint32_t>(blocked_ >> 32)});
    return p;
  }

 private:
  void grow(uint32_t size) {
    if (program_.bytes.size() < size) program_.bytes.resize(size);
  }
  golden::Program program_;
  uint32_t next_;
  uint32_t count_ = 0;
  uint64_t blocked_ = 0;
};

// Runs one PE, main thread first, until nothing can happen. Inputs must have been delivered.
inline void run(golden::Pe& pe, golden::Effects* effects = nullptr) {
  for (bool moved = true; moved;) {
    moved = false;
    while (pe.main_wait().kind == golden::MainWait::Kind::kNone) {
      pe.step(effects);
      moved = true;
    }
    for (int c = 0; c < golden::kContexts; ++c) {
      if (!pe.context(c).active) continue;
      golden::Stop stop;
      if (pe.issue(c, 1000000, &stop, effects) != 0) moved = true;
      if (stop == golden::Stop::kResult && pe.issue_result(c, effects)) moved = true;
      if (stop == golden::Stop::kEnd && pe.complete(c, effects)) moved = true;
    }
    if (!moved) {
      const auto tasks = pe.startable();
      if (!tasks.empty()) {
        pe.start_task(tasks.front(), effects);
        moved = true;
      }
    }
  }
}

inline golden::Pe booted(const Code& code, golden::PeParameters parameters = {}) {
  parameters.input_depth = 0;
  parameters.output_depth = 0;
  golden::Pe pe(parameters, 3, 5, 8, 9);
  std::string error;
  const bool loaded = pe.load(code.program(), &error);
  assert(loaded);
  (void)loaded;
  pe.boot();
  return pe;
}

}  // namespace waferloom::test
