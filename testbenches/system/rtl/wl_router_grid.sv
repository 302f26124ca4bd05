// Width x Height routers in one module, for the monolithic check of the composed fabric: every link that leaves the array, and
// every ramp, is a port. Link k of a side is at bits 64k+38:64k, its ready word at bits 32k+23:32k, so that a bench can address
// them as words. Tile (x, y) has ramp number y * Width + x.
module wl_router_grid #(
    parameter int unsigned Width = 3,
    parameter int unsigned Height = 2,
    parameter int unsigned Hop = 1,
    parameter int unsigned RampExtra = 0,
    parameter int unsigned Depth = 3
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic [       64*Width-1:0]    north_i,
    input  logic [       64*Width-1:0]    south_i,
    input  logic [      64*Height-1:0]    east_i,
    input  logic [      64*Height-1:0]    west_i,
    input  logic [64*Width*Height-1:0]    ramp_i,
    input  logic [       32*Width-1:0]    north_ready_i,
    input  logic [       32*Width-1:0]    south_ready_i,
    input  logic [      32*Height-1:0]    east_ready_i,
    input  logic [      32*Height-1:0]    west_ready_i,
    input  logic [32*Width*Height-1:0]    ramp_ready_i,
    output logic [64*Width*Height-1:0]    ramp_o
);
  // Links by the tile that drives them; index y * Width + x.
  logic [38:0] north[Width*Height], east[Width*Height], south[Width*Height], west[Width*Height];
  logic [23:0] north_r[Width*Height], east_r[Width*Height], south_r[Width*Height], west_r[Width*Height];
  logic [23:0] ramp_r[Width*Height];

  for (genvar y = 0; y < Height; y++) begin : g_y
    for (genvar x = 0; x < Width; x++) begin : g_x
      localparam int unsigned T = y * Width + x;
      logic [38:0] from_north, from_east, from_south, from_west;
      logic [23:0] room_north, room_east, room_south, room_west;
      if (y == 0) begin : g_north
        assign from_north = north_i[64*x+:39];
        assign room_north = north_ready_i[32*x+:24];
      end else begin : g_inner_north
        assign from_north = south[T-Width];
        assign room_north = south_r[T-Width];
      end
      if (y == Height - 1) begin : g_south
        assign from_south = south_i[64*x+:39];
        assign room_south = south_ready_i[32*x+:24];
      end else begin : g_inner_south
        assign from_south = north[T+Width];
        assign room_south = north_r[T+Width];
      end
      if (x == 0) begin : g_west
        assign from_west = west_i[64*y+:39];
        assign room_west = west_ready_i[32*y+:24];
      end else begin : g_inner_west
        assign from_west = east[T-1];
        assign room_west = east_r[T-1];
      end
      if (x == Width - 1) begin : g_east
        assign from_east = east_i[64*y+:39];
        assign room_east = east_ready_i[32*y+:24];
      end else begin : g_inner_east
        assign from_east = west[T+1];
        assign room_east = west_r[T+1];
      end
      wl_router #(
          .Hop(Hop),
          .RampExtra(RampExtra),
          .Depth(Depth)
      ) u_router (
          .clk_i,
          .rst_ni,
          .north_i(from_north),
          .east_i(from_east),
          .south_i(from_south),
          .west_i(from_west),
          .ramp_i(ramp_i[64*T+:39]),
          .north_ready_o(north_r[T]),
          .east_ready_o(east_r[T]),
          .south_ready_o(south_r[T]),
          .west_ready_o(west_r[T]),
          .ramp_ready_o(ramp_r[T]),
          .north_o(north[T]),
          .east_o(east[T]),
          .south_o(south[T]),
          .west_o(west[T]),
          .ramp_o(ramp_o[64*T+:39]),
          .north_ready_i(room_north),
          .east_ready_i(room_east),
          .south_ready_i(room_south),
          .west_ready_i(room_west),
          .ramp_ready_i(ramp_ready_i[32*T+:24]),
          .edge_i(4'd0),
          .cfg_i(41'd0),
          .quiet_o(),
          .class_o(),
          .trap_o()
      );
      assign ramp_o[64*T+39+:25] = '0;
    end
  end
endmodule
