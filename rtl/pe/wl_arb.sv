// Which context, or the main thread, issues: the state that arbitration looks at, as one bit per context, and the flags of each.
//
// A context can ask when it is active, its input queue holds a wavelet if it needs one, and its output queue has room if it needs
// that. Asking contexts and the main thread (bit 9) are served round robin. Whether the chosen one then meets a hazard or a busy bank is
// known later in the cycle (wl_issue, wl_mem): its turn passes either way, unless a line buffer has been filled for it (keep_i): then it keeps its
// turn until it goes, or contexts could take each other's lines for ever.
module wl_arb (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             stop_i,          // nothing issues
    input  logic                             solo_i,          // the main thread alone may issue
    input  logic                             scalar_ask_i,    // the main thread can issue
    input  logic [                      7:0] nonempty_i,      // input queues
    input  logic [                      3:0] room_i,          // output queues
    output logic [                      8:0] active_o,
    output logic [                      7:0] read_o,          // input queues read by an active context
    output logic [                      3:0] written_o,       // output queues written by one
    output logic                             wait_in_o,       // some context waits for a wavelet
    output logic                             wait_out_o,      // or for room
    output logic                             context_o,       // a context is selected
    output logic                             scalar_o,        // the main thread is
    output logic [                      3:0] select_o,
    output logic [wl_pe_pkg::FlagBits-1:0] flags_o,
    // launch
    input  logic                             launch_i,
    input  logic [                      3:0] launch_slot_i,
    input  logic                             launch_empty_i,
    input  logic [                     63:0] launch_ctl_i,
    // the selected context's event took place
    input  logic                             event_i,
    input  logic                             complete_i,
    input  logic                             no_room_i,       // it did not, for want of room in its output queue
    input  logic                             keep_i,
    input  logic                             sleep_i,         // until wake_i
    input  logic                             need_in_i,
    input  logic                             need_out_i,
    input  logic [wl_pe_pkg::FlagBits-1:0] flags_i,
    input  logic                             wake_i,
    input  logic [                      3:0] wake_slot_i
);

  logic [8:0] active_q, need_in_q, need_out_q, asleep_q;
  logic [8:0] reader_q[0:7];   // contexts by input queue
  logic [8:0] writer_q[0:3];   // contexts by output queue
  logic [wl_pe_pkg::FlagBits-1:0] flags_q[0:8];
  logic [7:0] read_q;
  logic [3:0] written_q;
  logic [9:0] turn_q;          // one-hot: served last
  logic [9:0] keep_q;          // one-hot: keeps its turn

  logic [8:0] has_in, has_out, short_in, short_out, can;
  logic [9:0] ask, above, pick;
  logic scalar_any;

  assign active_o  = active_q;
  assign read_o    = read_q;
  assign written_o = written_q;

  always_comb begin
    has_in    = 9'd0;
    has_out   = 9'd0;
    can       = 9'd0;
    short_in  = 9'd0;
    short_out = 9'd0;
    ask       = {scalar_ask_i, 9'd0};
    above     = 10'd0;
    pick      = 10'd0;
    select_o  = 4'd0;
    flags_o   = '0;
    context_o = 1'b0;
    if (active_q != 9'd0) begin
      if ((active_q & need_in_q) != 9'd0) begin
        for (int unsigned k = 0; k < 8; k++) if (nonempty_i[k]) has_in = has_in | reader_q[k];
        short_in = active_q & need_in_q & ~has_in;
      end
      if ((active_q & need_out_q) != 9'd0) begin
        for (int unsigned k = 0; k < 4; k++) if (room_i[k]) has_out = has_out | writer_q[k];
        short_out = active_q & need_out_q & ~has_out;
      end
      can = active_q & ~short_in & ~short_out & ~asleep_q;
    end
    ask[8:0] = can;
    if (solo_i) ask[8:0] = 9'd0;
    if (stop_i) ask = 10'd0;
    scalar_any = ask[9];
    if (ask[8:0] != 9'd0) begin
      above     = ask & ~(turn_q | (turn_q - 10'd1));
      pick      = ((ask & keep_q) != 10'd0) ? ask & keep_q : (above != 10'd0) ? above & (~above + 10'd1) : ask & (~ask + 10'd1);
      context_o = !pick[9];
      select_o  = {pick[8], |pick[7:4], pick[7] | pick[6] | pick[3] | pick[2], pick[7] | pick[5] | pick[3] | pick[1]};
      if (context_o) flags_o = flags_q[select_o];
    end
    wait_in_o  = short_in != 9'd0;
    wait_out_o = (short_out & ~short_in) != 9'd0;
  end

  assign scalar_o = scalar_any & !context_o;

  // For simulation: what follows from a context at issue, and from none, is compiled apart (sim/plugin/one_pass.h).
  logic split_context, unused_split;
  assign split_context = context_o;
  assign unused_split  = split_context;

  // One clocked process, guarded by activity.
  always_ff @(posedge clk_i) begin
    if (launch_i) begin
      active_q[launch_slot_i]   <= 1'b1;
      asleep_q[launch_slot_i]   <= 1'b0;
      need_in_q[launch_slot_i]  <= launch_ctl_i[wl_pe_pkg::CtlInput] & !launch_empty_i;
      need_out_q[launch_slot_i] <= launch_ctl_i[wl_pe_pkg::CtlDFab] & !launch_empty_i & !launch_ctl_i[wl_pe_pkg::CtlSdot] & !launch_ctl_i[wl_pe_pkg::CtlDot];
      flags_q[launch_slot_i]    <= '0;
      flags_q[launch_slot_i][wl_pe_pkg::FlagNil] <= launch_empty_i & !launch_ctl_i[wl_pe_pkg::CtlDot];
      flags_q[launch_slot_i][wl_pe_pkg::FlagFirst] <= 1'b1;
      flags_q[launch_slot_i][wl_pe_pkg::FlagResult] <= launch_empty_i & launch_ctl_i[wl_pe_pkg::CtlDot];
      if (launch_ctl_i[wl_pe_pkg::CtlInput]) begin
        reader_q[launch_ctl_i[wl_pe_pkg::CtlInQueue+:3]] <= 9'd1 << launch_slot_i;
        read_q[launch_ctl_i[wl_pe_pkg::CtlInQueue+:3]]   <= 1'b1;
      end
      if (launch_ctl_i[wl_pe_pkg::CtlDFab]) begin
        writer_q[launch_ctl_i[wl_pe_pkg::CtlOutQueue+:2]]  <= 9'd1 << launch_slot_i;
        written_q[launch_ctl_i[wl_pe_pkg::CtlOutQueue+:2]] <= 1'b1;
      end
    end
    if (keep_q != 10'd0) keep_q <= 10'd0;
    if (context_o) begin
      if (!event_i && (keep_i || keep_q != 10'd0)) keep_q <= pick;
      turn_q <= pick;
      if (no_room_i) need_out_q[select_o] <= 1'b1;
      if (event_i) begin
        flags_q[select_o]    <= flags_i;
        need_in_q[select_o]  <= need_in_i;
        need_out_q[select_o] <= need_out_i;
        if (sleep_i) asleep_q[select_o] <= 1'b1;
        if (complete_i) begin
          active_q[select_o] <= 1'b0;
          for (int unsigned k = 0; k < 8; k++) begin
            if (reader_q[k][select_o]) begin
              reader_q[k] <= 9'd0;
              read_q[k]   <= 1'b0;
            end
          end
          for (int unsigned k = 0; k < 4; k++) begin
            if (writer_q[k][select_o]) begin
              writer_q[k]  <= 9'd0;
              written_q[k] <= 1'b0;
            end
          end
        end
      end
    end else if (scalar_o && active_q != 9'd0) begin
      turn_q <= 10'd1 << 9;
    end
    if (wake_i) asleep_q[wake_slot_i] <= 1'b0;
    if (!rst_ni) begin
      active_q  <= 9'd0;
      read_q    <= 8'd0;
      written_q <= 4'd0;
      keep_q    <= 10'd0;
      turn_q    <= 10'd1 << 9;
      for (int unsigned k = 0; k < 8; k++) reader_q[k] <= 9'd0;
      for (int unsigned k = 0; k < 4; k++) writer_q[k] <= 9'd0;
    end
  end

endmodule
