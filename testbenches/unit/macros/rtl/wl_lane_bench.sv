// wl_lane as wl_lanes uses it: number 0 with the wide multiplier and the converter (24, 1), the others without (11, 0).
module wl_lane_bench (
    input  logic [ 4:0] op_i,
    input  logic [ 3:0] fmt_i,
    input  logic [31:0] a_i,
    input  logic [31:0] b_i,
    input  logic [31:0] c_i,
    output logic [31:0] first_o,
    output logic        first_sat_o,
    output logic [31:0] other_o,
    output logic        other_sat_o
);

  wl_lane #(.MulBits(24), .Convert(1)) u_first (.op_i, .fmt_i, .a_i, .b_i, .c_i, .y_o(first_o), .sat_o(first_sat_o));
  wl_lane #(.MulBits(11), .Convert(0)) u_other (.op_i, .fmt_i, .a_i, .b_i, .c_i, .y_o(other_o), .sat_o(other_sat_o));

endmodule
