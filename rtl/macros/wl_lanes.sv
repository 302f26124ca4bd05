// Arithmetic of one vector group over Lanes = 2, 4 or 8 binary16 lanes, rtl view. The result is registered: operands in a cycle
// with en_i give y_o and sat_o at the next edge, which hold until the next cycle with en_i.
//
// op_i: configs/spec/numbers.yaml, lane_ops (wl_macro_pkg). fmt_i: bit 0 a, 1 b, 2 c, 3 y; 1 is 32-bit; clear the bits of operands
// that the operation does not use. All clear: Lanes elements of 16 bits, element k at bits 16k. Else Lanes / 2 elements, element k
// in the 32-bit container at bits 32k, 16-bit operands in its low half, 16-bit results too with a zero high half.
// mask_i[k] enables element k; the others give zero. sat_o counts results that are infinite though every operand they were computed
// from is finite. A product with a 32-bit factor and conversions between integers and floating point: element 0 only, the others
// give zero (lane 0 has the 24-bit multiplier and the converter).
module wl_lanes #(
    parameter int unsigned Lanes
) (
    input  logic                clk_i,
    input  logic                en_i,
    input  logic [         4:0] op_i,
    input  logic [         3:0] fmt_i,
    input  logic [   Lanes-1:0] mask_i,
    input  logic [16*Lanes-1:0] a_i,
    input  logic [16*Lanes-1:0] b_i,
    input  logic [16*Lanes-1:0] c_i,
    output logic [16*Lanes-1:0] y_o,
    output logic [         3:0] sat_o
);

  logic [16*Lanes-1:0] y_q, y_d;
  logic [3:0] sat_q, sat_d;
  assign y_o   = y_q;
  assign sat_o = sat_q;

  logic wide, serial;
  assign wide = fmt_i != 4'd0;
  assign serial = (((op_i == wl_macro_pkg::LaneMul) | (op_i == wl_macro_pkg::LaneFma)) & (fmt_i[1:0] != 2'd0)) |
      (op_i == wl_macro_pkg::LaneItof) | (op_i == wl_macro_pkg::LaneFtoi);

  logic [32*Lanes-1:0] lane_y;
  logic [Lanes-1:0] lane_sat, enable;

  for (genvar k = 0; k < Lanes; k++) begin : gen_lane
    if (k < Lanes / 2) begin : gen_full
      wl_lane #(
          .MulBits((k == 0) ? 24 : 11),
          .Convert((k == 0) ? 1 : 0)
      ) u_lane (
          .op_i,
          .fmt_i,
          .a_i  (wide ? a_i[32*k+:32] : {16'd0, a_i[16*k+:16]}),
          .b_i  (wide ? b_i[32*k+:32] : {16'd0, b_i[16*k+:16]}),
          .c_i  (wide ? c_i[32*k+:32] : {16'd0, c_i[16*k+:16]}),
          .y_o  (lane_y[32*k+:32]),
          .sat_o(lane_sat[k])
      );
      assign enable[k] = mask_i[k] & (!serial | (k == 0));
    end else begin : gen_half
      wl_lane #(
          .MulBits(11),
          .Convert(0)
      ) u_lane (
          .op_i,
          .fmt_i(4'd0),
          .a_i  ({16'd0, a_i[16*k+:16]}),
          .b_i  ({16'd0, b_i[16*k+:16]}),
          .c_i  ({16'd0, c_i[16*k+:16]}),
          .y_o  (lane_y[32*k+:32]),
          .sat_o(lane_sat[k])
      );
      assign enable[k] = mask_i[k] & !serial & !wide;
    end
  end

  always_comb begin
    y_d = '0;
    sat_d = 4'd0;
    for (int unsigned k = 0; k < Lanes / 2; k++) begin
      if (wide && enable[k]) y_d[32*k+:32] = lane_y[32*k+:32];
    end
    for (int unsigned k = 0; k < Lanes; k++) begin
      if (!wide && enable[k]) y_d[16*k+:16] = lane_y[32*k+:16];
      if (enable[k]) sat_d = sat_d + 4'(lane_sat[k]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      y_q   <= y_d;
      sat_q <= sat_d;
    end
  end

endmodule
