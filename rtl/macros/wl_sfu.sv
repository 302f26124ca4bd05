// Special function unit, rtl view: exp2, log2, reciprocal, reciprocal square root, one result per cycle, three cycles of latency.
//
// An operand in a cycle with valid_i gives valid_o and its result three edges later; there is no stall. y_o and sat_o hold until
// the next result. op_i: configs/spec/numbers.yaml, sfu_ops. fmt_i: bit 0 the operand, bit 1 the result, 1 is 32-bit; a 16-bit
// operand (low half) widens exactly, a 16-bit result is the binary32 one rounded again. sat_o: the result is infinite although the
// operand is finite and not a zero. busy_o: a result will still come after this cycle's. Reset clears the valid bits.
//
// The two pipeline registers hold operands and stand before the logic; synthesis moves them into it (retiming). So they mean the
// same in both views, and a checkpoint of one loads into the other.
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

  logic [1:0] op1_q, op2_q, fmt1_q, fmt2_q;
  logic [31:0] a1_q, a2_q, y_q;
  logic valid1_q, valid2_q, valid3_q, sat_q;
  assign valid_o = valid3_q;
  assign y_o = y_q;
  assign sat_o = sat_q;
  assign busy_o = valid1_q | valid2_q;

  logic [31:0] operand, wide;
  logic [15:0] half;
  logic core_sat, narrowed_sat;
  wl_fp_widen u_widen (
      .is32_i(fmt2_q[0]),
      .x_i(a2_q),
      .y_o(operand)
  );
  wl_sfu_core u_core (
      .op_i (op2_q),
      .a_i  (operand),
      .y_o  (wide),
      .sat_o(core_sat)
  );
  wl_fp_narrow u_narrow (
      .x_i(wide),
      .y_o(half)
  );
  assign narrowed_sat = !fmt2_q[1] & (wide[30:23] != 8'd255) & (half[14:0] == 15'h7c00);

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
      y_q   <= fmt2_q[1] ? wide : {16'd0, half};
      sat_q <= core_sat | narrowed_sat;
    end
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      valid3_q <= 1'b0;
    end
  end

endmodule
