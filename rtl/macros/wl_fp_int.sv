// Conversions between integers and binary32. To binary32: rounded to nearest even. To integer: toward zero, saturating at the
// width of the result, NaN gives 0; a 16-bit result has a zero high half.
module wl_fp_int (
    input  logic        to_int_i,
    input  logic        y32_i,     // width of the integer result
    input  logic [31:0] x_i,       // the 32-bit integer, or the binary32
    output logic [31:0] y_o
);

  // To binary32
  logic [31:0] absolute, normal;
  logic [4:0] lead;
  logic round_up;
  logic [30:0] magnitude;
  assign absolute = x_i[31] ? ~x_i + 32'd1 : x_i;
  wl_normalise #(
      .Width(32)
  ) u_normalise (
      .x_i(absolute),
      .y_o(normal),
      .count_o(lead)
  );
  assign round_up  = normal[7] & ((normal[6:0] != 7'd0) | normal[8]);
  // The hidden bit adds one to the exponent field 127 + 31 - lead - 1; a carry does by itself.
  assign magnitude = {8'd157 - 8'(lead), 23'd0} + 31'(normal[31:8]) + 31'(round_up);

  // To integer: 1.fraction at bit 31 moves right by 31 less the exponent.
  logic [7:0] exponent;
  logic [31:0] whole, limit;
  logic fraction_only, too_large, negative;
  assign exponent = x_i[30:23];
  assign negative = x_i[31];
  assign fraction_only = exponent < 8'd127;
  assign too_large = exponent >= (y32_i ? 8'd158 : 8'd142);
  assign whole = {1'b1, x_i[22:0], 8'd0} >> 5'(8'd158 - exponent);
  assign limit = y32_i ? (negative ? 32'h80000000 : 32'h7fffffff) : (negative ? 32'hffff8000 : 32'h00007fff);

  logic [31:0] integer_value;
  always_comb begin
    if (exponent == 8'd255 && x_i[22:0] != 23'd0) integer_value = 32'd0;
    else if (fraction_only) integer_value = 32'd0;
    else if (too_large) integer_value = limit;
    else integer_value = negative ? ~whole + 32'd1 : whole;
    if (to_int_i) y_o = y32_i ? integer_value : {16'd0, integer_value[15:0]};
    else y_o = (x_i == 32'd0) ? 32'd0 : {x_i[31], magnitude};
  end

endmodule
