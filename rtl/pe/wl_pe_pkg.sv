// Words that the parts of the processing element hand to each other. What a context is doing (`ctl`), bit positions.
package wl_pe_pkg;

  // A table: each user takes what it needs of it.
  /* verilator lint_off UNUSEDPARAM */

  // What the instruction is.
  localparam int unsigned CtlSaxpy = 0;
  localparam int unsigned CtlSdot = 1;
  localparam int unsigned CtlDot = 2;       // vdot, vred: one result at the end
  localparam int unsigned CtlSfu = 3;
  localparam int unsigned CtlWide = 4;      // 32-bit containers
  // Where operands come from: P is source 0 (sdot: the vector; saxpy: none, the accumulator is D), Q is source 1 (streams: the slab).
  localparam int unsigned CtlPMem = 5;
  localparam int unsigned CtlPFab = 6;
  localparam int unsigned CtlPIota = 7;
  localparam int unsigned CtlQMem = 8;
  localparam int unsigned CtlQFab = 9;
  localparam int unsigned CtlQIota = 10;
  localparam int unsigned CtlDMem = 11;
  localparam int unsigned CtlDFab = 12;
  localparam int unsigned CtlDRead = 13;    // the destination is an operand too (vfma)
  localparam int unsigned CtlInput = 14;    // reads an input queue
  localparam int unsigned CtlPackIn = 15;
  localparam int unsigned CtlPackOut = 16;
  localparam int unsigned CtlD16 = 17;
  localparam int unsigned CtlP16 = 18;
  localparam int unsigned CtlQ16 = 19;
  localparam int unsigned CtlSendControl = 20;
  localparam int unsigned CtlMac = 21;      // elements count as multiply-accumulates
  localparam int unsigned CtlOnControl = 22;  // two bits
  localparam int unsigned CtlOnDone = 24;     // two bits
  localparam int unsigned CtlDoneTask = 26;   // six bits
  localparam int unsigned CtlInQueue = 32;    // three bits
  localparam int unsigned CtlOutQueue = 35;   // two bits
  localparam int unsigned CtlColour = 37;     // five bits
  localparam int unsigned CtlOp = 42;         // five bits: operation of wl_lanes; three of wl_acc; two of wl_sfu
  localparam int unsigned CtlFormats = 47;    // four bits {y, c, b, a}
  localparam int unsigned CtlMost = 51;       // four bits: elements of a group at most
  localparam int unsigned CtlSaveD = 55;
  localparam int unsigned CtlSaveP = 56;
  localparam int unsigned CtlSaveQ = 57;
  localparam int unsigned CtlSaveI = 58;
  // What feeds the lanes' ports where it is not P to a, Q to b, the destination (if read) to c.
  localparam int unsigned CtlAScalar = 59;
  localparam int unsigned CtlBScalar = 60;
  localparam int unsigned CtlBZero = 61;
  localparam int unsigned CtlCFromP = 62;

  // Flags of a context that change while it runs.
  localparam int unsigned FlagNil = 0;       // no element: completes at once
  localparam int unsigned FlagFirst = 1;     // streams: no wavelet in hand; vdot, vred: accumulators not started
  localparam int unsigned FlagResult = 2;    // the accumulators hold a result that is due
  localparam int unsigned FlagHalfIn = 3;    // the low half of the head of a packed input is used up
  localparam int unsigned FlagHalfOut = 4;   // the low half of a packed output is pending
  localparam int unsigned FlagRestartP = 5;  // the lazy row of P, Q, X has ended
  localparam int unsigned FlagRestartQ = 6;
  localparam int unsigned FlagRestartX = 7;
  localparam int unsigned FlagIndex = 8;     // sdot: an index from memory is in hand
  localparam int unsigned FlagLastX = 9;     // sdot: it is the last
  localparam int unsigned FlagPhase = 10;    // two bits: next accumulator
  localparam int unsigned FlagRestartD = 12;
  localparam int unsigned FlagBits = 13;

  // What a selected context does in a cycle.
  localparam logic [2:0] EventGroup = 3'd0;   // a group of elements
  localparam logic [2:0] EventEnd = 3'd1;     // completes without an element
  localparam logic [2:0] EventFlush = 3'd2;   // the same, and sends a pending half
  localparam logic [2:0] EventDrop = 3'd3;    // takes a weight that is zero
  localparam logic [2:0] EventClear = 3'd4;   // starts the accumulators without an element
  localparam logic [2:0] EventResult = 3'd5;  // the accumulators' result
  localparam logic [2:0] EventIndex = 3'd6;   // fetches an index from memory
  localparam logic [2:0] EventDue = 3'd7;     // control wavelet or empty vector: the result is due
  /* verilator lint_on UNUSEDPARAM */

endpackage
