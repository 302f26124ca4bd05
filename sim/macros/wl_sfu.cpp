// The foreign function of the fast view wl_sfu.sv.
#include "sim/macros/arith_sfu.h"

// control: [1:0] operation, [3:2] formats (a, y). Returns the bits and, in bit 32, saturation.
extern "C" unsigned long long wl_sfu_step(unsigned int control, unsigned int a) {
  using namespace waferloom::macros;
  const Result r = sfu_element(static_cast<SfuOp>(control & 3u), (control & 4u) != 0 ? 32 : 16, (control & 8u) != 0 ? 32 : 16, a);
  return r.bits | (r.saturated ? 1ull << 32 : 0ull);
}
