// The small combinational modules of rtl/macros, each with every parameter that the macros use, behind one set of ports, so that one build serves all
// their benches. `select_i` says whose result is shown; what x, z and control mean to each is in the table below.
module wl_leaf_bench (
    input  logic [ 4:0] select_i,
    input  logic [63:0] x_high_i,
    input  logic [63:0] x_low_i,
    input  logic [31:0] z_i,
    input  logic [13:0] control_i,
    output logic [63:0] y_high_o,
    output logic [63:0] y_low_o,
    output logic [ 6:0] flags_o
);

  logic [127:0] x, y;
  assign x = {x_high_i, x_low_i};
  assign {y_high_o, y_low_o} = y;

  // 0 to 5: wl_normalise; flags: the count
  logic [9:0] n10;
  logic [23:0] n24;
  logic [31:0] n32;
  logic [54:0] n55;
  logic [60:0] n61;
  logic [75:0] n76;
  logic [3:0] count10;
  logic [4:0] count24, count32;
  logic [5:0] count55, count61;
  logic [6:0] count76;
  wl_normalise #(.Width(10)) u_normalise10 (.x_i(x[9:0]), .y_o(n10), .count_o(count10));
  wl_normalise #(.Width(24)) u_normalise24 (.x_i(x[23:0]), .y_o(n24), .count_o(count24));
  wl_normalise #(.Width(32)) u_normalise32 (.x_i(x[31:0]), .y_o(n32), .count_o(count32));
  wl_normalise #(.Width(55)) u_normalise55 (.x_i(x[54:0]), .y_o(n55), .count_o(count55));
  wl_normalise #(.Width(61)) u_normalise61 (.x_i(x[60:0]), .y_o(n61), .count_o(count61));
  wl_normalise #(.Width(76)) u_normalise76 (.x_i(x[75:0]), .y_o(n76), .count_o(count76));

  // 6 to 9: wl_shift_sticky; control: the count; flags: sticky
  logic [23:0] s24;
  logic [25:0] s26;
  logic [52:0] s53;
  logic [73:0] s74;
  logic sticky24, sticky26, sticky53, sticky74;
  wl_shift_sticky #(.Width(24), .CountBits(5)) u_shift24 (.x_i(x[23:0]), .count_i(control_i[4:0]), .y_o(s24), .sticky_o(sticky24));
  wl_shift_sticky #(.Width(26), .CountBits(5)) u_shift26 (.x_i(x[25:0]), .count_i(control_i[4:0]), .y_o(s26), .sticky_o(sticky26));
  wl_shift_sticky #(.Width(53), .CountBits(7)) u_shift53 (.x_i(x[52:0]), .count_i(control_i[6:0]), .y_o(s53), .sticky_o(sticky53));
  wl_shift_sticky #(.Width(74), .CountBits(7)) u_shift74 (.x_i(x[73:0]), .count_i(control_i[6:0]), .y_o(s74), .sticky_o(sticky74));

  // 10 to 12: wl_fp_round; control: odd, sign, exponent
  logic sign, odd;
  logic [11:0] exponent;
  logic [31:0] r55, r61, r76;
  assign {odd, sign, exponent} = control_i;
  wl_fp_round #(.Width(55)) u_round55 (.sign_i(sign), .magnitude_i(x[54:0]), .exp_i(exponent), .odd_i(odd), .y_o(r55));
  wl_fp_round #(.Width(61)) u_round61 (.sign_i(sign), .magnitude_i(x[60:0]), .exp_i(exponent), .odd_i(odd), .y_o(r61));
  wl_fp_round #(.Width(76)) u_round76 (.sign_i(sign), .magnitude_i(x[75:0]), .exp_i(exponent), .odd_i(odd), .y_o(r76));

  // 13 wl_fp_widen, control: is32; 14 wl_fp_narrow; 15 wl_fp_int, control: y32, to_int
  logic [31:0] widened, converted;
  logic [15:0] narrowed;
  wl_fp_widen u_widen (.is32_i(control_i[0]), .x_i(x[31:0]), .y_o(widened));
  wl_fp_narrow u_narrow (.x_i(x[31:0]), .y_o(narrowed));
  wl_fp_int u_int (.to_int_i(control_i[0]), .y32_i(control_i[1]), .x_i(x[31:0]), .y_o(converted));

  // 16: wl_fp_compare of x and z; high: maximum, low: minimum, flags: eq, lt
  logic lt, eq;
  logic [31:0] max, min;
  wl_fp_compare u_compare (.a_i(x[31:0]), .b_i(z_i), .lt_o(lt), .eq_o(eq), .max_o(max), .min_o(min));

  // 17: wl_int_alu of x and z; control: y32, b32, a32, operation
  logic [31:0] alu;
  wl_int_alu u_alu (.op_i(control_i[2:0]), .a32_i(control_i[3]), .b32_i(control_i[4]), .y32_i(control_i[5]), .a_i(x[31:0]), .b_i(z_i), .y_o(alu));

  always_comb begin
    y = '0;
    flags_o = '0;
    case (select_i)
      5'd0: {y, flags_o} = {118'd0, n10, 3'd0, count10};
      5'd1: {y, flags_o} = {104'd0, n24, 2'd0, count24};
      5'd2: {y, flags_o} = {96'd0, n32, 2'd0, count32};
      5'd3: {y, flags_o} = {73'd0, n55, 1'd0, count55};
      5'd4: {y, flags_o} = {67'd0, n61, 1'd0, count61};
      5'd5: {y, flags_o} = {52'd0, n76, count76};
      5'd6: {y, flags_o} = {104'd0, s24, 6'd0, sticky24};
      5'd7: {y, flags_o} = {102'd0, s26, 6'd0, sticky26};
      5'd8: {y, flags_o} = {75'd0, s53, 6'd0, sticky53};
      5'd9: {y, flags_o} = {54'd0, s74, 6'd0, sticky74};
      5'd10: y = {96'd0, r55};
      5'd11: y = {96'd0, r61};
      5'd12: y = {96'd0, r76};
      5'd13: y = {96'd0, widened};
      5'd14: y = {112'd0, narrowed};
      5'd15: y = {96'd0, converted};
      5'd16: {y, flags_o} = {32'd0, max, 32'd0, min, 5'd0, eq, lt};
      5'd17: y = {96'd0, alu};
      default: ;
    endcase
  end

  logic unused_bits;
  assign unused_bits = ^x[127:76];

endmodule
