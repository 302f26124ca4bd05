// Extra registers of the router's ramp path, for machines whose ramp takes more than two cycles.
// Extra wavelets may be on their way in each direction; both receivers keep room for them (the router drops the
// ramp's ready at Extra wavelets fewer).
module wl_router_ramp #(
    parameter int unsigned Extra   = 1,  // registers in each direction, at least 1
    parameter int unsigned Colours = 24
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic [38:0]        in_i,      // from the PE
    output logic [38:0]        in_o,      // to the queues
    input  logic [38:0]        out_i,     // from the router's output register
    output logic [38:0]        out_o,     // to the PE
    output logic               busy_o,    // a register of this module is enabled in this cycle
    output logic [Colours-1:0] control_o  // colours with a control wavelet in the inbound registers after this edge
);
  logic [39*Extra-1:0] in_q, in_d, out_q, out_d;  // the newest word in the lowest bits

  assign in_o  = in_q[39*Extra-1-:39];
  assign out_o = out_q[39*Extra-1-:39];

  always_comb begin : watch
    logic busy;
    busy = in_i[38] | out_i[38];
    control_o = Colours'(in_i[37]) << in_i[36:32];
    for (int unsigned i = 0; i < Extra; i++) begin
      busy = busy | in_q[39*i+38] | out_q[39*i+38];
      if (i + 1 < Extra) control_o = control_o | (Colours'(in_q[39*i+37]) << in_q[39*i+32+:5]);
    end
    busy_o = busy;
  end

  if (Extra == 1) begin : g_one
    assign in_d  = in_i;
    assign out_d = out_i;
  end else begin : g_more
    assign in_d  = {in_q[39*(Extra-1)-1:0], in_i};
    assign out_d = {out_q[39*(Extra-1)-1:0], out_i};
  end

  always_ff @(posedge clk_i) begin
    in_q  <= in_d;
    out_q <= out_d;
    if (!rst_ni) begin
      in_q  <= '0;
      out_q <= '0;
    end
  end
endmodule
