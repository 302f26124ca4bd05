// Logical shift right; sticky_o is high if any set bit was shifted out.
module wl_shift_sticky #(
    parameter int unsigned Width,
    parameter int unsigned CountBits
) (
    input  logic [    Width-1:0] x_i,
    input  logic [CountBits-1:0] count_i,
    output logic [    Width-1:0] y_o,
    output logic                 sticky_o
);

  always_comb begin
    y_o = x_i;
    sticky_o = 1'b0;
    for (int unsigned i = 0; i < CountBits; i++) begin
      if (count_i[i]) begin
        if ((32'd1 << i) >= Width) begin
          sticky_o = sticky_o | (y_o != '0);
          y_o = '0;
        end else begin
          sticky_o = sticky_o | ((y_o << (Width - (32'd1 << i))) != '0);
          y_o = y_o >> (32'd1 << i);
        end
      end
    end
  end

endmodule
