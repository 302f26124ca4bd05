// The special functions of a binary32, combinational: range reduction, one quadratic per segment of 1/128, one rounding. The same
// integer arithmetic as sim/macros/arith_sfu.h, step by step.
module wl_sfu_core (
    input  logic [ 1:0] op_i,   // configs/spec/numbers.yaml, sfu_ops
    input  logic [31:0] a_i,
    output logic [31:0] y_o,
    output logic        sat_o   // infinite from a finite operand that is not a zero
);

  logic is_exp2, is_log2, is_rcp;
  assign is_exp2 = op_i == wl_macro_pkg::SfuExp2;
  assign is_log2 = op_i == wl_macro_pkg::SfuLog2;
  assign is_rcp  = op_i == wl_macro_pkg::SfuRcp;

  // Operand: significand with bit 23 set times 2**(exponent - 23)
  logic sign, zero, infinite, nan, subnormal;
  logic [23:0] significand;
  logic [4:0] lead;
  logic signed [9:0] exponent;
  assign sign = a_i[31];
  assign zero = a_i[30:0] == 31'd0;
  assign infinite = a_i[30:0] == 31'h7f800000;
  assign nan = a_i[30:0] > 31'h7f800000;
  assign subnormal = a_i[30:23] == 8'd0;
  wl_normalise #(
      .Width(24)
  ) u_normalise (
      .x_i({!subnormal, a_i[22:0]}),
      .y_o(significand),
      .count_o(lead)
  );
  assign exponent = subnormal ? -10'sd126 - $signed({5'd0, lead}) : $signed({2'b00, a_i[30:23]}) - 10'sd127;

  // exp2: fixed point with 27 fraction bits, rounded down; |a| below 256
  logic signed [35:0] fixed_full, fixed;
  logic [9:0] fixed_shift;
  logic exp2_large;
  assign exp2_large = exponent >= 10'sd8;
  assign fixed_full = sign ? -$signed({1'b0, significand, 11'd0}) : $signed({1'b0, significand, 11'd0});
  assign fixed_shift = 10'(10'sd7 - exponent);
  assign fixed = fixed_full >>> ((fixed_shift > 10'd63) ? 6'd63 : fixed_shift[5:0]);

  // log2: t = significand in [0.75, 1.5) less one, in units of 2**-24
  logic upper;
  logic signed [24:0] t;
  logic signed [9:0] log2_whole;
  logic [23:0] position;
  assign upper = significand[22];
  assign t = upper ? $signed({1'b1, significand}) : $signed({1'b0, significand[22:0], 1'b0});
  assign log2_whole = exponent + $signed({9'd0, upper});
  assign position = 24'(t) + 24'h400000;

  // Segment and polynomial, units of 2**-32
  logic [9:0] row;
  logic [79:0] coefficients;
  logic [19:0] dx;
  logic signed [40:0] square_term;
  logic signed [27:0] slope;
  logic signed [48:0] slope_term;
  logic [33:0] value;
  always_comb begin
    if (is_exp2) {row, dx} = {3'd0, fixed[26:0]};
    else if (is_log2) {row, dx} = {3'd1, position[23:0], 3'd0};
    else {row, dx} = {is_rcp ? 3'd2 : exponent[0] ? 3'd4 : 3'd3, significand[22:0], 4'd0};
  end
  wl_sfu_rom u_rom (
      .row_i(row),
      .row_o(coefficients)
  );
  assign square_term = $signed(coefficients[19:0]) * $signed({1'b0, dx});
  assign slope = 28'($signed(coefficients[46:20])) + 28'(square_term >>> 20);
  assign slope_term = slope * $signed({1'b0, dx});
  assign value = {1'b0, coefficients[79:47]} + 34'(slope_term >>> 20);

  // log2: whole part and t * value in units of 2**-52
  logic signed [58:0] log2_product;
  logic signed [61:0] log2_sum, log2_absolute;
  assign log2_product = t * $signed(value);
  assign log2_sum = (62'(log2_whole) <<< 52) + $signed({{7{log2_product[58]}}, log2_product[58:4]});
  assign log2_absolute = log2_sum[61] ? -log2_sum : log2_sum;

  // Result; the top bit of `magnitude` weighs 2**(result_exp - 127)
  logic result_sign;
  logic [60:0] magnitude;
  logic signed [11:0] result_exp;
  logic [31:0] rounded;
  always_comb begin
    result_sign = is_log2 ? log2_sum[61] : is_rcp & sign;
    magnitude   = is_log2 ? log2_absolute[60:0] : {28'd0, value[32:0]};
    if (is_exp2) result_exp = 12'sd155 + 12'($signed(fixed[35:27]));
    else if (is_log2) result_exp = 12'sd135;
    else if (is_rcp) result_exp = 12'sd155 - 12'(exponent);
    else result_exp = 12'sd155 - $signed({{3{exponent[9]}}, exponent[9:1]});
  end
  wl_fp_round #(
      .Width(61)
  ) u_round (
      .sign_i     (result_sign),
      .magnitude_i(magnitude),
      .exp_i      (result_exp),
      .odd_i      (1'b0),
      .y_o        (rounded)
  );

  always_comb begin
    y_o = rounded;
    if (nan) begin
      y_o = 32'h7fc00000;
    end else if (is_exp2) begin
      if (exp2_large) y_o = sign ? 32'd0 : 32'h7f800000;
    end else if (zero) begin
      y_o = is_log2 ? 32'hff800000 : {sign, 31'h7f800000};
    end else if (sign && !is_rcp) begin
      y_o = 32'h7fc00000;
    end else if (infinite) begin
      y_o = is_log2 ? 32'h7f800000 : {sign, 31'd0};
    end
    sat_o = !zero & !infinite & (y_o[30:0] == 31'h7f800000);
  end

  logic unused_bits;
  assign unused_bits = ^{value[33], log2_absolute[61], log2_product[3:0]};

endmodule
