// Generated from configs/spec/registers.yaml by scripts/gen; do not edit.
// Descriptors, memory map, memory-mapped registers, traps.
#pragma once

#include <array>
#include <cstdint>

namespace waferloom::spec {

inline constexpr int kScalarRegisters = 16;
inline constexpr int kDescriptorRegisters = 16;

// what the operand is
enum class Kind : uint8_t {
  kMem1d = 0,
  kMem2d = 1,
  kCircular = 2,
  kFabricIn = 3,
  kFabricOut = 4,
  kIota = 5,
};
inline constexpr const char* kKindNames[] = {"mem1d", "mem2d", "circular", "fabric_in", "fabric_out", "iota"};

// element type
enum class ElementType : uint8_t {
  kF16 = 0,
  kF32 = 1,
  kI16 = 2,
  kI32 = 3,
};
inline constexpr const char* kElementTypeNames[] = {"f16", "f32", "i16", "i32"};

// fabric_in: what a control wavelet at the head of the queue does
enum class OnControl : uint8_t {
  kTrap = 0,
  kConsume = 1,
  kLeave = 2,
};
inline constexpr const char* kOnControlNames[] = {"trap", "consume", "leave"};

// destination only: what completion does to done_task
enum class OnDone : uint8_t {
  kNone = 0,
  kActivate = 1,
  kUnblock = 2,
};
inline constexpr const char* kOnDoneNames[] = {"none", "activate", "unblock"};

// One descriptor, four 32-bit words. Getters give a field's value; a value outside the enum is possible only where the words are. Setters keep the field's low bits.
struct Descriptor {
  std::array<uint32_t, 4> words{};

  // address of the first element (iota: the first value) [bytes]
  constexpr uint32_t base() const { return (words[0] >> 0) & 0xffffu; }
  constexpr void set_base(uint32_t value) { words[0] = (words[0] & 0xffff0000u) | ((static_cast<uint32_t>(value) & 0xffffu) << 0); }
  // elements in a row [elements]
  constexpr uint32_t len0() const { return (words[0] >> 16) & 0xffffu; }
  constexpr void set_len0(uint32_t value) { words[0] = (words[0] & 0x0000ffffu) | ((static_cast<uint32_t>(value) & 0xffffu) << 16); }
  // from one element to the next [bytes]
  constexpr int32_t stride0() const { return static_cast<int16_t>((words[1] >> 0) & 0xffffu); }
  constexpr void set_stride0(int32_t value) { words[1] = (words[1] & 0xffff0000u) | ((static_cast<uint32_t>(value) & 0xffffu) << 0); }
  // rows (mem2d, circular); other kinds have one row [rows]
  constexpr uint32_t len1() const { return (words[1] >> 16) & 0xffffu; }
  constexpr void set_len1(uint32_t value) { words[1] = (words[1] & 0x0000ffffu) | ((static_cast<uint32_t>(value) & 0xffffu) << 16); }
  // from the start of one row to the start of the next (mem2d, circular) [bytes]
  constexpr int32_t stride1() const { return static_cast<int16_t>((words[2] >> 0) & 0xffffu); }
  constexpr void set_stride1(int32_t value) { words[2] = (words[2] & 0xffff0000u) | ((static_cast<uint32_t>(value) & 0xffffu) << 0); }
  // circular: the buffer holds 2**wrap_log2 bytes and is aligned to its size
  constexpr uint32_t wrap_log2() const { return (words[2] >> 16) & 0xfu; }
  constexpr void set_wrap_log2(uint32_t value) { words[2] = (words[2] & 0xfff0ffffu) | ((static_cast<uint32_t>(value) & 0xfu) << 16); }
  // fabric_out: colour sent
  constexpr uint32_t colour() const { return (words[2] >> 20) & 0x1fu; }
  constexpr void set_colour(uint32_t value) { words[2] = (words[2] & 0xfe0fffffu) | ((static_cast<uint32_t>(value) & 0x1fu) << 20); }
  // fabric_in: input queue 0 to 7; fabric_out: output queue 0 to 3
  constexpr uint32_t queue() const { return (words[2] >> 25) & 0x7u; }
  constexpr void set_queue(uint32_t value) { words[2] = (words[2] & 0xf1ffffffu) | ((static_cast<uint32_t>(value) & 0x7u) << 25); }
  // what the operand is
  constexpr Kind kind() const { return static_cast<Kind>((words[3] >> 0) & 0x7u); }
  constexpr void set_kind(Kind value) { words[3] = (words[3] & 0xfffffff8u) | ((static_cast<uint32_t>(value) & 0x7u) << 0); }
  // element type
  constexpr ElementType type() const { return static_cast<ElementType>((words[3] >> 3) & 0x3u); }
  constexpr void set_type(ElementType value) { words[3] = (words[3] & 0xffffffe7u) | ((static_cast<uint32_t>(value) & 0x3u) << 3); }
  // fabric: two 16-bit elements in a wavelet, the first in the low half
  constexpr bool pack() const { return ((words[3] >> 5) & 0x1u) != 0; }
  constexpr void set_pack(bool value) { words[3] = (words[3] & 0xffffffdfu) | ((static_cast<uint32_t>(value) & 0x1u) << 5); }
  // fabric_out: the wavelets sent are control wavelets
  constexpr bool control() const { return ((words[3] >> 6) & 0x1u) != 0; }
  constexpr void set_control(bool value) { words[3] = (words[3] & 0xffffffbfu) | ((static_cast<uint32_t>(value) & 0x1u) << 6); }
  // when the instruction completes, base becomes the next address
  constexpr bool save() const { return ((words[3] >> 7) & 0x1u) != 0; }
  constexpr void set_save(bool value) { words[3] = (words[3] & 0xffffff7fu) | ((static_cast<uint32_t>(value) & 0x1u) << 7); }
  // fabric_in: what a control wavelet at the head of the queue does
  constexpr OnControl on_control() const { return static_cast<OnControl>((words[3] >> 8) & 0x3u); }
  constexpr void set_on_control(OnControl value) { words[3] = (words[3] & 0xfffffcffu) | ((static_cast<uint32_t>(value) & 0x3u) << 8); }
  // destination only: what completion does to done_task
  constexpr OnDone on_done() const { return static_cast<OnDone>((words[3] >> 10) & 0x3u); }
  constexpr void set_on_done(OnDone value) { words[3] = (words[3] & 0xfffff3ffu) | ((static_cast<uint32_t>(value) & 0x3u) << 10); }
  // task id for on_done
  constexpr uint32_t done_task() const { return (words[3] >> 12) & 0x3fu; }
  constexpr void set_done_task(uint32_t value) { words[3] = (words[3] & 0xfffc0fffu) | ((static_cast<uint32_t>(value) & 0x3fu) << 12); }

  constexpr bool operator==(const Descriptor& o) const {
    for (int i = 0; i < 4; ++i) {
      if (words[i] != o.words[i]) return false;
    }
    return true;
  }
};
// Bits of each word that belong to a field; the others are not kept and read zero.
inline constexpr uint32_t kDescriptorMask[4] = {0xffffffff, 0xffffffff, 0x0fffffff, 0x0003ffff};

// One row per descriptor field, for tools that print or parse them. `names` is null for numbers.
struct DescriptorField {
  const char* name;
  uint8_t word;
  uint8_t lsb;
  uint8_t width;
  bool is_signed;
  const char* const* names;
  uint8_t name_count;
};
inline constexpr int kDescriptorFieldCount = 16;
inline constexpr DescriptorField kDescriptorFields[kDescriptorFieldCount] = {
    {"base", 0, 0, 16, false, nullptr, 0},
    {"len0", 0, 16, 16, false, nullptr, 0},
    {"stride0", 1, 0, 16, true, nullptr, 0},
    {"len1", 1, 16, 16, false, nullptr, 0},
    {"stride1", 2, 0, 16, true, nullptr, 0},
    {"wrap_log2", 2, 16, 4, false, nullptr, 0},
    {"colour", 2, 20, 5, false, nullptr, 0},
    {"queue", 2, 25, 3, false, nullptr, 0},
    {"kind", 3, 0, 3, false, kKindNames, 6},
    {"type", 3, 3, 2, false, kElementTypeNames, 4},
    {"pack", 3, 5, 1, false, nullptr, 0},
    {"control", 3, 6, 1, false, nullptr, 0},
    {"save", 3, 7, 1, false, nullptr, 0},
    {"on_control", 3, 8, 2, false, kOnControlNames, 3},
    {"on_done", 3, 10, 2, false, kOnDoneNames, 3},
    {"done_task", 3, 12, 6, false, nullptr, 0},
};

// Memory map, byte addresses.
inline constexpr uint32_t kSramBase = 0x0000;  // 8 banks of 32 bits, word interleaved; a machine may have less, the rest traps
inline constexpr uint32_t kSramMaxBytes = 49152;
inline constexpr uint32_t kWindowBase = 0xc000;  // accumulator window; a machine has 0, 256 or 512 bytes
inline constexpr uint32_t kWindowMaxBytes = 512;
inline constexpr uint32_t kMmioBase = 0xf000;  // 32-bit accesses by lw and sw only
inline constexpr uint32_t kMmioMaxBytes = 4096;
inline constexpr uint32_t kTaskTableBase = 0x0000;  // u16 entry address of each task; 0 traps
inline constexpr int kTaskCount = 64;
inline constexpr uint32_t kTaskEntryBytes = 2;
inline constexpr int kBootTask = 24;

// Memory-mapped registers: offsets from kMmioBase.
inline constexpr uint32_t kMmioCoord = 0x000;  // ro; [15:0] x, [31:16] y
inline constexpr uint32_t kMmioDims = 0x004;  // ro; [15:0] width, [31:16] height
inline constexpr uint32_t kMmioTimeLo = 0x008;  // ro; wafer cycle, bits 31:0
inline constexpr uint32_t kMmioTimeHi = 0x00c;  // ro; wafer cycle, bits 47:32
inline constexpr uint32_t kMmioTrap = 0x010;  // ro; as trap_o
inline constexpr uint32_t kMmioQueueBind = 0x020;  // rw; [4:0] colour, [6] data wavelets start tasks, [7] bound
inline constexpr uint32_t kMmioTaskActive = 0x040;  // rw; activated flags 31:0, 63:32
inline constexpr uint32_t kMmioTaskBlocked = 0x048;  // rw; blocked flags 31:0, 63:32
inline constexpr uint32_t kMmioClassCount = 0x100;  // ro; cycle classes, 48 bits
inline constexpr uint32_t kMmioEventCount = 0x180;  // ro; events, 48 bits
inline constexpr uint32_t kMmioRoute = 0x400;  // wo; router configuration word {colour, word}
enum class Access : uint8_t { kReadOnly, kReadWrite, kWriteOnly };
struct MmioRegister {
  const char* name;
  uint16_t offset;
  uint16_t count;
  uint16_t stride;
  Access access;
};
inline constexpr int kMmioCount = 11;
inline constexpr MmioRegister kMmio[kMmioCount] = {
    {"coord", 0x000, 1, 4, Access::kReadOnly},
    {"dims", 0x004, 1, 4, Access::kReadOnly},
    {"time_lo", 0x008, 1, 4, Access::kReadOnly},
    {"time_hi", 0x00c, 1, 4, Access::kReadOnly},
    {"trap", 0x010, 1, 4, Access::kReadOnly},
    {"queue_bind", 0x020, 8, 4, Access::kReadWrite},
    {"task_active", 0x040, 2, 4, Access::kReadWrite},
    {"task_blocked", 0x048, 2, 4, Access::kReadWrite},
    {"class_count", 0x100, 16, 8, Access::kReadOnly},
    {"event_count", 0x180, 8, 8, Access::kReadOnly},
    {"route", 0x400, 192, 4, Access::kWriteOnly},
};

// Traps of the PE, trap_o[7:0].
enum class Trap : uint8_t {
  kNone = 0,
  kIllegalInstruction = 1,  // unknown opcode or a field that must be zero is not
  kMisaligned = 2,  // address not a multiple of the access (vector: of the element), jump target not a multiple of 4
  kOutOfRange = 3,  // address outside SRAM, window and MMIO, or a vector operand or fetch outside SRAM and window
  kUnexpectedControl = 4,  // control wavelet at a fabric_in with on_control trap
  kIllegalDescriptor = 5,  // kind or type does not fit the instruction, two fabric inputs, queue not bound, colour above 23
  kSoftware = 6,  // trap instruction
  kUnboundColour = 7,  // a wavelet arrived on a colour that no input queue is bound to
  kNoTask = 8,  // a task without an entry was started
  kIllegalMmio = 9,  // unknown register, write to ro, read of wo, or a 16-bit access
  kQueueOverflow = 10,  // cannot happen: a sender ignored ready
};
constexpr const char* trap_name(uint32_t cause) {
  switch (cause) {
    case 0: return "none";
    case 1: return "illegal_instruction";
    case 2: return "misaligned";
    case 3: return "out_of_range";
    case 4: return "unexpected_control";
    case 5: return "illegal_descriptor";
    case 6: return "software";
    case 7: return "unbound_colour";
    case 8: return "no_task";
    case 9: return "illegal_mmio";
    case 10: return "queue_overflow";
    default: return "unknown";
  }
}
// One sentence for a user; empty for an unknown cause.
constexpr const char* trap_meaning(uint32_t cause) {
  switch (cause) {
    case 1: return "unknown opcode or a field that must be zero is not";
    case 2: return "address not a multiple of the access (vector: of the element), jump target not a multiple of 4";
    case 3: return "address outside SRAM, window and MMIO, or a vector operand or fetch outside SRAM and window";
    case 4: return "control wavelet at a fabric_in with on_control trap";
    case 5: return "kind or type does not fit the instruction, two fabric inputs, queue not bound, colour above 23";
    case 6: return "trap instruction";
    case 7: return "a wavelet arrived on a colour that no input queue is bound to";
    case 8: return "a task without an entry was started";
    case 9: return "unknown register, write to ro, read of wo, or a 16-bit access";
    case 10: return "cannot happen: a sender ignored ready";
    default: return "";
  }
}

// Traps of the router, trap_o[7:0].
enum class RouterTrap : uint8_t {
  kNone = 0,
  kNoRoute = 1,  // wavelet on a colour without a route
  kOverEdge = 2,  // transmit over the wafer's edge
  kTwoPorts = 3,  // one colour from two ports at once
  kReservedColour = 4,  // colour 24 to 31
  kQueueOverflow = 5,  // cannot happen: a sender ignored ready
};
constexpr const char* router_trap_name(uint32_t cause) {
  switch (cause) {
    case 0: return "none";
    case 1: return "no_route";
    case 2: return "over_edge";
    case 3: return "two_ports";
    case 4: return "reserved_colour";
    case 5: return "queue_overflow";
    default: return "unknown";
  }
}
// One sentence for a user; empty for an unknown cause.
constexpr const char* router_trap_meaning(uint32_t cause) {
  switch (cause) {
    case 1: return "wavelet on a colour without a route";
    case 2: return "transmit over the wafer's edge";
    case 3: return "one colour from two ports at once";
    case 4: return "colour 24 to 31";
    case 5: return "cannot happen: a sender ignored ready";
    default: return "";
  }
}

}  // namespace waferloom::spec
