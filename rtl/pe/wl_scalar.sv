// The main thread at issue: registers, integer unit, addresses, branches, what each instruction asks of the other parts.
//
// Integer results are written in the cycle of issue, loads one cycle later, floating point two or more; pend_q marks registers that wait for a late
// result and holds back whoever reads or writes them. An instruction asks for the issue slot (ask_o) once nothing but memory can still
// delay it; go_i then says that it issues. A task's entry is read here too (entry_ask_i), as a load that ends in the program counter.
module wl_scalar #(
    parameter int unsigned SramBytes,
    parameter int unsigned WindowBytes
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         run_i,
    input  logic         valid_i,
    input  logic         fault_i,
    input  logic [ 31:0] instr_i,
    input  logic [ 15:0] pc_i,
    input  logic         entry_ask_i,
    input  logic [  5:0] entry_task_i,
    // what it may have to wait for
    input  logic [  8:0] active_i,
    input  logic [  7:0] read_i,
    input  logic [  3:0] written_i,
    input  logic         block_i,
    input  logic         block_all_i,
    input  logic         busy_i,         // the pipeline
    input  logic         loading_i,      // a descriptor is on its way
    input  logic [ 63:0] launch_ctl_i,   // of the vector instruction
    input  logic         launch_illegal_i,
    output logic         want_launch_o,
    output logic         ask_o,
    output logic         hazard_o,       // it waits for a result
    output logic         solo_o,         // second half of ldd: nothing may come between
    input  logic         go_i,
    output logic [  7:0] trap_o,
    output logic         issue_o,        // it is an instruction's (last) issue
    // what it does
    output logic         launch_o,
    output logic [  3:0] launch_slot_o,
    output logic [ 31:0] launch_scalar_o,
    output logic         lane_o,
    output logic         sfu_o,
    output logic         store_o,
    output logic         load_o,         // memory, entry or memory-mapped register
    output logic         ldd_o,
    output logic         mem_o,          // asking: memory at address_o
    output logic         mmio_o,         // asking: a memory-mapped register
    output logic         write_o,        // asking: a store
    output logic         half_o,
    output logic         double_o,       // 64-bit access
    output logic [ 15:0] address_o,
    output logic         ldd_second_o,
    output logic         mmio_read_o,
    output logic         mmio_write_o,
    output logic [ 31:0] store_data_o,
    output logic [  4:0] lane_op_o,
    output logic [  3:0] lane_fmt_o,
    output logic [ 31:0] a_value_o,
    output logic [ 31:0] b_value_o,
    output logic [ 31:0] c_value_o,
    output logic [  3:0] rd_o,           // late result
    output logic         dset_o,
    output logic         dget_o,
    input  logic [ 31:0] dget_i,
    output logic         act_o,
    output logic         blk_o,
    output logic         unb_o,
    output logic [  5:0] task_o,
    output logic         yield_o,
    output logic         halt_o,
    output logic         jump_o,
    output logic [ 15:0] target_o,
    output logic         alu_we_o,
    output logic [ 31:0] alu_o,
    output logic         idle_o,         // no late result is due
    // late results
    input  logic         load_i,
    input  logic [  3:0] load_rd_i,
    input  logic [ 31:0] load_data_i,
    input  logic [  3:0] late_rd_i,
    input  logic [ 31:0] late_data_i,
    input  logic         start_i,        // r1, r2 of a task
    input  logic [ 31:0] start_r1_i,
    input  logic [ 31:0] start_r2_i
);

  logic [31:0] regs_q[0:15];
  logic [15:0] pend_q;
  logic second_q;

  logic legal, vector, alu, load, store, half, branch, jump, lane, sfu, ldd, dset, dget, tasks, yields, waitu, halts, traps;
  logic [3:0] uses;
  logic [15:0] imm;

  wl_decode u_decode (
      .en_i(here), .instr_i, .legal_o(legal), .vector_o(vector), .alu_o(alu), .load_o(load), .store_o(store), .half_o(half), .branch_o(branch), .jump_o(jump),
      .lane_o(lane), .sfu_o(sfu), .ldd_o(ldd), .dset_o(dset), .dget_o(dget), .task_o(tasks), .yield_o(yields), .waitu_o(waitu),
      .halt_o(halts), .trap_o(traps), .use_o(uses), .lane_op_o, .lane_fmt_o, .imm_o(imm));

  logic [15:0] need, address;
  logic [31:0] ra, rb, rc, simm;
  logic late, memory, mmio, wait_launch, taken, here;
  logic [7:0] cause;

  assign here = run_i & valid_i & !active_i[8];

  // Reading, waiting, asking.
  always_comb begin
    ra      = 32'd0;
    rb      = 32'd0;
    rc      = 32'd0;
    simm    = 32'd0;
    need    = 16'd0;
    late    = 1'b0;
    address = {9'd0, entry_task_i, 1'b0};
    memory  = 1'b0;
    mmio    = 1'b0;
    cause   = wl_pkg::TRAP_NONE;
    hazard_o = 1'b0;
    want_launch_o = 1'b0;
    launch_scalar_o = 32'd0;
    launch_slot_o   = 4'd8;
    if (here) begin
      ra   = regs_q[instr_i[10:7]];
      rb   = regs_q[instr_i[14:11]];
      rc   = regs_q[instr_i[18:15]];
      simm = {{16{imm[15]}}, imm};
      late = load | lane | sfu;
      need = ((uses[0] | late | alu | jump | dget) ? 16'd1 << instr_i[10:7] : 16'd0) | (uses[1] ? 16'd1 << instr_i[14:11] : 16'd0) |
             (uses[2] ? 16'd1 << instr_i[18:15] : 16'd0) | (uses[3] ? 16'd1 << instr_i[22:19] : 16'd0);
      address = rb[15:0] + imm;
      if (fault_i) cause = wl_pkg::TRAP_OUT_OF_RANGE;
      else if (!legal) cause = wl_pkg::TRAP_ILLEGAL_INSTRUCTION;
      else if (traps) cause = wl_pkg::TRAP_SOFTWARE;
      else if (load | store | ldd) begin
        memory = 32'(address) < SramBytes || (address[15:9] == 7'(wl_pkg::WINDOW_BASE >> 9) && 32'(address[8:0]) + 32'd1 <= WindowBytes);
        mmio   = !memory && address >= wl_pkg::MMIO_BASE;
        if (ldd) memory = memory && (32'(address) + 32'd8 < SramBytes || (address[15:9] == 7'(wl_pkg::WINDOW_BASE >> 9) && 32'(address[8:0]) + 32'd9 <= WindowBytes));
        if (ldd ? address[2:0] != 3'd0 : half ? address[0] : address[1:0] != 2'd0) cause = wl_pkg::TRAP_MISALIGNED;
        else if (!memory && (ldd | !mmio)) cause = wl_pkg::TRAP_OUT_OF_RANGE;
        else if (mmio & half) cause = wl_pkg::TRAP_ILLEGAL_MMIO;
      end else if (jump & uses[1] & ((rb[1:0] + imm[1:0]) != 2'd0)) cause = wl_pkg::TRAP_MISALIGNED;
      hazard_o = ((need & pend_q) != 16'd0 && !fault_i) | (loading_i & (vector | dget)) |
                 ((block_i | block_all_i) & (lane | store)) | (mmio & load & busy_i);
      if (vector & legal & !hazard_o & !fault_i) begin
        want_launch_o = 1'b1;
        launch_slot_o = instr_i[26] ? {1'b0, instr_i[25:23]} : 4'd8;
        launch_scalar_o = regs_q[instr_i[22:19]];
        if (instr_i[30]) launch_scalar_o[31:16] = 16'd0;
      end
    end
    mem_o  = entry_ask_i | memory;
    mmio_o = mmio & !hazard_o & (cause == wl_pkg::TRAP_NONE);
    write_o   = !entry_ask_i & here & store;
    half_o    = entry_ask_i | half;
    double_o  = here & ldd;
    address_o = second_q ? address + 16'd8 : address;
  end

  always_comb begin
    wait_launch = 1'b0;
    trap_o      = entry_ask_i ? wl_pkg::TRAP_NONE : cause;
    ask_o       = entry_ask_i;
    if (here) begin
      if (want_launch_o) begin
        wait_launch = !launch_illegal_i &
                      (active_i[launch_slot_o] |
                       (launch_ctl_i[wl_pe_pkg::CtlInput] & read_i[launch_ctl_i[wl_pe_pkg::CtlInQueue+:3]]) |
                       (launch_ctl_i[wl_pe_pkg::CtlDFab] & written_i[launch_ctl_i[wl_pe_pkg::CtlOutQueue+:2]]));
        if (launch_illegal_i) trap_o = wl_pkg::TRAP_ILLEGAL_DESCRIPTOR;
      end
      ask_o = !hazard_o & !wait_launch & !(waitu & legal & active_i[{1'b0, instr_i[25:23]}]);
    end
  end

  assign dget_o       = here & dget;
  assign ldd_second_o = second_q;
  assign solo_o       = second_q;
  assign a_value_o    = ra;
  assign b_value_o    = rb;
  assign c_value_o    = rc;
  assign store_data_o = half ? {16'd0, ra[15:0]} : ra;
  assign idle_o       = pend_q == 16'd0;

  // Issuing.
  always_comb begin
    alu_o    = 32'd0;
    taken    = 1'b0;
    target_o = 16'd0;
    alu_we_o = 1'b0;
    issue_o  = 1'b0;
    launch_o = 1'b0;
    lane_o   = 1'b0;
    sfu_o    = 1'b0;
    store_o  = 1'b0;
    load_o   = 1'b0;
    ldd_o    = 1'b0;
    mmio_read_o  = 1'b0;
    mmio_write_o = 1'b0;
    dset_o   = 1'b0;
    act_o    = 1'b0;
    blk_o    = 1'b0;
    unb_o    = 1'b0;
    yield_o  = 1'b0;
    halt_o   = 1'b0;
    jump_o   = 1'b0;
    rd_o     = 4'd0;
    task_o   = rb[5:0] + instr_i[21:16];
    if (go_i) begin
      issue_o  = !entry_ask_i & !(ldd & !second_q);
      load_o   = entry_ask_i | load;
      ldd_o    = !entry_ask_i & ldd;
      if (!entry_ask_i) begin
        launch_o = vector;
        lane_o   = lane;
        sfu_o    = sfu;
        store_o  = store & memory;
        mmio_read_o  = load & mmio;
        mmio_write_o = store & mmio;
        dset_o   = dset;
        yield_o  = yields;
        halt_o   = halts;
        rd_o     = late ? instr_i[10:7] : 4'd0;
        act_o    = tasks & (instr_i[6:0] == wl_pkg::OP_ACT);
        blk_o    = tasks & (instr_i[6:0] == wl_pkg::OP_BLK);
        unb_o    = tasks & (instr_i[6:0] == wl_pkg::OP_UNB);
        alu_we_o = (alu | jump | dget) & (instr_i[10:7] != 4'd0);
        if (dget) alu_o = dget_i;
        else if (jump) alu_o = {16'd0, pc_i + 16'd4};
        else begin
          unique case (instr_i[6:0])
            wl_pkg::OP_ADD: alu_o = rb + rc;
            wl_pkg::OP_SUB: alu_o = rb - rc;
            wl_pkg::OP_AND: alu_o = rb & rc;
            wl_pkg::OP_OR: alu_o = rb | rc;
            wl_pkg::OP_XOR: alu_o = rb ^ rc;
            wl_pkg::OP_SLL: alu_o = rb << rc[4:0];
            wl_pkg::OP_SRL: alu_o = rb >> rc[4:0];
            wl_pkg::OP_SRA: alu_o = $signed(rb) >>> rc[4:0];
            wl_pkg::OP_SLT: alu_o = {31'd0, $signed(rb) < $signed(rc)};
            wl_pkg::OP_SLTU: alu_o = {31'd0, rb < rc};
            wl_pkg::OP_ADDI: alu_o = rb + simm;
            wl_pkg::OP_LI: alu_o = simm;
            default: alu_o = {imm, ra[15:0]};
          endcase
        end
        if (branch) begin
          unique case (instr_i[1:0])
            2'(wl_pkg::OP_BEQ): taken = ra == rb;
            2'(wl_pkg::OP_BNE): taken = ra != rb;
            2'(wl_pkg::OP_BLT): taken = $signed(ra) < $signed(rb);
            default: taken = $signed(ra) >= $signed(rb);
          endcase
        end
        jump_o   = jump | taken;
        target_o = (jump & uses[1]) ? rb[15:0] + imm : pc_i + {imm[13:0], 2'b00};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i | (late_rd_i != 4'd0) | go_i | start_i) begin
      if (load_i) begin
        if (load_rd_i != 4'd0) regs_q[load_rd_i] <= load_data_i;
        pend_q[load_rd_i] <= 1'b0;
      end
      if (late_rd_i != 4'd0) begin
        regs_q[late_rd_i] <= late_data_i;
        pend_q[late_rd_i] <= 1'b0;
      end
      if (alu_we_o) regs_q[instr_i[10:7]] <= alu_o;
      if (rd_o != 4'd0) pend_q[rd_o] <= 1'b1;
      if (go_i & ldd_o) second_q <= !second_q;
      if (start_i) begin
        regs_q[1] <= start_r1_i;
        regs_q[2] <= start_r2_i;
      end
    end
    if (!rst_ni) begin
      for (int unsigned k = 0; k < 16; k++) regs_q[k] <= 32'd0;
      pend_q   <= 16'd0;
      second_q <= 1'b0;
    end
  end

endmodule
