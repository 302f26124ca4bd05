// The eight input queues and their bindings to colours.
//
// An arriving wavelet is looked up by colour and stored at the next edge; an empty queue shows it as its head in the cycle
// after that edge (the register "input-queue head" of the reduction path). Ready of a colour is a register: high while its
// queue holds at most Depth - 2 entries, high for a colour without a queue (its arrival traps), low for all once frozen_i.
// The inputs ramp_i and frozen_i feed registers only. One element may be popped by the issue stage and one by the task unit
// per cycle, never from one queue.
module wl_inq #(
    parameter int unsigned Colours,
    parameter int unsigned DepthA,
    parameter int unsigned DepthB
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [38:0] ramp_i,
    output logic [23:0] ready_o,
    input  logic        frozen_i,
    // binding; bind_o has eight bits per queue: {bound, task, 0, colour}
    input  logic        bind_we_i,
    input  logic [ 2:0] bind_queue_i,
    input  logic [ 6:0] bind_value_i,    // {bound, task, colour}
    output logic [63:0] bind_o,
    // consumers
    input  logic        pop_i,
    input  logic [ 2:0] pop_queue_i,
    input  logic        task_pop_i,
    input  logic [ 2:0] task_queue_i,
    output logic [32:0] head_o,          // {control, data} of pop_queue_i
    output logic [32:0] task_head_o,     // of task_queue_i
    output logic [ 7:0] nonempty_o,
    output logic [ 7:0] control_o,       // the head is a control wavelet
    output logic [ 7:0] bound_o,
    output logic [ 7:0] starts_o,        // data wavelets start tasks
    output logic [47:0] id_o,            // task that the head would start, six bits per queue
    // results of an edge
    output logic        quiet_o,
    output logic        arrived_o,       // registered: a wavelet was taken at the last edge
    output logic        unbound_o,       // registered: a wavelet without a queue arrived
    output logic        overflow_o       // registered: a sender ignored ready
);

  localparam int unsigned Deep = (DepthA > DepthB) ? DepthA : DepthB;
  localparam int unsigned PtrBits = $clog2(Deep);
  localparam int unsigned CntBits = $clog2(Deep + 1);
  localparam logic [31:0] AllColours = 32'((64'd1 << Colours) - 64'd1);

  logic [32:0] fifo_q[0:8*(1<<PtrBits)-1];
  logic [CntBits-1:0] used_q[0:7];
  logic [PtrBits-1:0] rd_q[0:7];
  logic [3:0] of_colour_q[0:31];  // {bound, queue}
  logic [63:0] bind_q;
  logic [47:0] id_q;
  logic [7:0] nonempty_q, control_q, bound_q, starts_q;
  logic [31:0] ready_q;
  logic quiet_q, arrived_q, unbound_q, overflow_q, frozen_q;

  assign ready_o     = ready_q[23:0];
  assign bind_o      = bind_q;
  assign nonempty_o  = nonempty_q;
  assign control_o   = control_q;
  assign id_o        = id_q;
  assign quiet_o     = quiet_q;
  assign arrived_o   = arrived_q;
  assign unbound_o   = unbound_q;
  assign overflow_o  = overflow_q;
  assign bound_o     = bound_q;
  assign starts_o    = starts_q;
  assign head_o      = fifo_q[{pop_queue_i, rd_q[pop_queue_i]}];
  assign task_head_o = fifo_q[{task_queue_i, rd_q[task_queue_i]}];

  function automatic logic [CntBits-1:0] depth_of(input logic [2:0] queue);
    depth_of = (queue < 3'd2) ? CntBits'(DepthA) : CntBits'(DepthB);
  endfunction

  function automatic logic [PtrBits-1:0] next_of(input logic [PtrBits-1:0] ptr, input logic [2:0] queue);
    next_of = (CntBits'(ptr) == depth_of(queue) - CntBits'(1)) ? PtrBits'(0) : ptr + PtrBits'(1);
  endfunction

  function automatic logic [31:0] bit_of(input logic [4:0] colour);
    bit_of = 32'd1 << colour;
  endfunction

  // One clocked process: everything hangs on an arrival, a pop or a binding, so a cycle without one costs a test.
  // verilator lint_off BLKSEQ
  always_ff @(posedge clk_i) begin : p_queues
    logic [31:0] ready;
    logic [7:0] nonempty, control;
    logic [2:0] queue;
    logic [CntBits-1:0] used, depth;
    logic [PtrBits-1:0] rd, wr;
    logic [4:0] colour;
    logic [32:0] head;
    logic [63:0] bound;
    logic hit;
    quiet_q    <= !(ramp_i[38] | pop_i | task_pop_i | bind_we_i | (frozen_i & !frozen_q));
    arrived_q  <= ramp_i[38] & of_colour_q[ramp_i[36:32]][3];
    unbound_q  <= ramp_i[38] & !of_colour_q[ramp_i[36:32]][3];
    overflow_q <= 1'b0;
    frozen_q   <= frozen_i;
    if (ramp_i[38] | pop_i | task_pop_i | bind_we_i | frozen_i) begin
      ready    = ready_q;
      nonempty = nonempty_q;
      control  = control_q;
      colour   = ramp_i[36:32];
      hit      = of_colour_q[colour][3];
      queue    = of_colour_q[colour][2:0];
      used     = used_q[queue];
      depth    = depth_of(queue);
      rd       = rd_q[queue];
      wr       = '0;
      bound    = 64'd0;
      head     = ramp_i[38] ? {ramp_i[37], ramp_i[31:0]} : 33'd0;

      if (ramp_i[38] && hit) begin
        if (used == depth) begin
          overflow_q <= 1'b1;
        end else begin
          wr = PtrBits'((32'(rd) + 32'(used) >= 32'(depth)) ? 32'(rd) + 32'(used) - 32'(depth) : 32'(rd) + 32'(used));
          fifo_q[{queue, wr}] <= head;
          used_q[queue] <= used + CntBits'(1);
          if (used == '0) begin
            nonempty = nonempty | (8'd1 << queue);
            control  = head[32] ? control | (8'd1 << queue) : control & ~(8'd1 << queue);
            id_q[6*queue+:6] <= head[32] ? head[5:0] : {1'b0, colour};
          end
          ready = (used + CntBits'(1) <= depth - CntBits'(2)) ? ready | bit_of(colour) : ready & ~bit_of(colour);
        end
      end
      for (int unsigned k = 0; k < 2; k++) begin
        if (k == 0 ? pop_i : task_pop_i) begin
          queue  = (k == 0) ? pop_queue_i : task_queue_i;
          colour = bind_q[8*queue+:5];
          depth  = depth_of(queue);
          used   = used_q[queue];
          hit    = ramp_i[38] && of_colour_q[ramp_i[36:32]] == {1'b1, queue} && used != depth;  // push and pop in one cycle
          rd     = next_of(rd_q[queue], queue);
          rd_q[queue] <= rd;
          head = (used == CntBits'(1)) ? {ramp_i[37], ramp_i[31:0]} : fifo_q[{queue, rd}];
          if (!hit) used_q[queue] <= used - CntBits'(1);
          else used_q[queue] <= used;
          if (used == CntBits'(1) && !hit) begin
            nonempty = nonempty & ~(8'd1 << queue);
            control  = control & ~(8'd1 << queue);
          end else begin
            control = head[32] ? control | (8'd1 << queue) : control & ~(8'd1 << queue);
            id_q[6*queue+:6] <= head[32] ? head[5:0] : {1'b0, colour};
          end
          ready = (used - CntBits'(!hit) <= depth - CntBits'(2)) ? ready | bit_of(colour) : ready & ~bit_of(colour);
        end
      end
      if (bind_we_i) begin
        bound = bind_q;
        bound[8*bind_queue_i+:8] = {bind_value_i[6:5], 1'b0, bind_value_i[4:0]};
        bind_q <= bound;
        bound_q[bind_queue_i]  <= bind_value_i[6];
        starts_q[bind_queue_i] <= bind_value_i[5];
        // The colour that is left and the colour that is joined: the lowest queue bound to it has it.
        for (int unsigned k = 0; k < 2; k++) begin
          colour = (k == 0) ? bind_q[8*bind_queue_i+:5] : bind_value_i[4:0];
          hit    = 1'b0;
          queue  = 3'd0;
          for (int j = 7; j >= 0; j--) begin
            if (bound[8*j+7] && bound[8*j+:5] == colour) begin
              hit   = 1'b1;
              queue = 3'(j);
            end
          end
          of_colour_q[colour] <= {hit, queue};
          // What the queue holds after this edge: an arrival or a pop may fall into the cycle of the binding.
          used = used_q[queue];
          if (ramp_i[38] && of_colour_q[ramp_i[36:32]] == {1'b1, queue} && used != depth_of(queue)) used = used + CntBits'(1);
          if ((pop_i && pop_queue_i == queue) || (task_pop_i && task_queue_i == queue)) used = used - CntBits'(1);
          ready = (!hit || used <= depth_of(queue) - CntBits'(2)) ? ready | bit_of(colour) : ready & ~bit_of(colour);
        end
      end
      ready_q    <= frozen_i ? 32'd0 : ready & AllColours;
      nonempty_q <= nonempty;
      control_q  <= control;
    end
    if (!rst_ni) begin
      for (int unsigned k = 0; k < 8; k++) begin
        used_q[k] <= '0;
        rd_q[k]   <= '0;
      end
      for (int unsigned k = 0; k < 32; k++) of_colour_q[k] <= 4'd0;
      bind_q     <= 64'd0;
      bound_q    <= 8'd0;
      starts_q   <= 8'd0;
      id_q       <= 48'd0;
      nonempty_q <= 8'd0;
      control_q  <= 8'd0;
      ready_q    <= AllColours & 32'h00ffffff;
      quiet_q    <= 1'b0;
      arrived_q  <= 1'b0;
      unbound_q  <= 1'b0;
      overflow_q <= 1'b0;
      frozen_q   <= 1'b0;
    end
  end
  // verilator lint_on BLKSEQ

  // A queue bound to a colour above the machine's colours never receives.
  logic unused_ready;
  assign unused_ready = ^ready_q[31:24];

endmodule
