// Accumulator window: a register file of Bytes bytes (0, 256 or 512) with one read and one write port, each of Words 32-bit
// words at any word address. The same in both views.
//
// Read: with re_i, word raddr_i + j comes to rdata_o[32j+31:32j] at the next edge; without, rdata_o keeps its value. Write:
// half h of word waddr_i + j is written from wdata_i[32j+16h+15:32j+16h] where we_i[2j+h]. A read in the cycle of a write sees
// the new data (the write-stage forwarding that a two-cycle accumulate loop needs). Words beyond the window read zero, writes
// there are dropped. Words are zero until written; no reset. Required: Bytes, Words (1 to 8).
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

  localparam int unsigned Depth = Bytes / 4;
  localparam int unsigned IndexBits = (Depth > 1) ? $clog2(Depth) : 1;

  if (Depth == 0) begin : gen_none
    logic unused_inputs;
    assign unused_inputs = ^{clk_i, re_i, raddr_i, we_i, waddr_i, wdata_i};
    assign rdata_o = '0;
  end else begin : gen_window
    logic [31:0] win_q[0:Depth-1];
    logic [32*Words-1:0] rdata_q, rdata_d;
    assign rdata_o = rdata_q;

    initial begin
      for (int unsigned i = 0; i < Depth; i++) win_q[i] = 32'h0;
    end

    always_comb begin
      rdata_d = rdata_q;
      if (re_i) begin
        for (int unsigned j = 0; j < Words; j++) begin
          rdata_d[32*j+:32] = (32'(raddr_i) + j < Depth) ? win_q[IndexBits'(32'(raddr_i)+j)] : 32'h0;
        end
      end
      if (re_i && we_i != '0) begin
        for (int unsigned j = 0; j < Words; j++) begin
          for (int unsigned i = 0; i < Words; i++) begin
            if (32'(raddr_i) + j == 32'(waddr_i) + i && 32'(raddr_i) + j < Depth) begin
              if (we_i[2*i]) rdata_d[32*j+:16] = wdata_i[32*i+:16];
              if (we_i[2*i+1]) rdata_d[32*j+16+:16] = wdata_i[32*i+16+:16];
            end
          end
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (re_i) rdata_q <= rdata_d;
      for (int unsigned i = 0; i < Words; i++) begin
        if (32'(waddr_i) + i < Depth) begin
          if (we_i[2*i]) win_q[IndexBits'(32'(waddr_i)+i)][15:0] <= wdata_i[32*i+:16];
          if (we_i[2*i+1]) win_q[IndexBits'(32'(waddr_i)+i)][31:16] <= wdata_i[32*i+16+:16];
        end
      end
    end
  end

endmodule
