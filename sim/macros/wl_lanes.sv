// Fast view of wl_lanes: the ports and the registers of rtl/macros/wl_lanes.sv, the arithmetic by one foreign call per edge
// into sim/macros/arith_group.h. Both views are bit-identical (testbenches/unit/macros).
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

  import "DPI-C" function int unsigned wl_lanes_step(
    input int unsigned control,
    input longint unsigned a,
    input longint unsigned b,
    input longint unsigned c,
    output longint unsigned y
  );
  import "DPI-C" function int unsigned wl_lanes_step8(
    input int unsigned control,
    input longint unsigned a0,
    input longint unsigned a1,
    input longint unsigned b0,
    input longint unsigned b1,
    input longint unsigned c0,
    input longint unsigned c1,
    output longint unsigned y0,
    output longint unsigned y1
  );

  logic [16*Lanes-1:0] y_q;
  logic [3:0] sat_q;
  assign y_o   = y_q;
  assign sat_o = sat_q;

  // verilator lint_off BLKSEQ
  if (Lanes == 8) begin : gen_wide
    logic [63:0] y0, y1;
    logic [31:0] sat;
    always_ff @(posedge clk_i) begin
      if (en_i) begin
        sat = wl_lanes_step8({11'h0, 4'd8, mask_i, fmt_i, op_i}, a_i[63:0], a_i[127:64], b_i[63:0], b_i[127:64], c_i[63:0],
                            c_i[127:64], y0, y1);
        y_q   <= {y1, y0};
        sat_q <= sat[3:0];
      end
    end
    logic unused_sat;
    assign unused_sat = ^sat[31:4];
  end else begin : gen_narrow
    logic [63:0] y;
    logic [31:0] sat;
    always_ff @(posedge clk_i) begin
      if (en_i) begin
        sat = wl_lanes_step({11'h0, 4'(Lanes), 8'(mask_i), fmt_i, op_i}, 64'(a_i), 64'(b_i), 64'(c_i), y);
        y_q   <= y[16*Lanes-1:0];
        sat_q <= sat[3:0];
      end
    end
    logic unused_sat;
    assign unused_sat = ^{sat[31:4], y};
  end
  // verilator lint_on BLKSEQ

endmodule
