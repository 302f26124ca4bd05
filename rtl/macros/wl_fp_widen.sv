// binary16 to binary32, exact; a NaN becomes canonical. With is32_i the operand is binary32 already and passes unchanged.
module wl_fp_widen (
    input  logic        is32_i,
    input  logic [31:0] x_i,
    output logic [31:0] y_o
);

  logic [9:0] shifted;
  logic [3:0] count;

  wl_normalise #(
      .Width(10)
  ) u_normalise (
      .x_i(x_i[9:0]),
      .y_o(shifted),
      .count_o(count)
  );

  always_comb begin
    if (is32_i) y_o = x_i;
    else if (x_i[14:10] == 5'd31) y_o = (x_i[9:0] != 10'd0) ? 32'h7fc00000 : {x_i[15], 31'h7f800000};
    // Rebias by 127 - 15. A subnormal's leading one, count places below the top of the fraction, becomes the hidden bit.
    else if (x_i[14:10] != 5'd0) y_o = {x_i[15], 8'(x_i[14:10]) + 8'd112, x_i[9:0], 13'd0};
    else if (x_i[9:0] != 10'd0) y_o = {x_i[15], 8'd112 - 8'(count), shifted[8:0], 14'd0};
    else y_o = {x_i[15], 31'd0};
  end

  logic unused_bits;
  assign unused_bits = shifted[9];

endmodule
