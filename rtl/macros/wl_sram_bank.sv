// One single-ported bank of wl_sram, in the form that synthesis maps to a memory macro.
module wl_sram_bank #(
    parameter int unsigned Rows
) (
    input  logic        clk_i,
    input  logic        en_i,
    input  logic [ 1:0] we_i,
    input  logic [10:0] row_i,
    input  logic [31:0] wdata_i,
    output logic [31:0] rdata_o
);

  localparam int unsigned RowBits = (Rows > 1) ? $clog2(Rows) : 1;

  logic [31:0] mem_q[0:Rows-1];
  logic [31:0] rdata_q;
  logic [RowBits-1:0] row;
  logic in_range;

  assign rdata_o  = rdata_q;
  assign row      = row_i[RowBits-1:0];
  assign in_range = 32'(row_i) < Rows;

  initial begin
    for (int unsigned i = 0; i < Rows; i++) mem_q[i] = 32'h0;
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (we_i == 2'b00) rdata_q <= in_range ? mem_q[row] : 32'h0;
      if (in_range && we_i[0]) mem_q[row][15:0] <= wdata_i[15:0];
      if (in_range && we_i[1]) mem_q[row][31:16] <= wdata_i[31:16];
    end
  end

endmodule
