// The four output queues and the ramp output register.
//
// The write-back stage pushes at most one wavelet per cycle; its slot was reserved when the group issued (take_i), so a push never
// meets a full queue. A push to an empty queue goes straight to ramp_o if the colour is ready and no queue sends (the boundary
// register of the reduction path). Heads whose colour is ready are served round robin, one per cycle. After a control wavelet its
// colour is left out for three cycles: enough for a hop of one or two cycles (contracts, section 1).
// ramp_ready_i feeds registers only.
module wl_outq #(
    parameter int unsigned Depth
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    // reservation by the issue stage
    input  logic        take_i,
    input  logic [ 1:0] take_queue_i,
    output logic [ 3:0] room_o,
    // write-back
    input  logic        push_i,
    input  logic [ 1:0] push_queue_i,
    input  logic [37:0] push_word_i,   // {control, colour, data}
    // ramp
    output logic [38:0] ramp_o,
    input  logic [23:0] ramp_ready_i,
    output logic        quiet_o,
    output logic        waiting_o      // registered: a wavelet is held
);

  localparam int unsigned PtrBits = $clog2(Depth);
  localparam int unsigned CntBits = $clog2(Depth + 1);

  logic [37:0] fifo_q[0:4*(1<<PtrBits)-1];
  logic [CntBits-1:0] used_q[0:3];    // stored
  logic [CntBits-1:0] taken_q[0:3];   // stored or reserved
  logic [PtrBits-1:0] rd_q[0:3];
  logic [3:0] nonempty_q, room_q, turn_q;  // turn_q: one-hot, the queue that was served last
  logic [38:0] ramp_q;
  logic [31:0] hole0_q, hole1_q, hole2_q;
  logic quiet_q;

  logic holes;
  assign holes     = (hole0_q | hole1_q | hole2_q) != 32'd0;
  assign ramp_o    = ramp_q;
  assign room_o    = room_q;
  assign quiet_o   = quiet_q;
  assign waiting_o = |nonempty_q;

  function automatic logic [PtrBits-1:0] wrapped(input logic [31:0] ptr);
    wrapped = PtrBits'((ptr >= Depth) ? ptr - Depth : ptr);
  endfunction

  // One clocked process, guarded by activity.
  // verilator lint_off BLKSEQ
  always_ff @(posedge clk_i) begin : p_queues
    logic [31:0] open, hole;
    logic [37:0] word;
    logic [4:0] colour;
    logic [3:0] nonempty, ask, above, grant, room;
    logic [1:0] queue;
    logic [CntBits-1:0] used, taken;
    logic [PtrBits-1:0] slot;  // a call in the index of a non-blocking assignment is an internal error of Verilator 5.032
    logic sent, direct, send_queue;
    sent = 1'b0;
    if ((nonempty_q != 4'd0) | push_i | take_i | ramp_q[38] | holes) begin
      nonempty = nonempty_q;
      room     = room_q;
      open     = 32'd0;
      hole     = 32'd0;
      ask      = 4'd0;
      grant    = 4'd0;
      above    = 4'd0;
      colour   = 5'd0;
      word     = push_word_i;
      queue    = 2'd0;
      used     = '0;
      taken    = '0;
      slot     = '0;
      direct   = 1'b0;
      send_queue = 1'b0;
      sent     = 1'b0;
      if ((nonempty_q != 4'd0) | push_i) begin
        open = {8'd0, ramp_ready_i};
        if (holes) open = open & ~(hole0_q | hole1_q | hole2_q);
        for (int unsigned k = 0; k < 4; k++) begin
          if (nonempty_q[k]) begin
            colour = fifo_q[{2'(k), rd_q[k]}][36:32];
            ask[k] = |(open & (32'd1 << colour));
          end
        end
        if (ask != 4'd0) begin
          above      = ask & ~(turn_q | (turn_q - 4'd1));
          grant      = (above != 4'd0) ? above & (~above + 4'd1) : ask & (~ask + 4'd1);
          queue      = {grant[3] | grant[2], grant[3] | grant[1]};
          word       = fifo_q[{queue, rd_q[queue]}];
          send_queue = 1'b1;
          turn_q     <= grant;
          rd_q[queue] <= wrapped(32'(rd_q[queue]) + 32'd1);
        end
        direct = push_i & !send_queue & !nonempty_q[push_queue_i] & (|(open & (32'd1 << push_word_i[36:32])));
        sent   = send_queue | direct;
        if (direct) queue = push_queue_i;
        if (sent) begin
          ramp_q <= {1'b1, word[37], word[36:32], word[31:0]};
          if (word[37]) hole = 32'd1 << word[36:32];
        end
        if (push_i && !direct) begin
          used = used_q[push_queue_i];
          slot = wrapped(32'(rd_q[push_queue_i]) + 32'(used));
          fifo_q[{push_queue_i, slot}] <= push_word_i;
          nonempty = nonempty | (4'd1 << push_queue_i);
          if (!(send_queue && queue == push_queue_i)) used_q[push_queue_i] <= used + CntBits'(1);
        end
        if (send_queue && !(push_i && !direct && queue == push_queue_i)) begin
          used = used_q[queue];
          used_q[queue] <= used - CntBits'(1);
          if (used == CntBits'(1)) nonempty = nonempty & ~(4'd1 << queue);
        end
      end
      if (!sent && ramp_q[38]) ramp_q <= 39'd0;
      if (take_i && !(sent && queue == take_queue_i)) begin
        taken = taken_q[take_queue_i] + CntBits'(1);
        taken_q[take_queue_i] <= taken;
        if (taken == CntBits'(Depth)) room = room & ~(4'd1 << take_queue_i);
      end
      if (sent && !(take_i && queue == take_queue_i)) begin
        taken_q[queue] <= taken_q[queue] - CntBits'(1);
        room = room | (4'd1 << queue);
      end
      if (holes | (hole != 32'd0)) begin
        hole0_q <= hole;
        hole1_q <= hole0_q;
        hole2_q <= hole1_q;
      end
      nonempty_q <= nonempty;
      room_q     <= room;
    end
    quiet_q <= !(sent | push_i | take_i | ramp_q[38] | holes);
    if (!rst_ni) begin
      for (int unsigned k = 0; k < 4; k++) begin
        used_q[k]  <= '0;
        taken_q[k] <= '0;
        rd_q[k]    <= '0;
      end
      nonempty_q <= 4'd0;
      room_q     <= 4'hf;
      turn_q     <= 4'h8;
      ramp_q     <= 39'd0;
      hole0_q    <= 32'd0;
      hole1_q    <= 32'd0;
      hole2_q    <= 32'd0;
      quiet_q    <= 1'b0;
    end
  end
  // verilator lint_on BLKSEQ

endmodule
