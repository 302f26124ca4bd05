// Processing element: scalar main thread, nine vector contexts, SRAM and window, queues to and from the router.
//
// Parts: wl_inq and wl_outq (queues), wl_fetch, wl_scalar (with wl_decode) and wl_tasks (main thread), wl_launch (descriptors), wl_ctx and wl_arb (contexts),
// wl_issue (with wl_gen: the event of the selected context), wl_mem (hazards, banks, SRAM, window), wl_exec (lanes and write-back), wl_mmio
// (memory-mapped registers, counters). Pipeline: fetch (F), instruction register (D), issue (A), operands and macros (x), write-back (w).
// All inputs feed registers only; all outputs come from registers.
//
// Trace points (for checkers that attach with bind); in each cycle at most one of context_go and scalar_go, and in that cycle the order is
// arrival, task start, issue:
//   context_go with select (context), event_kind (wl_pe_pkg), group (elements), complete, issue_pc: what a context did
//   scalar_go with issue (the last cycle of an instruction), instr_pc, instr, alu_we, alu_value (register instr[10:7]): the main thread's issue
//   load_valid, load_rd, load_data; late_rd, late_data: late register results
//   task_start with task_start_id, task_from_queue, task_queue, task_r1, task_r2: a task is taken
//   w_write, w_window, w_line, w_mask, w_data: memory write (halves of a line; two units of w_line are a line of a 128-bit window)
//   push, push_queue, push_word {control, colour, data}: a wavelet enters an output queue; ramp_o: it leaves
//   in_pop with in_pop_queue, in_head; task_pop with task_queue: wavelets taken from input queues; ramp_i: arrivals
//   trap_fire with trap_cause, trap_pc
module wl_pe #(
    parameter int unsigned Lanes = 4,
    parameter int unsigned SramBytes = 49152,
    parameter int unsigned WindowBytes = 256,
    parameter int unsigned Colours = 24,
    parameter int unsigned InDepthA = 8,
    parameter int unsigned InDepthB = 4,
    parameter int unsigned OutDepth = 4
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [31:0] coord_i,
    input  logic [31:0] dims_i,
    input  logic [47:0] time_i,
    input  logic [38:0] ramp_i,
    output logic [23:0] ramp_ready_o,
    output logic [38:0] ramp_o,
    input  logic [23:0] ramp_ready_i,
    output logic [40:0] cfg_o,
    output logic        quiet_o,
    output logic [ 3:0] class_o,
    output logic [31:0] trap_o
);

  localparam int unsigned Width = (Lanes == 8) ? 128 : 64;

  // ---- stop ---------------------------------------------------------------------------------------------------------
  logic [31:0] trap_q;
  logic trapped, stop, trap_fire;
  logic [7:0] trap_cause;
  logic [15:0] trap_pc;
  logic unbound, overflow;
  assign trapped = trap_q[7:0] != 8'd0;
  assign stop    = trapped | unbound | overflow;
  assign trap_o  = trap_q;

  // ---- queues -------------------------------------------------------------------------------------------------------
  logic [63:0] binds;
  logic [47:0] head_id;
  logic [32:0] in_head, task_head;
  logic [7:0] nonempty, head_control, bound, starts, in_read;
  logic [3:0] room, out_written;
  logic [2:0] in_pop_queue, task_queue;
  logic in_pop, task_pop, in_quiet, out_quiet, arrived, bind_we, out_waiting;
  logic push, take;
  logic [1:0] push_queue, take_queue;
  logic [37:0] push_word;
  logic [31:0] store_data;
  logic [15:0] scalar_address;

  wl_inq #(
      .Colours(Colours),
      .DepthA (InDepthA),
      .DepthB (InDepthB)
  ) u_inq (
      .clk_i, .rst_ni, .ramp_i, .ready_o(ramp_ready_o), .frozen_i(trapped), .bind_we_i(bind_we), .bind_queue_i(scalar_address[4:2]),
      .bind_value_i({store_data[7:6], store_data[4:0]}), .bind_o(binds), .pop_i(in_pop), .pop_queue_i(in_pop_queue), .task_pop_i(task_pop),
      .task_queue_i(task_queue), .head_o(in_head), .task_head_o(task_head), .nonempty_o(nonempty), .control_o(head_control),
      .bound_o(bound), .starts_o(starts), .id_o(head_id), .quiet_o(in_quiet), .arrived_o(arrived), .unbound_o(unbound),
      .overflow_o(overflow));

  wl_outq #(
      .Depth(OutDepth)
  ) u_outq (
      .clk_i, .rst_ni, .take_i(take), .take_queue_i(take_queue), .room_o(room), .push_i(push), .push_queue_i(push_queue),
      .push_word_i(push_word), .ramp_o, .ramp_ready_i, .quiet_o(out_quiet), .waiting_o(out_waiting));

  // ---- main thread --------------------------------------------------------------------------------------------------
  logic run, halted, starting, instr_valid, instr_fault, jump, scalar_jump, task_jump, issue, fetch_moved;
  logic [31:0] instr;
  logic [15:0] instr_pc, next_pc, target, scalar_target;
  logic fetch_ask, fetch_go, fetched, mem_write_go, d_window;
  logic [12:0] fetch_line, d_line;
  logic [63:0] fetch_data;

  assign jump   = scalar_jump | task_jump;
  assign target = task_jump ? load_data[15:0] : scalar_target;

  wl_fetch #(
      .SramBytes  (SramBytes),
      .WindowBytes(WindowBytes)
  ) u_fetch (
      .clk_i, .rst_ni, .run_i(run & !trapped), .jump_i(jump), .target_i(target), .take_i(issue), .valid_o(instr_valid), .fault_o(instr_fault),
      .instr_o(instr), .pc_o(instr_pc), .next_pc_o(next_pc), .moved_o(fetch_moved), .fetch_o(fetch_ask), .fetch_line_o(fetch_line),
      .fetch_go_i(fetch_go), .fetched_i(fetched), .fetched_data_i(fetch_data), .write_i(mem_write_go), .write_line_i(d_line),
      .write_two_i(d_window & (Lanes == 8)));

  logic task_start, task_from_queue, entry_ask, entry_go, entry_data, yields, halts, act, blk, unb, task_we;
  logic [5:0] entry_task, task_id, done_task, task_start_id;
  logic [31:0] task_r1, task_r2, load_data;
  logic [7:0] task_trap;
  logic [63:0] task_active, task_blocked;
  logic [1:0] done;
  logic scalar_idle;

  wl_tasks u_tasks (
      .clk_i, .rst_ni, .stop_i(stop), .idle_i(scalar_idle), .nonempty_i(nonempty), .control_i(head_control), .bound_i(bound),
      .starts_i(starts), .read_i(in_read), .id_i(head_id), .bind_i(binds), .head_i(task_head), .queue_o(task_queue), .pop_o(task_pop),
      .start_o(task_start), .start_id_o(task_start_id), .start_set_o(task_from_queue), .start_r1_o(task_r1), .start_r2_o(task_r2),
      .entry_ask_o(entry_ask), .entry_task_o(entry_task), .entry_go_i(entry_go), .entry_i(entry_data), .entry_data_i(load_data[15:0]),
      .jump_o(task_jump), .trap_o(task_trap), .run_o(run), .halted_o(halted), .busy_o(starting), .yield_i(yields), .halt_i(halts),
      .act_i(act), .blk_i(blk), .unb_i(unb), .task_i(task_id), .done_i(done), .done_task_i(done_task), .write_i(task_we),
      .write_word_i(scalar_address[3:2]), .write_data_i(store_data), .active_o(task_active), .blocked_o(task_blocked));

  logic want_launch, scalar_ask, scalar_hazard, solo, scalar_go, launch, s_lane, s_sfu, s_store, s_load, s_ldd, s_mem, s_mmio, s_write, s_half, s_double;
  logic s_second, mmio_read, mmio_write, dset, dget, alu_we, launch_illegal, launch_empty, load_valid, loading;
  logic block, block_all, pipe_busy;
  logic [3:0] launch_slot, s_rd, late_rd, load_rd, s_fmt;
  logic [4:0] s_op;
  logic [7:0] s_trap;
  logic [8:0] active;
  logic [31:0] launch_scalar, ra, rb, rc, dget_data, alu_value, late_data, load_raw;
  logic [63:0] launch_ctl;

  wl_scalar #(
      .SramBytes  (SramBytes),
      .WindowBytes(WindowBytes)
  ) u_scalar (
      .clk_i, .rst_ni, .run_i(run & !stop), .valid_i(instr_valid), .fault_i(instr_fault), .instr_i(instr), .pc_i(instr_pc),
      .entry_ask_i(entry_ask), .entry_task_i(entry_task), .active_i(active), .read_i(in_read), .written_i(out_written), .block_i(block),
      .block_all_i(block_all), .busy_i(pipe_busy), .loading_i(loading), .launch_ctl_i(launch_ctl), .launch_illegal_i(launch_illegal),
      .want_launch_o(want_launch), .ask_o(scalar_ask), .hazard_o(scalar_hazard), .solo_o(solo), .go_i(scalar_go), .trap_o(s_trap),
      .issue_o(issue), .launch_o(launch), .launch_slot_o(launch_slot), .launch_scalar_o(launch_scalar), .lane_o(s_lane), .sfu_o(s_sfu),
      .store_o(s_store), .load_o(s_load), .ldd_o(s_ldd), .mem_o(s_mem), .mmio_o(s_mmio), .write_o(s_write), .half_o(s_half), .double_o(s_double),
      .address_o(scalar_address), .ldd_second_o(s_second), .mmio_read_o(mmio_read), .mmio_write_o(mmio_write),
      .store_data_o(store_data), .lane_op_o(s_op), .lane_fmt_o(s_fmt), .a_value_o(ra), .b_value_o(rb), .c_value_o(rc), .rd_o(s_rd),
      .dset_o(dset), .dget_o(dget), .dget_i(dget_data), .act_o(act), .blk_o(blk), .unb_o(unb), .task_o(task_id), .yield_o(yields),
      .halt_o(halts), .jump_o(scalar_jump), .target_o(scalar_target), .alu_we_o(alu_we), .alu_o(alu_value), .idle_o(scalar_idle),
      .load_i(load_valid & !x_entry_q), .load_rd_i(load_rd), .load_data_i(load_data), .late_rd_i(late_rd), .late_data_i(late_data),
      .start_i(task_from_queue), .start_r1_i(task_r1), .start_r2_i(task_r2));

  // ---- contexts -----------------------------------------------------------------------------------------------------
  logic [63:0] ld_moving, ld_fixed, lp_moving, lp_fixed, lq_moving, lq_fixed, lx_moving, lx_fixed;
  logic [63:0] ctl, d_moving, d_fixed, p_moving, p_fixed, q_moving, q_fixed, x_moving, x_fixed, q_initial;
  logic [63:0] d_next, p_next, q_next, x_next, ldd_data, p_const, q_const, s_const;
  logic [15:0] launch_dsrs, dsrs, issue_pc, held, hold_data, d_saved, p_saved, q_saved, x_saved;
  logic [31:0] ctx_scalar;
  logic [3:0] select, step, save, group, event_class, ldd_dsr, index_slot;
  logic [2:0] rewind, event_kind;
  logic [wl_pe_pkg::FlagBits-1:0] flags, flags_next;
  logic context_sel, scalar_sel, context_go, complete, sleep, need_in, need_out, no_room, hold, wait_in, wait_out, ldd_valid, ldd_second;
  logic index_valid, e_pop, e_zero, e_push, e_half, lanes, acc, sfu;
  logic [7:0] e_trap;

  wl_launch #(
      .Lanes(Lanes)
  ) u_launch (
      .clk_i, .rst_ni, .load_i(ldd_valid), .load_dsr_i(ldd_dsr), .load_second_i(ldd_second), .load_data_i(ldd_data), .set_i(dset),
      .set_dsr_i(instr[10:7]), .word_i(instr[17:16]), .set_data_i(rb), .save_i(context_go ? save : 4'd0), .save_dsrs_i(dsrs),
      .save_d_i(d_saved), .save_p_i(p_saved), .save_q_i(q_saved), .save_x_i(x_saved), .get_i(dget), .get_dsr_i(instr[14:11]),
      .get_o(dget_data), .want_i(want_launch), .instr_i(instr), .bound_i(bound), .illegal_o(launch_illegal), .empty_o(launch_empty),
      .ctl_o(launch_ctl), .dsrs_o(launch_dsrs), .d_moving_o(ld_moving), .d_fixed_o(ld_fixed), .p_moving_o(lp_moving),
      .p_fixed_o(lp_fixed), .q_moving_o(lq_moving), .q_fixed_o(lq_fixed), .x_moving_o(lx_moving), .x_fixed_o(lx_fixed));

  wl_ctx u_ctx (
      .clk_i, .launch_i(launch), .launch_slot_i(launch_slot), .launch_ctl_i(launch_ctl), .launch_pc_i(instr_pc),
      .launch_dsrs_i(launch_dsrs), .launch_scalar_i(launch_scalar), .d_moving_i(ld_moving), .d_fixed_i(ld_fixed), .p_moving_i(lp_moving),
      .p_fixed_i(lp_fixed), .q_moving_i(lq_moving), .q_fixed_i(lq_fixed), .x_moving_i(lx_moving), .x_fixed_i(lx_fixed),
      .select_en_i(context_sel), .select_i(select), .ctl_o(ctl), .pc_o(issue_pc), .dsrs_o(dsrs), .scalar_o(ctx_scalar), .held_o(held),
      .d_moving_o(d_moving), .d_fixed_o(d_fixed), .p_moving_o(p_moving), .p_fixed_o(p_fixed), .q_moving_o(q_moving), .q_fixed_o(q_fixed),
      .x_moving_o(x_moving), .x_fixed_o(x_fixed), .q_initial_o(q_initial), .step_i(context_go ? step : 4'd0), .rewind_i(rewind),
      .d_next_i(d_next), .p_next_i(p_next), .q_next_i(q_next), .x_next_i(x_next), .hold_i(context_go & hold), .hold_data_i(hold_data),
      .index_i(index_valid), .index_slot_i(index_slot), .index_data_i(load_raw[15:0]));

  wl_arb u_arb (
      .clk_i, .rst_ni, .stop_i(stop), .solo_i(solo), .scalar_ask_i(scalar_ask), .nonempty_i(nonempty), .room_i(room), .active_o(active),
      .read_o(in_read), .written_o(out_written), .wait_in_o(wait_in), .wait_out_o(wait_out), .context_o(context_sel),
      .scalar_o(scalar_sel), .select_o(select), .flags_o(flags), .launch_i(launch), .launch_slot_i(launch_slot),
      .launch_empty_i(launch_empty), .launch_ctl_i(launch_ctl), .event_i(context_go), .complete_i(complete), .no_room_i(no_room),
      .keep_i(mem_moved), .sleep_i(sleep), .need_in_i(need_in), .need_out_i(need_out), .flags_i(flags_next), .wake_i(index_valid),
      .wake_slot_i(index_slot));

  logic e_a_en, e_b_en, e_r_en, e_w_en, double, ahead_en;
  logic [15:0] e_a_address, e_b_address, e_d_address;
  logic [12:0] ahead_line;

  wl_issue #(
      .Lanes      (Lanes),
      .SramBytes  (SramBytes),
      .WindowBytes(WindowBytes)
  ) u_issue (
      .context_i(context_sel), .flags_i(flags), .ctl_i(ctl), .scalar_i(ctx_scalar), .held_i(held), .d_moving_i(d_moving), .d_fixed_i(d_fixed),
      .p_moving_i(p_moving), .p_fixed_i(p_fixed), .q_moving_i(q_moving), .q_fixed_i(q_fixed), .x_moving_i(x_moving), .x_fixed_i(x_fixed),
      .q_initial_i(q_initial), .nonempty_i(nonempty), .head_i(in_head), .room_i(room), .event_o(event_kind), .trap_o(e_trap),
      .no_room_o(no_room), .complete_o(complete), .sleep_o(sleep), .need_in_o(need_in), .need_out_o(need_out), .flags_o(flags_next),
      .step_o(step), .rewind_o(rewind), .d_next_o(d_next), .p_next_o(p_next), .q_next_o(q_next), .x_next_o(x_next), .hold_o(hold),
      .hold_data_o(hold_data), .save_o(save), .save_d_o(d_saved), .save_p_o(p_saved), .save_q_o(q_saved), .save_x_o(x_saved), .pop_o(e_pop),
      .zero_o(e_zero), .push_o(e_push), .half_o(e_half), .a_en_o(e_a_en), .a_address_o(e_a_address), .b_en_o(e_b_en),
      .b_address_o(e_b_address), .double_o(double), .r_en_o(e_r_en), .w_en_o(e_w_en), .d_address_o(e_d_address), .ahead_en_o(ahead_en),
      .ahead_line_o(ahead_line), .lanes_o(lanes), .acc_o(acc), .sfu_o(sfu), .group_o(group), .p_const_o(p_const), .q_const_o(q_const),
      .s_const_o(s_const), .class_o(event_class));

  // ---- what issues --------------------------------------------------------------------------------------------------
  logic e_mem, e_pass, e_block, e_result, e_index, e_packed, mem_try, mem_go, mem_bank, mem_moved, mmio_check, mmio_illegal;
  logic s_mem_try, s_cause, wide, a32, b32, d32;
  logic [15:0] a_address, d_address;
  logic [7:0] d_mask;
  logic [3:0] mem_group, formats;
  logic [1:0] read_time;
  logic [31:0] mmio_data;
  logic route_we;

  assign in_pop_queue = ctl[wl_pe_pkg::CtlInQueue+:3];
  assign take_queue   = ctl[wl_pe_pkg::CtlOutQueue+:2];
  assign formats      = ctl[wl_pe_pkg::CtlFormats+:4];

  always_comb begin
    e_result = event_kind == wl_pe_pkg::EventResult;
    e_pass   = event_kind == wl_pe_pkg::EventFlush;
    e_index  = event_kind == wl_pe_pkg::EventIndex;
    e_packed = ctl[wl_pe_pkg::CtlPackOut];
    e_mem    = context_sel & (e_a_en | e_b_en | e_r_en | e_w_en);
    e_block  = ((lanes | e_pass) & (block | block_all)) | (e_result & block_all);
    mmio_check = scalar_sel & s_mmio;
    s_cause    = s_trap != 8'd0 || mmio_illegal;
    s_mem_try  = scalar_sel & s_mem & !s_cause;
    mem_try    = (e_mem & (e_trap == 8'd0) & !no_room & !e_block) | s_mem_try;
    mem_group  = scalar_sel ? (s_double ? 4'd2 : 4'd1) : group;
    a32        = scalar_sel ? !s_half : !(ctl[wl_pe_pkg::CtlSaxpy] ? ctl[wl_pe_pkg::CtlD16] : e_index | ctl[wl_pe_pkg::CtlP16]);
    b32        = !ctl[wl_pe_pkg::CtlQ16];
    d32        = scalar_sel ? !s_half : !ctl[wl_pe_pkg::CtlD16];
    a_address  = scalar_sel ? scalar_address : e_a_address;
    d_address  = scalar_sel ? scalar_address : e_d_address;
    wide       = scalar_sel | ctl[wl_pe_pkg::CtlWide];
  end

  always_comb begin
    context_go = context_sel & (e_trap == 8'd0) & !no_room & !e_block & (!e_mem | mem_go);
    scalar_go  = scalar_sel & !s_cause & (!s_mem | mem_go);
    in_pop     = context_go & e_pop;
    take       = context_go & e_push;
    done       = (context_go & complete) ? {ctl[wl_pe_pkg::CtlOnDone+:2] == wl_pkg::ON_DONE_UNBLOCK, ctl[wl_pe_pkg::CtlOnDone+:2] == wl_pkg::ON_DONE_ACTIVATE} : 2'd0;
    done_task  = ctl[wl_pe_pkg::CtlDoneTask+:6];
    entry_go   = scalar_go & entry_ask;
    mem_write_go = mem_go & (scalar_sel ? s_write : e_w_en);
  end


  // ---- memory, execution ----------------------------------------------------------------------------------------------
  logic x_write, w_write, w_window;
  logic [12:0] x_line, w_line;
  logic [7:0] x_mask, w_mask;
  logic [1:0] s_pending;
  logic [25:0] s_line;
  logic [Width-1:0] w_data, a_data, b_data, r_data;
  logic [4:0] saturated;

  wl_mem #(
      .Lanes      (Lanes),
      .SramBytes  (SramBytes),
      .WindowBytes(WindowBytes),
      .Width      (Width)
  ) u_mem (
      .clk_i, .rst_ni, .try_i(mem_try), .group_i(mem_group), .a_en_i(scalar_sel ? !s_write : e_a_en), .a_address_i(a_address), .a32_i(a32),
      .b_en_i(!scalar_sel & e_b_en), .b_address_i(e_b_address), .b32_i(b32), .double_i(!scalar_sel & double),
      .r_en_i(!scalar_sel & e_r_en), .w_en_i(scalar_sel ? s_write : e_w_en), .d_address_i(d_address), .d32_i(d32),
      .ahead_en_i(!scalar_sel & ahead_en), .ahead_line_i(ahead_line), .go_o(mem_go), .bank_o(mem_bank), .moved_o(mem_moved),
      .d_line_o(d_line), .d_mask_o(d_mask), .d_window_o(d_window), .fetch_i(fetch_ask), .fetch_line_i(fetch_line),
      .fetch_go_o(fetch_go), .fetched_o(fetched), .fetch_data_o(fetch_data), .x_write_i(x_write), .x_line_i(x_line), .x_mask_i(x_mask),
      .s_write_i(s_pending), .s_line_i(s_line), .w_write_i(w_write), .w_window_i(w_window), .w_line_i(w_line), .w_mask_i(w_mask),
      .w_data_i(w_data), .a_data_o(a_data), .b_data_o(b_data), .r_data_o(r_data));

  // Halves from the start of a line.
  function automatic logic [2:0] offset_of(input logic [6:0] page, input logic [2:0] half);
    offset_of = {(Lanes == 8) && page == 7'(wl_pkg::WINDOW_BASE >> 9) && half[2], half[1:0]};
  endfunction

  wl_exec #(
      .Lanes(Lanes),
      .Width(Width)
  ) u_exec (
      .clk_i, .rst_ni, .go_i(context_go | scalar_go), .lanes_i(scalar_sel ? s_lane : lanes), .acc_i(!scalar_sel & acc), .result_i(e_result),
      .sfu_i(scalar_sel ? s_sfu : sfu), .pass_i(scalar_sel ? s_store : e_pass), .load_i(scalar_sel & s_load), .ldd_i(scalar_sel & s_ldd),
      .index_i(!scalar_sel & sleep), .op_i(scalar_sel ? (s_sfu ? {3'd0, instr[28:27]} : s_op) : ctl[wl_pe_pkg::CtlOp+:5]),
      .formats_i(scalar_sel ? s_fmt : formats), .wide_i(wide), .group_i(scalar_sel ? 4'd1 : group),
      .first_i(flags[wl_pe_pkg::FlagFirst]), .phase_i(flags[wl_pe_pkg::FlagPhase+:2]), .slot_i(select),
      .p_mem_i(scalar_sel ? s_mem : e_a_en), .q_mem_i(!scalar_sel & e_b_en), .p_offset_i(offset_of(a_address[15:9], a_address[3:1])),
      .q_offset_i(offset_of(e_b_address[15:9], e_b_address[3:1])), .p16_i(!a32), .q16_i(!b32), .d16_i(!scalar_sel & ctl[wl_pe_pkg::CtlD16]),
      .p_const_i(scalar_sel ? {32'd0, s_load ? mmio_data : rb} : p_const), .q_const_i(scalar_sel ? {32'd0, rc} : q_const),
      .s_const_i(scalar_sel ? {32'd0, s_store ? store_data : ra} : s_const), .a_scalar_i(!scalar_sel & ctl[wl_pe_pkg::CtlAScalar]),
      .b_scalar_i(!scalar_sel & ctl[wl_pe_pkg::CtlBScalar]), .b_zero_i(!scalar_sel & ctl[wl_pe_pkg::CtlBZero]),
      .c_from_p_i(!scalar_sel & ctl[wl_pe_pkg::CtlCFromP]), .c_from_s_i(scalar_sel), .c_read_i(!scalar_sel & e_r_en),
      .d_offset_i(offset_of(d_address[15:9], d_address[3:1])), .write_i(scalar_sel ? s_store : e_w_en), .line_i(d_line), .mask_i(d_mask), .window_i(d_window),
      .push_i(!scalar_sel & e_push), .half_i(!scalar_sel & e_half),
      .pack_i({e_pass, group == 4'd2, flags[wl_pe_pkg::FlagHalfOut], e_packed}), .queue_i(take_queue),
      .address_i({ctl[wl_pe_pkg::CtlSendControl], ctl[wl_pe_pkg::CtlColour+:5]}), .rd_i(scalar_sel ? s_rd : 4'd0), .dsr_i(instr[10:7]),
      .second_i(s_second), .a_data_i(a_data), .b_data_i(b_data), .r_data_i(r_data), .x_write_o(x_write), .x_line_o(x_line),
      .x_mask_o(x_mask), .s_write_o(s_pending), .s_line_o(s_line), .w_write_o(w_write), .w_window_o(w_window), .w_line_o(w_line),
      .w_mask_o(w_mask), .w_data_o(w_data), .block_o(block), .block_all_o(block_all), .busy_o(pipe_busy), .load_o(load_valid),
      .load_rd_o(load_rd), .load_data_o(load_raw), .ldd_o(ldd_valid), .ldd_dsr_o(ldd_dsr), .ldd_second_o(ldd_second),
      .ldd_data_o(ldd_data), .index_o(index_valid), .index_slot_o(index_slot), .push_o(push), .push_queue_o(push_queue),
      .push_word_o(push_word), .rd_o(late_rd), .rd_data_o(late_data), .saturated_o(saturated));

  assign loading = ldd_valid;

  // ---- traps, time, counters, quiet -------------------------------------------------------------------------------------
  logic x_entry_q, quiet_q, active_now;
  logic [1:0] x_time_q;
  logic [31:0] x_time_value_q;
  logic [40:0] cfg_q;
  logic [3:0] cycle_class, slots, macs;
  assign cfg_o      = cfg_q;
  assign entry_data = load_valid & x_entry_q;
  assign load_data  = (x_time_q != 2'd0) ? x_time_value_q : load_raw;

  always_comb begin
    trap_cause = wl_pkg::TRAP_NONE;
    trap_pc    = instr_valid ? instr_pc : next_pc;
    if (overflow) trap_cause = wl_pkg::TRAP_QUEUE_OVERFLOW;
    else if (unbound) trap_cause = wl_pkg::TRAP_UNBOUND_COLOUR;
    else if (task_trap != 8'd0) begin
      trap_cause = task_trap;
      trap_pc    = load_data[15:0];
    end else if (context_sel && e_trap != 8'd0) begin
      trap_cause = e_trap;
      trap_pc    = issue_pc;
    end else if (scalar_sel && s_cause) begin
      trap_cause = (s_trap != 8'd0) ? s_trap : wl_pkg::TRAP_ILLEGAL_MMIO;
      trap_pc    = instr_pc;
    end
    trap_fire = trap_cause != 8'd0 && !trapped;
  end

  // The class of this cycle, by the priority of configs/spec/counters.yaml.
  always_comb begin
    cycle_class = wl_pkg::CLASS_IDLE;
    if (trapped | (halted & (active == 9'd0))) cycle_class = wl_pkg::CLASS_STOPPED;
    else if (context_go && event_class != wl_pkg::CLASS_CONTROL) cycle_class = event_class;
    else if (scalar_go & !launch & !entry_ask) cycle_class = wl_pkg::CLASS_SCALAR;
    else if (mem_try & mem_bank) cycle_class = wl_pkg::CLASS_WAIT_BANK;
    else if ((mem_try & !mem_go) | (context_sel & e_block) | scalar_hazard) cycle_class = wl_pkg::CLASS_WAIT_HAZARD;
    else if (wait_out | (context_sel & no_room)) cycle_class = wl_pkg::CLASS_WAIT_OUT;
    else if (wait_in) cycle_class = wl_pkg::CLASS_WAIT_IN;
    else if (run | starting | task_start | (active != 9'd0)) cycle_class = wl_pkg::CLASS_CONTROL;
    slots = 4'd0;
    macs  = 4'd0;
    if (context_go && event_kind == wl_pe_pkg::EventGroup) begin
      slots = (formats != 4'd0 || acc) ? {group[2:0], 1'b0} : group;
      if (ctl[wl_pe_pkg::CtlMac]) macs = group;
    end
    active_now = context_sel | scalar_sel | pipe_busy | fetch_moved | fetched | task_start | starting | arrived | cfg_q[40] | trap_fire;
  end

  wl_mmio u_mmio (
      .clk_i, .rst_ni, .coord_i, .dims_i, .trap_i(trap_q), .bind_i(binds), .task_active_i(task_active), .task_blocked_i(task_blocked),
      .check_i(mmio_check), .store_i(s_write), .offset_i(scalar_address[11:0]), .illegal_o(mmio_illegal), .read_i(mmio_read),
      .read_o(mmio_data), .read_time_o(read_time), .write_i(mmio_write), .bind_we_o(bind_we), .task_we_o(task_we), .route_we_o(route_we),
      .class_i(cycle_class), .class_o, .in_i(arrived), .out_i(ramp_o[38]), .slots_i(slots), .macs_i(macs),
      .zero_i(context_go & e_zero), .saturated_i(saturated), .start_i(task_start), .issue_i(issue));

  always_ff @(posedge clk_i) begin
    quiet_q <= !active_now;
    if (trap_fire) trap_q <= {trap_pc, 8'd0, trap_cause};
    if (scalar_go) begin
      x_entry_q <= entry_ask;
      x_time_q  <= read_time;
      if (read_time != 2'd0) x_time_value_q <= read_time[1] ? {16'd0, time_i[47:32]} : time_i[31:0];
    end
    if (route_we) cfg_q <= {1'b1, scalar_address[9:2], store_data};
    else if (cfg_q[40]) cfg_q <= 41'd0;
    if (!rst_ni) begin
      quiet_q   <= 1'b0;
      trap_q    <= 32'd0;
      x_entry_q <= 1'b0;
      x_time_q  <= 2'd0;
      cfg_q     <= 41'd0;
    end
  end

  assign quiet_o = quiet_q & in_quiet & out_quiet;

  logic unused_bits;
  assign unused_bits = ^{out_waiting, store_data, scalar_address, ctl, task_start_id, alu_we, alu_value};

endmodule
