// Streamed instructions: wavelets taken one by one, a pass over the accumulator or the vector for each.
#include <algorithm>
#include <cstring>

#include "sim/golden/pe.h"

namespace waferloom::golden {
namespace {

using Role = Operand::Role;

}  // namespace

// saxpy: makes sure that a weight that is not zero is in hand.
Stop Pe::saxpy_wavelet(Context& c) {
  if (c.length == 0) return Stop::kEnd;
  while (!c.held) {
    const Stop s = source_ready(c, c.src0);
    if (s != Stop::kCount) return s;
    const uint32_t payload = inputs_[c.src0.descriptor.queue()].pop().data;
    c.weight = static_cast<uint16_t>(spec::weight_weight(payload));
    if (macros::is_zero16(c.weight)) {
      count(Event::kZeroSkips, 1);
      continue;
    }
    c.held = true;
    c.k = 0;
    c.dest.cursor.start(c.dest.descriptor);
    c.src1.cursor.start(c.src1.descriptor, static_cast<uint16_t>(spec::weight_index(payload)));
  }
  return Stop::kCount;
}

Stop Pe::saxpy_step(Context& c) {
  const Stop s = saxpy_wavelet(c);
  if (s != Stop::kCount) return s;
  uint32_t x = 0;
  if (!read_operand(c.src1, &x)) return Stop::kTrap;
  const uint16_t address = c.dest.cursor.address();
  if (!check_vector_access(address, type_bytes(c.dest.type))) return Stop::kTrap;
  const bool wide = is_wide(c.dest.type);
  const macros::Result r = macros::lane_element(macros::LaneOp::kFma, {false, false, wide, wide}, c.weight, x,
                                                peek(address, type_bytes(c.dest.type)));
  write_operand(c.dest, r.bits, false);
  count(Event::kSaturations, r.saturated ? 1 : 0);
  count_element(c);
  if (++c.k == c.length) c.held = false;
  return Stop::kCount;
}

// The same for the plain case, many elements at once: unit strides, binary32 accumulators, everything in memory. Returns 0 if the
// case is not plain.
uint32_t Pe::saxpy_run(Context& c, uint32_t wanted) {
  const Descriptor& acc = c.dest.descriptor;
  const Descriptor& slab = c.src1.descriptor;
  if (c.dest.type != Type::kF32 || acc.kind() != Kind::kMem1d || slab.kind() != Kind::kMem1d || acc.stride0() != 4 ||
      slab.stride0() != 2 || slab.len0() < c.length) {
    return 0;
  }
  const uint32_t n = static_cast<uint32_t>(std::min<uint64_t>(wanted, c.length - c.k));
  const uint32_t to = c.dest.cursor.address();
  const uint32_t from = c.src1.cursor.address();
  const auto inside = [this](uint32_t first, uint32_t bytes) {
    return first + bytes <= parameters_.sram_bytes ||
           (first >= spec::kWindowBase && first + bytes <= spec::kWindowBase + parameters_.window_bytes);
  };
  if ((to & 3u) != 0 || (from & 1u) != 0 || !inside(to, 4 * n) || !inside(from, 2 * n)) return 0;
  const float weight = macros::to_float(macros::half_to_single(c.weight));
  uint32_t saturated = 0;
  for (uint32_t k = 0; k < n; ++k) {
    uint16_t x;
    uint32_t y;
    std::memcpy(&x, &memory_[from + 2 * k], 2);
    std::memcpy(&y, &memory_[to + 4 * k], 4);
    const uint32_t wide = macros::half_to_single(x);
    const uint32_t sum = macros::canonical32(weight * macros::to_float(wide) + macros::to_float(y));
    if (macros::is_infinite32(sum) && macros::is_finite16(c.weight) && macros::is_finite32(wide) && macros::is_finite32(y)) {
      ++saturated;
    }
    std::memcpy(&memory_[to + 4 * k], &sum, 4);
  }
  c.dest.cursor.skip(n);
  c.src1.cursor.skip(n);
  count(Event::kSaturations, saturated);
  count(Event::kLaneSlots, 2 * uint64_t{n});
  count(Event::kMacs, n);
  c.k += n;
  if (c.k == c.length) c.held = false;
  return n;
}

// sdot: makes sure that an index is in hand.
Stop Pe::sdot_index(Context& c) {
  if (c.result_due) return Stop::kResult;
  if (c.held) return Stop::kCount;
  uint32_t index = 0;
  if (c.src0.role == Role::kFabricIn) {
    const Stop s = source_ready(c, c.src0);
    if (s != Stop::kCount) return s;
    index = spec::weight_index(inputs_[c.src0.descriptor.queue()].pop().data);
  } else {
    if (c.remaining == 0) return Stop::kEnd;
    if (!read_operand(c.src0, &index)) return Stop::kTrap;
    --c.remaining;
  }
  c.k = 0;
  c.acc = {};
  if (c.length == 0) {
    c.result_due = true;
    return Stop::kResult;
  }
  c.held = true;
  c.src1.cursor.start(c.src1.descriptor, static_cast<uint16_t>(index));
  c.vector.cursor.start(c.vector.descriptor);
  return Stop::kCount;
}

Stop Pe::sdot_step(Context& c) {
  const Stop s = sdot_index(c);
  if (s != Stop::kCount) return s;
  uint32_t a = 0;
  uint32_t b = 0;
  if (!read_operand(c.vector, &a) || !read_operand(c.src1, &b)) return Stop::kTrap;
  accumulate(c, c.k, c.vector.type, a, c.src1.type, b);
  count_element(c);
  if (++c.k == c.length) {
    c.held = false;
    c.result_due = true;
  }
  return Stop::kCount;
}

}  // namespace waferloom::golden
