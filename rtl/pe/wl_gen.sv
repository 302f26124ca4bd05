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
    input  logic        en_i,        // else all outputs are zero or idle
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

  logic [15:0] wrap;

  always_comb begin : p_address
    logic [15:0] base;
    base      = 16'd0;
    wrap      = 16'hffff;
    address_o = 16'd0;
    if (en_i) begin
      base      = restart_i ? moving_i[31:16] : moving_i[15:0];
      address_o = base + index_i;
      if (fixed_i[52]) begin
        wrap      = (16'd1 << fixed_i[51:48]) - 16'd1;
        address_o = (base & ~wrap) | (address_o & wrap);
      end
    end
  end

  assign window_o = address_o[15:9] == 7'(wl_pkg::WINDOW_BASE >> 9);

  always_comb begin
    avail_o = 4'd1;
    if (en_i & fixed_i[53]) begin
      if (Lanes == 8 && window_o) avail_o = fixed_i[55] ? 4'd4 - {2'b0, address_o[3:2]} : 4'd8 - {1'b0, address_o[3:1]};
      else if (Lanes == 8 && double_i) avail_o = fixed_i[55] ? 4'd4 - {3'b0, address_o[2]} : 4'd8 - {2'b0, address_o[2:1]};
      else avail_o = fixed_i[55] ? 4'd2 - {3'b0, address_o[2]} : 4'd4 - {2'b0, address_o[2:1]};
      if (moving_i[47:32] != 16'd0 && moving_i[47:32] < {12'd0, avail_o}) avail_o = moving_i[35:32];
    end
  end

  // After the group.
  always_comb begin : p_next
    logic [15:0] linear, row, next_row;
    linear    = 16'd0;
    row       = 16'd0;
    next_row  = 16'd0;
    last_o    = 1'b0;
    restart_o = 1'b0;
    save_o    = 16'd0;
    moving_o  = 64'd0;
    if (en_i) begin
      linear   = address_o + (fixed_i[53] ? {11'd0, fixed_i[55] ? {group_i[2:0], 2'b0} : {group_i, 1'b0}} : fixed_i[31:16]);
      row      = moving_i[31:16] + index_i;
      next_row = row + fixed_i[47:32];
      if (fixed_i[52]) begin
        linear   = (address_o & ~wrap) | (linear & wrap);
        row      = (moving_i[31:16] & ~wrap) | (row & wrap);
        next_row = (row & ~wrap) | ((row + fixed_i[47:32]) & wrap);
      end
      save_o   = linear;
      moving_o = {moving_i[63:48], moving_i[47:32] - {12'd0, group_i}, row, linear};
      if (moving_i[47:32] == {12'd0, group_i}) begin
        last_o    = moving_i[63:48] == 16'd1;
        restart_o = fixed_i[54];
        moving_o[63:32] = {moving_i[63:48] - 16'd1, fixed_i[15:0]};
        if (!fixed_i[54]) begin
          moving_o[31:0] = {next_row, next_row};
          save_o         = next_row;
        end
      end
    end
  end

  logic unused_misc;
  assign unused_misc = ^{fixed_i[63:56], double_i};

endmodule
