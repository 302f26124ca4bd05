// Operands of random programs: where things lie, numbers worth computing with, and descriptors that are legal and stay where they may.
#pragma once
#include <cstdint>
#include <iterator>

#include "sim/golden/descriptor.h"
#include "sim/lockstep/program_generator.h"
#include "sim/lockstep/random.h"

namespace waferloom::lockstep {

// Where things are. The data area is small on purpose.
inline constexpr uint32_t kCode = 0x100;
inline constexpr uint32_t kDescriptors = 0x7000;  // read only
inline constexpr uint32_t kIndices = 0x0c00;      // read only: multiples of 4 for sdot
inline constexpr uint32_t kIndexCount = 32;
inline constexpr uint32_t kBlockBytes = 0x300;   // more than a block with its descriptors takes
inline constexpr uint32_t kData = 0x0d00;
inline constexpr uint32_t kDataBytes = 0x200;
inline constexpr uint32_t kReach = 0x100;  // behind the data area, for slabs: readable, never written

// Registers with a purpose; the others are anybody's.
inline constexpr int kLoop = 12;
inline constexpr int kWindow = 13;  // 0xC000
inline constexpr int kMmio = 14;    // 0xF000
inline constexpr int kScratch = 15;
// r3 to r11 are anybody's; r1 and r2 may change at any task start and are only read.

// Tasks.
inline constexpr int kChain = 25;         // 25, 26, ...: the program proper
inline constexpr int kLocal = 50;         // 50 to 53: small, activated at random
inline constexpr int kControl = 40;       // 40 to 43: small, started by control wavelets
inline constexpr uint8_t kTaskColour = 7; // data task 7
inline constexpr int kTaskQueue = 6;

inline uint16_t random_half(Draws& d) {
  static constexpr uint16_t kSpecial[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3555};
  if (d.chance(25)) return kSpecial[d.below(static_cast<uint32_t>(std::size(kSpecial)))];
  if (d.chance(30)) return static_cast<uint16_t>(d.next());
  return static_cast<uint16_t>((d.next() & 0x83ffu) | (static_cast<uint32_t>(d.between(10, 20)) << 10));
}
inline uint32_t random_single(Draws& d) {
  static constexpr uint32_t kSpecial[] = {0x00000000, 0x80000000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x33800000, 0x477fefff, 0x477ff000};
  if (d.chance(20)) return kSpecial[d.below(static_cast<uint32_t>(std::size(kSpecial)))];
  if (d.chance(20)) return static_cast<uint32_t>(d.next());
  return (static_cast<uint32_t>(d.next()) & 0x807fffffu) | (static_cast<uint32_t>(d.between(110, 145)) << 23);
}

enum class Access : uint8_t { kRead, kWrite };

class OperandMaker {
 protected:
  using Descriptor = golden::Descriptor;
  using Kind = golden::Kind;
  using Type = golden::Type;

  OperandMaker(uint64_t seed, const GeneratorOptions& options) : draws_(seed, 0x9706), options_(options) {}

  // ---- descriptors ----
  bool reachable(uint32_t address, uint32_t bytes, Access access) const {
    if (address >= spec::kWindowBase) return address + bytes <= spec::kWindowBase + options_.window_bytes;
    return address >= kData && address + bytes <= kData + kDataBytes + (access == Access::kRead ? kReach : 0);
  }
  // Whether `count` elements from the descriptor (offset added to its base) stay where they may.
  bool stays(const Descriptor& d, uint32_t count, uint32_t offset, Access access) const {
    golden::Cursor c;
    c.start(d, static_cast<uint16_t>(offset));
    const uint32_t bytes = golden::type_bytes(d.type());
    for (uint32_t k = 0; k < count; ++k, c.next()) {
      if (c.address() % bytes != 0 || !reachable(c.address(), bytes, access)) return false;
    }
    return true;
  }
  // A memory operand. `exact`: it spans exactly `count` elements; else any row length will do. `reach`: largest offset added to its base.
  Descriptor memory(Type type, uint32_t count, bool exact, Access access, uint32_t reach = 0) {
    const int32_t bytes = static_cast<int32_t>(golden::type_bytes(type));
    for (;;) {
      Descriptor d;
      d.set_type(type);
      const uint32_t shape = draws_.below(10);
      d.set_kind(shape < 6 ? Kind::kMem1d : shape < 9 ? Kind::kMem2d : Kind::kCircular);
      const bool window = options_.window_bytes > 0 && draws_.chance(30);
      const uint32_t place = draws_.below((window ? options_.window_bytes : kDataBytes) / static_cast<uint32_t>(bytes));
      d.set_base((window ? spec::kWindowBase : kData) + place * static_cast<uint32_t>(bytes));
      d.set_stride0(draws_.chance(70) ? bytes : bytes * draws_.between(-2, 3));
      d.set_len0(exact ? count : draws_.chance(60) ? count : static_cast<uint32_t>(draws_.between(0, 9)));
      if (d.kind() != Kind::kMem1d) {
        uint32_t rows = 1;
        for (uint32_t r = static_cast<uint32_t>(draws_.between(2, 4)); r > 1; --r) {
          if (count % r == 0) {
            rows = r;
            break;
          }
        }
        if (exact) d.set_len0(count / rows);
        d.set_len1(exact ? rows : draws_.below(4));
        d.set_stride1(bytes * draws_.between(-8, 12));
        if (d.kind() == Kind::kCircular) d.set_wrap_log2(static_cast<uint32_t>(draws_.between(3, 7)));
      } else if (draws_.chance(20)) {
        d.set_len1(draws_.below(5));
        d.set_stride1(draws_.between(-9, 9));
      }
      if (stays(d, count, 0, access) && (reach == 0 || (stays(d, count, reach, access) && stays(d, count, reach / 2 & ~3u, access) && every_offset(d, count, reach)))) {
        d.set_save(saves_ && draws_.chance(25));
        return d;
      }
    }
  }
  bool every_offset(const Descriptor& d, uint32_t count, uint32_t reach) const {
    for (uint32_t offset = 0; offset <= reach; offset += 4) {
      if (!stays(d, count, offset, Access::kRead)) return false;
    }
    return true;
  }
  Descriptor iota(uint32_t count) {
    Descriptor d;
    d.set_kind(Kind::kIota);
    d.set_type(Type::kI16);
    d.set_base(draws_.below(65536));
    d.set_stride0(draws_.between(-5, 5));
    d.set_len0(draws_.chance(60) ? count : static_cast<uint32_t>(draws_.between(1, 9)));
    d.set_save(saves_ && draws_.chance(20));
    return d;
  }
  Descriptor input(Type type, uint32_t count) {
    Descriptor d;
    d.set_kind(Kind::kFabricIn);
    d.set_type(type);
    d.set_queue(draws_.below(6));
    d.set_len0(count);
    d.set_pack(!golden::is_wide(type) && draws_.chance(50));
    d.set_on_control(draws_.chance(70) ? spec::OnControl::kConsume : spec::OnControl::kLeave);
    return d;
  }
  Descriptor output(Type type, uint32_t count) {
    Descriptor d;
    d.set_kind(Kind::kFabricOut);
    d.set_type(type);
    d.set_queue(draws_.below(4));
    d.set_colour(options_.colours > 8 ? 8 + draws_.below(options_.colours - 8) : draws_.below(options_.colours));
    d.set_len0(count);
    d.set_pack(!golden::is_wide(type) && draws_.chance(50));
    d.set_control(draws_.chance(10));
    return d;
  }
  void notify(Descriptor* d) {
    if (!draws_.chance(20)) return;
    d->set_on_done(!in_small_task_ && draws_.chance(50) ? spec::OnDone::kActivate : spec::OnDone::kUnblock);
    d->set_done_task(static_cast<uint32_t>(kLocal + draws_.between(0, 3)));
  }
  Type float_type() { return draws_.chance(60) ? Type::kF16 : Type::kF32; }
  Type integer_type() { return draws_.chance(60) ? Type::kI16 : Type::kI32; }
  // A destination for any number of results.
  Descriptor endless(Type type) {
    for (;;) {
      const Descriptor d = memory(type, 9, false, Access::kWrite);
      if (d.kind() == Kind::kMem1d && d.len0() != 0) return d;
    }
  }
  // A stream takes whole wavelets.
  Descriptor whole(Descriptor d) {
    d.set_pack(false);
    return d;
  }

  Draws draws_;
  GeneratorOptions options_;
  bool in_small_task_ = false;  // such tasks activate nothing
  bool saves_ = false;          // descriptors may save
};

}  // namespace waferloom::lockstep
