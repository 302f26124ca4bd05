// Integer operations of a lane at the width of the result: 16-bit operands sign-extend to 32, 32-bit ones truncate to 16.
module wl_int_alu (
    input  logic [ 2:0] op_i,     // low bits of the lane operation: iadd, isub, sll, srl, sra, and, or, xor less 16
    input  logic        a32_i,
    input  logic        b32_i,
    input  logic        y32_i,
    input  logic [31:0] a_i,
    input  logic [31:0] b_i,
    output logic [31:0] y_o
);

  logic [31:0] a, b, shift_in, result;
  logic [4:0] amount;
  logic fill;

  assign a = a32_i ? a_i : {{16{a_i[15]}}, a_i[15:0]};
  assign b = b32_i ? b_i : {{16{b_i[15]}}, b_i[15:0]};
  assign amount = {b[4] & y32_i, b[3:0]};
  // The bits that enter from above: zeros for srl, the sign at the result's width for sra.
  assign fill = (op_i == 3'd4) & (y32_i ? a[31] : a[15]);
  assign shift_in = y32_i ? a : {{16{fill}}, a[15:0]};

  always_comb begin
    unique case (op_i)
      3'd0: result = a + b;
      3'd1: result = a - b;
      3'd2: result = a << amount;
      3'd3, 3'd4: result = 32'({{32{fill}}, shift_in} >> amount);
      3'd5: result = a & b;
      3'd6: result = a | b;
      default: result = a ^ b;
    endcase
    y_o = y32_i ? result : {16'd0, result[15:0]};
  end

endmodule
