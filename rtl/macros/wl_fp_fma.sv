// binary32 multiply-add with one rounding: y = a * b + c, or y = a + c without mul_i. Combinational.
//
// MulBits is the width of the multiplier: 24 for any factors, 11 for factors that are widened binary16 (their low 13
// fraction bits are zero); a + c takes full binary32 in both. Rounds to nearest even; with odd_i to odd instead (the last bit is
// set if anything was lost), which a following rounding to binary16 turns into a single rounding of the exact sum. odd_i is for
// operands that are widened binary16. Every NaN result is canonical.
//
// Window: the product's top bit, of weight 2**ep, stands at bit ProdBits - 1, below 26 bits of room for an addend that is larger.
//
//     bit  Window-1 ... ProdBits | ProdBits-1 ... 0 | sticky
//          addend (at most here) | product          | addend shifted out
//
// An addend more than 26 places above the product stays at the top; the product, then less than a quarter of the addend's last
// place, stays where it is and acts as a sticky bit only.
module wl_fp_fma #(
    parameter int unsigned MulBits
) (
    input  logic [31:0] a_i,
    input  logic [31:0] b_i,
    input  logic [31:0] c_i,
    input  logic        mul_i,
    input  logic        odd_i,
    output logic [31:0] y_o
);

  // 22 product bits or 24 bits of a, and three guard bits for the addend; or 48 product bits.
  localparam int unsigned ProdBits = (MulBits == 24) ? 48 : 27;
  localparam int unsigned Room = 26;
  localparam int unsigned Window = ProdBits + Room;
  localparam int unsigned SumBits = Window + 2;  // a carry above, the sticky bit below

  // Operands
  logic a_zero, b_zero, c_zero, a_special, b_special, c_special, a_nan, b_nan, c_nan;
  logic sign_p, sign_c;
  assign a_zero    = a_i[30:0] == 31'd0;
  assign b_zero    = b_i[30:0] == 31'd0;
  assign c_zero    = c_i[30:0] == 31'd0;
  assign a_special = a_i[30:23] == 8'd255;
  assign b_special = b_i[30:23] == 8'd255;
  assign c_special = c_i[30:23] == 8'd255;
  assign a_nan     = a_special & (a_i[22:0] != 23'd0);
  assign b_nan     = b_special & (b_i[22:0] != 23'd0);
  assign c_nan     = c_special & (c_i[22:0] != 23'd0);
  assign sign_p    = a_i[31] ^ (b_i[31] & mul_i);
  assign sign_c    = c_i[31];

  // Product. Exponents are of the top bit, biased by 127 (single) in 11-bit two's complement.
  logic [ProdBits-1:0] product;
  logic signed [10:0] exp_a, exp_b, exp_c, exp_p;
  logic prod_zero;
  assign exp_c = $signed({3'd0, (c_i[30:23] == 8'd0) ? 8'd1 : c_i[30:23]});
  assign prod_zero = a_zero | (mul_i & b_zero);

  if (MulBits == 24) begin : gen_wide
    // Subnormal factors are normalised, so that no product has more than one leading zero.
    logic [23:0] sig_a, sig_b;
    logic [4:0] count_a, count_b;
    wl_normalise #(
        .Width(24)
    ) u_normalise_a (
        .x_i({a_i[30:23] != 8'd0, a_i[22:0]}),
        .y_o(sig_a),
        .count_o(count_a)
    );
    wl_normalise #(
        .Width(24)
    ) u_normalise_b (
        .x_i({b_i[30:23] != 8'd0, b_i[22:0]}),
        .y_o(sig_b),
        .count_o(count_b)
    );
    assign exp_a   = $signed({3'd0, (a_i[30:23] == 8'd0) ? 8'd1 : a_i[30:23]}) - $signed({6'd0, count_a});
    assign exp_b   = $signed({3'd0, (b_i[30:23] == 8'd0) ? 8'd1 : b_i[30:23]}) - $signed({6'd0, count_b});
    assign product = mul_i ? 48'(sig_a) * 48'(sig_b) : {sig_a, 24'd0};
  end else begin : gen_narrow
    logic [21:0] small_product;
    assign exp_a = $signed({3'd0, (a_i[30:23] == 8'd0) ? 8'd1 : a_i[30:23]});
    assign exp_b = $signed({3'd0, b_i[30:23]});
    assign small_product = 22'({a_i[30:23] != 8'd0, a_i[22:13]}) * 22'({b_i[30:23] != 8'd0, b_i[22:13]});
    assign product = mul_i ? {small_product, 5'd0} : {a_i[30:23] != 8'd0, a_i[22:0], 3'd0};
  end
  assign exp_p = mul_i ? exp_a + exp_b - 11'sd126 : exp_a;

  // Alignment: c starts at the top of the window and moves right by Room - (exp_c - exp_p).
  logic signed [11:0] distance;
  logic c_high;
  logic [6:0] align;
  logic [Window-1:0] c_aligned;
  logic c_sticky;
  logic signed [10:0] exp_top;
  assign distance = 12'(exp_p) - 12'(exp_c) + 12'sd26;
  assign c_high   = prod_zero | (!c_zero & (distance < 12'sd0));
  assign align    = c_high ? 7'd0 : (c_zero | (distance > 12'sd127)) ? 7'd127 : distance[6:0];
  assign exp_top  = c_high ? exp_c : exp_p + 11'sd26;

  wl_shift_sticky #(
      .Width(Window),
      .CountBits(7)
  ) u_align (
      .x_i({c_i[30:23] != 8'd0, c_i[22:0], {(Window - 24) {1'b0}}}),
      .count_i(align),
      .y_o(c_aligned),
      .sticky_o(c_sticky)
  );

  // Sum, sign and magnitude
  logic [SumBits-1:0] p_term, c_term, difference, total;
  logic subtract, negative, sign_sum;
  assign subtract = sign_p ^ sign_c;
  assign p_term = {{(Room + 1) {1'b0}}, prod_zero ? {ProdBits{1'b0}} : product, 1'b0};
  assign c_term = {1'b0, c_aligned, c_sticky};
  assign difference = p_term - c_term;
  assign negative = subtract & difference[SumBits-1];
  assign total = !subtract ? p_term + c_term : negative ? ~difference + SumBits'(1) : difference;
  assign sign_sum = (total == '0) ? (sign_p & sign_c) : sign_p ^ negative;

  // Rounding; the top bit of `total` weighs 2**(exp_top + 1).
  logic [31:0] rounded;
  wl_fp_round #(
      .Width(SumBits)
  ) u_round (
      .sign_i     (sign_sum),
      .magnitude_i(total),
      .exp_i      (12'(exp_top) + 12'sd1),
      .odd_i      (odd_i),
      .y_o        (rounded)
  );

  always_comb begin
    if (a_nan | (mul_i & b_nan) | c_nan | (mul_i & ((a_special & b_zero) | (a_zero & b_special)))) begin
      y_o = 32'h7fc00000;
    end else if (a_special | (mul_i & b_special)) begin
      y_o = (c_special & subtract) ? 32'h7fc00000 : {sign_p, 31'h7f800000};
    end else if (c_special) begin
      y_o = c_i;
    end else begin
      y_o = rounded;
    end
  end

  // Factors narrower than the port, and what the window's own geometry makes constant.
  logic unused_bits;
  assign unused_bits = ^{b_i[12:0], exp_b};

endmodule
