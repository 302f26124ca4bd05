// binary32 to binary16, rounded to nearest even, subnormals kept; a NaN becomes canonical.
module wl_fp_narrow (
    input  logic [31:0] x_i,
    output logic [15:0] y_o
);

  // 24-bit significand over the 11 bits kept and 13 dropped ones; below 2**-14 it moves right. Moves of 31 and more leave
  // only the sticky bit, and so does a binary32 subnormal.
  logic subnormal;
  logic [4:0] count;
  logic [23:0] shifted;
  logic [7:0] below;
  logic lost;
  logic round_up;
  logic [10:0] kept;
  logic [15:0] magnitude;
  logic [4:0] exponent;

  assign subnormal = x_i[30:23] < 8'd113;
  assign below = 8'd113 - x_i[30:23];
  assign count = !subnormal ? 5'd0 : (below > 8'd31) ? 5'd31 : below[4:0];

  wl_shift_sticky #(
      .Width(24),
      .CountBits(5)
  ) u_shift (
      .x_i({x_i[30:23] != 8'd0, x_i[22:0]}),
      .count_i(count),
      .y_o(shifted),
      .sticky_o(lost)
  );

  assign kept = shifted[23:13];
  assign round_up = shifted[12] & (lost | (shifted[11:0] != 12'd0) | shifted[13]);
  // The hidden bit adds one to the exponent field; a carry out of the fraction does by itself.
  assign exponent = subnormal ? 5'd0 : 5'(x_i[30:23] - 8'd113);
  assign magnitude = {1'b0, exponent, 10'd0} + 16'(kept) + 16'(round_up);

  always_comb begin
    if (x_i[30:23] == 8'd255) y_o = (x_i[22:0] != 23'd0) ? 16'h7e00 : {x_i[31], 15'h7c00};
    else if (x_i[30:23] > 8'd142) y_o = {x_i[31], 15'h7c00};
    else y_o = {x_i[31], magnitude[14:0]};
  end

  logic unused_bits;
  assign unused_bits = magnitude[15];

endmodule
