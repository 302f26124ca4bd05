// Balanced reduction over 1, 2 or 4 binary32 accumulators in index order: (acc0 . acc1) . (acc2 . acc3). Combinational.
module wl_acc_tree #(
    parameter int unsigned Count
) (
    input  logic [         1:0] op_i,   // 0 sum, 1 maximum, 2 minimum
    input  logic [32*Count-1:0] acc_i,
    output logic [        31:0] y_o,
    output logic [         2:0] sat_o   // additions that overflowed from finite operands
);

  if (Count == 1) begin : gen_one
    logic unused_op;
    assign unused_op = ^op_i;
    assign y_o = acc_i;
    assign sat_o = 3'd0;
  end else begin : gen_tree
    logic [32*Count/2-1:0] half;
    logic [Count/2-1:0] overflow;
    logic [2:0] above;
    for (genvar k = 0; k < Count / 2; k++) begin : gen_pair
      logic [31:0] p, q, sum, max, min;
      logic lt, eq;
      assign p = acc_i[64*k+:32];
      assign q = acc_i[64*k+32+:32];
      wl_fp_fma #(
          .MulBits(11)
      ) u_add (
          .a_i  (p),
          .b_i  (32'd0),
          .c_i  (q),
          .mul_i(1'b0),
          .odd_i(1'b0),
          .y_o  (sum)
      );
      wl_fp_compare u_compare (
          .a_i  (p),
          .b_i  (q),
          .lt_o (lt),
          .eq_o (eq),
          .max_o(max),
          .min_o(min)
      );
      assign half[32*k+:32] = (op_i == 2'd0) ? sum : (op_i == 2'd1) ? max : min;
      assign overflow[k] = (op_i == 2'd0) & (sum[30:0] == 31'h7f800000) & (p[30:23] != 8'd255) & (q[30:23] != 8'd255);
      logic unused_flags;
      assign unused_flags = lt ^ eq;
    end
    wl_acc_tree #(
        .Count(Count / 2)
    ) u_rest (
        .op_i,
        .acc_i(half),
        .y_o,
        .sat_o(above)
    );
    if (Count == 2) begin : gen_two
      assign sat_o = above + 3'(overflow);
    end else begin : gen_four
      assign sat_o = above + 3'(overflow[0]) + 3'(overflow[1]);
    end
  end

endmodule
