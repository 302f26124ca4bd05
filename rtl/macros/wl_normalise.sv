// Shifts left until the top bit is set: y_o = x_i << count_o. A zero gives zero and a meaningless count.
module wl_normalise #(
    parameter int unsigned Width
) (
    input  logic [        Width-1:0] x_i,
    output logic [        Width-1:0] y_o,
    output logic [$clog2(Width)-1:0] count_o
);

  localparam int unsigned Steps = $clog2(Width);

  always_comb begin
    y_o = x_i;
    count_o = '0;
    for (int unsigned i = 0; i < Steps; i++) begin
      // Steps of ..., 4, 2, 1.
      if ((y_o >> (Width - (32'd1 << (Steps - 1 - i)))) == '0) begin
        y_o = y_o << (32'd1 << (Steps - 1 - i));
        count_o[Steps-1-i] = 1'b1;
      end
    end
  end

endmodule
