// Fast view of wl_acc: the ports and the registers of rtl/macros/wl_acc.sv, one foreign call per edge.
module wl_acc #(
    parameter int unsigned Lanes
) (
    input  logic                clk_i,
    input  logic                en_i,
    input  logic [         2:0] op_i,
    input  logic                first_i,
    input  logic [         1:0] fmt_i,
    input  logic [ Lanes/2-1:0] mask_i,
    input  logic [         1:0] sel_i,
    input  logic [         3:0] slot_i,
    input  logic [16*Lanes-1:0] a_i,
    input  logic [16*Lanes-1:0] b_i,
    output logic [        31:0] y_o,
    output logic [         3:0] sat_o
);

  import "DPI-C" function int unsigned wl_acc_step(
    input int unsigned control,
    input longint unsigned a0,
    input longint unsigned a1,
    input longint unsigned b0,
    input longint unsigned b1,
    inout longint unsigned acc0,
    inout longint unsigned acc1,
    inout int unsigned y
  );

  logic [16*Lanes-1:0] acc_q[0:8];
  logic [31:0] y_q;
  logic [3:0] sat_q;
  assign y_o   = y_q;
  assign sat_o = sat_q;

  logic [127:0] a, b;
  logic [63:0] acc0, acc1;
  logic [31:0] y, sat;
  assign a = 128'(a_i);
  assign b = 128'(b_i);

  // verilator lint_off BLKSEQ
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      {acc1, acc0} = 128'(acc_q[slot_i]);
      y   = y_q;
      sat = wl_acc_step({15'h0, sel_i, 4'(Lanes), 4'(mask_i), fmt_i, first_i, 1'b0, op_i}, a[63:0], a[127:64], b[63:0],
                       b[127:64], acc0, acc1, y);
      acc_q[slot_i] <= (16*Lanes)'({acc1, acc0});
      y_q   <= y;
      sat_q <= sat[3:0];
    end
  end
  // verilator lint_on BLKSEQ

  logic unused_bits;
  assign unused_bits = ^{sat[31:4], acc1, acc0};

endmodule
