// Descriptor registers, and the words with which an instruction enters its context (combinational, while want_i).
//
// A descriptor is held as base, len0 and words 1 to 3; bits that no field names are not kept. Writes of one edge apply in the order
// load (of an earlier ldd), dset, save, so that the later in program order wins. The legality of operands is checked here, once per launch.
module wl_launch #(
    parameter int unsigned Lanes
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    // writes
    input  logic         load_i,
    input  logic [  3:0] load_dsr_i,
    input  logic         load_second_i, // words 2 and 3
    input  logic [ 63:0] load_data_i,
    input  logic         set_i,
    input  logic [  3:0] set_dsr_i,
    input  logic [  1:0] word_i,        // of set_i, and read by get_o
    input  logic [ 31:0] set_data_i,
    input  logic [  3:0] save_i,        // {I, Q, P, D}
    input  logic [ 15:0] save_dsrs_i,   // four bits each, D lowest
    input  logic [ 15:0] save_d_i,
    input  logic [ 15:0] save_p_i,
    input  logic [ 15:0] save_q_i,
    input  logic [ 15:0] save_x_i,
    // dget
    input  logic         get_i,
    input  logic [  3:0] get_dsr_i,
    output logic [ 31:0] get_o,
    // launch
    input  logic         want_i,
    input  logic [ 31:0] instr_i,
    input  logic [  7:0] bound_i,
    output logic         illegal_o,
    output logic         empty_o,       // no element: completes at once
    output logic [ 63:0] ctl_o,
    output logic [ 15:0] dsrs_o,
    output logic [ 63:0] d_moving_o,
    output logic [ 63:0] d_fixed_o,
    output logic [ 63:0] p_moving_o,
    output logic [ 63:0] p_fixed_o,
    output logic [ 63:0] q_moving_o,
    output logic [ 63:0] q_fixed_o,
    output logic [ 63:0] x_moving_o,    // sdot: the indices
    output logic [ 63:0] x_fixed_o
);

  logic [15:0] base_q[0:15];
  logic [15:0] len0_q[0:15];
  logic [31:0] word1_q[0:15];
  logic [31:0] word2_q[0:15];
  logic [31:0] word3_q[0:15];

  always_ff @(posedge clk_i) begin
    if (load_i | set_i | (save_i != 4'd0)) begin
      if (load_i & !load_second_i) begin
        base_q[load_dsr_i]  <= load_data_i[15:0];
        len0_q[load_dsr_i]  <= load_data_i[31:16];
        word1_q[load_dsr_i] <= load_data_i[63:32];
      end
      if (load_i & load_second_i) begin
        word2_q[load_dsr_i] <= load_data_i[31:0] & wl_pkg::DESC_WORD2_MASK;
        word3_q[load_dsr_i] <= load_data_i[63:32] & wl_pkg::DESC_WORD3_MASK;
      end
      if (set_i) begin
        unique case (word_i)
          2'd0: begin
            base_q[set_dsr_i] <= set_data_i[15:0];
            len0_q[set_dsr_i] <= set_data_i[31:16];
          end
          2'd1: word1_q[set_dsr_i] <= set_data_i;
          2'd2: word2_q[set_dsr_i] <= set_data_i & wl_pkg::DESC_WORD2_MASK;
          default: word3_q[set_dsr_i] <= set_data_i & wl_pkg::DESC_WORD3_MASK;
        endcase
      end
      if (save_i != 4'd0) begin
        if (save_i[3]) base_q[save_dsrs_i[15:12]] <= save_x_i;
        if (save_i[2]) base_q[save_dsrs_i[11:8]] <= save_q_i;
        if (save_i[1]) base_q[save_dsrs_i[7:4]] <= save_p_i;
        if (save_i[0]) base_q[save_dsrs_i[3:0]] <= save_d_i;
      end
    end
    if (!rst_ni) begin
      for (int unsigned k = 0; k < 16; k++) begin
        base_q[k]  <= 16'd0;
        len0_q[k]  <= 16'd0;
        word1_q[k] <= 32'd0;
        word2_q[k] <= 32'd0;
        word3_q[k] <= 32'd0;
      end
    end
  end

  always_comb begin
    get_o = 32'd0;
    if (get_i) begin
      unique case (word_i)
        2'd0: get_o = {len0_q[get_dsr_i], base_q[get_dsr_i]};
        2'd1: get_o = word1_q[get_dsr_i];
        2'd2: get_o = word2_q[get_dsr_i];
        default: get_o = word3_q[get_dsr_i];
      endcase
    end
  end

  // Descriptor n as moving and fixed words (wl_gen).
  function automatic logic [63:0] moving_of(input logic [15:0] base, input logic [15:0] len0, input logic [15:0] len1,
                                            input logic [2:0] kind);
    moving_of = {(kind == wl_pkg::KIND_MEM2D || kind == wl_pkg::KIND_CIRCULAR) ? len1 : 16'd1, len0, base, base};
  endfunction

  function automatic logic [63:0] fixed_of(input logic [15:0] len0, input logic [15:0] stride0, input logic [19:0] word2,
                                           input logic [3:0] word3);
    logic circular, wide, lazy, memory, near, fits;
    circular = word3[2:0] == wl_pkg::KIND_CIRCULAR;
    lazy     = word3[2:0] == wl_pkg::KIND_MEM1D || word3[2:0] == wl_pkg::KIND_IOTA;
    memory   = word3[2:0] <= wl_pkg::KIND_CIRCULAR;
    wide     = word3[3] && word3[2:0] != wl_pkg::KIND_IOTA;
    fits     = word2[19:16] >= ((Lanes == 8) ? 4'd4 : 4'd3);
    near     = stride0 == (wide ? 16'd4 : 16'd2) && (!circular || fits) && memory;
    fixed_of = {7'd0, memory, wide, lazy, near, circular, word2, stride0, len0};
  endfunction

  function automatic logic is_memory(input logic [2:0] kind);
    is_memory = kind <= wl_pkg::KIND_CIRCULAR;
  endfunction

  logic [31:0] a3, b3, c3, s3, in2;

  always_comb begin : p_launch
    logic [3:0] da, db, dc, ds;
    logic [1:0] at, bt, ct, st;     // types: bit 0 is 32-bit, bit 1 integer
    logic [2:0] ak, bk, ck, sk;
    logic is_vmov, is_vmacs, is_vfma, is_vcvt, is_vsfu, is_int, is_shift, is_vdot, is_vred, is_saxpy, is_sdot;
    logic one_source, scalar, use_c, s_wide, serial, bad, wide, in_fabric, b_fabric, c_fabric, mix;
    logic [3:0] formats, most;
    logic [4:0] op;
    da = '0;
    db = '0;
    dc = '0;
    ds = '0;
    at = '0;
    bt = '0;
    ct = '0;
    st = '0;
    ak = '0;
    bk = '0;
    ck = '0;
    sk = '0;
    is_vmov = '0;
    is_vmacs = '0;
    is_vfma = '0;
    is_vcvt = '0;
    is_vsfu = '0;
    is_int = '0;
    is_shift = '0;
    is_vdot = '0;
    is_vred = '0;
    is_saxpy = '0;
    is_sdot = '0;
    one_source = '0;
    scalar = '0;
    use_c = '0;
    s_wide = '0;
    serial = '0;
    bad = '0;
    wide = '0;
    in_fabric = '0;
    b_fabric = '0;
    c_fabric = '0;
    mix = '0;
    formats = '0;
    most = '0;
    op = '0;
    a3  = 32'd0;
    b3  = 32'd0;
    c3  = 32'd0;
    s3  = 32'd0;
    in2 = 32'd0;
    illegal_o  = 1'b0;
    empty_o    = 1'b0;
    ctl_o      = 64'd0;
    dsrs_o     = 16'd0;
    d_moving_o = 64'd0;
    d_fixed_o  = 64'd0;
    p_moving_o = 64'd0;
    p_fixed_o  = 64'd0;
    q_moving_o = 64'd0;
    q_fixed_o  = 64'd0;
    x_moving_o = 64'd0;
    x_fixed_o  = 64'd0;
    if (want_i) begin
      da = instr_i[10:7];
      db = instr_i[14:11];
      dc = instr_i[18:15];
      ds = instr_i[22:19];
      a3 = word3_q[da];
      b3 = word3_q[db];
      c3 = word3_q[dc];
      s3 = word3_q[ds];
      is_vmov  = instr_i[6:0] == wl_pkg::OP_VMOV;
      is_vmacs = instr_i[6:0] == wl_pkg::OP_VMACS;
      is_vfma  = instr_i[6:0] == wl_pkg::OP_VFMA;
      is_vcvt  = instr_i[6:0] == wl_pkg::OP_VCVT;
      is_vsfu  = instr_i[6:0] == wl_pkg::OP_VSFU;
      is_shift = instr_i[6:0] == wl_pkg::OP_VSHIFT;
      is_int   = is_shift || instr_i[6:0] == wl_pkg::OP_VIADD;
      is_vdot  = instr_i[6:0] == wl_pkg::OP_VDOT;
      is_vred  = instr_i[6:0] == wl_pkg::OP_VRED;
      is_saxpy = instr_i[6:0] == wl_pkg::OP_SAXPY;
      is_sdot  = instr_i[6:0] == wl_pkg::OP_SDOT;
      one_source = is_vmov | is_vcvt | is_vsfu | is_vred;
      scalar   = instr_i[31];
      use_c    = !one_source && (!scalar || is_vmacs);
      s_wide   = scalar & !instr_i[30];
      ak = a3[2:0];
      bk = b3[2:0];
      ck = c3[2:0];
      sk = s3[2:0];
      at = a3[4:3];
      bt = (bk == wl_pkg::KIND_IOTA) ? wl_pkg::TYPE_I16 : b3[4:3];
      ct = (ck == wl_pkg::KIND_IOTA) ? wl_pkg::TYPE_I16 : c3[4:3];
      st = s3[4:3];
      b_fabric  = bk == wl_pkg::KIND_FABRIC_IN && !(is_vmov && scalar);
      c_fabric  = use_c && ck == wl_pkg::KIND_FABRIC_IN;
      in_fabric = b_fabric | c_fabric;
      in2 = b_fabric ? word2_q[db] : word2_q[dc];

      // Legality.
      bad = !(is_memory(ak) || ak == wl_pkg::KIND_FABRIC_OUT);
      if (ak == wl_pkg::KIND_FABRIC_OUT)
        bad = bad | is_vfma | is_saxpy | word2_q[da][27] | (word2_q[da][24:23] == 2'd3) | (a3[5] & at[0]);
      if (!(is_vmov && scalar)) bad = bad | (bk == wl_pkg::KIND_FABRIC_OUT) | (bk > wl_pkg::KIND_IOTA);
      if (use_c) bad = bad | (ck == wl_pkg::KIND_FABRIC_OUT) | (ck > wl_pkg::KIND_IOTA);
      bad = bad | (b_fabric & c_fabric);
      if (in_fabric) bad = bad | !bound_i[in2[27:25]];
      if (b_fabric && !is_saxpy && !is_sdot) bad = bad | (b3[5] & bt[0]);
      if (c_fabric) bad = bad | (c3[5] & ct[0]);
      if (is_saxpy) bad = bad | !b_fabric | !is_memory(ck) | (ct != wl_pkg::TYPE_F16) | at[1];
      else if (is_sdot) bad = bad | !is_memory(ck) | !is_memory(sk) | ct[1] | st[1] | at[1] | (!b_fabric & (bt != wl_pkg::TYPE_I16));
      else if (is_vmov) bad = bad | (!scalar & (at[1] != bt[1]));
      else if (is_vcvt) bad = bad | (instr_i[27] ? !at[1] | bt[1] : at[1] | !bt[1]);
      else if (is_int) bad = bad | !at[1] | !bt[1] | (use_c & !ct[1]);
      else bad = bad | at[1] | bt[1] | (use_c & ct[1]);
      illegal_o = bad;

      // Formats and the operation.
      serial = 1'b0;
      if (is_vdot || is_sdot || is_vred) begin
        mix     = is_sdot ? st[0] : bt[0];
        formats = {2'b00, !is_vred & ct[0], mix};
        op      = !is_vred ? {2'b00, wl_macro_pkg::AccProduct} : (instr_i[29:27] == wl_pkg::RED_SUM) ? {2'b00, wl_macro_pkg::AccSum} :
                  (instr_i[29:27] == wl_pkg::RED_MAX) ? {2'b00, wl_macro_pkg::AccMax} : {2'b00, wl_macro_pkg::AccMin};
        serial  = !is_vred & (ct[0] | mix);
        wide    = 1'b1;
      end else begin
        unique case (instr_i[6:0])
          wl_pkg::OP_VADD: op = wl_macro_pkg::LaneAdd;
          wl_pkg::OP_VSUB: op = wl_macro_pkg::LaneSub;
          wl_pkg::OP_VMUL: op = wl_macro_pkg::LaneMul;
          wl_pkg::OP_VMACS, wl_pkg::OP_VFMA, wl_pkg::OP_SAXPY: op = wl_macro_pkg::LaneFma;
          wl_pkg::OP_VMAX: op = wl_macro_pkg::LaneMax;
          wl_pkg::OP_VMIN: op = wl_macro_pkg::LaneMin;
          wl_pkg::OP_VSEL: op = wl_macro_pkg::LaneSel;
          wl_pkg::OP_VCVT: op = instr_i[27] ? wl_macro_pkg::LaneFtoi : wl_macro_pkg::LaneItof;
          wl_pkg::OP_VSFU: op = {3'd0, instr_i[28:27]};
          wl_pkg::OP_VIADD: op = wl_macro_pkg::LaneIadd;
          wl_pkg::OP_VSHIFT:
          op = (instr_i[29:27] == wl_pkg::SHIFT_SLL) ? wl_macro_pkg::LaneSll :
               (instr_i[29:27] == wl_pkg::SHIFT_SRL) ? wl_macro_pkg::LaneSrl : wl_macro_pkg::LaneSra;
          default: op = at[1] ? wl_macro_pkg::LaneIadd : wl_macro_pkg::LaneMove;
        endcase
        if (is_saxpy) formats = {at[0], at[0], 2'b00};
        else if (is_vmacs) formats = {at[0], bt[0], ct[0], s_wide};
        else if (is_vmov) formats = {at[0], 2'b00, scalar ? s_wide : bt[0]};
        else if (one_source) formats = {at[0], 2'b00, bt[0]};
        else formats = {at[0], is_vfma & at[0], scalar ? s_wide : ct[0], bt[0]};
        serial = (op == wl_macro_pkg::LaneMul || op == wl_macro_pkg::LaneFma) && !is_vsfu && (formats[1:0] != 2'b00);
        wide   = formats != 4'd0;
      end
      most = (serial | is_vsfu | is_vcvt) ? 4'd1 : wide ? 4'(Lanes / 2) : 4'(Lanes);

      // Operands.
      d_moving_o = moving_of(base_q[da], len0_q[da], word1_q[da][31:16], ak);
      d_fixed_o  = fixed_of(len0_q[da], word1_q[da][15:0], word2_q[da][19:0], a3[3:0]);
      p_moving_o = is_sdot ? moving_of(base_q[ds], len0_q[ds], word1_q[ds][31:16], sk) : moving_of(base_q[db], len0_q[db], word1_q[db][31:16], bk);
      p_fixed_o  = is_sdot ? fixed_of(len0_q[ds], word1_q[ds][15:0], word2_q[ds][19:0], s3[3:0]) : fixed_of(len0_q[db], word1_q[db][15:0], word2_q[db][19:0], b3[3:0]);
      q_moving_o = moving_of(base_q[dc], len0_q[dc], word1_q[dc][31:16], ck);
      q_fixed_o  = fixed_of(len0_q[dc], word1_q[dc][15:0], word2_q[dc][19:0], c3[3:0]);
      x_moving_o = moving_of(base_q[db], len0_q[db], word1_q[db][31:16], bk);
      x_fixed_o  = fixed_of(len0_q[db], word1_q[db][15:0], word2_q[db][19:0], b3[3:0]);
      empty_o = (is_sdot) ? !b_fabric && (x_moving_o[63:48] == 16'd0 || x_moving_o[47:32] == 16'd0) :
                (is_vdot | is_vred) ? p_moving_o[63:48] == 16'd0 || p_moving_o[47:32] == 16'd0 :
                d_moving_o[63:48] == 16'd0 || d_moving_o[47:32] == 16'd0;

      ctl_o[wl_pe_pkg::CtlSaxpy] = is_saxpy;
      ctl_o[wl_pe_pkg::CtlSdot]  = is_sdot;
      ctl_o[wl_pe_pkg::CtlDot]   = is_vdot | is_vred;
      ctl_o[wl_pe_pkg::CtlSfu]   = is_vsfu;
      ctl_o[wl_pe_pkg::CtlWide]  = wide | is_vsfu;
      if (is_sdot) ctl_o[wl_pe_pkg::CtlPMem] = 1'b1;
      else if (!is_saxpy && !(is_vmov && scalar)) begin
        ctl_o[wl_pe_pkg::CtlPMem]  = is_memory(bk);
        ctl_o[wl_pe_pkg::CtlPFab]  = b_fabric;
        ctl_o[wl_pe_pkg::CtlPIota] = bk == wl_pkg::KIND_IOTA;
      end
      if (use_c) begin
        ctl_o[wl_pe_pkg::CtlQMem]  = is_memory(ck);
        ctl_o[wl_pe_pkg::CtlQFab]  = c_fabric;
        ctl_o[wl_pe_pkg::CtlQIota] = ck == wl_pkg::KIND_IOTA;
      end
      ctl_o[wl_pe_pkg::CtlDMem]    = is_memory(ak);
      ctl_o[wl_pe_pkg::CtlDFab]    = !is_memory(ak);
      ctl_o[wl_pe_pkg::CtlDRead]   = is_vfma;
      ctl_o[wl_pe_pkg::CtlInput]   = in_fabric;
      ctl_o[wl_pe_pkg::CtlPackIn]  = in_fabric & !is_saxpy & !is_sdot & (b_fabric ? b3[5] : c3[5]);
      ctl_o[wl_pe_pkg::CtlPackOut] = !is_memory(ak) & a3[5];
      ctl_o[wl_pe_pkg::CtlD16]     = !at[0];
      ctl_o[wl_pe_pkg::CtlP16]     = is_sdot ? !st[0] : !bt[0];
      ctl_o[wl_pe_pkg::CtlQ16]     = !ct[0];
      ctl_o[wl_pe_pkg::CtlSendControl] = a3[6];
      ctl_o[wl_pe_pkg::CtlMac]     = is_saxpy | is_sdot | is_vdot | is_vmacs | is_vfma;
      ctl_o[wl_pe_pkg::CtlOnControl+:2] = b_fabric ? b3[9:8] : c3[9:8];
      ctl_o[wl_pe_pkg::CtlOnDone+:2]    = a3[11:10];
      ctl_o[wl_pe_pkg::CtlDoneTask+:6]  = a3[17:12];
      ctl_o[wl_pe_pkg::CtlInQueue+:3]   = in2[27:25];
      ctl_o[wl_pe_pkg::CtlOutQueue+:2]  = word2_q[da][26:25];
      ctl_o[wl_pe_pkg::CtlColour+:5]    = word2_q[da][24:20];
      ctl_o[wl_pe_pkg::CtlOp+:5]        = op;
      ctl_o[wl_pe_pkg::CtlFormats+:4]   = formats;
      ctl_o[wl_pe_pkg::CtlMost+:4]      = most;
      ctl_o[wl_pe_pkg::CtlSaveD] = a3[7] & is_memory(ak) & !is_saxpy;
      ctl_o[wl_pe_pkg::CtlSaveP] = b3[7] & (ctl_o[wl_pe_pkg::CtlPMem] | ctl_o[wl_pe_pkg::CtlPIota]) & !is_sdot;
      ctl_o[wl_pe_pkg::CtlSaveQ] = c3[7] & (ctl_o[wl_pe_pkg::CtlQMem] | ctl_o[wl_pe_pkg::CtlQIota]) & !is_sdot & !is_saxpy;
      ctl_o[wl_pe_pkg::CtlSaveI] = b3[7] & is_sdot & !b_fabric;
      ctl_o[wl_pe_pkg::CtlAScalar] = is_saxpy | is_vmacs | (is_vmov & scalar);
      ctl_o[wl_pe_pkg::CtlBScalar] = scalar & !is_vmacs & !one_source;
      ctl_o[wl_pe_pkg::CtlBZero]   = one_source;
      ctl_o[wl_pe_pkg::CtlCFromP]  = is_vmacs | is_saxpy;
      dsrs_o = {db, dc, db, da};
    end
  end

  logic unused_bits;
  assign unused_bits = ^{s3, in2, a3, b3, c3, instr_i[26:23]};

endmodule
