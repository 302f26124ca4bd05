// wl_fp_fma and wl_acc_tree with every parameter that the macros use, side by side: one build for their benches.
module wl_sum_bench (
    input  logic [31:0] a_i,
    input  logic [31:0] b_i,
    input  logic [31:0] c_i,
    input  logic        mul_i,
    input  logic        odd_i,
    output logic [31:0] fma24_o,
    output logic [31:0] fma11_o,
    input  logic [ 1:0] op_i,
    input  logic [63:0] acc01_i,
    input  logic [63:0] acc23_i,
    output logic [31:0] tree1_o,
    output logic [31:0] tree2_o,
    output logic [31:0] tree4_o,
    output logic [ 2:0] sat1_o,
    output logic [ 2:0] sat2_o,
    output logic [ 2:0] sat4_o
);

  wl_fp_fma #(.MulBits(24)) u_fma24 (.a_i, .b_i, .c_i, .mul_i, .odd_i, .y_o(fma24_o));
  wl_fp_fma #(.MulBits(11)) u_fma11 (.a_i, .b_i, .c_i, .mul_i, .odd_i, .y_o(fma11_o));

  wl_acc_tree #(.Count(1)) u_tree1 (.op_i, .acc_i(acc01_i[31:0]), .y_o(tree1_o), .sat_o(sat1_o));
  wl_acc_tree #(.Count(2)) u_tree2 (.op_i, .acc_i(acc01_i), .y_o(tree2_o), .sat_o(sat2_o));
  wl_acc_tree #(.Count(4)) u_tree4 (.op_i, .acc_i({acc23_i, acc01_i}), .y_o(tree4_o), .sat_o(sat4_o));

endmodule
