// Bench for the Verilog that Yosys writes out for wl_router, run by Icarus: it needs nothing but the netlist.
//
// One router. Colour c enters at port c mod 5 and leaves at the ports of a fixed mask; senders obey ready and pause at
// random, receivers are ready at random. Each wavelet carries (colour, number); every output must see the numbers of a
// colour in order and at the end all of them. Colour 1 is switched: each fourth of its wavelets is a control wavelet that
// advances a ring of two positions. The state space is covered by the Verilator benches; this one says that synthesis
// kept the function. Prints PASS, or FAIL and what was wrong.
`timescale 1ns / 1ns
module router_tb;
  parameter COLOURS = 24;
  parameter CYCLES = 3000;

  reg clk = 0, rst_n = 0;
  reg [38:0] in0 = 0, in1 = 0, in2 = 0, in3 = 0, in4 = 0;
  reg [23:0] give0 = 0, give1 = 0, give2 = 0, give3 = 0, give4 = 0;
  reg [40:0] cfg = 0;
  wire [23:0] ready0, ready1, ready2, ready3, ready4;
  wire [38:0] out0, out1, out2, out3, out4;
  wire quiet;
  wire [3:0] cls;
  wire [31:0] trap;

  wl_router dut (
      .clk_i(clk), .rst_ni(rst_n),
      .north_i(in0), .east_i(in1), .south_i(in2), .west_i(in3), .ramp_i(in4),
      .north_ready_o(ready0), .east_ready_o(ready1), .south_ready_o(ready2), .west_ready_o(ready3), .ramp_ready_o(ready4),
      .north_o(out0), .east_o(out1), .south_o(out2), .west_o(out3), .ramp_o(out4),
      .north_ready_i(give0), .east_ready_i(give1), .south_ready_i(give2), .west_ready_i(give3), .ramp_ready_i(give4),
      .edge_i(4'd0), .cfg_i(cfg), .quiet_o(quiet), .class_o(cls), .trap_o(trap));

  always #5 clk = ~clk;

  integer errors = 0, seed = 1, c, p, cycle, sent_total = 0, got_total = 0, due_total = 0, quiet_cycles = 0;
  integer sent [0:31];          // wavelets of a colour sent so far
  integer got [0:159];          // port * 32 + colour: wavelets seen so far
  integer number [0:159];       // and the number that is due next
  reg [38:0] word, previous;
  reg [23:0] ready;

  function [4:0] mask;  // ports that wavelet `n` of colour `c` leaves by
    input integer c, n;
    begin
      mask = (c * 7 + 3) % 31 + 1;
      if (c == 1) mask = (((n / 4) % 2) == 0) ? 5'b00110 : 5'b11000;
    end
  endfunction

  function [4:0] from;  // the port that a colour enters by, one-hot
    input integer c;
    from = 5'd1 << (c % 5);
  endfunction

  task write;
    input [4:0] colour;
    input [2:0] address;
    input [31:0] data;
    begin
      cfg = {1'b1, colour, address, data};
      @(posedge clk);
      #1 cfg = 0;
    end
  endtask

  // What port p presents in the next cycle, given what it presented in this one and this cycle's ready.
  task choose;
    input integer port;
    input active;
    integer k, start;
    begin
      word = 0;
      start = $unsigned($random(seed)) % COLOURS;
      if (active && $unsigned($random(seed)) % 4 != 0) begin
        for (k = 0; k < COLOURS; k = k + 1) begin
          c = (start + k) % COLOURS;
          if (word == 0 && c % 5 == port && ready[c] && !(previous[37] && previous[36:32] == c)) begin
            word = {1'b1, 1'b0, c[4:0], c[7:0], sent[c][23:0]};
            if (c == 1 && sent[c] % 4 == 3) word = {1'b1, 1'b1, c[4:0], sent[c][15:0], 8'd0, 8'h45};  // advance, task 5
            for (p = 0; p < 5; p = p + 1) if (mask(c, sent[c]) & (1 << p)) due_total = due_total + 1;
            sent[c] = sent[c] + 1;
            sent_total = sent_total + 1;
          end
        end
      end
    end
  endtask

  task check;
    input integer port;
    input [38:0] w;
    integer colour, n;
    begin
      if (w[38]) begin
        colour = w[36:32];
        n = number[port * 32 + colour];
        while (!(mask(colour, n) & (1 << port)) && n < 100000) n = n + 1;
        if (w[37] ? (w[31:16] != n[15:0] || n % 4 != 3 || colour != 1) : (w[23:0] != n[23:0] || w[31:24] != colour)) begin
          errors = errors + 1;
          if (errors < 10) $display("cycle %0d port %0d: %h, expected number %0d", cycle, port, w, n);
        end
        number[port * 32 + colour] = n + 1;
        got_total = got_total + 1;
      end else if (w != 0) errors = errors + 1;
    end
  endtask

  initial begin
    for (c = 0; c < 32; c = c + 1) sent[c] = 0;
    for (c = 0; c < 160; c = c + 1) begin got[c] = 0; number[c] = 0; end
    repeat (2) @(posedge clk);
    #1 rst_n = 1;
    for (c = 0; c < COLOURS; c = c + 1) write(c, 0, {22'd0, mask(c, 0), from(c)});
    write(1, 1, {22'd0, mask(1, 4), from(1)});
    write(1, 4, 32'd20);  // position 0, last 1, ring
    for (cycle = 0; cycle < CYCLES + 200; cycle = cycle + 1) begin
      check(0, out0); check(1, out1); check(2, out2); check(3, out3); check(4, out4);
      if (quiet) quiet_cycles = quiet_cycles + 1;
      ready = ready0; previous = in0; choose(0, cycle < CYCLES); in0 <= word;
      ready = ready1; previous = in1; choose(1, cycle < CYCLES); in1 <= word;
      ready = ready2; previous = in2; choose(2, cycle < CYCLES); in2 <= word;
      ready = ready3; previous = in3; choose(3, cycle < CYCLES); in3 <= word;
      ready = ready4; previous = in4; choose(4, cycle < CYCLES); in4 <= word;
      // The words chosen are registers of the senders: they appear after the edge.
      @(posedge clk);
      #1;
      give0 = cycle < CYCLES ? $random(seed) : 24'hffffff;
      give1 = cycle < CYCLES ? $random(seed) : 24'hffffff;
      give2 = cycle < CYCLES ? $random(seed) : 24'hffffff;
      give3 = cycle < CYCLES ? $random(seed) : 24'hffffff;
      give4 = cycle < CYCLES ? $random(seed) : 24'hffffff;
    end
    if (trap != 0) begin
      errors = errors + 1;
      $display("trap %h", trap);
    end
    if (got_total != due_total || sent_total < CYCLES / 2 || !quiet || quiet_cycles == 0) errors = errors + 1;
    $display("%0d wavelets in, %0d of %0d out", sent_total, got_total, due_total);
    if (errors == 0) $display("PASS");
    else $display("FAIL: %0d errors", errors);
    $finish;
  end
endmodule
