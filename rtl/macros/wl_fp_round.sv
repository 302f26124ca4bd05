// magnitude_i, whose top bit weighs 2**(exp_i - 127), as binary32: normalised, subnormals kept, rounded to nearest even, or to odd
// with odd_i (the last bit is set if anything was lost). Too large gives infinity, zero a zero of the sign. Combinational.
module wl_fp_round #(
    parameter int unsigned Width  // 27 or more
) (
    input  logic               sign_i,
    input  logic [Width-1:0]   magnitude_i,
    input  logic signed [11:0] exp_i,
    input  logic               odd_i,
    output logic [31:0]        y_o
);

  localparam int unsigned CountBits = $clog2(Width);

  logic [Width-1:0] normal;
  logic [CountBits-1:0] lead;
  logic signed [11:0] exponent;
  logic [11:0] below;
  logic [4:0] drop;
  logic [25:0] head, rounding;
  logic lost;

  wl_normalise #(
      .Width(Width)
  ) u_normalise (
      .x_i(magnitude_i),
      .y_o(normal),
      .count_o(lead)
  );
  // 24 bits, guard, sticky; a result below the normal range moves right.
  assign exponent = exp_i - $signed({{(12 - CountBits) {1'b0}}, lead});
  assign below = 12'(12'sd1 - exponent);
  assign drop = (exponent > 12'sd0) ? 5'd0 : (below > 12'd31) ? 5'd31 : below[4:0];
  assign head = {normal[Width-1-:25], normal[Width-26:0] != '0};

  wl_shift_sticky #(
      .Width(26),
      .CountBits(5)
  ) u_denormal (
      .x_i(head),
      .count_i(drop),
      .y_o(rounding),
      .sticky_o(lost)
  );

  // The hidden bit adds one to the exponent field; a carry out of the fraction does by itself.
  logic inexact_low, round_up;
  logic [23:0] kept;
  logic signed [11:0] field;
  logic [34:0] packed_value;
  assign inexact_low = rounding[0] | lost;
  assign round_up = !odd_i & rounding[1] & (inexact_low | rounding[2]);
  assign kept = {rounding[25:3], rounding[2] | (odd_i & (rounding[1] | inexact_low))};
  assign field = (exponent > 12'sd0) ? exponent - 12'sd1 : 12'sd0;
  assign packed_value = {field, 23'd0} + 35'(kept) + 35'(round_up);

  assign y_o = (magnitude_i == '0) ? {sign_i, 31'd0} : (packed_value[34:23] >= 12'd255) ? {sign_i, 31'h7f800000} :
      {sign_i, packed_value[30:0]};

endmodule
