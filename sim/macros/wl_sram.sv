// Fast view of wl_sram: the ports of rtl/macros/wl_sram.sv; the words live in host pages behind a handle (wl_sram.cpp).
// One foreign call per edge in which any port is enabled.
module wl_sram #(
    parameter int unsigned Rows
) (
    input  logic        clk_i,
    input  logic        ra_en_i,
    input  logic [12:0] ra_line_i,
    output logic [63:0] ra_data_o,
    input  logic        rb_en_i,
    input  logic [12:0] rb_line_i,
    output logic [63:0] rb_data_o,
    input  logic [ 3:0] w_en_i,
    input  logic [12:0] w_line_i,
    input  logic [63:0] w_data_i
);

  import "DPI-C" function longint unsigned wl_sram_create(input int unsigned words);
  import "DPI-C" function void wl_sram_access(
    input longint unsigned handle,
    input longint unsigned control,
    input longint unsigned wdata,
    inout longint unsigned a,
    inout longint unsigned b
  );

  longint unsigned inst_q;
  initial inst_q = wl_sram_create(8 * Rows);

  logic [63:0] ra_q, rb_q, a, b;
  assign ra_data_o = ra_q;
  assign rb_data_o = rb_q;

  // verilator lint_off BLKSEQ
  always_ff @(posedge clk_i) begin
    if (ra_en_i | rb_en_i | (w_en_i != 4'd0)) begin
      a = ra_q;
      b = rb_q;
      wl_sram_access(inst_q, {10'd0, w_line_i, 3'd0, rb_line_i, 3'd0, ra_line_i, 3'd0, w_en_i, rb_en_i, ra_en_i}, w_data_i, a, b);
      ra_q <= a;
      rb_q <= b;
    end
  end
  // verilator lint_on BLKSEQ

endmodule
