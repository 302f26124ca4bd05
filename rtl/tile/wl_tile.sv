// One tile: a router and a processing element joined at the ramp. Nothing combinational crosses it.
// In simulation the two are separate units; this module is what a chip, or a monolithic model, is made of.
module wl_tile #(
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
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [31:0] coord_i,  // static: x in the low half, y in the high half
    input  logic [31:0] dims_i,   // static: width in the low half, height in the high half
    input  logic [47:0] time_i,   // the wafer cycle
    input  logic [ 3:0] edge_i,   // static; bit d: nothing is attached in direction d

    input  logic [38:0] north_i,
    input  logic [38:0] east_i,
    input  logic [38:0] south_i,
    input  logic [38:0] west_i,
    output logic [23:0] north_ready_o,
    output logic [23:0] east_ready_o,
    output logic [23:0] south_ready_o,
    output logic [23:0] west_ready_o,
    output logic [38:0] north_o,
    output logic [38:0] east_o,
    output logic [38:0] south_o,
    output logic [38:0] west_o,
    input  logic [23:0] north_ready_i,
    input  logic [23:0] east_ready_i,
    input  logic [23:0] south_ready_i,
    input  logic [23:0] west_ready_i,

    output logic        quiet_o,         // neither unit enabled a register in the last edge
    output logic [ 3:0] router_class_o,
    output logic [ 3:0] pe_class_o,
    output logic [31:0] router_trap_o,
    output logic [31:0] pe_trap_o
);
  logic [38:0] to_pe, from_pe;
  logic [23:0] to_pe_ready, from_pe_ready;  // ready of the receiver of to_pe, from_pe
  logic [40:0] cfg;
  logic router_quiet, pe_quiet;

  wl_router #(
      .Hop(Hop),
      .RampExtra(RampExtra),
      .Depth(Depth),
      .Colours(Colours)
  ) u_router (
      .clk_i,
      .rst_ni,
      .north_i,
      .east_i,
      .south_i,
      .west_i,
      .ramp_i(from_pe),
      .north_ready_o,
      .east_ready_o,
      .south_ready_o,
      .west_ready_o,
      .ramp_ready_o(from_pe_ready),
      .north_o,
      .east_o,
      .south_o,
      .west_o,
      .ramp_o(to_pe),
      .north_ready_i,
      .east_ready_i,
      .south_ready_i,
      .west_ready_i,
      .ramp_ready_i(to_pe_ready),
      .edge_i,
      .cfg_i(cfg),
      .quiet_o(router_quiet),
      .class_o(router_class_o),
      .trap_o(router_trap_o)
  );

  wl_pe #(
      .Lanes(Lanes),
      .SramBytes(SramBytes),
      .WindowBytes(WindowBytes),
      .Colours(Colours),
      .InDepthA(InDepthA),
      .InDepthB(InDepthB),
      .OutDepth(OutDepth)
  ) u_pe (
      .clk_i,
      .rst_ni,
      .coord_i,
      .dims_i,
      .time_i,
      .ramp_i(to_pe),
      .ramp_ready_o(to_pe_ready),
      .ramp_o(from_pe),
      .ramp_ready_i(from_pe_ready),
      .cfg_o(cfg),
      .quiet_o(pe_quiet),
      .class_o(pe_class_o),
      .trap_o(pe_trap_o)
  );

  assign quiet_o = router_quiet & pe_quiet;
endmodule
