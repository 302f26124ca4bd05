// Width x Height tiles in one module: the same tiles as the composed fabric, for the monolithic check and for synthesis.
//
// Tile (x, y) has index y * Width + x; x grows east, y grows south, (0, 0) is north-west. Edge ports are packed with the
// lowest x (north, south) or y (east, west) in the lowest bits. Outputs by tile are packed by index.
module wl_array #(
    parameter int unsigned Width       = 2,
    parameter int unsigned Height      = 2,
    parameter int unsigned Hop         = 1,
    parameter int unsigned RampExtra   = 0,
    parameter int unsigned Depth       = 3,
    parameter int unsigned Colours     = 24,
    parameter int unsigned Lanes       = 4,
    parameter int unsigned SramBytes   = 49152,
    parameter int unsigned WindowBytes = 256,
    parameter int unsigned InDepthA    = 8,
    parameter int unsigned InDepthB    = 4,
    parameter int unsigned OutDepth    = 4
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic [              47:0] time_i,
    // Static: where the array lies in a larger one, and that one's size ({y, x}, {height, width}); all zero: it is the whole.
    input  logic [              31:0] origin_i,
    input  logic [              31:0] outer_i,
    // Static: bit set where nothing is attached to that edge link.
    input  logic [         Width-1:0] north_edge_i,
    input  logic [        Height-1:0] east_edge_i,
    input  logic [         Width-1:0] south_edge_i,
    input  logic [        Height-1:0] west_edge_i,
    // Links into the array, and the array's ready for them.
    input  logic [      39*Width-1:0] north_i,
    input  logic [     39*Height-1:0] east_i,
    input  logic [      39*Width-1:0] south_i,
    input  logic [     39*Height-1:0] west_i,
    output logic [      24*Width-1:0] north_ready_o,
    output logic [     24*Height-1:0] east_ready_o,
    output logic [      24*Width-1:0] south_ready_o,
    output logic [     24*Height-1:0] west_ready_o,
    // Links out of the array, and the receivers' ready.
    output logic [      39*Width-1:0] north_o,
    output logic [     39*Height-1:0] east_o,
    output logic [      39*Width-1:0] south_o,
    output logic [     39*Height-1:0] west_o,
    input  logic [      24*Width-1:0] north_ready_i,
    input  logic [     24*Height-1:0] east_ready_i,
    input  logic [      24*Width-1:0] south_ready_i,
    input  logic [     24*Height-1:0] west_ready_i,
    output logic [  Width*Height-1:0] quiet_o,
    output logic [4*Width*Height-1:0] router_class_o,
    output logic [4*Width*Height-1:0] pe_class_o,
    output logic [32*Width*Height-1:0] router_trap_o,
    output logic [32*Width*Height-1:0] pe_trap_o
);
  localparam int unsigned Tiles = Width * Height;
  logic [31:0] dims;
  assign dims = outer_i == 32'd0 ? {16'(Height), 16'(Width)} : outer_i;

  // What each tile drives on its links, and the ready that it gives on each side.
  logic [39*Tiles-1:0] north_word, east_word, south_word, west_word;
  logic [24*Tiles-1:0] north_ready, east_ready, south_ready, west_ready;

  for (genvar y = 0; y < Height; y++) begin : g_row
    for (genvar x = 0; x < Width; x++) begin : g_tile
      localparam int unsigned Index = y * Width + x;
      logic [38:0] north_in, east_in, south_in, west_in;
      logic [23:0] north_ready_in, east_ready_in, south_ready_in, west_ready_in;
      logic [3:0] side;

      if (y == 0) begin : g_north
        assign north_in = north_i[39*x+:39];
        assign north_ready_in = north_ready_i[24*x+:24];
        assign side[0] = north_edge_i[x];
        assign north_o[39*x+:39] = north_word[39*Index+:39];
        assign north_ready_o[24*x+:24] = north_ready[24*Index+:24];
      end else begin : g_from_north
        assign north_in = south_word[39*(Index-Width)+:39];
        assign north_ready_in = south_ready[24*(Index-Width)+:24];
        assign side[0] = 1'b0;
      end
      if (x == Width - 1) begin : g_east
        assign east_in = east_i[39*y+:39];
        assign east_ready_in = east_ready_i[24*y+:24];
        assign side[1] = east_edge_i[y];
        assign east_o[39*y+:39] = east_word[39*Index+:39];
        assign east_ready_o[24*y+:24] = east_ready[24*Index+:24];
      end else begin : g_from_east
        assign east_in = west_word[39*(Index+1)+:39];
        assign east_ready_in = west_ready[24*(Index+1)+:24];
        assign side[1] = 1'b0;
      end
      if (y == Height - 1) begin : g_south
        assign south_in = south_i[39*x+:39];
        assign south_ready_in = south_ready_i[24*x+:24];
        assign side[2] = south_edge_i[x];
        assign south_o[39*x+:39] = south_word[39*Index+:39];
        assign south_ready_o[24*x+:24] = south_ready[24*Index+:24];
      end else begin : g_from_south
        assign south_in = north_word[39*(Index+Width)+:39];
        assign south_ready_in = north_ready[24*(Index+Width)+:24];
        assign side[2] = 1'b0;
      end
      if (x == 0) begin : g_west
        assign west_in = west_i[39*y+:39];
        assign west_ready_in = west_ready_i[24*y+:24];
        assign side[3] = west_edge_i[y];
        assign west_o[39*y+:39] = west_word[39*Index+:39];
        assign west_ready_o[24*y+:24] = west_ready[24*Index+:24];
      end else begin : g_from_west
        assign west_in = east_word[39*(Index-1)+:39];
        assign west_ready_in = east_ready[24*(Index-1)+:24];
        assign side[3] = 1'b0;
      end

      wl_tile #(
          .Hop(Hop),
          .RampExtra(RampExtra),
          .Depth(Depth),
          .Colours(Colours),
          .Lanes(Lanes),
          .SramBytes(SramBytes),
          .WindowBytes(WindowBytes),
          .InDepthA(InDepthA),
          .InDepthB(InDepthB),
          .OutDepth(OutDepth)
      ) u_tile (
          .clk_i,
          .rst_ni,
          .coord_i({16'(y) + origin_i[31:16], 16'(x) + origin_i[15:0]}),
          .dims_i(dims),
          .time_i,
          .edge_i(side),
          .north_i(north_in),
          .east_i(east_in),
          .south_i(south_in),
          .west_i(west_in),
          .north_ready_o(north_ready[24*Index+:24]),
          .east_ready_o(east_ready[24*Index+:24]),
          .south_ready_o(south_ready[24*Index+:24]),
          .west_ready_o(west_ready[24*Index+:24]),
          .north_o(north_word[39*Index+:39]),
          .east_o(east_word[39*Index+:39]),
          .south_o(south_word[39*Index+:39]),
          .west_o(west_word[39*Index+:39]),
          .north_ready_i(north_ready_in),
          .east_ready_i(east_ready_in),
          .south_ready_i(south_ready_in),
          .west_ready_i(west_ready_in),
          .quiet_o(quiet_o[Index]),
          .router_class_o(router_class_o[4*Index+:4]),
          .pe_class_o(pe_class_o[4*Index+:4]),
          .router_trap_o(router_trap_o[32*Index+:32]),
          .pe_trap_o(pe_trap_o[32*Index+:32])
      );
    end
  end
endmodule
