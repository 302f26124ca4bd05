// Operations of the arithmetic macros; the meanings are in configs/spec/numbers.yaml, whose values these are.
package wl_macro_pkg;

  // Each module uses some of these.
  // verilator lint_off UNUSEDPARAM

  // wl_lanes
  localparam logic [4:0] LaneMove = 5'd0;
  localparam logic [4:0] LaneAdd = 5'd1;
  localparam logic [4:0] LaneSub = 5'd2;
  localparam logic [4:0] LaneMul = 5'd3;
  localparam logic [4:0] LaneFma = 5'd4;
  localparam logic [4:0] LaneMax = 5'd5;
  localparam logic [4:0] LaneMin = 5'd6;
  localparam logic [4:0] LaneSel = 5'd7;
  localparam logic [4:0] LaneLt = 5'd8;
  localparam logic [4:0] LaneLe = 5'd9;
  localparam logic [4:0] LaneEq = 5'd10;
  localparam logic [4:0] LaneItof = 5'd11;
  localparam logic [4:0] LaneFtoi = 5'd12;
  localparam logic [4:0] LaneIadd = 5'd16;
  localparam logic [4:0] LaneIsub = 5'd17;
  localparam logic [4:0] LaneSll = 5'd18;
  localparam logic [4:0] LaneSrl = 5'd19;
  localparam logic [4:0] LaneSra = 5'd20;
  localparam logic [4:0] LaneAnd = 5'd21;
  localparam logic [4:0] LaneOr = 5'd22;
  localparam logic [4:0] LaneXor = 5'd23;

  // wl_acc
  localparam logic [2:0] AccProduct = 3'd0;
  localparam logic [2:0] AccSum = 3'd1;
  localparam logic [2:0] AccMax = 3'd2;
  localparam logic [2:0] AccMin = 3'd3;
  localparam logic [2:0] AccResultSum = 3'd4;
  localparam logic [2:0] AccResultMax = 3'd5;
  localparam logic [2:0] AccResultMin = 3'd6;
  localparam logic [2:0] AccClear = 3'd7;

  // wl_sfu
  localparam logic [1:0] SfuExp2 = 2'd0;
  localparam logic [1:0] SfuLog2 = 2'd1;
  localparam logic [1:0] SfuRcp = 2'd2;
  localparam logic [1:0] SfuRsqrt = 2'd3;

  // verilator lint_on UNUSEDPARAM
endpackage
