// The walk of addresses that a descriptor describes (its fields: sim/generated/registers.h).
#pragma once
#include <cstdint>

#include "sim/generated/registers.h"

namespace waferloom::golden {

using spec::Descriptor;
using spec::Kind;
using Type = spec::ElementType;

constexpr bool is_float(Type t) { return t == Type::kF16 || t == Type::kF32; }
constexpr bool is_wide(Type t) { return t == Type::kF32 || t == Type::kI32; }
constexpr uint32_t type_bytes(Type t) { return is_wide(t) ? 4u : 2u; }

constexpr bool is_memory(const Descriptor& d) {
  return d.kind() == Kind::kMem1d || d.kind() == Kind::kMem2d || d.kind() == Kind::kCircular;
}
constexpr bool has_rows(const Descriptor& d) { return d.kind() == Kind::kMem2d || d.kind() == Kind::kCircular; }
// Elements that the descriptor spans.
constexpr uint64_t elements(const Descriptor& d) { return has_rows(d) ? uint64_t{d.len0()} * d.len1() : d.len0(); }
// The type of an operand: iota is an i16 whatever its field says.
constexpr Type type_of(const Descriptor& d) { return d.kind() == Kind::kIota ? Type::kI16 : d.type(); }

// The address of the current element of a memory or iota operand, and how it moves.
class Cursor {
 public:
  // Starts at `offset` bytes after the base (circular: within the buffer).
  void start(const Descriptor& d, uint16_t offset = 0);
  uint16_t address() const { return address_; }
  // To the next element.
  void next();
  // As `count` calls of next. Requires that the row does not end before the last of them.
  void skip(uint32_t count) {
    address_ = moved(address_, static_cast<uint16_t>(stride0_ * (count - 1)));
    left_ -= count - 1;
    next();
  }
  // What `save` stores now: the address after the last element taken.
  uint16_t saved() const { return saved_; }

 private:
  uint16_t moved(uint16_t from, uint16_t by) const {
    return static_cast<uint16_t>((from & ~mask_) | ((from + by) & mask_));
  }
  uint16_t address_ = 0;
  uint16_t row_start_ = 0;
  uint16_t saved_ = 0;
  uint16_t stride0_ = 0;
  uint16_t stride1_ = 0;
  uint16_t mask_ = 0xffff;  // the bits that move
  uint32_t row_length_ = 0;
  uint32_t left_ = 0;
  bool rows_ = false;
};

}  // namespace waferloom::golden
