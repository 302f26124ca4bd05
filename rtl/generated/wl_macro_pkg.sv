// Generated from configs/spec/numbers.yaml by scripts/gen; do not edit.
package wl_macro_pkg;

  // Each module uses some of these.
  /* verilator lint_off UNUSEDPARAM */

  // wl_lanes
  localparam logic [4:0] LaneMove = 5'd0;  // y = a; equal formats copy bits, else convert
  localparam logic [4:0] LaneAdd = 5'd1;  // y = a + b
  localparam logic [4:0] LaneSub = 5'd2;  // y = a - b
  localparam logic [4:0] LaneMul = 5'd3;  // y = a * b
  localparam logic [4:0] LaneFma = 5'd4;  // y = a * b + c, fused
  localparam logic [4:0] LaneMax = 5'd5;  // y = maximum(a, b)
  localparam logic [4:0] LaneMin = 5'd6;  // y = minimum(a, b)
  localparam logic [4:0] LaneSel = 5'd7;  // y = a > 0 ? b : c (NaN takes c); equal formats copy bits, else convert
  localparam logic [4:0] LaneLt = 5'd8;  // y = a < b ? 1 : 0, an integer; 0 if either is NaN
  localparam logic [4:0] LaneLe = 5'd9;  // y = a <= b ? 1 : 0, an integer; 0 if either is NaN
  localparam logic [4:0] LaneEq = 5'd10;  // y = a == b ? 1 : 0, an integer; 0 if either is NaN
  localparam logic [4:0] LaneItof = 5'd11;  // y = float(integer a)
  localparam logic [4:0] LaneFtoi = 5'd12;  // y = integer(a), toward zero, saturating to y's width, NaN gives 0
  localparam logic [4:0] LaneIadd = 5'd16;  // y = a + b, integers of y's width (16-bit operands sign-extend, 32-bit ones truncate)
  localparam logic [4:0] LaneIsub = 5'd17;  // y = a - b, integers of y's width
  localparam logic [4:0] LaneSll = 5'd18;  // y = a << (b modulo y's width)
  localparam logic [4:0] LaneSrl = 5'd19;  // y = a >> (b modulo y's width), zeros enter
  localparam logic [4:0] LaneSra = 5'd20;  // y = a >> (b modulo y's width), the sign enters
  localparam logic [4:0] LaneAnd = 5'd21;  // y = a & b
  localparam logic [4:0] LaneOr = 5'd22;  // y = a | b
  localparam logic [4:0] LaneXor = 5'd23;  // y = a ^ b

  // wl_acc
  localparam logic [2:0] AccProduct = 3'd0;  // acc[k] = a[j] * b[j] + acc[k], fused, in f32
  localparam logic [2:0] AccSum = 3'd1;  // acc[k] = acc[k] + a[j], in f32
  localparam logic [2:0] AccMax = 3'd2;  // acc[k] = maximum(acc[k], a[j])
  localparam logic [2:0] AccMin = 3'd3;  // acc[k] = minimum(acc[k], a[j])
  localparam logic [2:0] AccResultSum = 3'd4;  // y = balanced tree of sums over the accumulators in index order
  localparam logic [2:0] AccResultMax = 3'd5;  // y = maximum over the accumulators
  localparam logic [2:0] AccResultMin = 3'd6;  // y = minimum over the accumulators
  localparam logic [2:0] AccClear = 3'd7;  // acc[k] = +0

  // wl_sfu
  localparam logic [1:0] SfuExp2 = 2'd0;  // y = 2 ** a
  localparam logic [1:0] SfuLog2 = 2'd1;  // y = log2(a); -inf for a zero, NaN below zero
  localparam logic [1:0] SfuRcp = 2'd2;  // y = 1 / a; a zero gives the infinity of its sign
  localparam logic [1:0] SfuRsqrt = 2'd3;  // y = 1 / sqrt(a); a zero gives the infinity of its sign, NaN below zero

  /* verilator lint_on UNUSEDPARAM */
endpackage
