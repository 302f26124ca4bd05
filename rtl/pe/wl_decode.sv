// What the main thread's instruction is, from its word alone (combinational). Encodings: wl_pkg, generated from configs/spec/isa.yaml.
module wl_decode (
    input  logic        en_i,        // else everything is zero
    input  logic [31:0] instr_i,
    output logic        legal_o,
    output logic        vector_o,    // runs in a context
    output logic        alu_o,       // result in the cycle of issue
    output logic        load_o,      // lw, lhu
    output logic        store_o,     // sw, sh
    output logic        half_o,      // 16-bit access
    output logic        branch_o,    // conditional
    output logic        jump_o,      // jal, jalr
    output logic        lane_o,      // scalar floating point on lane 0
    output logic        sfu_o,
    output logic        ldd_o,
    output logic        dset_o,
    output logic        dget_o,
    output logic        task_o,      // act, blk, unb
    output logic        yield_o,
    output logic        waitu_o,
    output logic        halt_o,
    output logic        trap_o,
    output logic [ 3:0] use_o,       // registers read: {s, c, b, a}
    output logic [ 4:0] lane_op_o,
    output logic [ 3:0] lane_fmt_o,  // {y, c, b, a}: 1 is 32 bits
    output logic [15:0] imm_o
);

  always_comb begin
    legal_o    = 1'b0;
    vector_o   = 1'b0;
    alu_o      = 1'b0;
    load_o     = 1'b0;
    store_o    = 1'b0;
    half_o     = 1'b0;
    branch_o   = 1'b0;
    jump_o     = 1'b0;
    lane_o     = 1'b0;
    sfu_o      = 1'b0;
    ldd_o      = 1'b0;
    dset_o     = 1'b0;
    dget_o     = 1'b0;
    task_o     = 1'b0;
    yield_o    = 1'b0;
    waitu_o    = 1'b0;
    halt_o     = 1'b0;
    trap_o     = 1'b0;
    use_o      = 4'b0000;
    lane_op_o  = wl_macro_pkg::LaneMove;
    lane_fmt_o = 4'b1111;
    imm_o      = instr_i[31:16];
    if (en_i) begin
      legal_o  = wl_pkg::instr_legal(instr_i);
      vector_o = instr_i[6:4] == 3'd3 || instr_i[6:1] == 6'(wl_pkg::OP_SAXPY >> 1);
      unique case (instr_i[6:4])
        3'd0: begin
          alu_o = 1'b1;
          use_o = (instr_i[3:0] <= 4'(wl_pkg::OP_SLTU)) ? 4'b0110 : (instr_i[3:0] == 4'(wl_pkg::OP_LIH)) ? 4'b0001 : 4'b0010;
        end
        3'd1: begin
          use_o = 4'b0011;
          unique case (instr_i[6:0])
            wl_pkg::OP_LW: begin
              load_o = 1'b1;
              use_o  = 4'b0010;
            end
            wl_pkg::OP_LHU: begin
              load_o = 1'b1;
              half_o = 1'b1;
              use_o  = 4'b0010;
            end
            wl_pkg::OP_SW: store_o = 1'b1;
            wl_pkg::OP_SH: begin
              store_o = 1'b1;
              half_o  = 1'b1;
            end
            wl_pkg::OP_JAL: begin
              jump_o = 1'b1;
              use_o  = 4'b0000;
            end
            wl_pkg::OP_JALR: begin
              jump_o = 1'b1;
              use_o  = 4'b0010;
            end
            default: branch_o = 1'b1;
          endcase
        end
        3'd2: begin
          lane_o = instr_i[6:0] != wl_pkg::OP_FSFU;
          sfu_o  = instr_i[6:0] == wl_pkg::OP_FSFU;
          use_o  = 4'b0110;
          unique case (instr_i[6:0])
            wl_pkg::OP_FADD: lane_op_o = wl_macro_pkg::LaneAdd;
            wl_pkg::OP_FSUB: lane_op_o = wl_macro_pkg::LaneSub;
            wl_pkg::OP_FMUL: lane_op_o = wl_macro_pkg::LaneMul;
            wl_pkg::OP_FMADD: begin
              lane_op_o = wl_macro_pkg::LaneFma;
              use_o     = 4'b0111;
            end
            wl_pkg::OP_FLT: lane_op_o = wl_macro_pkg::LaneLt;
            default: begin
              use_o = 4'b0010;
              if (!sfu_o) begin
                unique case (instr_i[29:27])
                  wl_pkg::FCVT_F32_F16: lane_fmt_o = 4'b1000;
                  wl_pkg::FCVT_F16_F32: lane_fmt_o = 4'b0001;
                  wl_pkg::FCVT_F32_I32: lane_op_o = wl_macro_pkg::LaneItof;
                  default: lane_op_o = wl_macro_pkg::LaneFtoi;
                endcase
              end
            end
          endcase
        end
        3'd3: use_o = instr_i[31] ? 4'b1000 : 4'b0000;
        3'd4: begin
          ldd_o  = instr_i[6:0] == wl_pkg::OP_LDD;
          dset_o = instr_i[6:0] == wl_pkg::OP_DSET;
          dget_o = instr_i[6:0] == wl_pkg::OP_DGET;
          use_o  = (ldd_o | dset_o) ? 4'b0010 : 4'b0000;
        end
        3'd5: begin
          unique case (instr_i[6:0])
            wl_pkg::OP_ACT, wl_pkg::OP_BLK, wl_pkg::OP_UNB: begin
              task_o = 1'b1;
              use_o  = 4'b0010;
            end
            wl_pkg::OP_YIELD: yield_o = 1'b1;
            wl_pkg::OP_WAITU: waitu_o = 1'b1;
            wl_pkg::OP_HALT: halt_o = 1'b1;
            wl_pkg::OP_TRAP: trap_o = 1'b1;
            default: ;
          endcase
        end
        default: ;
      endcase
    end
  end

endmodule
