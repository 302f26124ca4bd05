// Comparisons, maximum and minimum of two binary32 values. Zeros are equal to each other, but maximum and minimum order -0
// before +0. A NaN makes every comparison false and every maximum and minimum the canonical NaN.
module wl_fp_compare (
    input  logic [31:0] a_i,
    input  logic [31:0] b_i,
    output logic        lt_o,
    output logic        eq_o,
    output logic [31:0] max_o,
    output logic [31:0] min_o
);

  logic unordered, both_zero, lower;
  logic [31:0] a_key, b_key;
  assign unordered = (a_i[30:0] > 31'h7f800000) | (b_i[30:0] > 31'h7f800000);
  assign both_zero = (a_i[30:0] | b_i[30:0]) == 31'd0;
  // Keys whose unsigned order is the order of the values, -0 below +0.
  assign a_key = a_i[31] ? ~a_i : {1'b1, a_i[30:0]};
  assign b_key = b_i[31] ? ~b_i : {1'b1, b_i[30:0]};
  assign lower = a_key < b_key;

  assign lt_o  = !unordered & !both_zero & lower;
  assign eq_o  = !unordered & (both_zero | (a_i == b_i));
  assign max_o = unordered ? 32'h7fc00000 : lower ? b_i : a_i;
  assign min_o = unordered ? 32'h7fc00000 : lower ? a_i : b_i;

endmodule
