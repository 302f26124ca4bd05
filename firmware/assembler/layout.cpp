// The image: who owns which byte, and the values that are filled in at the end.
#include "firmware/assembler/session.h"

namespace waferloom::assembler {

bool Session::reserve(uint32_t bytes, uint32_t alignment, bool code) {
  if (here_ % alignment != 0) {
    return fail(tokens_[0], "the address " + std::to_string(here_) + " is not a multiple of " + std::to_string(alignment), "put .align " + std::to_string(alignment) + " before it");
  }
  const uint32_t address = here_;
  here_ += bytes;  // also when it fails: what follows is placed as if it had not
  return reserve_at(address, bytes, code);
}

bool Session::reserve_at(uint32_t address, uint32_t bytes, bool code) {
  const uint32_t end = address + bytes;
  if (end > sram_bytes_) {
    stopped_ = true;  // everything after it would say the same
    return fail(tokens_[0], "this ends at byte " + std::to_string(end) + ", beyond the " + std::to_string(sram_bytes_) + " bytes of SRAM");
  }
  if (owner_.size() < end) {
    owner_.resize(end, 0);
    program_.image.resize(end, 0);
  }
  for (uint32_t byte = address; byte < end; ++byte) {
    if (owner_[byte] == 0) continue;
    const LineEntry& other = program_.lines[owner_[byte] - 1];
    return fail(tokens_[0], "byte " + std::to_string(byte) + " is already used by " + program_.sources[other.file].name + ":" + std::to_string(other.line));
  }
  program_.lines.push_back({address, bytes, line_.file, static_cast<uint32_t>(line_.number), code});
  const uint32_t owner = static_cast<uint32_t>(program_.lines.size());
  for (uint32_t byte = address; byte < end; ++byte) owner_[byte] = owner;
  program_.used_bytes += bytes;
  return true;
}

void Session::put(uint32_t address, uint32_t bytes, uint32_t value) {
  for (uint32_t i = 0; i < bytes; ++i) program_.image[address + i] = static_cast<uint8_t>(value >> (8 * i));
}

uint32_t Session::get(uint32_t address, uint32_t bytes) const {
  uint32_t value = 0;
  for (uint32_t i = 0; i < bytes; ++i) value |= static_cast<uint32_t>(program_.image[address + i]) << (8 * i);
  return value;
}

void Session::add_fixup(Patch kind, uint32_t address, Expression expression, const char* owner, spec::FieldId field, uint8_t index) {
  Fixup fixup;
  fixup.kind = kind;
  fixup.field = field;
  fixup.index = index;
  fixup.address = address;
  fixup.expression = expression;
  fixup.owner = owner;
  fixups_.push_back(fixup);
}

// Puts `value` into the instruction's field; reports a value that does not fit.
bool Session::apply_field(const Fixup& fixup, int64_t value) {
  const spec::Field& field = spec::field(fixup.field);
  const Place& place = expressions_.place(fixup.expression);
  const bool is_signed = field.kind == spec::FieldKind::kSint || field.kind == spec::FieldKind::kRel;
  int64_t low = is_signed ? -(int64_t{1} << (field.width - 1)) : 0;
  int64_t high = is_signed ? (int64_t{1} << (field.width - 1)) - 1 : (int64_t{1} << field.width) - 1;
  if (fixup.kind == Patch::kRelative) {
    const int64_t distance = value - static_cast<int64_t>(fixup.address);
    if (distance % 4 != 0) return fail(place, "the target " + std::to_string(value) + " is not a multiple of 4 bytes away");
    value = distance / 4;
    if (value < low || value > high) {
      return fail(place, "the target is " + std::to_string(value) + " words away; " + fixup.owner + " reaches " + std::to_string(low) + " to " + std::to_string(high));
    }
  }
  if (fixup.kind == Patch::kAddressField) high = 0xffff;  // addresses have 16 bits: the sum with the base wraps
  if (value < low || value > high) {
    const bool wide = std::string_view(fixup.owner) == "li" && value >= INT32_MIN && value <= static_cast<int64_t>(UINT32_MAX);
    return fail(place, std::string(field.name) + " of " + fixup.owner + " must be " + std::to_string(low) + " to " + std::to_string(high) + ", got " + std::to_string(value), wide ? "li32 takes any 32-bit value" : "");
  }
  put(fixup.address, 4, get(fixup.address, 4) | field.put(static_cast<uint32_t>(value)));
  return true;
}

void Session::apply(const Fixup& fixup) {
  Value value;
  if (!evaluate(fixup.expression, value, false)) return;
  const Place& place = expressions_.place(fixup.expression);
  if (fixup.kind == Patch::kFloat16 || fixup.kind == Patch::kFloat32) {
    if (fixup.kind == Patch::kFloat16) {
      put(fixup.address, 2, half_bits(value.number));
    } else {
      put(fixup.address, 4, float_bits(value.number));
    }
    return;
  }
  if (value.real) {
    fail(place, std::string(fixup.owner) + " needs an integer here", "f32(x) and f16(x) give the bit pattern of a real number");
    return;
  }
  const int64_t v = value.integer;
  const auto within = [&](int64_t low, int64_t high, const std::string& what) {
    return (v >= low && v <= high) || fail(place, what + " must be " + std::to_string(low) + " to " + std::to_string(high) + ", got " + std::to_string(v));
  };
  switch (fixup.kind) {
    case Patch::kWord:
      if (within(INT32_MIN, UINT32_MAX, fixup.owner)) put(fixup.address, 4, static_cast<uint32_t>(v));
      return;
    case Patch::kHalf:
      if (within(INT16_MIN, UINT16_MAX, fixup.owner)) put(fixup.address, 2, static_cast<uint32_t>(v));
      return;
    case Patch::kTaskEntry:
      if (!within(4, UINT16_MAX, "a task's entry")) return;
      if (v % 4 != 0) {
        fail(place, "a task's entry must be a multiple of 4, got " + std::to_string(v));
        return;
      }
      put(fixup.address, 2, static_cast<uint32_t>(v));
      return;
    case Patch::kLow16:
    case Patch::kHigh16:
      if (fixup.kind == Patch::kLow16 && !within(INT32_MIN, UINT32_MAX, "the value of li32")) return;
      put(fixup.address, 4, get(fixup.address, 4) | spec::field(fixup.field).put(fixup.kind == Patch::kLow16 ? static_cast<uint32_t>(v) : static_cast<uint32_t>(v >> 16)));
      return;
    case Patch::kDescriptorField: {
      const spec::DescriptorField& row = spec::kDescriptorFields[fixup.index];
      int64_t high = (int64_t{1} << row.width) - 1;
      if (row.names[0] != nullptr) {
        high = -1;
        for (const char* name : row.names) high += name != nullptr ? 1 : 0;
      }
      const int64_t half = int64_t{1} << (row.width - 1);
      if (!(row.is_signed ? within(-half, half - 1, row.name) : within(0, high, row.name))) return;
      const uint32_t address = fixup.address + 4u * row.word;
      put(address, 4, get(address, 4) | ((static_cast<uint32_t>(v) & ((1u << row.width) - 1)) << row.lsb));
      return;
    }
    default: apply_field(fixup, v);
  }
}

}  // namespace waferloom::assembler
