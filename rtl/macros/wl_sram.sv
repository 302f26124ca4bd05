// SRAM macro, rtl view: 8 single-ported banks of 32 bits, used as lines of 64 bits. Line l is words 2l and 2l + 1 of mem_q, that is row l / 4 of
// banks 2 (l mod 4) and the next; the array is kept in the order of addresses so that loaders and checkpoints see one memory in
// both views. A line touches only its own pair of banks, so eight single-ported memories of Rows words take this module's place
// in silicon.
//
// Ports a and b: with r*_en_i line r*_line_i comes to r*_data_o at the next edge; without, the data stay. Port w: half h of line w_line_i is
// written from w_data_i[16h+15:16h] where w_en_i[h]. The user guarantees that in one cycle no two ports use lines with equal l mod 4
// (single-ported banks); a and b may read the same line. Lines beyond the last read zero and drop writes; the PE traps before it gets here. Words
// are zero until written. Required: Rows, per bank, 1 to 2048.
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

  localparam int unsigned Words = 8 * Rows;
  localparam int unsigned WordBits = $clog2(Words);

  logic [31:0] mem_q[0:Words-1];
  logic [63:0] ra_q, rb_q;
  assign ra_data_o = ra_q;
  assign rb_data_o = rb_q;

  initial begin
    for (int unsigned i = 0; i < Words; i++) mem_q[i] = 32'h0;
  end

  function automatic logic is_inside(input logic [12:0] line);
    is_inside = 32'(line) < 4 * Rows;
  endfunction

  always_ff @(posedge clk_i) begin
    if (ra_en_i) begin
      ra_q <= is_inside(ra_line_i) ? {mem_q[WordBits'({ra_line_i, 1'b1})], mem_q[WordBits'({ra_line_i, 1'b0})]} : 64'h0;
    end
    if (rb_en_i) begin
      rb_q <= is_inside(rb_line_i) ? {mem_q[WordBits'({rb_line_i, 1'b1})], mem_q[WordBits'({rb_line_i, 1'b0})]} : 64'h0;
    end
    if (w_en_i != 4'd0 && is_inside(w_line_i)) begin
      if (w_en_i[0]) mem_q[WordBits'({w_line_i, 1'b0})][15:0] <= w_data_i[15:0];
      if (w_en_i[1]) mem_q[WordBits'({w_line_i, 1'b0})][31:16] <= w_data_i[31:16];
      if (w_en_i[2]) mem_q[WordBits'({w_line_i, 1'b1})][15:0] <= w_data_i[47:32];
      if (w_en_i[3]) mem_q[WordBits'({w_line_i, 1'b1})][31:16] <= w_data_i[63:48];
    end
  end

  // One access per bank and cycle.
  always_ff @(posedge clk_i) begin
    assert (!(ra_en_i && rb_en_i && ra_line_i[1:0] == rb_line_i[1:0] && ra_line_i != rb_line_i));
    assert (!(ra_en_i && w_en_i != 4'd0 && ra_line_i[1:0] == w_line_i[1:0]));
    assert (!(rb_en_i && w_en_i != 4'd0 && rb_line_i[1:0] == w_line_i[1:0]));
  end

endmodule
