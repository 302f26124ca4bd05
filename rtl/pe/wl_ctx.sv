// The words of the nine contexts (0 to 7: microthreads, 8: the main thread's synchronous instruction): what each does (`ctl`, wl_pe_pkg),
// where its operands stand (wl_gen) and where they start over for the next wavelet of a stream. Read at select_i, written by launch
// and by the event that issues. The arrays are not reset: a context is read only while it is active.
module wl_ctx (
    input  logic        clk_i,
    // launch
    input  logic        launch_i,
    input  logic [ 3:0] launch_slot_i,
    input  logic [63:0] launch_ctl_i,
    input  logic [15:0] launch_pc_i,
    input  logic [15:0] launch_dsrs_i,
    input  logic [31:0] launch_scalar_i,
    input  logic [63:0] d_moving_i,
    input  logic [63:0] d_fixed_i,
    input  logic [63:0] p_moving_i,
    input  logic [63:0] p_fixed_i,
    input  logic [63:0] q_moving_i,
    input  logic [63:0] q_fixed_i,
    input  logic [63:0] x_moving_i,
    input  logic [63:0] x_fixed_i,
    // the selected context
    input  logic        select_en_i,
    input  logic [ 3:0] select_i,
    output logic [63:0] ctl_o,
    output logic [15:0] pc_o,
    output logic [15:0] dsrs_o,
    output logic [31:0] scalar_o,
    output logic [15:0] held_o,          // weight or index in hand
    output logic [63:0] d_moving_o,
    output logic [63:0] d_fixed_o,
    output logic [63:0] p_moving_o,
    output logic [63:0] p_fixed_o,
    output logic [63:0] q_moving_o,
    output logic [63:0] q_fixed_o,
    output logic [63:0] x_moving_o,
    output logic [63:0] x_fixed_o,
    output logic [63:0] q_initial_o,
    // the event
    input  logic [ 3:0] step_i,          // {X, Q, P, D} move on
    input  logic [ 2:0] rewind_i,        // {Q, P, D} start over instead
    input  logic [63:0] d_next_i,
    input  logic [63:0] p_next_i,
    input  logic [63:0] q_next_i,
    input  logic [63:0] x_next_i,
    input  logic        hold_i,
    input  logic [15:0] hold_data_i,
    // an index that arrives from memory
    input  logic        index_i,
    input  logic [ 3:0] index_slot_i,
    input  logic [15:0] index_data_i
);

  logic [63:0] ctl_q[0:8];
  logic [63:0] tag_q[0:8];        // {dsrs, pc, scalar}
  logic [15:0] held_q[0:8];
  logic [63:0] d_moving_q[0:8];
  logic [63:0] d_fixed_q[0:8];
  logic [63:0] d_initial_q[0:8];
  logic [63:0] p_moving_q[0:8];
  logic [63:0] p_fixed_q[0:8];
  logic [63:0] p_initial_q[0:8];
  logic [63:0] q_moving_q[0:8];
  logic [63:0] q_fixed_q[0:8];
  logic [63:0] q_initial_q[0:8];
  logic [63:0] x_moving_q[0:8];
  logic [63:0] x_fixed_q[0:8];

  always_comb begin
    ctl_o       = 64'd0;
    pc_o        = 16'd0;
    dsrs_o      = 16'd0;
    scalar_o    = 32'd0;
    held_o      = 16'd0;
    d_moving_o  = 64'd0;
    d_fixed_o   = 64'd0;
    p_moving_o  = 64'd0;
    p_fixed_o   = 64'd0;
    q_moving_o  = 64'd0;
    q_fixed_o   = 64'd0;
    x_moving_o  = 64'd0;
    x_fixed_o   = 64'd0;
    q_initial_o = 64'd0;
    if (select_en_i) begin
      ctl_o      = ctl_q[select_i];
      scalar_o   = tag_q[select_i][31:0];
      pc_o       = tag_q[select_i][47:32];
      dsrs_o     = tag_q[select_i][63:48];
      d_moving_o = d_moving_q[select_i];
      d_fixed_o  = d_fixed_q[select_i];
      if (!ctl_o[wl_pe_pkg::CtlSaxpy]) begin
        p_moving_o = p_moving_q[select_i];
        p_fixed_o  = p_fixed_q[select_i];
      end
      q_moving_o = q_moving_q[select_i];
      q_fixed_o  = q_fixed_q[select_i];
      if (ctl_o[wl_pe_pkg::CtlSaxpy] | ctl_o[wl_pe_pkg::CtlSdot]) begin
        held_o      = held_q[select_i];
        q_initial_o = q_initial_q[select_i];
      end
      if (ctl_o[wl_pe_pkg::CtlSdot]) begin
        x_moving_o = x_moving_q[select_i];
        x_fixed_o  = x_fixed_q[select_i];
      end
    end
  end

  // A launch and a context's event never share a cycle, so each array has one write port.
  logic [3:0] slot;
  assign slot = launch_i ? launch_slot_i : select_i;

  always_ff @(posedge clk_i) begin
    if (launch_i) begin
      ctl_q[slot]       <= launch_ctl_i;
      tag_q[slot]       <= {launch_dsrs_i, launch_pc_i, launch_scalar_i};
      d_fixed_q[slot]   <= d_fixed_i;
      d_initial_q[slot] <= d_moving_i;
      p_fixed_q[slot]   <= p_fixed_i;
      p_initial_q[slot] <= p_moving_i;
      q_fixed_q[slot]   <= q_fixed_i;
      q_initial_q[slot] <= q_moving_i;
      x_fixed_q[slot]   <= x_fixed_i;
    end
    if (launch_i | (step_i != 4'd0)) begin
      if (launch_i | step_i[0]) d_moving_q[slot] <= launch_i ? d_moving_i : rewind_i[0] ? d_initial_q[slot] : d_next_i;
      if (launch_i | step_i[1]) p_moving_q[slot] <= launch_i ? p_moving_i : rewind_i[1] ? p_initial_q[slot] : p_next_i;
      if (launch_i | step_i[2]) q_moving_q[slot] <= launch_i ? q_moving_i : rewind_i[2] ? q_initial_q[slot] : q_next_i;
      if (launch_i | step_i[3]) x_moving_q[slot] <= launch_i ? x_moving_i : x_next_i;
    end
    if (hold_i) held_q[select_i] <= hold_data_i;
    if (index_i) held_q[index_slot_i] <= index_data_i;
  end

endmodule
