// One element of wl_lanes, combinational. Operands lie in the low bits; formats as fmt_i of wl_lanes (bit 0 a, 1 b, 2 c, 3 y;
// 1 is 32-bit), all zero for a narrow group, whose results are rounded once to binary16.
//
// MulBits is the multiplier's width. A lane with 11 is never asked to multiply with a 32-bit factor; Convert says whether the lane
// converts between integers and floating point.
module wl_lane #(
    parameter int unsigned MulBits,
    parameter int unsigned Convert
) (
    input  logic [ 4:0] op_i,
    input  logic [ 3:0] fmt_i,
    input  logic [31:0] a_i,
    input  logic [31:0] b_i,
    input  logic [31:0] c_i,
    output logic [31:0] y_o,
    output logic        sat_o
);
  // Local names of the operations (wl_macro_pkg).
  localparam logic [4:0] Move = wl_macro_pkg::LaneMove;
  localparam logic [4:0] Add = wl_macro_pkg::LaneAdd;
  localparam logic [4:0] Sub = wl_macro_pkg::LaneSub;
  localparam logic [4:0] Mul = wl_macro_pkg::LaneMul;
  localparam logic [4:0] Fma = wl_macro_pkg::LaneFma;
  localparam logic [4:0] Max = wl_macro_pkg::LaneMax;
  localparam logic [4:0] Min = wl_macro_pkg::LaneMin;
  localparam logic [4:0] Sel = wl_macro_pkg::LaneSel;
  localparam logic [4:0] Lt = wl_macro_pkg::LaneLt;
  localparam logic [4:0] Le = wl_macro_pkg::LaneLe;
  localparam logic [4:0] Eq = wl_macro_pkg::LaneEq;
  localparam logic [4:0] Itof = wl_macro_pkg::LaneItof;
  localparam logic [4:0] Ftoi = wl_macro_pkg::LaneFtoi;

  logic y32;
  assign y32 = fmt_i[3];

  // Operands as binary32
  logic [31:0] a, b, c;
  wl_fp_widen u_widen_a (
      .is32_i(fmt_i[0]),
      .x_i(a_i),
      .y_o(a)
  );
  wl_fp_widen u_widen_b (
      .is32_i(fmt_i[1]),
      .x_i(b_i),
      .y_o(b)
  );
  wl_fp_widen u_widen_c (
      .is32_i(fmt_i[2]),
      .x_i(c_i),
      .y_o(c)
  );

  // Multiply-add; an addition is a + (+-b), a product adds a zero of its own sign.
  logic [31:0] addend, fma_y;
  logic multiply;
  assign multiply = (op_i == Mul) | (op_i == Fma);
  assign addend = (op_i == Fma) ? c : (op_i == Mul) ? {a[31] ^ b[31], 31'd0} : {b[31] ^ (op_i == Sub), b[30:0]};
  wl_fp_fma #(
      .MulBits(MulBits)
  ) u_fma (
      .a_i  (a),
      .b_i  (b),
      .c_i  (addend),
      .mul_i(multiply),
      .odd_i(fmt_i == 4'd0),
      .y_o  (fma_y)
  );

  logic lt, eq, positive;
  logic [31:0] max, min;
  wl_fp_compare u_compare (
      .a_i  (a),
      .b_i  (b),
      .lt_o (lt),
      .eq_o (eq),
      .max_o(max),
      .min_o(min)
  );
  assign positive = !a[31] & (a[30:0] != 31'd0) & (a[30:0] <= 31'h7f800000);

  logic [31:0] int_y, convert_y;
  wl_int_alu u_int (
      .op_i (op_i[2:0]),
      .a32_i(fmt_i[0]),
      .b32_i(fmt_i[1]),
      .y32_i(y32),
      .a_i,
      .b_i,
      .y_o  (int_y)
  );
  if (Convert != 0) begin : gen_convert
    wl_fp_int u_convert (
        .to_int_i(op_i == Ftoi),
        .y32_i   (y32),
        .x_i     ((op_i == Ftoi) ? a : fmt_i[0] ? a_i : {{16{a_i[15]}}, a_i[15:0]}),
        .y_o     (convert_y)
    );
  end else begin : gen_no_convert
    assign convert_y = 32'd0;
  end

  // The binary32 result, narrowed where the result is binary16; copies between equal formats bypass both.
  logic [31:0] wide, copied;
  logic [15:0] half;
  logic is_copy, a_finite, b_finite, c_finite, finite, infinite;
  assign a_finite = a[30:23] != 8'd255;
  assign b_finite = b[30:23] != 8'd255;
  assign c_finite = c[30:23] != 8'd255;
  assign is_copy = ((op_i == Move) & (fmt_i[0] == y32)) | ((op_i == Sel) & ((positive ? fmt_i[1] : fmt_i[2]) == y32));
  assign copied = (op_i == Move) ? a_i : positive ? b_i : c_i;

  always_comb begin
    unique case (op_i)
      Move: {finite, wide} = {a_finite, a};
      Add, Sub, Mul: {finite, wide} = {a_finite & b_finite, fma_y};
      Fma: {finite, wide} = {a_finite & b_finite & c_finite, fma_y};
      Max: {finite, wide} = {a_finite & b_finite, max};
      Min: {finite, wide} = {a_finite & b_finite, min};
      Sel: {finite, wide} = positive ? {b_finite, b} : {c_finite, c};
      Itof: {finite, wide} = {1'b1, convert_y};
      default: {finite, wide} = 33'd0;
    endcase
  end
  wl_fp_narrow u_narrow (
      .x_i(wide),
      .y_o(half)
  );
  assign infinite = y32 ? wide[30:0] == 31'h7f800000 : half[14:0] == 15'h7c00;

  always_comb begin
    if (op_i[4]) y_o = op_i[3] ? 32'd0 : int_y;
    else if (op_i == Lt) y_o = {31'd0, lt};
    else if (op_i == Le) y_o = {31'd0, lt | eq};
    else if (op_i == Eq) y_o = {31'd0, eq};
    else if (op_i == Ftoi) y_o = convert_y;
    else if (is_copy) y_o = y32 ? copied : {16'd0, copied[15:0]};
    else y_o = y32 ? wide : {16'd0, half};
    sat_o = finite & infinite & !is_copy;
  end

endmodule
