// Instruction fetch of the main thread: eight lines of two instructions, a register with the next instruction, the line behind fetched ahead. Straight code and
// loops that fit run one instruction per cycle; a taken jump costs one.
//
// A write of the PE to a line that is held, on its way or in the instruction register makes it be fetched again (wl_mem never
// fetches a line before writes issued earlier have landed).
module wl_fetch #(
    parameter int unsigned SramBytes,
    parameter int unsigned WindowBytes
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        run_i,          // a task runs
    input  logic        jump_i,         // continue at target_i; also starts a task
    input  logic [15:0] target_i,
    input  logic        take_i,         // the instruction shown issues
    output logic        valid_o,
    output logic        fault_o,        // there is no instruction memory at pc_o
    output logic [31:0] instr_o,
    output logic [15:0] pc_o,
    output logic [15:0] next_pc_o,      // where fetching stands
    output logic        moved_o,        // something happens
    // memory
    output logic        fetch_o,
    output logic [12:0] fetch_line_o,
    input  logic        fetch_go_i,
    input  logic        fetched_i,
    input  logic [63:0] fetched_data_i,
    input  logic        write_i,        // a write issues
    input  logic [12:0] write_line_i,
    input  logic        write_two_i     // to this line or its odd neighbour
);

  logic [63:0] data_q[0:7];
  logic [12:0] line_q[0:7];
  logic [7:0] valid_q;
  logic [31:0] instr_q;
  logic [15:0] pc_q, ask_pc_q;
  logic [12:0] way_line_q;     // line on its way
  logic valid_instr_q, fault_q;

  logic [12:0] line, behind;
  logic [63:0] data;
  logic hit, arriving, outside, want, have_behind, lost;

  assign valid_o   = valid_instr_q;
  assign fault_o   = fault_q;
  assign instr_o   = instr_q;
  assign pc_o      = pc_q;
  assign next_pc_o = ask_pc_q;

  function automatic logic is_memory(input logic [12:0] number);
    is_memory = 32'({number, 3'd0}) < SramBytes || (number[12:6] == 7'(wl_pkg::WINDOW_BASE >> 9) && 32'({number[5:0], 3'd0}) + 32'd8 <= WindowBytes);
  endfunction

  // The write that issues goes to the line.
  function automatic logic written(input logic [12:0] number);
    written = write_i && number[12:1] == write_line_i[12:1] && (number[0] == write_line_i[0] || write_two_i);
  endfunction

  always_comb begin
    line     = ask_pc_q[15:3];
    behind   = line + 13'd1;
    data     = 64'd0;
    hit      = 1'b0;
    arriving = 1'b0;
    outside  = 1'b0;
    want     = 1'b0;
    have_behind = 1'b0;
    lost     = 1'b0;
    fetch_o  = 1'b0;
    fetch_line_o = line;
    if (run_i) begin
      outside     = !is_memory(line);
      want        = !valid_instr_q | take_i;
      arriving    = fetched_i && way_line_q == line;
      hit         = (valid_q[line[2:0]] && line_q[line[2:0]] == line) | arriving;
      have_behind = (valid_q[behind[2:0]] && line_q[behind[2:0]] == behind) || (fetched_i && way_line_q == behind);
      data        = arriving ? fetched_data_i : data_q[line[2:0]];
      if (write_i) begin
        lost = valid_instr_q && written(pc_q[15:3]);
        if (written(line)) hit = 1'b0;
      end
      if (!hit) fetch_o = !outside & !jump_i & !written(line);
      else if (!have_behind && is_memory(behind)) begin
        fetch_o      = !jump_i;
        fetch_line_o = behind;
      end
    end
  end

  assign moved_o = run_i & (take_i | jump_i | (want & (hit | outside)) | fetch_go_i | fetched_i);

  always_ff @(posedge clk_i) begin
    if (run_i | jump_i | valid_instr_q | fetched_i) begin
      if (fetch_go_i) way_line_q <= fetch_line_o;
      if (fetched_i) begin
        data_q[way_line_q[2:0]]  <= fetched_data_i;
        line_q[way_line_q[2:0]]  <= way_line_q;
        valid_q[way_line_q[2:0]] <= 1'b1;
      end
      if (write_i) begin
        if (written(line_q[write_line_i[2:0]]) || (fetched_i && way_line_q == write_line_i)) valid_q[write_line_i[2:0]] <= 1'b0;
        if (write_two_i) valid_q[{write_line_i[2:1], 1'b1}] <= 1'b0;
      end
      if (jump_i) begin
        ask_pc_q      <= target_i;
        valid_instr_q <= 1'b0;
        fault_q       <= 1'b0;
      end else if (!run_i) begin
        if (valid_instr_q) valid_instr_q <= 1'b0;
      end else if (lost & !take_i) begin
        ask_pc_q      <= pc_q;
        valid_instr_q <= 1'b0;
      end else if (want) begin
        valid_instr_q <= hit | outside;
        fault_q       <= outside;
        if (hit | outside) begin
          instr_q  <= ask_pc_q[2] ? data[63:32] : data[31:0];
          pc_q     <= ask_pc_q;
          ask_pc_q <= ask_pc_q + 16'd4;
        end
      end
    end
    if (!rst_ni) begin
      valid_q       <= 8'd0;
      valid_instr_q <= 1'b0;
      fault_q       <= 1'b0;
      pc_q          <= 16'd0;
      ask_pc_q      <= 16'd0;
    end
  end

endmodule
