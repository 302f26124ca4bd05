// Memory side of a group or scalar instruction: hazards, banks, the two 64-bit read ports, the accumulator window, instruction fetch.
//
// In the issue cycle an event asks for up to three operands (A, B and the destination R) and a write. It may go when every operand is
//   - free of writes under way (one in the cycle before waits; one at write-back is forwarded if it covers the operand), and
//   - in a line buffer, or readable this cycle: line l lies in bank pair l mod 4, and a pair serves one access a cycle, write-back first.
// Port B keeps its two newest lines (n, p), so that one line serves several groups; a write invalidates its line when it issues.
// While port B is free the line that comes next is fetched ahead: a bank conflict then costs nothing. If A and B ask for one pair, B is
// fetched first and the event goes a cycle later.
// Several operands in the window: B and R are fetched first, into a buffer each.
module wl_mem #(
    parameter int unsigned Lanes,
    parameter int unsigned SramBytes,
    parameter int unsigned WindowBytes,
    parameter int unsigned Width            // of an operand line: 64, or 128 for eight lanes
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    // issue
    input  logic             try_i,
    input  logic [      3:0] group_i,
    input  logic             a_en_i,
    input  logic [     15:0] a_address_i,
    input  logic             a32_i,
    input  logic             b_en_i,
    input  logic [     15:0] b_address_i,
    input  logic             b32_i,
    input  logic             double_i,      // B is two lines; the second comes on port A
    input  logic             r_en_i,
    input  logic             w_en_i,
    input  logic [     15:0] d_address_i,
    input  logic             d32_i,
    input  logic             ahead_en_i,
    input  logic [     12:0] ahead_line_i,
    output logic             go_o,
    output logic             bank_o,        // it waits for a bank
    output logic             moved_o,       // a buffer is being filled, so something happens
    output logic [     12:0] d_line_o,
    output logic [      7:0] d_mask_o,      // halves of the line
    output logic             d_window_o,
    // instruction fetch
    input  logic             fetch_i,
    input  logic [     12:0] fetch_line_i,
    output logic             fetch_go_o,
    output logic             fetched_o,     // the next cycle
    output logic [     63:0] fetch_data_o,
    // writes under way: in execution, in the special function unit, at write-back
    input  logic             x_write_i,
    input  logic [     12:0] x_line_i,
    input  logic [      7:0] x_mask_i,
    input  logic [      1:0] s_write_i,
    input  logic [     25:0] s_line_i,
    input  logic             w_write_i,
    input  logic             w_window_i,
    input  logic [     12:0] w_line_i,
    input  logic [      7:0] w_mask_i,
    input  logic [Width-1:0] w_data_i,
    // operands, in the cycle after go_o
    output logic [Width-1:0] a_data_o,
    output logic [Width-1:0] b_data_o,
    output logic [Width-1:0] r_data_o
);

  localparam logic [2:0] FromPort = 3'd0;
  localparam logic [2:0] FromN = 3'd1;
  localparam logic [2:0] FromP = 3'd2;
  localparam logic [2:0] FromForward = 3'd3;
  localparam logic [2:0] FromWindow = 3'd4;
  localparam logic [2:0] FromHold = 3'd5;
  localparam logic [2:0] FromDouble = 3'd6;
  localparam int unsigned LineShift = (Width == 128) ? 4 : 3;

  // Line buffers.
  logic n_valid_q, p_valid_q, fresh_q, bh_valid_q, rh_valid_q, bh_fresh_q, rh_fresh_q;
  logic [12:0] n_line_q, p_line_q, bh_line_q, rh_line_q;
  logic [63:0] hold0_q, hold1_q;
  logic [Width-1:0] forward_q, bh_q, rh_q;
  logic [2:0] a_from_q, b_from_q, r_from_q;
  logic fetched_q, fetch_b_q, fetch_w_q, fetch_odd_q;

  // This cycle.
  logic a_win, b_win, r_win, a_hx, b_hx, r_hx, a_fw, b_fw, r_fw, a_n, a_p, b_n, b_p, r_n, r_p;
  logic hazard, a_port, b_port, b_need, r_need, a_need, w_sram, conflict, preload, clash;
  logic wb_pre, wr_pre, win_re, n_load;
  logic [12:0] a_line, b_line, b2_line, r_line, port_a_line, port_b_line, win_line;
  logic [7:0] a_mask, b_mask, d_mask;
  logic [2:0] a_from, b_from, r_from;
  logic ra_en, rb_en, fetch_a, fetch_b, fetch_w, fetch_win, ahead;

  function automatic logic [7:0] mask_of(input logic [3:0] count, input logic wide, input logic window, input logic [2:0] first);
    logic [7:0] ones;
    ones    = 8'((wide ? 16'd1 << {count, 1'b0} : 16'd1 << count) - 16'd1);
    mask_of = ones << ((window && Width == 128) ? first : {1'b0, first[1:0]});
  endfunction

  // Lines are compared by their number; a line of a wide window is two of them.
  function automatic logic [12:0] line_of(input logic [12:0] line, input logic window);
    line_of = {line[12:1], line[0] & !(window && Width == 128)};
  endfunction

  function automatic logic in_window(input logic [6:0] page);
    in_window = page == 7'(wl_pkg::WINDOW_BASE >> 9);
  endfunction

  // A write that has issued and not yet reached write-back.
  function automatic logic under_way(input logic [12:0] line);
    under_way = (x_write_i && x_line_i == line) || (s_write_i[0] && s_line_i[12:0] == line) || (s_write_i[1] && s_line_i[25:13] == line);
  endfunction

  always_comb begin
    {a_win, b_win, r_win, a_hx, b_hx, r_hx, a_fw, b_fw, r_fw, a_n, a_p, b_n, b_p, r_n, r_p} = 15'd0;
    {hazard, a_port, b_port, b_need, r_need, a_need, conflict, preload, clash} = 9'd0;
    {wb_pre, wr_pre, win_re, n_load} = 4'd0;
    {a_line, b_line, b2_line, r_line, port_a_line, port_b_line, win_line} = 91'd0;
    {a_mask, b_mask, d_mask} = 24'd0;
    {a_from, b_from, r_from} = 9'd0;
    {ra_en, rb_en, ahead} = 3'd0;
    go_o       = 1'b0;
    bank_o     = 1'b0;
    w_sram     = w_write_i & !w_window_i;
    if (try_i) begin
      // Where the operands are, and writes under way.
      r_win  = in_window(d_address_i[15:9]);
      r_line = line_of(d_address_i[15:3], r_win);
      d_mask = (r_en_i | w_en_i) ? mask_of(group_i, d32_i, r_win, d_address_i[3:1]) : 8'd0;
      if (a_en_i) begin
        a_win  = in_window(a_address_i[15:9]);
        a_line = line_of(a_address_i[15:3], a_win);
        a_mask = mask_of(group_i, a32_i, a_win, a_address_i[3:1]);
        a_hx   = x_write_i && x_line_i == a_line && (x_mask_i & a_mask) != 8'd0;
        if (w_sram && w_line_i == a_line) begin
          a_fw = (a_mask & ~w_mask_i) == 8'd0;
          a_hx = a_hx | (!a_fw && (a_mask & w_mask_i) != 8'd0);
        end
        a_n = n_valid_q && n_line_q == a_line;
        a_p = p_valid_q && p_line_q == a_line;
      end
      if (b_en_i) begin
        b_win   = in_window(b_address_i[15:9]);
        b_line  = line_of(b_address_i[15:3], b_win);
        b2_line = b_line + 13'd1;
        b_mask  = double_i ? 8'h0f : mask_of(group_i, b32_i, b_win, b_address_i[3:1]);
        b_hx    = x_write_i && x_line_i == b_line && (x_mask_i & b_mask) != 8'd0;
        if (w_sram && w_line_i == b_line) begin
          b_fw = ((b_mask & ~w_mask_i) == 8'd0) & !double_i;
          b_hx = b_hx | (!b_fw && (b_mask & w_mask_i) != 8'd0);
        end
        if (double_i) b_hx = b_hx | (x_write_i && x_line_i == b2_line) | (w_sram && w_line_i == b2_line);
        b_n = n_valid_q && n_line_q == b_line && !double_i;
        b_p = p_valid_q && p_line_q == b_line && !double_i;
      end
      if (r_en_i) begin
        r_hx = x_write_i && x_line_i == r_line && (x_mask_i & d_mask) != 8'd0;
        if (w_sram && w_line_i == r_line) begin
          r_fw = (d_mask & ~w_mask_i) == 8'd0;
          r_hx = r_hx | (!r_fw && (d_mask & w_mask_i) != 8'd0);
        end
        r_n = n_valid_q && n_line_q == r_line;
        r_p = p_valid_q && p_line_q == r_line;
      end
      hazard = a_hx | b_hx | r_hx;
      if (s_write_i != 2'd0) begin
        for (int unsigned k = 0; k < 2; k++) begin
          if (s_write_i[k] && ((a_en_i && s_line_i[13*k+:13] == a_line) || (b_en_i && s_line_i[13*k+:13] == b_line) || (double_i && s_line_i[13*k+:13] == b2_line) ||
                               (r_en_i && s_line_i[13*k+:13] == r_line))) hazard = 1'b1;
        end
      end

      if (!hazard) begin
        // Port B: B itself, or the destination once B is at hand.
        b_need = b_en_i & !b_win & !b_fw & !b_n & !b_p;
        r_need = r_en_i & !r_win & !r_fw & !r_n & !r_p & !(b_need && b_line == r_line);
        if (b_need & (r_need | (r_en_i & !r_win & !r_fw & !r_n & (b_line != r_line)))) begin
          preload = 1'b1;                      // B first; the older buffer, where the destination may be, falls out
        end else if (r_need & b_p & b_en_i & !b_win & !b_fw & !b_n) begin
          preload = 1'b1;                      // B would fall out of the buffers: make it the newest
          b_need  = 1'b1;
        end
        b_port      = b_need | r_need;
        port_b_line = b_need ? b_line : r_line;
        // Port A.
        a_need = a_en_i & !a_win & !a_fw;
        if (a_need & (a_n | (a_p & !b_port))) a_need = 1'b0;
        if (a_need & b_port & (port_b_line == a_line)) begin
          a_need = 1'b0;
          a_n    = 1'b0;
        end
        a_port      = a_need | double_i;
        port_a_line = double_i ? b2_line : a_line;
        if (a_port & b_port & (port_a_line[1:0] == port_b_line[1:0])) preload = 1'b1;
        if (b_port & w_sram & (port_b_line[1:0] == w_line_i[1:0])) conflict = 1'b1;
        if (a_port & !preload & w_sram & (port_a_line[1:0] == w_line_i[1:0])) conflict = 1'b1;
        // The window has one port.
        wb_pre = b_en_i & b_win & ((a_en_i & a_win) | (r_en_i & r_win)) & !(bh_valid_q && bh_line_q == b_line);
        wr_pre = r_en_i & r_win & a_en_i & a_win & !wb_pre & !(rh_valid_q && rh_line_q == r_line);
        clash  = wb_pre | wr_pre;
        go_o   = !conflict & !preload & !clash;
        bank_o = !go_o;
        if (clash) begin
          win_re   = 1'b1;
          win_line = wb_pre ? b_line : r_line;
        end else if (go_o) begin
          win_re   = (a_en_i & a_win) | (b_en_i & b_win) | (r_en_i & r_win);
          win_line = (a_en_i & a_win) ? a_line : (r_en_i & r_win) ? r_line : b_line;
        end
        rb_en  = b_port & !conflict & (go_o | preload);
        ra_en  = a_port & go_o;
        n_load = rb_en;
        // Where the operands will be in the next cycle; a new line in port B makes the newest the one before.
        a_from = a_win ? FromWindow : a_fw ? FromForward : a_need ? FromPort : (b_port & !a_n) ? FromN : b_port ? FromP : a_n ? FromN : FromP;
        b_from = double_i ? FromDouble : b_win ? (((a_en_i & a_win) | (r_en_i & r_win)) ? FromHold : FromWindow) : b_fw ? FromForward :
                 b_need ? FromN : b_n ? (b_port ? FromP : FromN) : FromP;
        r_from = r_win ? ((a_en_i & a_win) ? FromHold : FromWindow) : r_fw ? FromForward : r_need ? FromN :
                 (b_need && b_line == r_line) ? FromN : r_n ? (b_port ? FromP : FromN) : FromP;
        // Fetch ahead while port B is free.
        if (go_o & !b_port & ahead_en_i & b_n & (ahead_line_i != n_line_q) & (32'({ahead_line_i, 3'd0}) < SramBytes) &
            !(a_port && port_a_line[1:0] == ahead_line_i[1:0]) & !(w_sram && w_line_i[1:0] == ahead_line_i[1:0]) &
            !(w_en_i && r_line == ahead_line_i) & !under_way(ahead_line_i) &
            (!a_en_i | (a_from != FromP)) & (b_from != FromP) & (!r_en_i | (r_from != FromP))) begin
          ahead       = 1'b1;
          rb_en       = 1'b1;
          n_load      = 1'b1;
          port_b_line = ahead_line_i;
          if (a_from == FromN) a_from = FromP;
          if (b_from == FromN) b_from = FromP;
          if (r_from == FromN) r_from = FromP;
        end
      end
    end
    d_line_o   = r_line;
    d_mask_o   = d_mask;
    d_window_o = r_win;
    moved_o    = rb_en | clash;
  end

  // Instruction fetch takes a port that is left, if no write to its line is under way.
  always_comb begin
    fetch_a = 1'b0;
    fetch_b = 1'b0;
    fetch_w = 1'b0;
    fetch_win = 1'b0;
    if (fetch_i) begin
      fetch_win = (WindowBytes != 0) & in_window(fetch_line_i[12:6]);
      if (fetch_win) fetch_w = !win_re & !under_way(line_of(fetch_line_i, 1'b1)) & !(try_i && w_en_i && r_line == line_of(fetch_line_i, 1'b1));
      else if (!(w_sram && w_line_i[1:0] == fetch_line_i[1:0]) && !under_way(fetch_line_i) && !(try_i && w_en_i && r_line == fetch_line_i)) begin
        if (!ra_en && !(rb_en && port_b_line[1:0] == fetch_line_i[1:0])) fetch_a = 1'b1;
        else if (ra_en && !rb_en && port_a_line[1:0] != fetch_line_i[1:0]) fetch_b = 1'b1;
      end
    end
    fetch_go_o = fetch_a | fetch_b | fetch_w;
  end

  logic [63:0] ra_data, rb_data, n_line_data, p_line_data, win_line_data;
  logic [Width-1:0] win_data, n_data, p_data;

  wl_sram #(
      .Rows(SramBytes / 32)
  ) u_sram (
      .clk_i,
      .ra_en_i  (ra_en | fetch_a),
      .ra_line_i(fetch_a ? fetch_line_i : port_a_line),
      .ra_data_o(ra_data),
      .rb_en_i  (rb_en | fetch_b),
      .rb_line_i(fetch_b ? fetch_line_i : port_b_line),
      .rb_data_o(rb_data),
      .w_en_i   ((w_sram & rst_ni) ? w_mask_i[3:0] : 4'd0),
      .w_line_i (w_line_i),
      .w_data_i (w_data_i[63:0])
  );

  wl_accwin #(
      .Bytes(WindowBytes),
      .Words(Width / 32)
  ) u_accwin (
      .clk_i,
      .re_i   (win_re | fetch_w),
      .raddr_i(7'((fetch_w ? fetch_line_i : win_line) >> (LineShift - 3))),
      .rdata_o(win_data),
      .we_i   ((w_write_i & w_window_i & rst_ni) ? w_mask_i[Width/16-1:0] : '0),
      .waddr_i(7'(w_line_i >> (LineShift - 3))),
      .wdata_i(w_data_i)
  );

  function automatic logic hits(input logic write, input logic [12:0] line, input logic [12:0] other);
    hits = write && line == other;
  endfunction

  always_ff @(posedge clk_i) begin
    fetched_q  <= fetch_a | fetch_b | fetch_w;
    fetch_b_q  <= fetch_b;
    fetch_w_q  <= fetch_w;
    fresh_q    <= n_load;
    bh_fresh_q <= wb_pre;
    rh_fresh_q <= wr_pre;
    if (fresh_q | bh_fresh_q | rh_fresh_q | w_write_i | try_i | fetch_w) begin
      if (fetch_w) fetch_odd_q <= fetch_line_i[0];
      if (fresh_q) begin
        hold0_q <= rb_data;
        hold1_q <= hold0_q;
      end
      if (bh_fresh_q) bh_q <= win_data;
      if (rh_fresh_q) rh_q <= win_data;
      if (w_write_i) forward_q <= w_data_i;
      if (go_o) begin
        a_from_q <= a_from;
        b_from_q <= b_from;
        r_from_q <= r_from;
      end
      if (n_load) begin
        n_line_q  <= port_b_line;
        p_line_q  <= n_line_q;
        // A line with a write on its way is used once and not kept.
        n_valid_q <= !((go_o & hits(w_en_i, r_line, port_b_line)) | under_way(port_b_line) | (w_sram && w_line_i == port_b_line));
        p_valid_q <= n_valid_q & !(go_o & hits(w_en_i, r_line, n_line_q));
      end else if (go_o & w_en_i) begin
        if (n_line_q == r_line) n_valid_q <= 1'b0;
        if (p_line_q == r_line) p_valid_q <= 1'b0;
      end
      if (wb_pre) bh_line_q <= b_line;
      if (wr_pre) rh_line_q <= r_line;
      if (wb_pre) bh_valid_q <= !under_way(b_line);
      else if (go_o & w_en_i & (bh_line_q == r_line)) bh_valid_q <= 1'b0;
      if (wr_pre) rh_valid_q <= !under_way(r_line);
      else if (go_o & w_en_i & (rh_line_q == r_line)) rh_valid_q <= 1'b0;
    end
    if (!rst_ni) begin
      n_valid_q  <= 1'b0;
      p_valid_q  <= 1'b0;
      fresh_q    <= 1'b0;
      bh_valid_q <= 1'b0;
      rh_valid_q <= 1'b0;
      bh_fresh_q <= 1'b0;
      rh_fresh_q <= 1'b0;
      fetched_q  <= 1'b0;
    end
  end

  assign n_line_data  = fresh_q ? rb_data : hold0_q;
  assign p_line_data  = fresh_q ? hold0_q : hold1_q;
  assign n_data       = Width'(n_line_data);
  assign p_data       = Width'(p_line_data);
  assign fetched_o    = fetched_q;
  assign fetch_data_o = fetch_w_q ? win_line_data : fetch_b_q ? rb_data : ra_data;
  assign win_line_data = (Width == 128 && fetch_odd_q) ? win_data[Width-1-:64] : win_data[63:0];

  always_comb begin
    unique case (a_from_q)
      FromPort: a_data_o = Width'(ra_data);
      FromN: a_data_o = n_data;
      FromP: a_data_o = p_data;
      FromForward: a_data_o = forward_q;
      default: a_data_o = win_data;
    endcase
    unique case (b_from_q)
      FromN: b_data_o = n_data;
      FromP: b_data_o = p_data;
      FromForward: b_data_o = forward_q;
      FromHold: b_data_o = bh_q;
      FromDouble: b_data_o = Width'({ra_data, rb_data});
      default: b_data_o = win_data;
    endcase
    unique case (r_from_q)
      FromN: r_data_o = n_data;
      FromP: r_data_o = p_data;
      FromForward: r_data_o = forward_q;
      FromHold: r_data_o = rh_q;
      default: r_data_o = win_data;
    endcase
  end

  logic unused_bits;
  assign unused_bits = ^{ahead, a_address_i[0], b_address_i[0], d_address_i[0], Lanes[0]};

endmodule
