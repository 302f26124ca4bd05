#include "sim/golden/descriptor.h"

namespace waferloom::golden {

void Cursor::start(const Descriptor& d, uint16_t offset) {
  rows_ = has_rows(d);
  mask_ = d.kind() == Kind::kCircular ? static_cast<uint16_t>((1u << d.wrap_log2()) - 1u) : uint16_t{0xffff};
  stride0_ = static_cast<uint16_t>(d.stride0());
  stride1_ = rows_ ? static_cast<uint16_t>(d.stride1()) : uint16_t{0};
  address_ = moved(static_cast<uint16_t>(d.base()), offset);
  row_start_ = address_;
  saved_ = address_;
  row_length_ = d.len0() == 0 ? 0x10000u : d.len0();
  left_ = row_length_;
}

void Cursor::next() {
  const uint16_t straight = moved(address_, stride0_);
  if (--left_ == 0) {
    row_start_ = moved(row_start_, stride1_);
    address_ = row_start_;
    left_ = row_length_;
  } else {
    address_ = straight;
  }
  saved_ = rows_ ? address_ : straight;
}

}  // namespace waferloom::golden
