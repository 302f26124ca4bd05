// One operand's address generator, combinational. A context keeps two words per operand:
//   moving {rows[15:0], count[15:0], row[15:0], address[15:0]}: rows and elements of the row still to come
//   fixed  {misc[15:0], stride1[15:0], stride0[15:0], len0[15:0]}
// misc: [3:0] wrap_log2, [4] circular, [5] neighbouring elements are neighbours in memory (groups of several are possible), [6] lazy: the row
// starts over when it is next used, not when it ends (mem1d and iota, so that `save` sees the address after the last element),
// [7] 32-bit elements, [8] memory operand.
// A count of 0 stands for 65536.
module wl_gen #(
    parameter int unsigned Lanes
) (
    input  logic [63:0] moving_i,
    input  logic [63:0] fixed_i,
    input  logic        restart_i,   // a lazy row has ended
    input  logic [15:0] index_i,     // added to address and row (a stream's offset, else 0)
    input  logic        double_i,    // two neighbouring lines may be read at once
    output logic [15:0] address_o,   // of the first element
    output logic        window_o,
    output logic [ 3:0] avail_o,     // elements that one line and the row still hold, 1 to 8
    // after a group of group_i elements
    input  logic [ 3:0] group_i,
    output logic [63:0] moving_o,
    output logic        restart_o,
    output logic [15:0] save_o,      // address after the group's last element
    output logic        last_o       // no element is left
);

  logic [15:0] base, wrap, linear, row;
  logic end_row;

  function automatic logic [15:0] wrapped(input logic [15:0] kept, input logic [15:0] moved, input logic [15:0] mask);
    wrapped = (kept & ~mask) | (moved & mask);
  endfunction

  always_comb begin
    base      = restart_i ? moving_i[31:16] : moving_i[15:0];
    wrap      = fixed_i[52] ? (16'd1 << fixed_i[51:48]) - 16'd1 : 16'hffff;
    address_o = wrapped(base, base + index_i, wrap);
    window_o  = address_o[15:9] == 7'(wl_pkg::WINDOW_BASE >> 9);
  end

  always_comb begin
    if (!fixed_i[53]) avail_o = 4'd1;
    else if (Lanes == 8 && window_o) avail_o = fixed_i[55] ? 4'd4 - {2'b0, address_o[3:2]} : 4'd8 - {1'b0, address_o[3:1]};
    else if (Lanes == 8 && double_i) avail_o = fixed_i[55] ? 4'd4 - {3'b0, address_o[2]} : 4'd8 - {2'b0, address_o[2:1]};
    else avail_o = fixed_i[55] ? 4'd2 - {3'b0, address_o[2]} : 4'd4 - {2'b0, address_o[2:1]};
    if (moving_i[47:32] != 16'd0 && moving_i[47:32] < {12'd0, avail_o}) avail_o = moving_i[35:32];
  end

  always_comb begin
    linear    = wrapped(address_o, address_o + (fixed_i[53] ? {11'd0, fixed_i[55] ? {group_i[2:0], 2'b0} : {group_i, 1'b0}} : fixed_i[31:16]), wrap);
    row       = wrapped(moving_i[31:16], moving_i[31:16] + index_i, wrap);
    end_row   = moving_i[47:32] == {12'd0, group_i};
    last_o    = end_row & (moving_i[63:48] == 16'd1);
    restart_o = end_row & fixed_i[54];
    save_o    = linear;
    moving_o  = {moving_i[63:48], moving_i[47:32] - {12'd0, group_i}, row, linear};
    if (end_row) begin
      moving_o[63:32] = {moving_i[63:48] - 16'd1, fixed_i[15:0]};
      if (!fixed_i[54]) begin
        moving_o[31:16] = wrapped(row, row + fixed_i[47:32], wrap);
        moving_o[15:0]  = moving_o[31:16];
        save_o          = moving_o[31:16];
      end
    end
  end

  logic unused_misc;
  assign unused_misc = ^{fixed_i[63:56], double_i};

endmodule
