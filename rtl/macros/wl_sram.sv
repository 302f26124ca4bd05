// SRAM macro, rtl view: 8 single-ported banks of 32 bits. Word w of the address space is row w / 8 of bank w % 8.
//
// Bank k in one cycle: en_i[k] with we_i[2k+1:2k] = 0 reads row_i[11k+10:11k] into rdata_o[32k+31:32k] at the next edge; with
// any write enable it writes the enabled halves (bit 2k the low one) and leaves rdata as it was. A bank that is not enabled
// keeps its rdata. A row beyond the last reads zero and drops writes; the PE traps before it gets here. Words are zero until
// written. Required: Rows, 1 to 2048.
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

  for (genvar k = 0; k < 8; k++) begin : gen_bank
    wl_sram_bank #(
        .Rows(Rows)
    ) u_bank (
        .clk_i,
        .en_i   (en_i[k]),
        .we_i   (we_i[2*k+:2]),
        .row_i  (row_i[11*k+:11]),
        .wdata_i(wdata_i[32*k+:32]),
        .rdata_o(rdata_o[32*k+:32])
    );
  end

endmodule
