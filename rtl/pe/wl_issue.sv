// What the selected context does in this cycle (combinational): a group of elements, or one of the small events of wl_pe_pkg.
//
// From the context's words, the head of its queue and the room in front of it come: how many elements the group takes, where each operand lies,
// what the context's words are afterwards, and what the group asks of memory, lanes and queues. wl_mem then says whether it can go.
module wl_issue #(
    parameter int unsigned Lanes,
    parameter int unsigned SramBytes,
    parameter int unsigned WindowBytes
) (
    input  logic                             context_i,
    input  logic [wl_pe_pkg::FlagBits-1:0] flags_i,
    input  logic [                     63:0] ctl_i,
    input  logic [                     31:0] scalar_i,
    input  logic [                     15:0] held_i,
    input  logic [                     63:0] d_moving_i,
    input  logic [                     63:0] d_fixed_i,
    input  logic [                     63:0] p_moving_i,
    input  logic [                     63:0] p_fixed_i,
    input  logic [                     63:0] q_moving_i,
    input  logic [                     63:0] q_fixed_i,
    input  logic [                     63:0] x_moving_i,
    input  logic [                     63:0] x_fixed_i,
    input  logic [                     63:0] q_initial_i,
    input  logic [                      7:0] nonempty_i,
    input  logic [                     32:0] head_i,
    input  logic [                      3:0] room_i,
    // the event
    output logic [                      2:0] event_o,
    output logic [                      7:0] trap_o,          // it traps instead
    output logic                             no_room_o,       // it has to wait for room
    output logic                             complete_o,
    output logic                             sleep_o,
    output logic                             need_in_o,
    output logic                             need_out_o,
    output logic [wl_pe_pkg::FlagBits-1:0] flags_o,
    output logic [                      3:0] step_o,          // {X, Q, P, D}
    output logic [                      2:0] rewind_o,        // {Q, P, D}
    output logic [                     63:0] d_next_o,
    output logic [                     63:0] p_next_o,
    output logic [                     63:0] q_next_o,
    output logic [                     63:0] x_next_o,
    output logic                             hold_o,
    output logic [                     15:0] hold_data_o,
    output logic [                      3:0] save_o,          // {X, Q, P, D}
    output logic [                     15:0] save_d_o,
    output logic [                     15:0] save_p_o,
    output logic [                     15:0] save_q_o,
    output logic [                     15:0] save_x_o,
    // queues
    output logic                             pop_o,
    output logic                             zero_o,          // a zero weight is dropped, with the event or behind it
    output logic                             push_o,          // a wavelet goes out
    output logic                             half_o,          // half of one is kept in the pipeline's end
    // memory
    output logic                             a_en_o,
    output logic [                     15:0] a_address_o,
    output logic                             b_en_o,
    output logic [                     15:0] b_address_o,
    output logic                             double_o,
    output logic                             r_en_o,          // the destination is read
    output logic                             w_en_o,          // and written
    output logic [                     15:0] d_address_o,
    output logic                             ahead_en_o,      // the line that the next group needs
    output logic [                     12:0] ahead_line_o,
    // lanes
    output logic                             lanes_o,
    output logic                             acc_o,
    output logic                             sfu_o,
    output logic [                      3:0] group_o,
    output logic [                     63:0] p_const_o,
    output logic [                     63:0] q_const_o,
    output logic [                     63:0] s_const_o,
    output logic [                      3:0] class_o
);

  logic saxpy, sdot, dot, stream, counted, first, last, fab_in, fetch_x, need, ready;
  logic d_use, p_use, q_use, x_use, consume, half_in, half_out, wide, overlap, d_step;
  logic [15:0] d_address, p_address, q_address, x_address, index, weight;
  logic d_window, p_window, q_window, x_window, d_last, p_last, q_last, x_last;
  logic d_restart, p_restart, q_restart, x_restart;
  logic [3:0] d_avail, p_avail, q_avail, x_avail, fab_avail, out_avail, group;
  logic [15:0] d_save, p_save, q_save, x_save;
  logic [63:0] fabric;
  logic [1:0] on_control, out_queue;
  logic [2:0] kind;

  // An operand's address against its type, SRAM and window: the trap, or 0.
  function automatic logic [7:0] fault(input logic [15:0] address, input logic is32);
    fault = wl_pkg::TRAP_NONE;
    if (is32 ? address[1:0] != 2'd0 : address[0]) fault = wl_pkg::TRAP_MISALIGNED;
    else if (32'(address) >= SramBytes && !(address[15:9] == 7'(wl_pkg::WINDOW_BASE >> 9) && 32'(address[8:0]) + 32'd1 <= WindowBytes))
      fault = wl_pkg::TRAP_OUT_OF_RANGE;
  endfunction

  wl_gen #(.Lanes(Lanes)) u_d (
      .en_i(context_i), .moving_i(d_moving_i), .fixed_i(d_fixed_i), .restart_i(flags_i[wl_pe_pkg::FlagRestartD]), .index_i(16'd0), .double_i(1'b0),
      .address_o(d_address), .window_o(d_window), .avail_o(d_avail), .group_i(d_step ? 4'd1 : group), .moving_o(d_next_o),
      .restart_o(d_restart), .save_o(d_save), .last_o(d_last));
  wl_gen #(.Lanes(Lanes)) u_p (
      .en_i(p_use | ctl_i[wl_pe_pkg::CtlPFab]), .moving_i(p_moving_i), .fixed_i(p_fixed_i), .restart_i(flags_i[wl_pe_pkg::FlagRestartP]), .index_i(16'd0), .double_i(1'b0),
      .address_o(p_address), .window_o(p_window), .avail_o(p_avail), .group_i(group), .moving_o(p_next_o), .restart_o(p_restart),
      .save_o(p_save), .last_o(p_last));
  wl_gen #(.Lanes(Lanes)) u_q (
      .en_i(q_use), .moving_i(q_moving_i), .fixed_i(q_fixed_i), .restart_i(flags_i[wl_pe_pkg::FlagRestartQ]), .index_i(index), .double_i(double_o),
      .address_o(q_address), .window_o(q_window), .avail_o(q_avail), .group_i(group), .moving_o(q_next_o), .restart_o(q_restart),
      .save_o(q_save), .last_o(q_last));
  wl_gen #(.Lanes(Lanes)) u_x (
      .en_i(x_use), .moving_i(x_moving_i), .fixed_i(x_fixed_i), .restart_i(flags_i[wl_pe_pkg::FlagRestartX]), .index_i(16'd0), .double_i(1'b0),
      .address_o(x_address), .window_o(x_window), .avail_o(x_avail), .group_i(4'd1), .moving_o(x_next_o), .restart_o(x_restart),
      .save_o(x_save), .last_o(x_last));

  // Which event, and the group's size.
  always_comb begin
    saxpy      = ctl_i[wl_pe_pkg::CtlSaxpy];
    sdot       = ctl_i[wl_pe_pkg::CtlSdot];
    dot        = ctl_i[wl_pe_pkg::CtlDot];
    stream     = saxpy | sdot;
    first      = flags_i[wl_pe_pkg::FlagFirst];
    fab_in     = ctl_i[wl_pe_pkg::CtlInput];
    half_in    = flags_i[wl_pe_pkg::FlagHalfIn];
    half_out   = flags_i[wl_pe_pkg::FlagHalfOut];
    on_control = ctl_i[wl_pe_pkg::CtlOnControl+:2];
    out_queue  = ctl_i[wl_pe_pkg::CtlOutQueue+:2];
    consume    = on_control == wl_pkg::ON_CONTROL_CONSUME;
    ready      = nonempty_i[ctl_i[wl_pe_pkg::CtlInQueue+:3]];
    need       = fab_in & (stream ? first : !half_in);
    fetch_x    = sdot & !fab_in & first & !flags_i[wl_pe_pkg::FlagIndex];
    kind       = wl_pe_pkg::EventGroup;
    if (flags_i[wl_pe_pkg::FlagNil]) kind = wl_pe_pkg::EventEnd;
    else if (flags_i[wl_pe_pkg::FlagResult]) kind = first ? wl_pe_pkg::EventClear : wl_pe_pkg::EventResult;
    else if (need & head_i[32]) kind = dot ? wl_pe_pkg::EventDue : half_out ? wl_pe_pkg::EventFlush : wl_pe_pkg::EventEnd;
    else if (saxpy & first & (head_i[14:0] == 15'd0)) kind = wl_pe_pkg::EventDrop;
    else if (fetch_x) kind = wl_pe_pkg::EventIndex;
    else if (sdot & first & (p_moving_i[63:48] == 16'd0 || p_moving_i[47:32] == 16'd0)) kind = wl_pe_pkg::EventDue;
    event_o = kind;

    index  = (stream & first) ? (fab_in ? head_i[31:16] : held_i) : 16'd0;
    weight = first ? head_i[15:0] : held_i;

    counted = !(dot | sdot);   // the destination counts the elements
    d_step  = !counted;
    d_use   = ctl_i[wl_pe_pkg::CtlDMem];
    p_use   = ctl_i[wl_pe_pkg::CtlPMem] | ctl_i[wl_pe_pkg::CtlPIota];
    q_use   = ctl_i[wl_pe_pkg::CtlQMem] | ctl_i[wl_pe_pkg::CtlQIota];
    x_use   = sdot & !fab_in;
  end

  always_comb begin
    double_o = (Lanes == 8) & saxpy & d_window & ctl_i[wl_pe_pkg::CtlD16] & !q_fixed_i[52] & (32'(q_address) + 32'd8 < SramBytes);
    fab_avail = (ctl_i[wl_pe_pkg::CtlPackIn] & !half_in) ? 4'd2 : 4'd1;
    if (dot & ctl_i[wl_pe_pkg::CtlPFab] & (p_moving_i[47:32] == 16'd1)) fab_avail = 4'd1;
    out_avail = (ctl_i[wl_pe_pkg::CtlPackOut] & !half_out & (d_moving_i[47:32] != 16'd1)) ? 4'd2 : 4'd1;

    // Element j of a source that lies ahead of the destination must see what elements before it wrote.
    overlap = 1'b0;
    if (counted & d_use) begin
      if (ctl_i[wl_pe_pkg::CtlPMem] && d_address[15:4] == p_address[15:4])
        overlap = d_address > p_address || (ctl_i[wl_pe_pkg::CtlP16] && !ctl_i[wl_pe_pkg::CtlD16]);
      if (ctl_i[wl_pe_pkg::CtlQMem] && d_address[15:4] == q_address[15:4] &&
          (d_address > q_address || (ctl_i[wl_pe_pkg::CtlQ16] && !ctl_i[wl_pe_pkg::CtlD16])))
        overlap = 1'b1;
    end

    group = ctl_i[wl_pe_pkg::CtlMost+:4];
    if (counted) begin
      if (d_use) begin
        if (d_avail < group) group = d_avail;
      end else if (out_avail < group) group = out_avail;
    end
    if (p_use) begin
      if (p_avail < group) group = p_avail;
    end else if (ctl_i[wl_pe_pkg::CtlPFab] && fab_avail < group) group = fab_avail;
    if (q_use) begin
      if (q_avail < group) group = q_avail;
    end else if (ctl_i[wl_pe_pkg::CtlQFab] && fab_avail < group) group = fab_avail;
    if (overlap) group = 4'd1;
  end

  assign last = counted ? d_last : p_last;

  // What it does.
  always_comb begin
    trap_o      = wl_pkg::TRAP_NONE;
    no_room_o   = 1'b0;
    complete_o  = 1'b0;
    sleep_o     = 1'b0;
    flags_o     = flags_i;
    step_o      = 4'd0;
    rewind_o    = 3'd0;
    hold_o      = 1'b0;
    hold_data_o = weight;
    pop_o       = 1'b0;
    zero_o      = 1'b0;
    push_o      = 1'b0;
    half_o      = 1'b0;
    a_en_o      = 1'b0;
    a_address_o = saxpy ? d_address : p_address;
    b_en_o      = 1'b0;
    b_address_o = q_address;
    r_en_o      = 1'b0;
    w_en_o      = 1'b0;
    d_address_o = d_address;
    ahead_en_o  = 1'b0;
    ahead_line_o = 13'd0;
    lanes_o     = 1'b0;
    acc_o       = 1'b0;
    sfu_o       = 1'b0;
    group_o     = group;
    class_o     = wl_pkg::CLASS_CONTROL;
    unique case (kind)
      wl_pe_pkg::EventGroup: begin
        if (ctl_i[wl_pe_pkg::CtlPMem]) trap_o = fault(p_address, !ctl_i[wl_pe_pkg::CtlP16]);
        if (trap_o == 8'd0 && ctl_i[wl_pe_pkg::CtlQMem]) trap_o = fault(q_address, !ctl_i[wl_pe_pkg::CtlQ16]);
        if (trap_o == 8'd0 && counted && d_use) trap_o = fault(d_address, !ctl_i[wl_pe_pkg::CtlD16]);
        a_en_o  = saxpy | ctl_i[wl_pe_pkg::CtlPMem];
        b_en_o  = ctl_i[wl_pe_pkg::CtlQMem];
        r_en_o  = ctl_i[wl_pe_pkg::CtlDRead];
        w_en_o  = counted & d_use;
        lanes_o = counted & !ctl_i[wl_pe_pkg::CtlSfu];
        acc_o   = !counted;
        sfu_o   = ctl_i[wl_pe_pkg::CtlSfu];
        step_o  = {1'b0, q_use, p_use | ctl_i[wl_pe_pkg::CtlPFab], counted};
        flags_o[wl_pe_pkg::FlagRestartP] = p_restart;
        flags_o[wl_pe_pkg::FlagRestartQ] = q_restart;
        if (!counted) begin
          flags_o[wl_pe_pkg::FlagPhase+:2] = (flags_i[wl_pe_pkg::FlagPhase+:2] + group[1:0]) & 2'(Lanes / 2 - 1);
          flags_o[wl_pe_pkg::FlagFirst]  = 1'b0;
          flags_o[wl_pe_pkg::FlagResult] = last;
        end
        if (stream) begin
          pop_o  = first & fab_in;
          hold_o = first & fab_in;
          flags_o[wl_pe_pkg::FlagFirst] = saxpy & last;
          flags_o[wl_pe_pkg::FlagIndex] = 1'b0;
          if (last) begin
            rewind_o = {1'b1, sdot, saxpy};
            flags_o[wl_pe_pkg::FlagRestartP] = 1'b0;
            flags_o[wl_pe_pkg::FlagRestartQ] = 1'b0;
          end
          // Zero weights behind the one in hand.
          if (saxpy & !first & ready & !head_i[32] & (head_i[14:0] == 15'd0)) begin
            pop_o  = 1'b1;
            zero_o = 1'b1;
          end
          // The slab's next line: further on in the row, or where the next weight starts.
          if (saxpy && last && !first && ready && !zero_o) begin
            ahead_en_o   = 1'b1;
            ahead_line_o = 13'((q_initial_i[15:0] + head_i[31:16]) >> 3);
          end else if (!last) begin
            ahead_en_o   = q_fixed_i[53];
            ahead_line_o = q_address[15:3] + 13'd1;
          end
        end else begin
          if (fab_in) begin
            pop_o = !ctl_i[wl_pe_pkg::CtlPackIn] | half_in | (group == 4'd2) | last;
            flags_o[wl_pe_pkg::FlagHalfIn] = !pop_o;
          end
          if (!dot & ctl_i[wl_pe_pkg::CtlDFab]) begin
            push_o = !ctl_i[wl_pe_pkg::CtlPackOut] | half_out | (group == 4'd2) | last;
            half_o = !push_o;
            flags_o[wl_pe_pkg::FlagHalfOut] = !push_o;
          end
          complete_o = last & !dot;
          if (!last && q_use) begin
            ahead_en_o   = q_fixed_i[53];
            ahead_line_o = q_address[15:3] + 13'd1;
          end
        end
        class_o = saxpy ? wl_pkg::CLASS_AXPY : (sdot | (dot & ctl_i[wl_pe_pkg::CtlMac])) ? wl_pkg::CLASS_DOT :
                  (fab_in | ctl_i[wl_pe_pkg::CtlDFab]) ? wl_pkg::CLASS_REDUCE : wl_pkg::CLASS_ELEMENTWISE;
      end
      wl_pe_pkg::EventEnd, wl_pe_pkg::EventFlush: begin
        complete_o = 1'b1;
        if (need & head_i[32] & !flags_i[wl_pe_pkg::FlagNil]) begin
          pop_o = consume;
          if (on_control == wl_pkg::ON_CONTROL_TRAP) trap_o = wl_pkg::TRAP_UNEXPECTED_CONTROL;
        end
        if (kind == wl_pe_pkg::EventFlush) begin
          no_room_o = !room_i[out_queue];
          push_o    = 1'b1;
        end
      end
      wl_pe_pkg::EventDrop: begin
        pop_o   = 1'b1;
        zero_o  = 1'b1;
        class_o = wl_pkg::CLASS_STREAM;
      end
      wl_pe_pkg::EventClear: begin
        acc_o   = 1'b1;
        group_o = 4'd0;
        flags_o[wl_pe_pkg::FlagFirst] = 1'b0;
        if (sdot) class_o = wl_pkg::CLASS_STREAM;
      end
      wl_pe_pkg::EventResult: begin
        if (d_use) trap_o = fault(d_address, !ctl_i[wl_pe_pkg::CtlD16]);
        acc_o   = 1'b1;
        group_o = 4'd1;
        w_en_o  = d_use;
        step_o[0] = 1'b1;
        flags_o[wl_pe_pkg::FlagRestartD] = d_restart;
        flags_o[wl_pe_pkg::FlagResult] = 1'b0;
        flags_o[wl_pe_pkg::FlagFirst]  = 1'b1;
        flags_o[wl_pe_pkg::FlagPhase+:2] = 2'd0;
        complete_o = dot | flags_i[wl_pe_pkg::FlagLastX];
        if (ctl_i[wl_pe_pkg::CtlDFab]) begin
          push_o = !ctl_i[wl_pe_pkg::CtlPackOut] | half_out | complete_o;
          half_o = !push_o;
          flags_o[wl_pe_pkg::FlagHalfOut] = !push_o;
        end
        if (sdot) class_o = wl_pkg::CLASS_STREAM;
      end
      wl_pe_pkg::EventIndex: begin
        if (x_fixed_i[56]) begin
          trap_o      = fault(x_address, 1'b0);
          a_en_o      = 1'b1;
          a_address_o = x_address;
          sleep_o     = 1'b1;
        end
        hold_o      = !x_fixed_i[56];
        hold_data_o = x_address;
        step_o[3]   = 1'b1;
        group_o     = 4'd1;
        flags_o[wl_pe_pkg::FlagRestartX] = x_restart;
        flags_o[wl_pe_pkg::FlagIndex] = 1'b1;
        flags_o[wl_pe_pkg::FlagLastX] = x_last;
        class_o = wl_pkg::CLASS_STREAM;
      end
      default: begin  // EventDue
        if (need & head_i[32]) begin
          pop_o = consume;
          if (on_control == wl_pkg::ON_CONTROL_TRAP) trap_o = wl_pkg::TRAP_UNEXPECTED_CONTROL;
        end else pop_o = fab_in;
        flags_o[wl_pe_pkg::FlagResult] = 1'b1;
        flags_o[wl_pe_pkg::FlagIndex]  = 1'b0;
        if (sdot) class_o = wl_pkg::CLASS_STREAM;
      end
    endcase
    need_in_o  = fab_in & !flags_o[wl_pe_pkg::FlagResult] & (stream ? flags_o[wl_pe_pkg::FlagFirst] : !flags_o[wl_pe_pkg::FlagHalfIn]);
    need_out_o = ctl_i[wl_pe_pkg::CtlDFab] & (counted | flags_o[wl_pe_pkg::FlagResult]);
    save_o     = complete_o ? ctl_i[wl_pe_pkg::CtlSaveD+:4] & {2'b11, 2'b11} : 4'd0;
    save_d_o   = step_o[0] ? d_save : d_moving_i[15:0];
    save_p_o   = step_o[1] ? p_save : p_moving_i[15:0];
    save_q_o   = step_o[2] ? q_save : q_moving_i[15:0];
    save_x_o   = step_o[3] ? x_save : x_moving_i[15:0];
  end

  // Operands that do not come from memory.
  always_comb begin
    wide      = ctl_i[wl_pe_pkg::CtlWide];
    fabric    = {32'd0, head_i[31:0]};
    p_const_o = 64'd0;
    q_const_o = 64'd0;
    s_const_o = 64'd0;
    if (context_i) begin
      if (fab_in) begin
        if (ctl_i[wl_pe_pkg::CtlPackIn]) begin
          fabric[15:0] = half_in ? head_i[31:16] : head_i[15:0];
          if (wide) fabric = {16'd0, head_i[31:16], 16'd0, fabric[15:0]};
        end else if (ctl_i[wl_pe_pkg::CtlPFab] ? ctl_i[wl_pe_pkg::CtlP16] : ctl_i[wl_pe_pkg::CtlQ16]) fabric[31:16] = 16'd0;
      end
      p_const_o = ctl_i[wl_pe_pkg::CtlPFab] ? fabric : {48'd0, p_address};
      q_const_o = ctl_i[wl_pe_pkg::CtlQFab] ? fabric : {48'd0, q_address};
      s_const_o = saxpy ? {16'd0, weight, 16'd0, weight} : {scalar_i, scalar_i};
      if (!wide) s_const_o = {s_const_o[15:0], s_const_o[15:0], s_const_o[15:0], s_const_o[15:0]};
    end
  end

  logic unused_bits;
  assign unused_bits = ^{p_window, q_window, x_window, q_last, x_avail, x_use, ctl_i, q_initial_i[63:16], x_fixed_i};

endmodule
