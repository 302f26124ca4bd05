// Accumulator window: a register file of Bytes bytes (0, 256 or 512) in lines of Words 32-bit words, with one read and one write port. The
// same in both views.
//
// Read: with re_i, line raddr_i comes to rdata_o at the next edge; without, rdata_o keeps its value. Write: half h of line waddr_i is written from
// wdata_i[16h+15:16h] where we_i[h]. A read in the cycle of a write to its line sees the new data (the write-stage forwarding that a
// two-cycle accumulate loop needs). Lines beyond the window read zero, writes there are dropped. Words are zero until written; no reset.
// Required: Bytes, Words (1, 2, 4).
module wl_accwin #(
    parameter int unsigned Bytes,
    parameter int unsigned Words
) (
    input  logic                clk_i,
    input  logic                re_i,
    input  logic [         6:0] raddr_i,
    output logic [32*Words-1:0] rdata_o,
    input  logic [ 2*Words-1:0] we_i,
    input  logic [         6:0] waddr_i,
    input  logic [32*Words-1:0] wdata_i
);

  localparam int unsigned Depth = Bytes / (4 * Words);
  localparam int unsigned IndexBits = (Depth > 1) ? $clog2(Depth) : 1;

  if (Depth == 0) begin : gen_none
    logic unused_inputs;
    assign unused_inputs = ^{clk_i, re_i, raddr_i, we_i, waddr_i, wdata_i};
    assign rdata_o = '0;
  end else begin : gen_window
    logic [32*Words-1:0] win_q[0:Depth-1];
    logic [32*Words-1:0] rdata_q, merged;
    logic [IndexBits-1:0] raddr, waddr;
    assign rdata_o = rdata_q;
    assign raddr   = raddr_i[IndexBits-1:0];
    assign waddr   = waddr_i[IndexBits-1:0];

    initial begin
      for (int unsigned i = 0; i < Depth; i++) win_q[i] = '0;
    end

    // The written line after the write.
    always_comb begin
      merged = '0;
      if (we_i != '0) begin
        merged = win_q[waddr];
        for (int unsigned h = 0; h < 2 * Words; h++) if (we_i[h]) merged[16*h+:16] = wdata_i[16*h+:16];
      end
    end

    always_ff @(posedge clk_i) begin
      if (re_i) rdata_q <= (32'(raddr_i) >= Depth) ? '0 : (we_i != '0 && raddr_i == waddr_i) ? merged : win_q[raddr];
      if (we_i != '0 && 32'(waddr_i) < Depth) win_q[waddr] <= merged;
    end
  end

endmodule
