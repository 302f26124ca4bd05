#pragma once
// Small programs for the benches of the processing element, word by word: an instruction is a function call, a descriptor a structure.
// The encodings are those of configs/spec/isa.yaml (sim/generated/isa.h); nothing here checks ranges.
#include <cstdint>
#include <vector>

#include "sim/generated/isa.h"
#include "sim/generated/registers.h"

namespace waferloom::pe {

using spec::Opcode;

inline uint32_t op(Opcode o) { return static_cast<uint32_t>(o); }
inline uint32_t imm16(int32_t v) { return static_cast<uint32_t>(v & 0xffff) << 16; }

// Formats.
inline uint32_t r3(Opcode o, int a, int b, int c) { return op(o) | uint32_t(a) << 7 | uint32_t(b) << 11 | uint32_t(c) << 15; }
inline uint32_t r2f(Opcode o, int fn, int a, int b) { return op(o) | uint32_t(a) << 7 | uint32_t(b) << 11 | uint32_t(fn) << 27; }
inline uint32_t ri(Opcode o, int a, int b, int32_t imm) { return op(o) | uint32_t(a) << 7 | uint32_t(b) << 11 | imm16(imm); }
inline uint32_t li(int a, int32_t imm) { return ri(Opcode::kLi, a, 0, imm); }
inline uint32_t lih(int a, int32_t imm) { return ri(Opcode::kLih, a, 0, imm); }
inline uint32_t lw(int a, int b, int32_t imm) { return ri(Opcode::kLw, a, b, imm); }
inline uint32_t sw(int a, int b, int32_t imm) { return ri(Opcode::kSw, a, b, imm); }
inline uint32_t ldd(int d, int b, int32_t imm) { return ri(Opcode::kLdd, d, b, imm); }
inline uint32_t task(Opcode o, int b, int id) { return op(o) | uint32_t(b) << 11 | uint32_t(id) << 16; }
inline uint32_t plain(Opcode o) { return op(o); }
inline uint32_t waitu(int ut) { return op(Opcode::kWaitu) | uint32_t(ut) << 23; }

// Vector instructions: modifiers are or-ed in.
inline uint32_t async(int ut) { return 1u << 26 | uint32_t(ut) << 23; }
inline uint32_t scalar(int s, bool half = false) { return 1u << 31 | uint32_t(half) << 30 | uint32_t(s) << 19; }
inline uint32_t fn(int f) { return uint32_t(f) << 27; }
inline uint32_t vec(Opcode o, int a, int b, int c = 0, int s = 0) {
  return op(o) | uint32_t(a) << 7 | uint32_t(b) << 11 | uint32_t(c) << 15 | uint32_t(s) << 19;
}

enum Kind { kMem1d, kMem2d, kCircular, kFabricIn, kFabricOut, kIota };
enum Type { kF16, kF32, kI16, kI32 };

struct Desc {
  uint32_t base = 0, len0 = 0;
  int32_t stride0 = 0;
  uint32_t len1 = 0;
  int32_t stride1 = 0;
  uint32_t wrap_log2 = 0, colour = 0, queue = 0;
  Kind kind = kMem1d;
  Type type = kF16;
  bool pack = false, control = false, save = false;
  uint32_t on_control = 0, on_done = 0, done_task = 0;

  std::vector<uint32_t> words() const {
    return {base | len0 << 16, (uint32_t(stride0) & 0xffff) | len1 << 16,
            (uint32_t(stride1) & 0xffff) | wrap_log2 << 16 | colour << 20 | queue << 25,
            uint32_t(kind) | uint32_t(type) << 3 | uint32_t(pack) << 5 | uint32_t(control) << 6 | uint32_t(save) << 7 | on_control << 8 |
                on_done << 10 | done_task << 12};
  }
};

inline Desc mem(Type t, uint32_t base, uint32_t n) {
  Desc d;
  d.base = base;
  d.len0 = n;
  d.stride0 = t == kF32 || t == kI32 ? 4 : 2;
  d.type = t;
  return d;
}
inline Desc fabric_in(Type t, uint32_t queue, uint32_t n, uint32_t on_control = 0) {
  Desc d;
  d.kind = kFabricIn;
  d.type = t;
  d.queue = queue;
  d.len0 = n;
  d.on_control = on_control;
  return d;
}
inline Desc fabric_out(Type t, uint32_t queue, uint32_t colour, uint32_t n) {
  Desc d;
  d.kind = kFabricOut;
  d.type = t;
  d.queue = queue;
  d.colour = colour;
  d.len0 = n;
  return d;
}

}  // namespace waferloom::pe
