// Fast view of wl_sram: the ports of rtl/macros/wl_sram.sv; the words live in host memory behind `handle_q`, an
// SramInstance* of sim/macros/sram_pages.h. Whoever creates the instance writes the handle (it is a named register) before
// the first edge that enables a bank; a zero handle is a mistake of ours and asserts. One foreign call per edge.
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

  import "DPI-C" function void wl_dpi_sram(
    input longint unsigned handle,
    input int unsigned control,
    input bit [87:0] row,
    input bit [255:0] wdata,
    inout bit [255:0] rdata
  );

  // verilator lint_off UNDRIVEN
  logic [63:0] handle_q  /* verilator public_flat_rw */;
  // verilator lint_on UNDRIVEN
  logic [255:0] rdata_q;
  assign rdata_o = rdata_q;

  logic [255:0] rdata;

  // verilator lint_off BLKSEQ
  always_ff @(posedge clk_i) begin
    if (en_i != 8'h0) begin
      rdata = rdata_q;
      wl_dpi_sram(handle_q, {8'h0, we_i, en_i}, row_i, wdata_i, rdata);
      rdata_q <= rdata;
    end
  end
  // verilator lint_on BLKSEQ

  // The instance knows its own size.
  logic unused_rows;
  assign unused_rows = ^Rows;

endmodule
