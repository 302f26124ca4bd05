// The foreign functions of the fast view wl_lanes.sv.
#include "sim/macros/arith_group.h"

using waferloom::macros::Formats;
using waferloom::macros::Group;
using waferloom::macros::GroupResult;
using waferloom::macros::LaneOp;

namespace {

// control: [4:0] operation, [8:5] formats (a, b, c, y), [16:9] mask, [20:17] lanes.
GroupResult step(uint32_t control, const Group& a, const Group& b, const Group& c) {
  return lane_group(static_cast<LaneOp>(control & 31u), Formats::from_port(control >> 5), static_cast<int>((control >> 17) & 15u),
                    (control >> 9) & 0xffu, a, b, c);
}

}  // namespace

extern "C" unsigned int wl_lanes_step(unsigned int control, unsigned long long a, unsigned long long b, unsigned long long c,
                                      unsigned long long* y) {
  const GroupResult r = step(control, {{a, 0}}, {{b, 0}}, {{c, 0}});
  *y = r.y.w[0];
  return r.saturated;
}

extern "C" unsigned int wl_lanes_step8(unsigned int control, unsigned long long a0, unsigned long long a1, unsigned long long b0,
                                       unsigned long long b1, unsigned long long c0, unsigned long long c1,
                                       unsigned long long* y0, unsigned long long* y1) {
  const GroupResult r = step(control, {{a0, a1}}, {{b0, b1}}, {{c0, c1}});
  *y0 = r.y.w[0];
  *y1 = r.y.w[1];
  return r.saturated;
}
