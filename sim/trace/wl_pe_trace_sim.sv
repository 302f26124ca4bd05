// Tracer of the processing element, simulation only: attaches to every wl_pe and shows in registers what the last edge did, in the words of
// its trace points (rtl/pe/wl_pe.sv). sim/trace/pe_trace.h reads the registers; nothing here feeds back.
//
// serial_q counts the edges that did something; the other registers belong to the last of them.
module wl_pe_trace_sim (
    input logic         clk_i,
    input logic         rst_ni,
    input logic [ 38:0] ramp_i,
    input logic         start_i,
    input logic         start_queue_i,
    input logic         start_control_i,
    input logic [  2:0] queue_i,
    input logic [  5:0] task_i,
    input logic [ 31:0] r1_i,
    input logic [ 31:0] r2_i,
    input logic         scalar_i,
    input logic [ 15:0] pc_i,
    input logic         context_i,
    input logic [  3:0] select_i,
    input logic [  2:0] kind_i,
    input logic [  3:0] group_i,
    input logic         complete_i,
    input logic         alu_i,
    input logic [  3:0] alu_rd_i,
    input logic [ 31:0] alu_data_i,
    input logic         load_i,
    input logic [  3:0] load_rd_i,
    input logic [ 31:0] load_data_i,
    input logic [  3:0] late_rd_i,
    input logic [ 31:0] late_data_i,
    input logic         write_i,
    input logic [ 12:0] line_i,
    input logic [  7:0] mask_i,
    input logic [127:0] write_data_i,
    input logic         push_i,
    input logic [  1:0] push_queue_i,
    input logic [ 37:0] push_word_i,
    input logic [ 38:0] ramp_out_i,
    input logic         config_i,
    input logic [  7:0] config_address_i,
    input logic [ 31:0] config_data_i,
    input logic         trap_i,
    input logic [  7:0] trap_cause_i,
    input logic [ 15:0] trap_pc_i
);

  logic [31:0] serial_q;
  logic [63:0] what_q;      // see pe_trace.cpp
  logic [63:0] where_q;     // {mask, line, trap cause, trap pc, pc}
  logic [63:0] arrival_q, push_q, ramp_q, config_q;
  logic [63:0] values_q;    // {load, integer}
  logic [63:0] late_q;
  logic [63:0] start_q;     // {r2, r1} of a task that a wavelet starts
  logic [63:0] data0_q, data1_q;

  logic any;
  assign any = ramp_i[38] | start_i | scalar_i | context_i | alu_i | load_i | (late_rd_i != 4'd0) | write_i | push_i | ramp_out_i[38] | config_i | trap_i;

  always_ff @(posedge clk_i) begin
    if (any & rst_ni) begin
      serial_q  <= serial_q + 32'd1;
      what_q    <= {15'd0, trap_i, config_i, ramp_out_i[38], push_queue_i, push_i, 1'b0, write_i, late_rd_i, load_rd_i, load_i, alu_rd_i, alu_i,
                    ramp_i[38], complete_i, group_i, kind_i, select_i, context_i, scalar_i, task_i, queue_i, start_control_i, start_queue_i, start_i};
      where_q   <= {3'd0, mask_i, line_i, trap_cause_i, trap_pc_i, pc_i};
      arrival_q <= {25'd0, ramp_i};
      push_q    <= {26'd0, push_word_i};
      ramp_q    <= {25'd0, ramp_out_i};
      config_q  <= {24'd0, config_address_i, config_data_i};
      values_q  <= {load_data_i, alu_data_i};
      late_q    <= {32'd0, late_data_i};
      start_q   <= {r2_i, r1_i};
      data0_q   <= write_data_i[63:0];
      data1_q   <= write_data_i[127:64];
    end
    if (!rst_ni) serial_q <= 32'd0;
  end

endmodule

bind wl_pe wl_pe_trace_sim u_trace (
    .clk_i(clk_i), .rst_ni(rst_ni), .ramp_i(ramp_i),
    .start_i(task_start), .start_queue_i(task_from_queue), .start_control_i(task_head[32]), .queue_i(task_queue), .task_i(task_start_id), .r1_i(task_r1), .r2_i(task_r2),
    .scalar_i(scalar_go & issue), .pc_i(instr_pc),
    .context_i(context_go), .select_i(select), .kind_i(event_kind), .group_i(group), .complete_i(complete),
    .alu_i(alu_we), .alu_rd_i(instr[10:7]), .alu_data_i(alu_value),
    .load_i(load_valid & !x_entry_q), .load_rd_i(load_rd), .load_data_i(load_data), .late_rd_i(late_rd), .late_data_i(late_data),
    .write_i(w_write), .line_i(w_line), .mask_i(w_mask), .write_data_i(128'(w_data)),
    .push_i(push), .push_queue_i(push_queue), .push_word_i(push_word), .ramp_out_i(ramp_o),
    .config_i(route_we), .config_address_i(scalar_address[9:2]), .config_data_i(store_data),
    .trap_i(trap_fire), .trap_cause_i(trap_cause), .trap_pc_i(trap_pc)
);
