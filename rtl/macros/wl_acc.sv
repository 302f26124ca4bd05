// Running reductions for dot products and reductions, rtl view: Lanes / 2 binary32 accumulators with a one-cycle loop, in nine sets
// (slot_i, 0 to 8: one per context of the PE, so that reductions may be interleaved group by group).
//
// With en_i, at the next edge (op_i: configs/spec/numbers.yaml, acc_ops; wl_macro_pkg):
//   product, sum, max, min   element j (container at bits 32j of a_i, b_i; mask_i[j]) goes into accumulator (sel_i + j) modulo
//                            Lanes / 2; with first_i every accumulator starts from the identity (+0, -inf, +inf) instead of its value.
//                            A product with a 32-bit factor takes element 0 only (it has the 24-bit multiplier).
//   result_*                 y_o takes the balanced tree over the accumulators, in index order; they keep their values.
//   clear                    every accumulator becomes +0.
// All of it on set slot_i. fmt_i: bit 0 a, 1 b; 1 is 32-bit. sat_o: how many additions of the edge overflowed from finite operands. y_o and sat_o hold.
module wl_acc #(
    parameter int unsigned Lanes
) (
    input  logic                clk_i,
    input  logic                en_i,
    input  logic [         2:0] op_i,
    input  logic                first_i,
    input  logic [         1:0] fmt_i,
    input  logic [ Lanes/2-1:0] mask_i,
    input  logic [         1:0] sel_i,
    input  logic [         3:0] slot_i,
    input  logic [16*Lanes-1:0] a_i,
    input  logic [16*Lanes-1:0] b_i,
    output logic [        31:0] y_o,
    output logic [         3:0] sat_o
);

  localparam int unsigned Count = Lanes / 2;
  localparam int unsigned IndexBits = (Count > 1) ? $clog2(Count) : 1;

  logic [32*Count-1:0] acc_q[0:8];
  logic [32*Count-1:0] acc, acc_d;
  assign acc = acc_q[slot_i];
  logic [31:0] y_q, y_d;
  logic [3:0] sat_q, sat_d;
  assign y_o   = y_q;
  assign sat_o = sat_q;

  logic product, serial, accumulate;
  logic [31:0] identity;
  logic [IndexBits-1:0] start;
  assign product = op_i == wl_macro_pkg::AccProduct;
  assign serial = product & (fmt_i != 2'b00);
  assign accumulate = !op_i[2];
  assign identity = (op_i == wl_macro_pkg::AccMax) ? 32'hff800000 : (op_i == wl_macro_pkg::AccMin) ? 32'h7f800000 : 32'd0;
  assign start = (Count > 1) ? sel_i[IndexBits-1:0] : '0;

  // Element j of this edge: its accumulator's number and new value.
  logic [IndexBits*Count-1:0] target;
  logic [32*Count-1:0] new_value;
  logic [Count-1:0] enable, overflow;

  for (genvar j = 0; j < Count; j++) begin : gen_element
    logic [31:0] a, b, value, fma_y, max, min;
    logic lt, eq, b_finite;
    logic [IndexBits-1:0] index;
    assign index = start + IndexBits'(j);
    assign value = first_i ? identity : acc[32*index+:32];
    assign target[IndexBits*j+:IndexBits] = index;
    assign enable[j] = mask_i[j] & (!serial | (j == 0));

    wl_fp_widen u_widen_a (
        .is32_i(fmt_i[0]),
        .x_i(a_i[32*j+:32]),
        .y_o(a)
    );
    wl_fp_widen u_widen_b (
        .is32_i(fmt_i[1]),
        .x_i(b_i[32*j+:32]),
        .y_o(b)
    );
    wl_fp_fma #(
        .MulBits((j == 0) ? 24 : 11)
    ) u_fma (
        .a_i  (a),
        .b_i  (b),
        .c_i  (value),
        .mul_i(product),
        .odd_i(1'b0),
        .y_o  (fma_y)
    );
    wl_fp_compare u_compare (
        .a_i  (value),
        .b_i  (a),
        .lt_o (lt),
        .eq_o (eq),
        .max_o(max),
        .min_o(min)
    );
    assign new_value[32*j+:32] = !op_i[1] ? fma_y : op_i[0] ? min : max;
    assign b_finite = !product | (b[30:23] != 8'd255);
    assign overflow[j] = !op_i[1] & (fma_y[30:0] == 31'h7f800000) & (a[30:23] != 8'd255) & b_finite & (value[30:23] != 8'd255);

    logic unused_flags;
    assign unused_flags = lt ^ eq;
  end

  // Tree of results
  logic [31:0] tree_y;
  logic [2:0] tree_sat;
  wl_acc_tree #(
      .Count(Count)
  ) u_tree (
      .op_i (op_i[1:0]),
      .acc_i(acc),
      .y_o  (tree_y),
      .sat_o(tree_sat)
  );

  always_comb begin
    acc_d = acc;
    y_d   = y_q;
    sat_d = 4'd0;
    if (accumulate) begin
      if (first_i) acc_d = {Count{identity}};
      for (int unsigned j = 0; j < Count; j++) begin
        if (enable[j]) begin
          acc_d[32*target[IndexBits*j+:IndexBits]+:32] = new_value[32*j+:32];
          sat_d = sat_d + 4'(overflow[j]);
        end
      end
    end else if (op_i == wl_macro_pkg::AccClear) begin
      acc_d = '0;
    end else begin
      y_d   = tree_y;
      sat_d = 4'(tree_sat);
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      acc_q[slot_i] <= acc_d;
      y_q   <= y_d;
      sat_q <= sat_d;
    end
  end

  logic unused_bits;
  assign unused_bits = ^sel_i;

endmodule
