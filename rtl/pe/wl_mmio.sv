// Memory-mapped registers and the counters. Reads are combinational while read_i; writes go out as strobes to whoever holds the register.
// Exactly one class counts per evaluated cycle; class_o lets the cycles that were skipped be credited to it.
module wl_mmio (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [31:0] coord_i,
    input  logic [31:0] dims_i,
    input  logic [31:0] trap_i,
    input  logic [63:0] bind_i,
    input  logic [63:0] task_active_i,
    input  logic [63:0] task_blocked_i,
    // access
    input  logic        check_i,         // is the access legal?
    input  logic        store_i,
    input  logic [11:0] offset_i,
    output logic        illegal_o,
    input  logic        read_i,
    output logic [31:0] read_o,          // but for time
    output logic [ 1:0] read_time_o,     // time, low and high
    input  logic        write_i,
    output logic        bind_we_o,
    output logic        task_we_o,
    output logic        route_we_o,
    // counters
    input  logic [ 3:0] class_i,
    output logic [ 3:0] class_o,
    input  logic        in_i,            // events
    input  logic        out_i,
    input  logic [ 3:0] slots_i,
    input  logic [ 3:0] macs_i,
    input  logic        zero_i,
    input  logic [ 4:0] saturated_i,
    input  logic        start_i,
    input  logic        issue_i
);

  logic [47:0] class_cnt_q[0:15];
  logic [47:0] event_cnt_q[0:7];
  logic [3:0] class_q;
  assign class_o = class_q;

  logic is_fixed, is_bind, is_task, is_class, is_event, is_route;
  logic [47:0] count;

  always_comb begin
    {is_fixed, is_bind, is_task, is_class, is_event, is_route} = 6'd0;
    illegal_o = 1'b0;
    if (check_i) begin
      is_fixed = offset_i <= wl_pkg::MMIO_TRAP;
      is_bind  = offset_i[11:5] == 7'(wl_pkg::MMIO_QUEUE_BIND >> 5);
      is_task  = offset_i[11:4] == 8'(wl_pkg::MMIO_TASK_ACTIVE >> 4);
      is_class = offset_i[11:7] == 5'(wl_pkg::MMIO_CLASS_COUNT >> 7);
      is_event = offset_i[11:6] == 6'(wl_pkg::MMIO_EVENT_COUNT >> 6);
      is_route = offset_i >= wl_pkg::MMIO_ROUTE && offset_i < wl_pkg::MMIO_ROUTE + 12'(4 * wl_pkg::MMIO_ROUTE_COUNT);
      illegal_o = store_i ? !(is_bind | is_task | is_route) : !(is_fixed | is_bind | is_task | is_class | is_event);
    end
  end

  assign bind_we_o  = write_i & is_bind;
  assign task_we_o  = write_i & is_task;
  assign route_we_o = write_i & is_route;

  always_comb begin
    read_o      = 32'd0;
    read_time_o = 2'd0;
    count       = 48'd0;
    if (read_i) begin
      count = is_event ? event_cnt_q[offset_i[5:3]] : class_cnt_q[offset_i[6:3]];
      if (is_bind) read_o = {24'd0, bind_i[8*offset_i[4:2]+:8]};
      else if (is_task) begin
        unique case (offset_i[3:2])
          2'd0: read_o = task_active_i[31:0];
          2'd1: read_o = task_active_i[63:32];
          2'd2: read_o = task_blocked_i[31:0];
          default: read_o = task_blocked_i[63:32];
        endcase
      end else if (is_class | is_event) read_o = offset_i[2] ? {16'd0, count[47:32]} : count[31:0];
      else begin
        unique case (offset_i)
          wl_pkg::MMIO_COORD: read_o = coord_i;
          wl_pkg::MMIO_DIMS: read_o = dims_i;
          wl_pkg::MMIO_TRAP: read_o = trap_i;
          default: ;
        endcase
        read_time_o = {offset_i == wl_pkg::MMIO_TIME_HI, offset_i == wl_pkg::MMIO_TIME_LO};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    class_q <= class_i;
    class_cnt_q[class_i] <= class_cnt_q[class_i] + 48'd1;
    if (in_i | out_i | (slots_i != 4'd0) | zero_i | (saturated_i != 5'd0) | start_i | issue_i) begin
      if (in_i) event_cnt_q[wl_pkg::EVENT_WAVELETS_IN] <= event_cnt_q[wl_pkg::EVENT_WAVELETS_IN] + 48'd1;
      if (out_i) event_cnt_q[wl_pkg::EVENT_WAVELETS_OUT] <= event_cnt_q[wl_pkg::EVENT_WAVELETS_OUT] + 48'd1;
      if (slots_i != 4'd0) event_cnt_q[wl_pkg::EVENT_LANE_SLOTS] <= event_cnt_q[wl_pkg::EVENT_LANE_SLOTS] + 48'(slots_i);
      if (macs_i != 4'd0) event_cnt_q[wl_pkg::EVENT_MACS] <= event_cnt_q[wl_pkg::EVENT_MACS] + 48'(macs_i);
      if (zero_i) event_cnt_q[wl_pkg::EVENT_ZERO_SKIPS] <= event_cnt_q[wl_pkg::EVENT_ZERO_SKIPS] + 48'd1;
      if (saturated_i != 5'd0) event_cnt_q[wl_pkg::EVENT_SATURATIONS] <= event_cnt_q[wl_pkg::EVENT_SATURATIONS] + 48'(saturated_i);
      if (start_i) event_cnt_q[wl_pkg::EVENT_TASKS] <= event_cnt_q[wl_pkg::EVENT_TASKS] + 48'd1;
      if (issue_i) event_cnt_q[wl_pkg::EVENT_INSTRUCTIONS] <= event_cnt_q[wl_pkg::EVENT_INSTRUCTIONS] + 48'd1;
    end
    if (!rst_ni) begin
      class_q <= 4'd0;
      for (int unsigned k = 0; k < 16; k++) class_cnt_q[k] <= 48'd0;
      for (int unsigned k = 0; k < 8; k++) event_cnt_q[k] <= 48'd0;
    end
  end


endmodule
