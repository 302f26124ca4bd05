// Fast view of wl_sfu: the ports and the registers of rtl/macros/wl_sfu.sv, one foreign call per result.
module wl_sfu (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        valid_i,
    input  logic [ 1:0] op_i,
    input  logic [ 1:0] fmt_i,
    input  logic [31:0] a_i,
    output logic        valid_o,
    output logic [31:0] y_o,
    output logic        sat_o,
    output logic        busy_o
);

  import "DPI-C" function longint unsigned wl_sfu_step(
    input int unsigned control,
    input int unsigned a
  );

  logic [1:0] op1_q, op2_q, fmt1_q, fmt2_q;
  logic [31:0] a1_q, a2_q, y_q;
  logic valid1_q, valid2_q, valid3_q, sat_q;
  assign valid_o = valid3_q;
  assign y_o = y_q;
  assign sat_o = sat_q;
  assign busy_o = valid1_q | valid2_q;

  logic [63:0] result;

  // verilator lint_off BLKSEQ
  always_ff @(posedge clk_i) begin
    valid1_q <= valid_i;
    valid2_q <= valid1_q;
    valid3_q <= valid2_q;
    if (valid_i) begin
      op1_q  <= op_i;
      fmt1_q <= fmt_i;
      a1_q   <= a_i;
    end
    if (valid1_q) begin
      op2_q  <= op1_q;
      fmt2_q <= fmt1_q;
      a2_q   <= a1_q;
    end
    if (valid2_q) begin
      result = wl_sfu_step({28'h0, fmt2_q, op2_q}, a2_q);
      y_q   <= result[31:0];
      sat_q <= result[32];
    end
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      valid3_q <= 1'b0;
    end
  end
  // verilator lint_on BLKSEQ

  logic unused_bits;
  assign unused_bits = ^result[63:33];

endmodule
