// Task flags and the start of tasks.
//
// While the main thread runs no task, the lowest id that can start is taken: a local task that is activated, or the task of a queue head that no
// context reads (a control wavelet names it; a data wavelet's is its colour, if its queue starts tasks); none while it is blocked, a local one
// first if both have the id. One cycle takes it (flag cleared or wavelet popped, r1 and r2 set), then its entry is read and the fetch unit
// jumps there.
module wl_tasks (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        stop_i,         // trapped
    input  logic        idle_i,         // no late register result is due
    // queues
    input  logic [ 7:0] nonempty_i,
    input  logic [ 7:0] control_i,
    input  logic [ 7:0] bound_i,
    input  logic [ 7:0] starts_i,
    input  logic [ 7:0] read_i,
    input  logic [47:0] id_i,
    input  logic [63:0] bind_i,
    input  logic [32:0] head_i,         // of queue_o
    output logic [ 2:0] queue_o,
    output logic        pop_o,
    // start
    output logic        start_o,        // a task is taken
    output logic [ 5:0] start_id_o,
    output logic        start_set_o,    // and r1, r2 are set
    output logic [31:0] start_r1_o,
    output logic [31:0] start_r2_o,
    output logic        entry_ask_o,
    output logic [ 5:0] entry_task_o,
    input  logic        entry_go_i,
    input  logic        entry_i,        // the entry arrives
    input  logic [15:0] entry_data_i,
    output logic        jump_o,
    output logic [ 7:0] trap_o,
    output logic        run_o,
    output logic        halted_o,
    output logic        busy_o,         // starting
    // instructions
    input  logic        yield_i,
    input  logic        halt_i,
    input  logic        act_i,
    input  logic        blk_i,
    input  logic        unb_i,
    input  logic [ 5:0] task_i,
    input  logic [ 1:0] done_i,         // completion of a context: activate, unblock
    input  logic [ 5:0] done_task_i,
    input  logic        write_i,        // memory-mapped
    input  logic [ 1:0] write_word_i,   // active low, high, blocked low, high
    input  logic [31:0] write_data_i,
    output logic [63:0] active_o,
    output logic [63:0] blocked_o
);

  logic [63:0] task_act_q, task_blk_q;
  logic [5:0] task_q;
  logic run_q, halted_q, ask_q, wait_q;

  logic [63:0] can, local_can, lowest, act, blk;
  logic [7:0] heads, mine;
  logic [5:0] id;
  logic free, from_queue, change;
  assign change = (start_o & !from_queue) | act_i | blk_i | unb_i | write_i | (done_i != 2'd0);

  assign active_o  = task_act_q;
  assign blocked_o = task_blk_q;
  assign run_o     = run_q;
  assign halted_o  = halted_q;
  assign entry_ask_o  = ask_q & !stop_i;
  assign entry_task_o = task_q;
  assign busy_o    = (ask_q & !stop_i) | wait_q;

  always_comb begin
    free      = !(run_q | halted_q | ask_q | wait_q | stop_i) & idle_i;
    heads     = 8'd0;
    mine      = 8'd0;
    local_can = 64'd0;
    can       = 64'd0;
    lowest    = 64'd0;
    id        = 6'd0;
    queue_o   = 3'd0;
    from_queue = 1'b0;
    if (free) begin
      local_can = task_act_q & ~task_blk_q;
      can       = local_can;
      heads     = nonempty_i & bound_i & (control_i | starts_i) & ~read_i;
      if (heads != 8'd0) begin
        for (int unsigned k = 0; k < 8; k++) if (heads[k]) can = can | ((64'd1 << id_i[6*k+:6]) & ~task_blk_q);
      end
      if (can != 64'd0) begin
        lowest     = can & (~can + 64'd1);
        from_queue = (lowest & local_can) == 64'd0;
        id = {|(lowest & 64'hffffffff00000000), |(lowest & 64'hffff0000ffff0000), |(lowest & 64'hff00ff00ff00ff00),
              |(lowest & 64'hf0f0f0f0f0f0f0f0), |(lowest & 64'hcccccccccccccccc), |(lowest & 64'haaaaaaaaaaaaaaaa)};
        if (from_queue) begin
          for (int unsigned k = 0; k < 8; k++) mine[k] = heads[k] && id_i[6*k+:6] == id;
          mine    = mine & (~mine + 8'd1);
          queue_o = {|mine[7:4], |(mine & 8'hcc), |(mine & 8'haa)};
        end
      end
    end
    start_o     = can != 64'd0;
    start_id_o  = id;
    start_set_o = from_queue;
    pop_o       = from_queue;
  end

  always_comb begin
    start_r1_o  = head_i[32] ? {16'd0, head_i[31:16]} : head_i[31:0];
    start_r2_o  = 32'd0;
    if (from_queue) start_r2_o = {27'd0, bind_i[8*queue_o+:5]};
  end

  always_comb begin
    trap_o = wl_pkg::TRAP_NONE;
    jump_o = 1'b0;
    if (entry_i) begin
      if (entry_data_i == 16'd0) trap_o = wl_pkg::TRAP_NO_TASK;
      else if (entry_data_i[1:0] != 2'd0) trap_o = wl_pkg::TRAP_MISALIGNED;
      else jump_o = 1'b1;
    end
  end

  // Flags change in the order start, instruction or memory-mapped write, completion.
  always_comb begin
    act = task_act_q;
    blk = task_blk_q;
    if (change) begin
      if (start_o & !from_queue) act = act & ~lowest;
      if (act_i) act = act | (64'd1 << task_i);
      if (blk_i) blk = blk | (64'd1 << task_i);
      if (unb_i) blk = blk & ~(64'd1 << task_i);
      if (write_i) begin
        unique case (write_word_i)
          2'd0: act[31:0] = write_data_i;
          2'd1: act[63:32] = write_data_i;
          2'd2: blk[31:0] = write_data_i;
          default: blk[63:32] = write_data_i;
        endcase
      end
      if (done_i[0]) act = act | (64'd1 << done_task_i);
      if (done_i[1]) blk = blk & ~(64'd1 << done_task_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (change) begin
      task_act_q <= act;
      task_blk_q <= blk;
    end
    if (start_o) begin
      task_q <= id;
      ask_q  <= 1'b1;
    end
    if (entry_go_i) begin
      ask_q  <= 1'b0;
      wait_q <= 1'b1;
    end
    if (entry_i) begin
      wait_q <= 1'b0;
      run_q  <= jump_o;
    end
    if (yield_i | halt_i) run_q <= 1'b0;
    if (halt_i) halted_q <= 1'b1;
    if (!rst_ni) begin
      task_act_q <= 64'd0;
      task_blk_q <= 64'd0;
      run_q      <= 1'b0;
      halted_q   <= 1'b0;
      ask_q      <= 1'b0;
      wait_q     <= 1'b0;
    end
  end

  logic unused_bind;
  assign unused_bind = ^bind_i;

endmodule
