// Execution and write-back: operands are aligned and widened, the lanes, the accumulators or the special function unit take them, the result goes to
// memory, an output queue or a register.
//
// Cycle after issue (x): operands at the macros' inputs; loads end here. Next (w): lane results are written. A special function takes two cycles more
// (s1, s2), an accumulators' result one (s2, in which the lanes convert it to the destination's type): wl_pe lets nothing issue that would
// overtake or meet them (block_o). Everything hangs on the valid bits.
module wl_exec #(
    parameter int unsigned Lanes,
    parameter int unsigned Width
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    // issue
    input  logic             go_i,          // one of the next eight happens
    input  logic             lanes_i,
    input  logic             acc_i,
    input  logic             result_i,      // with acc_i: the result, not elements
    input  logic             sfu_i,
    input  logic             pass_i,        // store, or a pending half: no arithmetic
    input  logic             load_i,
    input  logic             ldd_i,
    input  logic             index_i,       // sdot's index
    input  logic [      4:0] op_i,
    input  logic [      3:0] formats_i,
    input  logic             wide_i,
    input  logic [      3:0] group_i,
    input  logic             first_i,       // accumulators start
    input  logic [      1:0] phase_i,
    input  logic [      3:0] slot_i,        // context
    input  logic             p_mem_i,
    input  logic             q_mem_i,
    input  logic [      2:0] p_offset_i,    // in halves
    input  logic [      2:0] q_offset_i,
    input  logic             p16_i,
    input  logic             q16_i,
    input  logic             d16_i,
    input  logic [     63:0] p_const_i,
    input  logic [     63:0] q_const_i,
    input  logic [     63:0] s_const_i,
    input  logic             a_scalar_i,
    input  logic             b_scalar_i,
    input  logic             b_zero_i,
    input  logic             c_from_p_i,
    input  logic             c_from_s_i,
    input  logic             c_read_i,      // the destination
    input  logic [      2:0] d_offset_i,
    input  logic             write_i,       // memory
    input  logic [     12:0] line_i,
    input  logic [      7:0] mask_i,
    input  logic             window_i,
    input  logic             push_i,
    input  logic             half_i,
    input  logic [      3:0] pack_i,        // {flush, two elements, joins a pending half, packed}
    input  logic [      1:0] queue_i,
    input  logic [      5:0] address_i,     // {control, colour} of the wavelet
    input  logic [      3:0] rd_i,          // 0: no register
    input  logic [      3:0] dsr_i,
    input  logic             second_i,      // of an ldd
    // operands from memory, in x
    input  logic [Width-1:0] a_data_i,
    input  logic [Width-1:0] b_data_i,
    input  logic [Width-1:0] r_data_i,
    // writes under way
    output logic             x_write_o,
    output logic [     12:0] x_line_o,
    output logic [      7:0] x_mask_o,
    output logic [      1:0] s_write_o,
    output logic [     25:0] s_line_o,
    output logic             w_write_o,
    output logic             w_window_o,
    output logic [     12:0] w_line_o,
    output logic [      7:0] w_mask_o,
    output logic [Width-1:0] w_data_o,
    output logic             block_o,       // only accumulate and special function operations may issue
    output logic             block_all_o,   // only special function operations may
    output logic             busy_o,
    // results
    output logic             load_o,        // in x
    output logic [      3:0] load_rd_o,
    output logic [     31:0] load_data_o,
    output logic             ldd_o,
    output logic [      3:0] ldd_dsr_o,
    output logic             ldd_second_o,
    output logic [     63:0] ldd_data_o,
    output logic             index_o,
    output logic [      3:0] index_slot_o,
    output logic             push_o,        // in w
    output logic [      1:0] push_queue_o,
    output logic [     37:0] push_word_o,
    output logic [      3:0] rd_o,
    output logic [     31:0] rd_data_o,
    output logic [      4:0] saturated_o
);

  localparam int unsigned GroupBits = 16 * Lanes;

  // x
  logic x_lanes_q, x_acc_q, x_result_q, x_sfu_q, x_pass_q, x_load_q, x_ldd_q, x_index_q;
  logic [4:0] x_op_q;
  logic [3:0] x_formats_q, x_group_q, x_slot_q;
  logic x_wide_q, x_first_q, x_p_mem_q, x_q_mem_q, x_p16_q, x_q16_q;
  logic [1:0] x_phase_q;
  logic [2:0] x_p_offset_q, x_q_offset_q;
  logic [63:0] x_p_q, x_qc_q, x_s_q;
  logic x_a_scalar_q, x_b_scalar_q, x_b_zero_q, x_c_p_q, x_c_s_q, x_c_read_q;
  // Where the result goes, along x, s1, s2, w: {d16, wide, address, queue, pack, half, push, window, write, rd, offset}, lowest last.
  localparam int unsigned GoalRd = 3;
  localparam int unsigned GoalWrite = 7;
  localparam int unsigned GoalWindow = 8;
  localparam int unsigned GoalPush = 9;
  localparam int unsigned GoalHalf = 10;
  localparam int unsigned GoalPacked = 11;
  localparam int unsigned GoalJoins = 12;
  localparam int unsigned GoalTwo = 13;
  localparam int unsigned GoalFlush = 14;
  localparam int unsigned GoalQueue = 15;
  localparam int unsigned GoalAddress = 17;
  localparam int unsigned GoalWide = 23;
  localparam int unsigned GoalD16 = 24;
  localparam int unsigned GoalBits = 25;
  logic [GoalBits-1:0] x_goal_q, s1_goal_q, s2_goal_q, w_goal_q, goal;
  logic [12:0] x_line_q, s1_line_q, s2_line_q, w_line_q;
  logic [7:0] x_mask_q, s1_mask_q, s2_mask_q, w_mask_q;
  logic [3:0] x_dsr_q;
  logic x_second_q;
  logic s1_q, s2_sfu_q, s2_res_q, w_lanes_q, w_sfu_q, w_pass_q, w_acc_q;
  logic [31:0] w_pass_data_q;
  logic [15:0] half_q[0:3];

  assign goal = {d16_i, wide_i, address_i, queue_i, pack_i, half_i, push_i, window_i, write_i, rd_i, d_offset_i};

  logic x_any, x_flags, w_any;
  assign x_any = x_lanes_q | x_acc_q | x_sfu_q | x_pass_q;
  assign x_flags = x_any | x_load_q | x_ldd_q | x_index_q;
  assign w_any = w_lanes_q | w_sfu_q | w_pass_q;

  // Operands.
  logic [Width-1:0] p_line, q_line, r_line;
  logic [Width-1:0] p, q, r, s, zero;
  logic [Width-1:0] a, b, c;

  // Halves of a line to 32-bit containers.
  function automatic logic [Width-1:0] widened(input logic [63:0] line);
    widened = Width'({16'd0, line[63:48], 16'd0, line[47:32], 16'd0, line[31:16], 16'd0, line[15:0]});
  endfunction

  always_comb begin
    p_line = '0;
    q_line = '0;
    r_line = '0;
    p    = '0;
    q    = '0;
    r    = '0;
    s    = '0;
    zero = '0;
    a    = '0;
    b    = '0;
    c    = '0;
    if (x_p_mem_q & (x_any | x_load_q | x_ldd_q | x_index_q)) p_line = a_data_i >> {x_p_offset_q, 4'd0};
    if (x_any) begin
      if (x_q_mem_q) q_line = b_data_i >> {x_q_offset_q, 4'd0};
      p = x_p_mem_q ? p_line : Width'(x_p_q);
      q = x_q_mem_q ? q_line : Width'(x_qc_q);
      s = {(Width / 64) {x_s_q}};
      if (x_wide_q & x_p_mem_q & x_p16_q) p = widened(p[63:0]);
      if (x_wide_q & x_q_mem_q & x_q16_q) q = widened(q[63:0]);
      if (x_c_read_q) begin
        r_line = r_data_i >> {x_goal_q[2:0], 4'd0};
        r = r_line;
        if (x_wide_q & x_goal_q[GoalD16]) r = widened(r[63:0]);
      end
      a = x_a_scalar_q ? s : p;
      b = x_b_zero_q ? zero : x_b_scalar_q ? s : q;
      c = x_c_p_q ? p : x_c_s_q ? s : x_c_read_q ? r : zero;
    end
  end

  logic [Lanes-1:0] x_mask;
  assign x_mask = Lanes'((9'd1 << x_group_q) - 9'd1);

  logic [GroupBits-1:0] lanes_y;
  logic [3:0] lanes_sat, acc_sat;
  logic [31:0] acc_y, sfu_y;
  logic sfu_valid, sfu_sat, sfu_busy;

  wl_lanes #(
      .Lanes(Lanes)
  ) u_lanes (
      .clk_i,
      .en_i  (x_lanes_q | s2_res_q),
      .op_i  (s2_res_q ? wl_macro_pkg::LaneMove : x_op_q),
      .fmt_i (s2_res_q ? {!s2_goal_q[GoalD16], 3'b001} : x_formats_q),
      .mask_i(s2_res_q ? Lanes'(1) : x_mask),
      .a_i   (s2_res_q ? GroupBits'(acc_y) : a[GroupBits-1:0]),
      .b_i   (b[GroupBits-1:0]),
      .c_i   (c[GroupBits-1:0]),
      .y_o   (lanes_y),
      .sat_o (lanes_sat)
  );

  logic [2:0] acc_op;
  always_comb begin
    acc_op = x_op_q[2:0];
    if (x_result_q) begin
      acc_op = wl_macro_pkg::AccResultSum;
      if (x_op_q[2:0] == wl_macro_pkg::AccMax) acc_op = wl_macro_pkg::AccResultMax;
      if (x_op_q[2:0] == wl_macro_pkg::AccMin) acc_op = wl_macro_pkg::AccResultMin;
    end
  end

  wl_acc #(
      .Lanes(Lanes)
  ) u_acc (
      .clk_i,
      .en_i   (x_acc_q),
      .op_i   (acc_op),
      .first_i(x_first_q),
      .fmt_i  (x_formats_q[1:0]),
      .mask_i (x_mask[Lanes/2-1:0]),
      .sel_i  (x_phase_q),
      .slot_i (x_slot_q),
      .a_i    (a[GroupBits-1:0]),
      .b_i    (b[GroupBits-1:0]),
      .y_o    (acc_y),
      .sat_o  (acc_sat)
  );

  wl_sfu u_sfu (
      .clk_i,
      .rst_ni,
      .valid_i(x_sfu_q),
      .op_i   (x_op_q[1:0]),
      .fmt_i  ({x_formats_q[3], x_formats_q[0]}),
      .a_i    (a[31:0]),
      .valid_o(sfu_valid),
      .y_o    (sfu_y),
      .sat_o  (sfu_sat),
      .busy_o (sfu_busy)
  );

  always_ff @(posedge clk_i) begin
    if (go_i | x_flags) begin
      x_lanes_q  <= go_i & lanes_i;
      x_acc_q    <= go_i & acc_i;
      x_result_q <= go_i & acc_i & result_i;
      x_sfu_q    <= go_i & sfu_i;
      x_pass_q   <= go_i & pass_i;
      x_load_q   <= go_i & load_i;
      x_ldd_q    <= go_i & ldd_i;
      x_index_q  <= go_i & index_i;
    end
    if (go_i) begin
      x_op_q       <= op_i;
      x_formats_q  <= formats_i;
      x_wide_q     <= wide_i;
      x_group_q    <= group_i;
      x_first_q    <= first_i;
      x_phase_q    <= phase_i;
      x_slot_q     <= slot_i;
      x_p_mem_q    <= p_mem_i;
      x_q_mem_q    <= q_mem_i;
      x_p_offset_q <= p_offset_i;
      x_q_offset_q <= q_offset_i;
      x_p16_q      <= p16_i;
      x_q16_q      <= q16_i;
      x_p_q        <= p_const_i;
      x_qc_q       <= q_const_i;
      x_s_q        <= s_const_i;
      x_a_scalar_q <= a_scalar_i;
      x_b_scalar_q <= b_scalar_i;
      x_b_zero_q   <= b_zero_i;
      x_c_p_q      <= c_from_p_i;
      x_c_s_q      <= c_from_s_i;
      x_c_read_q   <= c_read_i;
      x_goal_q     <= goal;
      x_line_q     <= line_i;
      x_mask_q     <= mask_i;
      x_dsr_q      <= dsr_i;
      x_second_q   <= second_i;
    end
    if (busy_o) begin
      s1_q     <= x_sfu_q;
      s2_sfu_q <= s1_q;
      s2_res_q <= x_result_q;
      if (x_sfu_q) begin
        s1_goal_q <= x_goal_q;
        s1_line_q <= x_line_q;
        s1_mask_q <= x_mask_q;
      end
      if (s1_q | x_result_q) begin
        s2_goal_q <= s1_q ? s1_goal_q : x_goal_q;
        s2_line_q <= s1_q ? s1_line_q : x_line_q;
        s2_mask_q <= s1_q ? s1_mask_q : x_mask_q;
      end
      w_lanes_q <= x_lanes_q | s2_res_q;
      w_sfu_q   <= s2_sfu_q;
      w_pass_q  <= x_pass_q;
      w_acc_q   <= x_acc_q;
      if (x_lanes_q | x_pass_q) begin
        w_goal_q <= x_goal_q;
        w_line_q <= x_line_q;
        w_mask_q <= x_mask_q;
      end
      if (s2_sfu_q | s2_res_q) begin
        w_goal_q <= s2_goal_q;
        w_line_q <= s2_line_q;
        w_mask_q <= s2_mask_q;
      end
      if (x_pass_q) w_pass_data_q <= x_s_q[31:0];
      if (w_any & w_goal_q[GoalHalf]) half_q[w_goal_q[GoalQueue+:2]] <= y16[15:0];
    end
    if (!rst_ni) begin
      x_lanes_q  <= 1'b0;
      x_acc_q    <= 1'b0;
      x_result_q <= 1'b0;
      x_sfu_q    <= 1'b0;
      x_pass_q   <= 1'b0;
      x_load_q   <= 1'b0;
      x_ldd_q    <= 1'b0;
      x_index_q  <= 1'b0;
      s1_q       <= 1'b0;
      s2_sfu_q   <= 1'b0;
      s2_res_q   <= 1'b0;
      w_lanes_q  <= 1'b0;
      w_sfu_q    <= 1'b0;
      w_pass_q   <= 1'b0;
      w_acc_q    <= 1'b0;
    end
  end

  // Write-back.
  logic [Width-1:0] y;
  logic [31:0] y16, payload;
  // 32-bit containers to halves.
  function automatic logic [Width-1:0] narrowed(input logic [Width-1:0] group);
    narrowed = '0;
    for (int unsigned k = 0; k < Width / 32; k++) narrowed[16*k+:16] = group[32*k+:16];
  endfunction

  always_comb begin
    y       = '0;
    y16     = 32'd0;
    payload = 32'd0;
    w_data_o = '0;
    if (w_any) begin
      y = w_pass_q ? Width'(w_pass_data_q) : w_sfu_q ? Width'(sfu_y) : Width'(lanes_y);
      if (w_goal_q[GoalD16] & w_goal_q[GoalWide]) y = narrowed(y);
      y16 = y[31:0];
      payload = y16;
      if (w_goal_q[GoalPacked]) begin
        payload = w_goal_q[GoalFlush] ? {16'd0, half_q[w_goal_q[GoalQueue+:2]]} :
                  w_goal_q[GoalJoins] ? {y16[15:0], half_q[w_goal_q[GoalQueue+:2]]} : w_goal_q[GoalTwo] ? y16 : {16'd0, y16[15:0]};
      end else if (w_goal_q[GoalD16]) payload[31:16] = 16'd0;
      w_data_o = y << {w_goal_q[2:0], 4'd0};
    end
  end

  assign x_write_o = x_goal_q[GoalWrite] & (x_lanes_q | x_result_q | x_sfu_q | x_pass_q);
  assign x_line_o  = x_line_q;
  assign x_mask_o  = x_mask_q;
  assign s_write_o = {(s2_sfu_q | s2_res_q) & s2_goal_q[GoalWrite], s1_q & s1_goal_q[GoalWrite]};
  assign s_line_o  = {s2_line_q, s1_line_q};
  assign w_write_o = w_any & w_goal_q[GoalWrite];
  assign w_window_o = w_goal_q[GoalWindow];
  assign w_line_o  = w_line_q;
  assign w_mask_o  = w_mask_q;
  assign block_o     = x_result_q;
  assign block_all_o = x_sfu_q | s1_q;
  assign busy_o      = x_any | x_load_q | x_ldd_q | x_index_q | s1_q | s2_sfu_q | s2_res_q | w_any | w_acc_q;

  assign load_o       = x_load_q;
  assign load_rd_o    = x_goal_q[GoalRd+:4];
  assign load_data_o  = x_p_mem_q ? {x_p16_q ? 16'd0 : p_line[31:16], p_line[15:0]} : x_p_q[31:0];
  assign ldd_o        = x_ldd_q;
  assign ldd_dsr_o    = x_dsr_q;
  assign ldd_second_o = x_second_q;
  assign ldd_data_o   = p_line[63:0];
  assign index_o      = x_index_q;
  assign index_slot_o = x_slot_q;
  assign push_o       = w_any & w_goal_q[GoalPush];
  assign push_queue_o = w_goal_q[GoalQueue+:2];
  assign push_word_o  = {w_goal_q[GoalAddress+:6], payload};
  assign rd_o         = w_any ? w_goal_q[GoalRd+:4] : 4'd0;
  assign rd_data_o    = y[31:0];
  assign saturated_o  = (w_lanes_q ? {1'b0, lanes_sat} : 5'd0) + (w_acc_q ? {1'b0, acc_sat} : 5'd0) + {4'd0, w_sfu_q & sfu_sat};

  logic unused_bits;
  assign unused_bits = ^{sfu_valid, sfu_busy, r_line, q_line, a, b, c, s, w_mask_q, zero, y};

endmodule
