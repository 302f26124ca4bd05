// The foreign function of the fast view wl_acc.sv.
#include "sim/macros/arith_group.h"

// control: [2:0] operation, [4] first, [6:5] formats (a, b), [10:7] mask, [14:11] lanes, [16:15] accumulator of element 0.
extern "C" unsigned int wl_acc_step(unsigned int control, unsigned long long a0, unsigned long long a1, unsigned long long b0,
                                    unsigned long long b1, unsigned long long* acc0, unsigned long long* acc1, unsigned int* y) {
  using namespace waferloom::macros;
  Accumulators state{{static_cast<uint32_t>(*acc0), static_cast<uint32_t>(*acc0 >> 32), static_cast<uint32_t>(*acc1),
                      static_cast<uint32_t>(*acc1 >> 32)}};
  const uint32_t saturated =
      acc_step(static_cast<AccOp>(control & 7u), (control & 0x10u) != 0, (control & 0x20u) != 0, (control & 0x40u) != 0,
               static_cast<int>((control >> 11) & 15u), (control >> 7) & 15u, static_cast<int>((control >> 15) & 3u), {{a0, a1}},
               {{b0, b1}}, &state, y);
  *acc0 = state.acc[0] | static_cast<uint64_t>(state.acc[1]) << 32;
  *acc1 = state.acc[2] | static_cast<uint64_t>(state.acc[3]) << 32;
  return saturated;
}
