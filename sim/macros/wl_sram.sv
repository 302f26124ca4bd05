// Fast view of wl_sram: the ports of rtl/macros/wl_sram.sv; the words live in host pages behind a handle (wl_sram.cpp).
// One foreign call per edge in which any bank is enabled.
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

  import "DPI-C" function longint unsigned wl_sram_create(input int unsigned words);
  import "DPI-C" function void wl_sram_access(
    input longint unsigned handle,
    input int unsigned control,
    input bit [87:0] row,
    input bit [255:0] wdata,
    inout bit [255:0] rdata
  );

  longint unsigned inst_q;
  initial inst_q = wl_sram_create(8 * Rows);

  logic [255:0] rdata_q, rdata;
  assign rdata_o = rdata_q;

  // verilator lint_off BLKSEQ
  always_ff @(posedge clk_i) begin
    if (en_i != 8'h0) begin
      rdata = rdata_q;
      wl_sram_access(inst_q, {8'h0, we_i, en_i}, row_i, wdata_i, rdata);
      rdata_q <= rdata;
    end
  end
  // verilator lint_on BLKSEQ

endmodule
