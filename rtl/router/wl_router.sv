// Five-port wavelet router: one queue per colour, static or switched multicast routes, registered outputs.
//
// What holds at the boundary (docs/developer/contracts.md, sections 1 and 2):
//   - link words and ready words are registers here; no combinational path crosses the unit;
//   - a wavelet seen on a link in cycle t leaves in cycle t + Hop when its way is free, one seen on the ramp in t + 1;
//   - ready is a level with slack: whatever a sender launched on a stale ready is still taken;
//   - a blocked colour holds only its own queue, so it never slows another colour;
//   - a control wavelet is always the last one of its queue, so nothing lands behind it in the wrong position.
//
// Depth. A wavelet launched on the ready of cycle t is counted in cycle t + 2, so two more may land after the fill at
// which ready drops: ready = (fill <= Depth - 2). For full rate the queue must not run dry before the first wavelet
// launched on the new ready can leave. Hop 1 lets an arrival pass an empty queue (bypass), one stored wavelet bridges
// the gap, Depth 3. Hop 2 has no bypass for links, the queue itself is the extra register, two are needed, Depth 4; from
// the ramp it has one, so that the extra cycle is charged between routers only.
// Both thresholds are stable at any fill, so a stalled router is quiet.
//
// Coding. One bit plane (a vector of Colours bits) per port and fact, one clocked process, work guarded by activity,
// reset written last, one-hot grants by h & (~h + 1), block temporaries written first. The usual two-process style
// costs 15,000 host instructions per evaluated cycle of the verilated model; this one costs 130 idle, 540 with five streams.
//
// Length: the five ports are written out in one process, because a loop or a module boundary costs host instructions.
module wl_router #(
    parameter int unsigned Hop       = 1,  // cycles from link register to link register, 1 or 2
    parameter int unsigned RampExtra = 0,  // registers added in each direction of the ramp (T_R - 2), at most Depth - 2
    parameter int unsigned Depth     = 3,  // wavelets per colour: 3 or 4, at least Hop + 2 for full rate
    parameter int unsigned Colours   = 24  // colours in use; a wavelet of any other colour traps
) (
    input  logic        clk_i,
    input  logic        rst_ni,  // synchronous, active low, held for two edges or more

    input  logic [38:0] north_i,  // {valid, control, colour[4:0], data[31:0]}, all zero when not valid
    input  logic [38:0] east_i,
    input  logic [38:0] south_i,
    input  logic [38:0] west_i,
    input  logic [38:0] ramp_i,
    output logic [23:0] north_ready_o,  // to the sender on that side
    output logic [23:0] east_ready_o,
    output logic [23:0] south_ready_o,
    output logic [23:0] west_ready_o,
    output logic [23:0] ramp_ready_o,

    output logic [38:0] north_o,
    output logic [38:0] east_o,
    output logic [38:0] south_o,
    output logic [38:0] west_o,
    output logic [38:0] ramp_o,
    input  logic [23:0] north_ready_i,  // from the receiver on that side
    input  logic [23:0] east_ready_i,
    input  logic [23:0] south_ready_i,
    input  logic [23:0] west_ready_i,
    input  logic [23:0] ramp_ready_i,

    input  logic [ 3:0] edge_i,   // static; bit d: nothing is attached in direction d
    input  logic [40:0] cfg_i,    // {valid, address {colour[4:0], word[2:0]}, data[31:0]}
    output logic        quiet_o,  // the last edge enabled no register, counters apart
    output logic [ 3:0] class_o,  // class of the next cycle if no input changes; holds while quiet
    output logic [31:0] trap_o    // sticky: [7:0] cause, [12:8] colour, [18:16] port
);
  typedef logic [Colours-1:0] plane_t;

  localparam int unsigned Slots = Colours * Depth;
  localparam int unsigned RampDrop = Depth - 1 - RampExtra;  // fill at which the ramp's ready drops
  localparam int unsigned SlotWidth = $clog2(Slots);
  // Which colours have bit k set in their number: the one-hot to binary encoder.
  localparam logic [31:0] Bit0 = 32'hAAAA_AAAA, Bit1 = 32'hCCCC_CCCC, Bit2 = 32'hF0F0_F0F0;
  localparam logic [31:0] Bit3 = 32'hFF00_FF00, Bit4 = 32'hFFFF_0000;
  localparam plane_t One = 1;

  localparam logic [7:0] TrapNoRoute = 8'd1, TrapEdge = 8'd2, TrapTwoPorts = 8'd3;
  localparam logic [7:0] TrapReserved = 8'd4, TrapOverflow = 8'd5;
  localparam logic [2:0] PortConfig = 3'd5;  // a configuration write left stored wavelets without a route

  if (Hop < 1 || Hop > 2 || Depth < 3 || Depth > 4 || RampExtra + 2 > Depth || Colours < 1 || Colours > 24)
  begin : g_check
    $error("wl_router: Hop is 1 or 2, Depth 3 or 4, RampExtra at most Depth - 2, Colours 1 to 24");
  end

  // ---- State. Suffixes n e s w r name the ports; every plane_t has one bit per colour.
  // Fill of each queue as a thermometer: fillK = "at least K wavelets stored".
  plane_t fill1_q, fill2_q, fill3_q, fill4_q;
  plane_t rd0_q, rd1_q, wr0_q, wr1_q;  // head and tail slot, two bits each
  plane_t ctl_q;                       // the last wavelet of this queue is a control wavelet
  plane_t owed_n_q, owed_e_q, owed_s_q, owed_w_q, owed_r_q;       // ports that the head is still owed to
  plane_t above_n_q, above_e_q, above_s_q, above_w_q, above_r_q;  // round robin: colours above the last grant
  plane_t rx_n_q, rx_e_q, rx_s_q, rx_w_q, rx_r_q;  // masks of the current positions
  plane_t tx_n_q, tx_e_q, tx_s_q, tx_w_q, tx_r_q;
  plane_t routed_q;  // the current position transmits somewhere
  plane_t open_q;    // the current position has no route at all: take and trap
  plane_t pos0_q, pos1_q, last0_q, last1_q, ring_q;
  // Masks of all four positions as configured: bit p * Colours + c is position p of colour c.
  logic [4*Colours-1:0] rx_n_all_q, rx_e_all_q, rx_s_all_q, rx_w_all_q, rx_r_all_q;
  logic [4*Colours-1:0] tx_n_all_q, tx_e_all_q, tx_s_all_q, tx_w_all_q, tx_r_all_q;
  plane_t ready_n_q, ready_e_q, ready_s_q, ready_w_q, ready_r_q;
  logic [38:0] north_q, east_q, south_q, west_q, ramp_q;
  logic        quiet_q;
  logic [ 1:0] class_q;
  logic [31:0] trap_q;
  logic [31:0] data_q      [Slots];  // payload of slot s of colour c at c * Depth + s
  logic [47:0] class_cnt_q [4];      // evaluated cycles by class
  logic [47:0] link_cnt_q  [5];      // wavelets driven on each output

  // ---- The ramp's extra registers.
  logic [38:0] ramp_in;    // the ramp's word as the queues see it
  logic        ramp_busy;  // a wavelet moves in the extra registers
  plane_t      ramp_ctl;   // colours with a control wavelet in the inbound registers after this edge
  if (RampExtra == 0) begin : g_ramp_direct
    assign ramp_in   = ramp_i;
    assign ramp_o    = ramp_q;
    assign ramp_busy = 1'b0;
    assign ramp_ctl  = '0;
  end else begin : g_ramp_extra
    wl_router_ramp #(
        .Extra  (RampExtra),
        .Colours(Colours)
    ) u_ramp (
        .clk_i,
        .rst_ni,
        .in_i     (ramp_i),
        .in_o     (ramp_in),
        .out_i    (ramp_q),
        .out_o    (ramp_o),
        .busy_o   (ramp_busy),
        .control_o(ramp_ctl)
    );
  end

  // Mask of the position that each colour is in.
  function automatic plane_t at_position(input plane_t p1, input plane_t p0, input plane_t m3, input plane_t m2,
                                         input plane_t m1, input plane_t m0);
    at_position = (~p1 & ((~p0 & m0) | (p0 & m1))) | (p1 & ((~p0 & m2) | (p0 & m3)));
  endfunction

  // Plane `old` with the colours of `sel` set to `value`.
  function automatic plane_t put(input plane_t old, input plane_t sel, input logic value);
    put = (old & ~sel) | (sel & {Colours{value}});
  endfunction

  // Number of the one colour in a one-hot plane.
  function automatic logic [4:0] number(input plane_t one_hot);
    number = {
      |(one_hot & Bit4[Colours-1:0]),
      |(one_hot & Bit3[Colours-1:0]),
      |(one_hot & Bit2[Colours-1:0]),
      |(one_hot & Bit1[Colours-1:0]),
      |(one_hot & Bit0[Colours-1:0])
    };
  endfunction

  // Where slot {slot1, slot0} of a colour is kept.
  function automatic logic [SlotWidth-1:0] slot_of(input logic [4:0] colour, input logic slot1, input logic slot0);
    slot_of = SlotWidth'(32'(colour) * Depth + 32'({slot1, slot0}));
  endfunction

  // First requested colour above the last grant, else the first of all.
  function automatic plane_t first(input plane_t req, input plane_t above);
    plane_t pool;
    pool = (req & above) != '0 ? req & above : req;
    first = pool & (~pool + One);
  endfunction

  // One clocked process instead of two, and temporaries in it: see the note on coding above. Its three arrays are assigned
  // with `=`: nothing else reads them, here every read comes first, and Verilator pays for each `<=` to an array in every
  // evaluation, 56 host instructions altogether.
  // verilator lint_off BLKSEQ
  always_ff @(posedge clk_i) begin : step
    logic arrived, granted, sending, waiting, halted, moved, trapped, stored, rerouted, bad;
    logic [31:0] in_n, in_e, in_s, in_w, in_r, seen, twice;  // arrivals by port, all, colliding ones: by any colour
    plane_t in_ctl;                                          // control wavelets that arrive
    plane_t fresh, pass, push;                     // taken, passing an empty queue, to be stored
    plane_t live, done, pop, head;                 // heads to serve, served, leaving, coming to the head of a queue
    plane_t left_n, left_e, left_s, left_w, left_r, req, gnt, over, lost;
    plane_t free_n, free_e, free_s, free_w, free_r;  // colours whose last wavelet on this output was no control wavelet
    plane_t advance, restart, at_last, sel, more, less, hold, wrap, ctl, room, ramp_room, open;
    plane_t fill1, fill2, fill3, pos0, pos1, bad_in, bad_rx;
    plane_t rx_n, rx_e, rx_s, rx_w, rx_r, tx_n, tx_e, tx_s, tx_w, tx_r;
    logic [4*Colours-1:0] sel_all;  // the position that configuration writes
    logic [38:0] word;
    logic [7:0] cause;
    logic [SlotWidth-1:0] slot;  // a call in the index of a non-blocking assignment is an internal error of Verilator 5.032
    logic [4:0] colour;
    logic [2:0] port;
    logic [1:0] cls, any_in, any_out;  // valid and control of any arrival, of any output

    in_n = '0; in_e = '0; in_s = '0; in_w = '0; in_r = '0; in_ctl = '0;
    seen = '0; twice = '0; fresh = '0; pass = '0; push = '0; live = fill1_q; done = '0; pop = '0; head = '0;
    left_n = '0; left_e = '0; left_s = '0; left_w = '0; left_r = '0; req = '0; gnt = '0; over = '0; lost = '0;
    free_n = '1; free_e = '1; free_s = '1; free_w = '1; free_r = '1;
    advance = '0; restart = '0; at_last = '0; sel = '0; more = '0; less = '0; hold = '0; wrap = '0; ctl = '0;
    room = '0; ramp_room = '0; open = '0; fill1 = fill1_q; fill2 = '0; fill3 = '0; pos0 = '0; pos1 = '0;
    bad_in = '0; bad_rx = '0; sel_all = '0; word = '0; slot = '0; cause = '0; colour = '0; port = '0; cls = '0;
    rx_n = '0; rx_e = '0; rx_s = '0; rx_w = '0; rx_r = '0; tx_n = '0; tx_e = '0; tx_s = '0; tx_w = '0; tx_r = '0;
    granted = 1'b0; moved = 1'b0; trapped = 1'b0; stored = 1'b0; rerouted = 1'b0; bad = 1'b0;
    word = north_i | east_i | south_i | west_i | ramp_in;
    any_in = word[38:37];
    arrived = any_in[1];
    word = north_q | east_q | south_q | west_q | ramp_q;
    any_out = word[38:37];
    sending = any_out[1];
    waiting = fill1_q != '0;
    halted = trap_q[7:0] != '0;

    if (arrived | sending | waiting | cfg_i[40] | ramp_busy) begin
      // ---- Arrivals. What is not taken traps.
      if (arrived) begin
        if (north_i[38]) begin
          in_n = 32'd1 << north_i[36:32];
          twice = twice | (seen & in_n);
          seen = seen | in_n;
          fresh = fresh | (in_n[Colours-1:0] & rx_n_q);
        end
        if (east_i[38]) begin
          in_e = 32'd1 << east_i[36:32];
          twice = twice | (seen & in_e);
          seen = seen | in_e;
          fresh = fresh | (in_e[Colours-1:0] & rx_e_q);
        end
        if (south_i[38]) begin
          in_s = 32'd1 << south_i[36:32];
          twice = twice | (seen & in_s);
          seen = seen | in_s;
          fresh = fresh | (in_s[Colours-1:0] & rx_s_q);
        end
        if (west_i[38]) begin
          in_w = 32'd1 << west_i[36:32];
          twice = twice | (seen & in_w);
          seen = seen | in_w;
          fresh = fresh | (in_w[Colours-1:0] & rx_w_q);
        end
        if (ramp_in[38]) begin
          in_r = 32'd1 << ramp_in[36:32];
          twice = twice | (seen & in_r);
          seen = seen | in_r;
          fresh = fresh | (in_r[Colours-1:0] & rx_r_q);
        end
        fresh = fresh & routed_q & ~(twice[Colours-1:0] | ctl_q | ((Depth == 3) ? fill3_q : fill4_q));
        if (any_in[0]) begin
          in_ctl = (in_n[Colours-1:0] & {Colours{north_i[37]}}) | (in_e[Colours-1:0] & {Colours{east_i[37]}}) | (in_s[Colours-1:0] & {Colours{south_i[37]}})
              | (in_w[Colours-1:0] & {Colours{west_i[37]}}) | (in_r[Colours-1:0] & {Colours{ramp_in[37]}});
        end
        if (seen != 32'(fresh)) trapped = 1'b1;  // reserved colours are beyond the planes
        pass = fresh & ~fill1_q;
        if (Hop != 1) pass = pass & in_r[Colours-1:0];
        live = fill1_q | pass;
      end

      // ---- Grants: one colour for each output, round robin among those that its receiver is ready for. For one cycle
      // after a control wavelet the receiver's ready does not tell yet that it is queued there.
      left_n = owed_n_q | (pass & tx_n_q);
      left_e = owed_e_q | (pass & tx_e_q);
      left_s = owed_s_q | (pass & tx_s_q);
      left_w = owed_w_q | (pass & tx_w_q);
      left_r = owed_r_q | (pass & tx_r_q);
      if (edge_i != '0) begin
        over = (left_n & {Colours{edge_i[0]}}) | (left_e & {Colours{edge_i[1]}}) | (left_s & {Colours{edge_i[2]}})
            | (left_w & {Colours{edge_i[3]}});
        left_n = left_n & {Colours{~edge_i[0]}};
        left_e = left_e & {Colours{~edge_i[1]}};
        left_s = left_s & {Colours{~edge_i[2]}};
        left_w = left_w & {Colours{~edge_i[3]}};
        if (over != '0) trapped = 1'b1;
      end
      if (any_out[0]) begin
        if (north_q[37]) free_n = ~(One << north_q[36:32]);
        if (east_q[37]) free_e = ~(One << east_q[36:32]);
        if (south_q[37]) free_s = ~(One << south_q[36:32]);
        if (west_q[37]) free_w = ~(One << west_q[36:32]);
        if (ramp_q[37]) free_r = ~(One << ramp_q[36:32]);
      end
      req = left_n & north_ready_i[Colours-1:0] & free_n;
      if (req != '0) begin
        gnt = first(req, above_n_q);
        if ((gnt & pass) != '0) begin
          word = (gnt & in_s[Colours-1:0]) != '0 ? south_i : (gnt & in_r[Colours-1:0]) != '0 ? ramp_in : (gnt & in_e[Colours-1:0]) != '0 ? east_i
              : (gnt & in_w[Colours-1:0]) != '0 ? west_i : north_i;
        end else begin
          colour = number(gnt);
          word = {1'b1, |(gnt & ctl_q & ~fill2_q), colour, data_q[slot_of(colour, |(gnt & rd1_q), |(gnt & rd0_q))]};
        end
        if (word[37]) begin
          if (word[7:6] == 2'd1) advance = advance | gnt;
          if (word[7:6] == 2'd2) restart = restart | gnt;
        end
        left_n = left_n & ~gnt;
        granted = 1'b1;
        north_q <= word;
        above_n_q <= -(gnt << 1);
        link_cnt_q[0] = link_cnt_q[0] + 48'd1;
      end else begin
        north_q <= '0;
      end
      req = left_e & east_ready_i[Colours-1:0] & free_e;
      if (req != '0) begin
        gnt = first(req, above_e_q);
        if ((gnt & pass) != '0) begin
          word = (gnt & in_w[Colours-1:0]) != '0 ? west_i : (gnt & in_r[Colours-1:0]) != '0 ? ramp_in : (gnt & in_n[Colours-1:0]) != '0 ? north_i
              : (gnt & in_s[Colours-1:0]) != '0 ? south_i : east_i;
        end else begin
          colour = number(gnt);
          word = {1'b1, |(gnt & ctl_q & ~fill2_q), colour, data_q[slot_of(colour, |(gnt & rd1_q), |(gnt & rd0_q))]};
        end
        if (word[37]) begin
          if (word[7:6] == 2'd1) advance = advance | gnt;
          if (word[7:6] == 2'd2) restart = restart | gnt;
        end
        left_e = left_e & ~gnt;
        granted = 1'b1;
        east_q <= word;
        above_e_q <= -(gnt << 1);
        link_cnt_q[1] = link_cnt_q[1] + 48'd1;
      end else begin
        east_q <= '0;
      end
      req = left_s & south_ready_i[Colours-1:0] & free_s;
      if (req != '0) begin
        gnt = first(req, above_s_q);
        if ((gnt & pass) != '0) begin
          word = (gnt & in_n[Colours-1:0]) != '0 ? north_i : (gnt & in_r[Colours-1:0]) != '0 ? ramp_in : (gnt & in_w[Colours-1:0]) != '0 ? west_i
              : (gnt & in_e[Colours-1:0]) != '0 ? east_i : south_i;
        end else begin
          colour = number(gnt);
          word = {1'b1, |(gnt & ctl_q & ~fill2_q), colour, data_q[slot_of(colour, |(gnt & rd1_q), |(gnt & rd0_q))]};
        end
        if (word[37]) begin
          if (word[7:6] == 2'd1) advance = advance | gnt;
          if (word[7:6] == 2'd2) restart = restart | gnt;
        end
        left_s = left_s & ~gnt;
        granted = 1'b1;
        south_q <= word;
        above_s_q <= -(gnt << 1);
        link_cnt_q[2] = link_cnt_q[2] + 48'd1;
      end else begin
        south_q <= '0;
      end
      req = left_w & west_ready_i[Colours-1:0] & free_w;
      if (req != '0) begin
        gnt = first(req, above_w_q);
        if ((gnt & pass) != '0) begin
          word = (gnt & in_e[Colours-1:0]) != '0 ? east_i : (gnt & in_r[Colours-1:0]) != '0 ? ramp_in : (gnt & in_n[Colours-1:0]) != '0 ? north_i
              : (gnt & in_s[Colours-1:0]) != '0 ? south_i : west_i;
        end else begin
          colour = number(gnt);
          word = {1'b1, |(gnt & ctl_q & ~fill2_q), colour, data_q[slot_of(colour, |(gnt & rd1_q), |(gnt & rd0_q))]};
        end
        if (word[37]) begin
          if (word[7:6] == 2'd1) advance = advance | gnt;
          if (word[7:6] == 2'd2) restart = restart | gnt;
        end
        left_w = left_w & ~gnt;
        granted = 1'b1;
        west_q <= word;
        above_w_q <= -(gnt << 1);
        link_cnt_q[3] = link_cnt_q[3] + 48'd1;
      end else begin
        west_q <= '0;
      end
      req = left_r & ramp_ready_i[Colours-1:0] & free_r;
      if (req != '0) begin
        gnt = first(req, above_r_q);
        if ((gnt & pass) != '0) begin
          word = (gnt & in_n[Colours-1:0]) != '0 ? north_i : (gnt & in_w[Colours-1:0]) != '0 ? west_i : (gnt & in_e[Colours-1:0]) != '0 ? east_i
              : (gnt & in_s[Colours-1:0]) != '0 ? south_i : ramp_in;
        end else begin
          colour = number(gnt);
          word = {1'b1, |(gnt & ctl_q & ~fill2_q), colour, data_q[slot_of(colour, |(gnt & rd1_q), |(gnt & rd0_q))]};
        end
        if (word[37]) begin
          if (word[7:6] == 2'd1) advance = advance | gnt;
          if (word[7:6] == 2'd2) restart = restart | gnt;
        end
        left_r = left_r & ~gnt;
        granted = 1'b1;
        ramp_q <= word;
        above_r_q <= -(gnt << 1);
        link_cnt_q[4] = link_cnt_q[4] + 48'd1;
      end else begin
        ramp_q <= '0;
      end
      done = live & ~(left_n | left_e | left_s | left_w | left_r);
      pop = done & fill1_q;
      push = fresh & ~(pass & done);

      // ---- Fill.
      ctl = ctl_q;
      fill2 = fill2_q;
      fill3 = fill3_q;
      stored = (push | pop) != '0;
      if (stored) begin
        more = push & ~pop;
        less = pop & ~push;
        hold = ~(more | less);
        fill1 = (hold & fill1_q) | more | (less & fill2_q);
        fill2 = (hold & fill2_q) | (more & fill1_q) | (less & fill3_q);
        fill3 = (hold & fill3_q) | (more & fill2_q) | (less & fill4_q);
        ctl = (ctl_q & ~(pop & ~fill2_q)) | (push & in_ctl);
        head = (pop & fill1) | (push & ~fill1_q & ~pass);
        lost = head & ~routed_q;  // its route was taken away while it waited
        if (lost != '0) trapped = 1'b1;
      end
      room = ~((Depth == 3) ? fill2 : fill3) & ~ctl;
      ramp_room = ~((RampDrop == 1) ? fill1 : (RampDrop == 2) ? fill2 : fill3) & ~ctl & ~ramp_ctl;

      // ---- Traps: the first one stays. An arrival traps on its own port, an edge on the direction asked for.
      if (trapped && !halted) begin
        if (north_i[38] && (in_n[Colours-1:0] & fresh) == '0) begin
          colour = north_i[36:32];
          bad_in = in_n[Colours-1:0];
          bad_rx = rx_n_q;
          port = 3'd0;
          bad = 1'b1;
        end else if (east_i[38] && (in_e[Colours-1:0] & fresh) == '0) begin
          colour = east_i[36:32];
          bad_in = in_e[Colours-1:0];
          bad_rx = rx_e_q;
          port = 3'd1;
          bad = 1'b1;
        end else if (south_i[38] && (in_s[Colours-1:0] & fresh) == '0) begin
          colour = south_i[36:32];
          bad_in = in_s[Colours-1:0];
          bad_rx = rx_s_q;
          port = 3'd2;
          bad = 1'b1;
        end else if (west_i[38] && (in_w[Colours-1:0] & fresh) == '0) begin
          colour = west_i[36:32];
          bad_in = in_w[Colours-1:0];
          bad_rx = rx_w_q;
          port = 3'd3;
          bad = 1'b1;
        end else if (ramp_in[38] && (in_r[Colours-1:0] & fresh) == '0) begin
          colour = ramp_in[36:32];
          bad_in = in_r[Colours-1:0];
          bad_rx = rx_r_q;
          port = 3'd4;
          bad = 1'b1;
        end
        if (bad) begin
          if (bad_in == '0) cause = TrapReserved;
          else if ((bad_in & twice[Colours-1:0]) != '0) cause = TrapTwoPorts;
          else if ((bad_in & bad_rx & routed_q) == '0) cause = TrapNoRoute;
          else if ((bad_in & ctl_q) != '0) cause = TrapTwoPorts;  // behind a control wavelet: a second sender
          else cause = TrapOverflow;
        end else begin
          req = over != '0 ? over : lost;
          req = req & (~req + One);
          colour = number(req);
          cause = over != '0 ? TrapEdge : TrapNoRoute;
          port = over == '0 ? PortConfig
              : (edge_i[0] && (req & (owed_n_q | (pass & tx_n_q))) != '0) ? 3'd0
              : (edge_i[1] && (req & (owed_e_q | (pass & tx_e_q))) != '0) ? 3'd1
              : (edge_i[2] && (req & (owed_s_q | (pass & tx_s_q))) != '0) ? 3'd2 : 3'd3;
        end
        trap_q <= {13'd0, port, 3'd0, colour, cause};
      end

      // ---- Registers of the queues.
      moved = arrived | granted | sending | cfg_i[40] | trapped | ramp_busy;
      if ((granted & waiting) | stored | trapped) begin  // what passes leaves nothing behind
        owed_n_q <= left_n | (head & tx_n_q);
        owed_e_q <= left_e | (head & tx_e_q);
        owed_s_q <= left_s | (head & tx_s_q);
        owed_w_q <= left_w | (head & tx_w_q);
        owed_r_q <= left_r | (head & tx_r_q);
      end
      if (push != '0) begin
        if ((in_n[Colours-1:0] & push) != '0) begin
          slot = slot_of(north_i[36:32], |(in_n[Colours-1:0] & wr1_q), |(in_n[Colours-1:0] & wr0_q));
          data_q[slot] = north_i[31:0];
        end
        if ((in_e[Colours-1:0] & push) != '0) begin
          slot = slot_of(east_i[36:32], |(in_e[Colours-1:0] & wr1_q), |(in_e[Colours-1:0] & wr0_q));
          data_q[slot] = east_i[31:0];
        end
        if ((in_s[Colours-1:0] & push) != '0) begin
          slot = slot_of(south_i[36:32], |(in_s[Colours-1:0] & wr1_q), |(in_s[Colours-1:0] & wr0_q));
          data_q[slot] = south_i[31:0];
        end
        if ((in_w[Colours-1:0] & push) != '0) begin
          slot = slot_of(west_i[36:32], |(in_w[Colours-1:0] & wr1_q), |(in_w[Colours-1:0] & wr0_q));
          data_q[slot] = west_i[31:0];
        end
        if ((in_r[Colours-1:0] & push) != '0) begin
          slot = slot_of(ramp_in[36:32], |(in_r[Colours-1:0] & wr1_q), |(in_r[Colours-1:0] & wr0_q));
          data_q[slot] = ramp_in[31:0];
        end
        wrap = push & wr1_q;  // leaves the last slot
        if (Depth != 3) wrap = wrap & wr0_q;
        wr1_q <= (wr1_q ^ (wr0_q & push)) & ~wrap;
        wr0_q <= (wr0_q ^ push) & ~wrap;
      end
      if (stored) begin
        wrap = pop & rd1_q;
        if (Depth != 3) wrap = wrap & rd0_q;
        rd1_q <= (rd1_q ^ (rd0_q & pop)) & ~wrap;
        rd0_q <= (rd0_q ^ pop) & ~wrap;
        ctl_q <= ctl;
        if (Depth > 3) fill4_q <= (hold & fill4_q) | (more & fill3_q);
        fill3_q <= fill3;
        fill2_q <= fill2;
        fill1_q <= fill1;
      end
      if (stored | ramp_busy) begin
        ready_n_q <= (room & rx_n_q) | open_q;
        ready_e_q <= (room & rx_e_q) | open_q;
        ready_s_q <= (room & rx_s_q) | open_q;
        ready_w_q <= (room & rx_w_q) | open_q;
        ready_r_q <= (ramp_room & rx_r_q) | open_q;
      end

      // ---- Routes: a control wavelet moves its colour's switch when the last port that it was owed to has it;
      // configuration acts on what arrives after this edge.
      pos0 = pos0_q;
      pos1 = pos1_q;
      if ((advance | restart) != '0) begin
        at_last = (pos1_q & ~last1_q) | (~(pos1_q ^ last1_q) & (pos0_q | ~last0_q));  // position >= last position
        sel = (restart | (advance & at_last & ring_q)) & done;                        // to position 0
        advance = advance & ~at_last & done;
        pos1 = (pos1_q ^ (advance & pos0_q)) & ~sel;
        pos0 = (pos0_q ^ advance) & ~sel;
        rerouted = 1'b1;
      end
      if (cfg_i[40]) begin
        sel = One << cfg_i[39:35];
        if (cfg_i[34:32] == 3'd4) begin
          pos0 = put(pos0, sel, cfg_i[0]);
          pos1 = put(pos1, sel, cfg_i[1]);
        end
        rerouted = 1'b1;
      end
      if (rerouted) begin
        rx_n = at_position(pos1, pos0, rx_n_all_q[3*Colours+:Colours], rx_n_all_q[2*Colours+:Colours],
            rx_n_all_q[Colours+:Colours], rx_n_all_q[0+:Colours]);
        rx_e = at_position(pos1, pos0, rx_e_all_q[3*Colours+:Colours], rx_e_all_q[2*Colours+:Colours],
            rx_e_all_q[Colours+:Colours], rx_e_all_q[0+:Colours]);
        rx_s = at_position(pos1, pos0, rx_s_all_q[3*Colours+:Colours], rx_s_all_q[2*Colours+:Colours],
            rx_s_all_q[Colours+:Colours], rx_s_all_q[0+:Colours]);
        rx_w = at_position(pos1, pos0, rx_w_all_q[3*Colours+:Colours], rx_w_all_q[2*Colours+:Colours],
            rx_w_all_q[Colours+:Colours], rx_w_all_q[0+:Colours]);
        rx_r = at_position(pos1, pos0, rx_r_all_q[3*Colours+:Colours], rx_r_all_q[2*Colours+:Colours],
            rx_r_all_q[Colours+:Colours], rx_r_all_q[0+:Colours]);
        tx_n = at_position(pos1, pos0, tx_n_all_q[3*Colours+:Colours], tx_n_all_q[2*Colours+:Colours],
            tx_n_all_q[Colours+:Colours], tx_n_all_q[0+:Colours]);
        tx_e = at_position(pos1, pos0, tx_e_all_q[3*Colours+:Colours], tx_e_all_q[2*Colours+:Colours],
            tx_e_all_q[Colours+:Colours], tx_e_all_q[0+:Colours]);
        tx_s = at_position(pos1, pos0, tx_s_all_q[3*Colours+:Colours], tx_s_all_q[2*Colours+:Colours],
            tx_s_all_q[Colours+:Colours], tx_s_all_q[0+:Colours]);
        tx_w = at_position(pos1, pos0, tx_w_all_q[3*Colours+:Colours], tx_w_all_q[2*Colours+:Colours],
            tx_w_all_q[Colours+:Colours], tx_w_all_q[0+:Colours]);
        tx_r = at_position(pos1, pos0, tx_r_all_q[3*Colours+:Colours], tx_r_all_q[2*Colours+:Colours],
            tx_r_all_q[Colours+:Colours], tx_r_all_q[0+:Colours]);
        if (cfg_i[40] && !cfg_i[34]) begin
          sel_all = (4*Colours)'(sel) << (cfg_i[33:32] * Colours);
          sel = sel & ~(pos0 ^ {Colours{cfg_i[32]}}) & ~(pos1 ^ {Colours{cfg_i[33]}});  // if it is in this position
          rx_n = put(rx_n, sel, cfg_i[0]);
          rx_e = put(rx_e, sel, cfg_i[1]);
          rx_s = put(rx_s, sel, cfg_i[2]);
          rx_w = put(rx_w, sel, cfg_i[3]);
          rx_r = put(rx_r, sel, cfg_i[4]);
          tx_n = put(tx_n, sel, cfg_i[5]);
          tx_e = put(tx_e, sel, cfg_i[6]);
          tx_s = put(tx_s, sel, cfg_i[7]);
          tx_w = put(tx_w, sel, cfg_i[8]);
          tx_r = put(tx_r, sel, cfg_i[9]);
        end
        open = ~(rx_n | rx_e | rx_s | rx_w | rx_r | tx_n | tx_e | tx_s | tx_w | tx_r);
        rx_n_q <= rx_n;
        rx_e_q <= rx_e;
        rx_s_q <= rx_s;
        rx_w_q <= rx_w;
        rx_r_q <= rx_r;
        tx_n_q <= tx_n;
        tx_e_q <= tx_e;
        tx_s_q <= tx_s;
        tx_w_q <= tx_w;
        tx_r_q <= tx_r;
        routed_q <= tx_n | tx_e | tx_s | tx_w | tx_r;
        open_q <= open;
        pos0_q <= pos0;
        pos1_q <= pos1;
        ready_n_q <= (room & rx_n) | open;
        ready_e_q <= (room & rx_e) | open;
        ready_s_q <= (room & rx_s) | open;
        ready_w_q <= (room & rx_w) | open;
        ready_r_q <= (ramp_room & rx_r) | open;
      end
      if (cfg_i[40] && !cfg_i[34]) begin
        rx_n_all_q <= (rx_n_all_q & ~sel_all) | (sel_all & {4 * Colours{cfg_i[0]}});
        rx_e_all_q <= (rx_e_all_q & ~sel_all) | (sel_all & {4 * Colours{cfg_i[1]}});
        rx_s_all_q <= (rx_s_all_q & ~sel_all) | (sel_all & {4 * Colours{cfg_i[2]}});
        rx_w_all_q <= (rx_w_all_q & ~sel_all) | (sel_all & {4 * Colours{cfg_i[3]}});
        rx_r_all_q <= (rx_r_all_q & ~sel_all) | (sel_all & {4 * Colours{cfg_i[4]}});
        tx_n_all_q <= (tx_n_all_q & ~sel_all) | (sel_all & {4 * Colours{cfg_i[5]}});
        tx_e_all_q <= (tx_e_all_q & ~sel_all) | (sel_all & {4 * Colours{cfg_i[6]}});
        tx_s_all_q <= (tx_s_all_q & ~sel_all) | (sel_all & {4 * Colours{cfg_i[7]}});
        tx_w_all_q <= (tx_w_all_q & ~sel_all) | (sel_all & {4 * Colours{cfg_i[8]}});
        tx_r_all_q <= (tx_r_all_q & ~sel_all) | (sel_all & {4 * Colours{cfg_i[9]}});
      end
      if (cfg_i[40] && cfg_i[34:32] == 3'd4) begin
        last0_q <= put(last0_q, sel, cfg_i[2]);
        last1_q <= put(last1_q, sel, cfg_i[3]);
        ring_q <= put(ring_q, sel, cfg_i[4]);
      end
    end

    cls = halted ? 2'd3 : (arrived | granted) ? 2'd1 : waiting ? 2'd2 : 2'd0;
    class_cnt_q[cls] = class_cnt_q[cls] + 48'd1;
    quiet_q <= ~moved;
    class_q <= (halted | trapped) ? 2'd3 : fill1 != '0 ? 2'd2 : 2'd0;

    if (!rst_ni) begin
      fill1_q <= '0; fill2_q <= '0; fill3_q <= '0; fill4_q <= '0; rd0_q <= '0; rd1_q <= '0; wr0_q <= '0; wr1_q <= '0;
      ctl_q <= '0; owed_n_q <= '0; owed_e_q <= '0; owed_s_q <= '0; owed_w_q <= '0; owed_r_q <= '0; rx_n_q <= '0;
      rx_e_q <= '0; rx_s_q <= '0; rx_w_q <= '0; rx_r_q <= '0; tx_n_q <= '0; tx_e_q <= '0; tx_s_q <= '0; tx_w_q <= '0;
      tx_r_q <= '0; routed_q <= '0; pos0_q <= '0; pos1_q <= '0; last0_q <= '0; last1_q <= '0; ring_q <= '0;
      above_n_q <= '1; above_e_q <= '1; above_s_q <= '1; above_w_q <= '1; above_r_q <= '1; open_q <= '1; ready_n_q <= '1;
      ready_e_q <= '1; ready_s_q <= '1; ready_w_q <= '1; ready_r_q <= '1;
      rx_n_all_q <= '0; rx_e_all_q <= '0; rx_s_all_q <= '0; rx_w_all_q <= '0; rx_r_all_q <= '0;
      tx_n_all_q <= '0; tx_e_all_q <= '0; tx_s_all_q <= '0; tx_w_all_q <= '0; tx_r_all_q <= '0;
      north_q <= '0; east_q <= '0; south_q <= '0; west_q <= '0; ramp_q <= '0;
      quiet_q <= 1'b0; class_q <= '0; trap_q <= '0;
      class_cnt_q[0] = '0; class_cnt_q[1] = '0; class_cnt_q[2] = '0; class_cnt_q[3] = '0;
      link_cnt_q[0] = '0; link_cnt_q[1] = '0; link_cnt_q[2] = '0; link_cnt_q[3] = '0; link_cnt_q[4] = '0;
    end
  end

  // verilator lint_on BLKSEQ

  assign north_o = north_q;
  assign east_o = east_q;
  assign south_o = south_q;
  assign west_o = west_q;
  assign north_ready_o = 24'(ready_n_q);
  assign east_ready_o = 24'(ready_e_q);
  assign south_ready_o = 24'(ready_s_q);
  assign west_ready_o = 24'(ready_w_q);
  assign ramp_ready_o = 24'(ready_r_q);
  if (Colours < 24) begin : g_fewer_colours
    logic unused;
    assign unused = &{1'b0, north_ready_i[23:Colours], east_ready_i[23:Colours], south_ready_i[23:Colours],
        west_ready_i[23:Colours], ramp_ready_i[23:Colours]};
  end
  logic unused_cfg;  // masks and positions have ten bits
  assign unused_cfg = &{1'b0, cfg_i[31:10]};
  assign quiet_o = quiet_q;
  assign class_o = {2'd0, class_q};
  assign trap_o  = trap_q;
endmodule
