  // Properties of wl_router, put in front of its endmodule by scripts/formal (they read its registers).
  //
  // Environment: senders obey the link protocol, receivers are ready at will. Routes are written first (any routes in
  // which a position receives from one port and transmits somewhere), then traffic starts and they stay; switches move.
  // Proved by induction, so for runs of any length: the invariants below; no trap of any kind (with them no overflow, no
  // wavelet in the wrong position, none behind a control wavelet); conservation: for each colour and output, what came
  // in and is not yet out is exactly what the queue and the output register hold, so nothing is lost or doubled; and
  // every wavelet sent was allowed by the receiver.
  // FORMAL_MUST_FAIL adds a claim that is false; if it were provable, the assumptions would be contradictory.
  reg f_booted = 1'b0, f_setup = 1'b1, f_setup_d = 1'b1;
  (* anyseq *) wire f_more_setup;
  always @(posedge clk_i) begin
    f_booted <= 1'b1;
    f_setup <= f_setup & f_more_setup;
    f_setup_d <= f_setup;
  end
  wire f_traffic = f_booted & ~f_setup & ~f_setup_d;
  always @* assume (rst_ni == f_booted);
  always @* assume (edge_i == 4'd0);
  always @* if (!f_setup) assume (!cfg_i[40]);

  // Senders: a word is allowed by the ready of the cycle before, except after a control wavelet of its colour.
  reg [Colours-1:0] f_may_n, f_may_e, f_may_s, f_may_w, f_may_r;
  reg [Colours-1:0] f_give_n, f_give_e, f_give_s, f_give_w, f_give_r;  // what the receivers allowed the router
  always @(posedge clk_i) begin
    f_may_n <= ready_n_q & ~(north_i[37] ? One << north_i[36:32] : {Colours{1'b0}});
    f_may_e <= ready_e_q & ~(east_i[37] ? One << east_i[36:32] : {Colours{1'b0}});
    f_may_s <= ready_s_q & ~(south_i[37] ? One << south_i[36:32] : {Colours{1'b0}});
    f_may_w <= ready_w_q & ~(west_i[37] ? One << west_i[36:32] : {Colours{1'b0}});
    f_may_r <= ready_r_q & ~(ramp_i[37] ? One << ramp_i[36:32] : {Colours{1'b0}});
    f_give_n <= north_ready_i[Colours-1:0] & ~(north_q[37] ? One << north_q[36:32] : {Colours{1'b0}});
    f_give_e <= east_ready_i[Colours-1:0] & ~(east_q[37] ? One << east_q[36:32] : {Colours{1'b0}});
    f_give_s <= south_ready_i[Colours-1:0] & ~(south_q[37] ? One << south_q[36:32] : {Colours{1'b0}});
    f_give_w <= west_ready_i[Colours-1:0] & ~(west_q[37] ? One << west_q[36:32] : {Colours{1'b0}});
    f_give_r <= ramp_ready_i[Colours-1:0] & ~(ramp_q[37] ? One << ramp_q[36:32] : {Colours{1'b0}});
  end
  always @* begin
    if (!north_i[38]) assume (north_i == 39'd0);
    else assume (f_traffic && north_i[36:32] < Colours && f_may_n[north_i[36:32]]);
    if (!east_i[38]) assume (east_i == 39'd0);
    else assume (f_traffic && east_i[36:32] < Colours && f_may_e[east_i[36:32]]);
    if (!south_i[38]) assume (south_i == 39'd0);
    else assume (f_traffic && south_i[36:32] < Colours && f_may_s[south_i[36:32]]);
    if (!west_i[38]) assume (west_i == 39'd0);
    else assume (f_traffic && west_i[36:32] < Colours && f_may_w[west_i[36:32]]);
    if (!ramp_i[38]) assume (ramp_i == 39'd0);
    else assume (f_traffic && ramp_i[36:32] < Colours && f_may_r[ramp_i[36:32]]);
  end

  // Routes.
  generate for (genvar k = 0; k < 4 * Colours; k = k + 1) begin : f_routes
    wire [4:0] f_rx = {rx_r_all_q[k], rx_w_all_q[k], rx_s_all_q[k], rx_e_all_q[k], rx_n_all_q[k]};
    wire [4:0] f_tx = {tx_r_all_q[k], tx_w_all_q[k], tx_s_all_q[k], tx_e_all_q[k], tx_n_all_q[k]};
    always @* if (!f_setup) assume (f_rx != 5'd0 && (f_rx & (f_rx - 5'd1)) == 5'd0 && f_tx != 5'd0);
  end endgenerate

  // Invariants of the state.
  wire [Colours-1:0] f_owed = owed_n_q | owed_e_q | owed_s_q | owed_w_q | owed_r_q;
  wire [Colours-1:0] f_full = (Depth == 3) ? fill3_q : fill4_q;
  wire [Colours-1:0] f_room = ~((Depth == 3) ? fill2_q : fill3_q) & ~ctl_q;
  always @* if (f_booted) begin
    assert ((fill2_q & ~fill1_q) == 0 && (fill3_q & ~fill2_q) == 0 && (fill4_q & ~fill3_q) == 0);
    if (Depth == 3) assert (fill4_q == 0);
    assert (f_owed == fill1_q && (ctl_q & ~fill1_q) == 0);
    assert (rx_n_q == at_position(pos1_q, pos0_q, rx_n_all_q[3*Colours+:Colours], rx_n_all_q[2*Colours+:Colours],
        rx_n_all_q[Colours+:Colours], rx_n_all_q[0+:Colours]));
    assert (rx_e_q == at_position(pos1_q, pos0_q, rx_e_all_q[3*Colours+:Colours], rx_e_all_q[2*Colours+:Colours],
        rx_e_all_q[Colours+:Colours], rx_e_all_q[0+:Colours]));
    assert (rx_s_q == at_position(pos1_q, pos0_q, rx_s_all_q[3*Colours+:Colours], rx_s_all_q[2*Colours+:Colours],
        rx_s_all_q[Colours+:Colours], rx_s_all_q[0+:Colours]));
    assert (rx_w_q == at_position(pos1_q, pos0_q, rx_w_all_q[3*Colours+:Colours], rx_w_all_q[2*Colours+:Colours],
        rx_w_all_q[Colours+:Colours], rx_w_all_q[0+:Colours]));
    assert (rx_r_q == at_position(pos1_q, pos0_q, rx_r_all_q[3*Colours+:Colours], rx_r_all_q[2*Colours+:Colours],
        rx_r_all_q[Colours+:Colours], rx_r_all_q[0+:Colours]));
    assert (tx_n_q == at_position(pos1_q, pos0_q, tx_n_all_q[3*Colours+:Colours], tx_n_all_q[2*Colours+:Colours],
        tx_n_all_q[Colours+:Colours], tx_n_all_q[0+:Colours]));
    assert (tx_e_q == at_position(pos1_q, pos0_q, tx_e_all_q[3*Colours+:Colours], tx_e_all_q[2*Colours+:Colours],
        tx_e_all_q[Colours+:Colours], tx_e_all_q[0+:Colours]));
    assert (tx_s_q == at_position(pos1_q, pos0_q, tx_s_all_q[3*Colours+:Colours], tx_s_all_q[2*Colours+:Colours],
        tx_s_all_q[Colours+:Colours], tx_s_all_q[0+:Colours]));
    assert (tx_w_q == at_position(pos1_q, pos0_q, tx_w_all_q[3*Colours+:Colours], tx_w_all_q[2*Colours+:Colours],
        tx_w_all_q[Colours+:Colours], tx_w_all_q[0+:Colours]));
    assert (tx_r_q == at_position(pos1_q, pos0_q, tx_r_all_q[3*Colours+:Colours], tx_r_all_q[2*Colours+:Colours],
        tx_r_all_q[Colours+:Colours], tx_r_all_q[0+:Colours]));
    assert (routed_q == (tx_n_q | tx_e_q | tx_s_q | tx_w_q | tx_r_q));
    assert (open_q == ~(rx_n_q | rx_e_q | rx_s_q | rx_w_q | rx_r_q | routed_q));
    assert (ready_n_q == ((f_room & rx_n_q) | open_q));
    assert (ready_e_q == ((f_room & rx_e_q) | open_q));
    assert (ready_s_q == ((f_room & rx_s_q) | open_q));
    assert (ready_w_q == ((f_room & rx_w_q) | open_q));
    assert (ready_r_q == ((f_room & rx_r_q) | open_q));
    assert ((owed_n_q & ~tx_n_q) == 0);
    assert ((owed_e_q & ~tx_e_q) == 0);
    assert ((owed_s_q & ~tx_s_q) == 0);
    assert ((owed_w_q & ~tx_w_q) == 0);
    assert ((owed_r_q & ~tx_r_q) == 0);
    assert (trap_q == 32'd0);
    if (f_setup | f_setup_d) assert (fill1_q == 0);
    if (f_traffic) assert ((f_may_n & ~(rx_n_q & ~ctl_q & ~f_full)) == 0);
    if (f_traffic) assert ((f_may_e & ~(rx_e_q & ~ctl_q & ~f_full)) == 0);
    if (f_traffic) assert ((f_may_s & ~(rx_s_q & ~ctl_q & ~f_full)) == 0);
    if (f_traffic) assert ((f_may_w & ~(rx_w_q & ~ctl_q & ~f_full)) == 0);
    if (f_traffic) assert ((f_may_r & ~(rx_r_q & ~ctl_q & ~f_full)) == 0);
    assert (north_q[38] || north_q[37:32] == 6'd0);
    if (north_q[38]) assert (f_traffic && north_q[36:32] < Colours && f_give_n[north_q[36:32]]);
    assert (east_q[38] || east_q[37:32] == 6'd0);
    if (east_q[38]) assert (f_traffic && east_q[36:32] < Colours && f_give_e[east_q[36:32]]);
    assert (south_q[38] || south_q[37:32] == 6'd0);
    if (south_q[38]) assert (f_traffic && south_q[36:32] < Colours && f_give_s[south_q[36:32]]);
    assert (west_q[38] || west_q[37:32] == 6'd0);
    if (west_q[38]) assert (f_traffic && west_q[36:32] < Colours && f_give_w[west_q[36:32]]);
    assert (ramp_q[38] || ramp_q[37:32] == 6'd0);
    if (ramp_q[38]) assert (f_traffic && ramp_q[36:32] < Colours && f_give_r[ramp_q[36:32]]);
  end

  // Conservation.
  generate for (genvar c = 0; c < Colours; c = c + 1) begin : f_conserve
    wire f_in = (north_i[38] & (north_i[36:32] == c)) | (east_i[38] & (east_i[36:32] == c)) | (south_i[38] & (south_i[36:32] == c)) | (west_i[38] & (west_i[36:32] == c)) | (ramp_i[38] & (ramp_i[36:32] == c));
    wire [2:0] f_behind = 3'(fill2_q[c]) + 3'(fill3_q[c]) + 3'(fill4_q[c]);
    wire f_out_n = north_q[38] & (north_q[36:32] == c);
    reg [2:0] f_due_n = 3'd0;
    always @(posedge clk_i) f_due_n <= !f_booted ? 3'd0 : f_due_n + 3'(f_in & tx_n_q[c]) - 3'(f_out_n);
    always @* if (f_booted) assert (f_due_n == 3'(owed_n_q[c]) + (tx_n_q[c] ? f_behind : 3'd0) + 3'(f_out_n));
    always @* if (!f_booted) assert (f_due_n == 3'd0);
    wire f_out_e = east_q[38] & (east_q[36:32] == c);
    reg [2:0] f_due_e = 3'd0;
    always @(posedge clk_i) f_due_e <= !f_booted ? 3'd0 : f_due_e + 3'(f_in & tx_e_q[c]) - 3'(f_out_e);
    always @* if (f_booted) assert (f_due_e == 3'(owed_e_q[c]) + (tx_e_q[c] ? f_behind : 3'd0) + 3'(f_out_e));
    always @* if (!f_booted) assert (f_due_e == 3'd0);
    wire f_out_s = south_q[38] & (south_q[36:32] == c);
    reg [2:0] f_due_s = 3'd0;
    always @(posedge clk_i) f_due_s <= !f_booted ? 3'd0 : f_due_s + 3'(f_in & tx_s_q[c]) - 3'(f_out_s);
    always @* if (f_booted) assert (f_due_s == 3'(owed_s_q[c]) + (tx_s_q[c] ? f_behind : 3'd0) + 3'(f_out_s));
    always @* if (!f_booted) assert (f_due_s == 3'd0);
    wire f_out_w = west_q[38] & (west_q[36:32] == c);
    reg [2:0] f_due_w = 3'd0;
    always @(posedge clk_i) f_due_w <= !f_booted ? 3'd0 : f_due_w + 3'(f_in & tx_w_q[c]) - 3'(f_out_w);
    always @* if (f_booted) assert (f_due_w == 3'(owed_w_q[c]) + (tx_w_q[c] ? f_behind : 3'd0) + 3'(f_out_w));
    always @* if (!f_booted) assert (f_due_w == 3'd0);
    wire f_out_r = ramp_q[38] & (ramp_q[36:32] == c);
    reg [2:0] f_due_r = 3'd0;
    always @(posedge clk_i) f_due_r <= !f_booted ? 3'd0 : f_due_r + 3'(f_in & tx_r_q[c]) - 3'(f_out_r);
    always @* if (f_booted) assert (f_due_r == 3'(owed_r_q[c]) + (tx_r_q[c] ? f_behind : 3'd0) + 3'(f_out_r));
    always @* if (!f_booted) assert (f_due_r == 3'd0);
  end endgenerate
`ifdef FORMAL_ORDER
  // Order and value: colour 0 on a static route carries its number in three bits of the payload (more than it can have
  // on the way); every output sees the numbers in order. The slots hold the numbers that the pointers say.
  always @* if (!f_setup) assume (!last0_q[0] && !last1_q[0] && !pos0_q[0] && !pos1_q[0] && !ring_q[0]);
  reg [2:0] f_number = 3'd0;
  wire [2:0] f_fill = 3'(fill1_q[0]) + f_conserve[0].f_behind;
  wire [2:0] f_rd = {1'b0, rd1_q[0], rd0_q[0]}, f_wr = {1'b0, wr1_q[0], wr0_q[0]};
  wire f_arrives = f_conserve[0].f_in;
  always @(posedge clk_i) f_number <= !f_booted ? 3'd0 : f_number + 3'(f_arrives);
  always @* begin
    if (north_i[38] && north_i[36:32] == 5'd0) assume (north_i[2:0] == f_number);
    if (east_i[38] && east_i[36:32] == 5'd0) assume (east_i[2:0] == f_number);
    if (south_i[38] && south_i[36:32] == 5'd0) assume (south_i[2:0] == f_number);
    if (west_i[38] && west_i[36:32] == 5'd0) assume (west_i[2:0] == f_number);
    if (ramp_i[38] && ramp_i[36:32] == 5'd0) assume (ramp_i[2:0] == f_number);
    if (f_booted) begin
      assert (f_rd < Depth && f_wr < Depth && (f_rd + f_fill == f_wr || f_rd + f_fill == f_wr + Depth));
      if (fill1_q[0]) assert (data_q[(f_rd + 0) % Depth][2:0] == 3'(f_number - f_fill + 3'd0));
      if (fill2_q[0]) assert (data_q[(f_rd + 1) % Depth][2:0] == 3'(f_number - f_fill + 3'd1));
      if (fill3_q[0]) assert (data_q[(f_rd + 2) % Depth][2:0] == 3'(f_number - f_fill + 3'd2));
      if (fill4_q[0]) assert (data_q[(f_rd + 3) % Depth][2:0] == 3'(f_number - f_fill + 3'd3));
    end else assert (f_number == 3'd0);
  end
  reg [2:0] f_got_n = 3'd0;
  wire f_out0_n = north_q[38] & (north_q[36:32] == 5'd0);
  always @(posedge clk_i) f_got_n <= !f_booted ? 3'd0 : f_got_n + 3'(f_out0_n);
  always @* if (f_booted && !f_setup && tx_n_q[0]) begin
    assert (3'(f_got_n + 3'(f_out0_n)) == 3'(f_number - f_fill + 3'(fill1_q[0] & ~owed_n_q[0])));
    if (f_out0_n) assert (north_q[2:0] == f_got_n);
  end
  always @* if (f_setup || f_setup_d) assert (!f_booted || (f_got_n == 3'd0 && f_number == 3'd0));
  reg [2:0] f_got_e = 3'd0;
  wire f_out0_e = east_q[38] & (east_q[36:32] == 5'd0);
  always @(posedge clk_i) f_got_e <= !f_booted ? 3'd0 : f_got_e + 3'(f_out0_e);
  always @* if (f_booted && !f_setup && tx_e_q[0]) begin
    assert (3'(f_got_e + 3'(f_out0_e)) == 3'(f_number - f_fill + 3'(fill1_q[0] & ~owed_e_q[0])));
    if (f_out0_e) assert (east_q[2:0] == f_got_e);
  end
  always @* if (f_setup || f_setup_d) assert (!f_booted || (f_got_e == 3'd0 && f_number == 3'd0));
  reg [2:0] f_got_s = 3'd0;
  wire f_out0_s = south_q[38] & (south_q[36:32] == 5'd0);
  always @(posedge clk_i) f_got_s <= !f_booted ? 3'd0 : f_got_s + 3'(f_out0_s);
  always @* if (f_booted && !f_setup && tx_s_q[0]) begin
    assert (3'(f_got_s + 3'(f_out0_s)) == 3'(f_number - f_fill + 3'(fill1_q[0] & ~owed_s_q[0])));
    if (f_out0_s) assert (south_q[2:0] == f_got_s);
  end
  always @* if (f_setup || f_setup_d) assert (!f_booted || (f_got_s == 3'd0 && f_number == 3'd0));
  reg [2:0] f_got_w = 3'd0;
  wire f_out0_w = west_q[38] & (west_q[36:32] == 5'd0);
  always @(posedge clk_i) f_got_w <= !f_booted ? 3'd0 : f_got_w + 3'(f_out0_w);
  always @* if (f_booted && !f_setup && tx_w_q[0]) begin
    assert (3'(f_got_w + 3'(f_out0_w)) == 3'(f_number - f_fill + 3'(fill1_q[0] & ~owed_w_q[0])));
    if (f_out0_w) assert (west_q[2:0] == f_got_w);
  end
  always @* if (f_setup || f_setup_d) assert (!f_booted || (f_got_w == 3'd0 && f_number == 3'd0));
  reg [2:0] f_got_r = 3'd0;
  wire f_out0_r = ramp_q[38] & (ramp_q[36:32] == 5'd0);
  always @(posedge clk_i) f_got_r <= !f_booted ? 3'd0 : f_got_r + 3'(f_out0_r);
  always @* if (f_booted && !f_setup && tx_r_q[0]) begin
    assert (3'(f_got_r + 3'(f_out0_r)) == 3'(f_number - f_fill + 3'(fill1_q[0] & ~owed_r_q[0])));
    if (f_out0_r) assert (ramp_q[2:0] == f_got_r);
  end
  always @* if (f_setup || f_setup_d) assert (!f_booted || (f_got_r == 3'd0 && f_number == 3'd0));
`endif
`ifdef FORMAL_DRAIN
  // Progress: with every receiver ready and nothing arriving, all queues are empty after FORMAL_DRAIN cycles.
  reg [4:0] f_calm = 5'd0;
  wire f_is_calm = f_booted & ~(north_i[38] | east_i[38] | south_i[38] | west_i[38] | ramp_i[38])
      & (&{north_ready_i[Colours-1:0], east_ready_i[Colours-1:0], south_ready_i[Colours-1:0], west_ready_i[Colours-1:0], ramp_ready_i[Colours-1:0]});
  always @(posedge clk_i) f_calm <= !f_is_calm ? 5'd0 : f_calm == 5'd31 ? 5'd31 : f_calm + 5'd1;
  always @* if (f_booted && f_calm >= `FORMAL_DRAIN) assert (fill1_q == 0);
`endif
`ifdef FORMAL_MUST_FAIL
  // False: a full queue of colour 0 with a control wavelet at its end, multicast and half served, after a switch moved.
  always @* assert (!(f_booted && f_full[0] && ctl_q[0] && pos0_q[0] && tx_n_q[0] && !owed_n_q[0]));
`endif
