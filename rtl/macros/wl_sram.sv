// SRAM macro, rtl view: 8 single-ported banks of 32 bits. Word w of the address space is row w / 8 of bank w % 8, and it is
// mem_q[w]: the array is kept in the order of addresses so that loaders and checkpoints see one memory in both views. Bank k
// touches only words with w % 8 = k, so eight single-ported memories of Rows words take this module's place in silicon.
//
// Bank k in one cycle: en_i[k] with we_i[2k+1:2k] = 0 reads row_i[11k+10:11k] into rdata_o[32k+31:32k] at the next edge; with
// any write enable it writes the enabled halves (bit 2k the low one) and leaves rdata as it was. A bank that is not enabled
// keeps its rdata. A row beyond the last reads zero and drops writes; the PE traps before it gets here. Words are zero until
// written. Required: Rows, per bank, 1 to 2048.
module wl_sram #(
    parameter int unsigned Rows
) (
    input  logic         clk_i,
    input  logic [  7:0] en_i,
    input  logic [ 15:0] we_i,
    input  logic [ 87:0] row_i,
    input  logic [255:0] wdata_i,
    output logic [255:0] rdata_o
);

  localparam int unsigned Words = 8 * Rows;
  localparam int unsigned WordBits = $clog2(Words);

  logic [31:0] mem_q[0:Words-1];
  logic [255:0] rdata_q;
  assign rdata_o = rdata_q;

  initial begin
    for (int unsigned i = 0; i < Words; i++) mem_q[i] = 32'h0;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < 8; k++) begin
      if (en_i[k]) begin
        if (32'(row_i[11*k+:11]) >= Rows) begin
          if (we_i[2*k+:2] == 2'b00) rdata_q[32*k+:32] <= 32'h0;
        end else begin
          if (we_i[2*k+:2] == 2'b00) rdata_q[32*k+:32] <= mem_q[WordBits'({row_i[11*k+:11], 3'(k)})];
          if (we_i[2*k]) mem_q[WordBits'({row_i[11*k+:11], 3'(k)})][15:0] <= wdata_i[32*k+:16];
          if (we_i[2*k+1]) mem_q[WordBits'({row_i[11*k+:11], 3'(k)})][31:16] <= wdata_i[32*k+16+:16];
        end
      end
    end
  end

endmodule
