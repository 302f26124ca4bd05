// Generated from configs/spec/isa.yaml, configs/spec/registers.yaml, configs/spec/counters.yaml, configs/spec/packet.yaml, configs/spec/fabric.yaml by scripts/gen; do not edit.
package wl_pkg;
  // A table: each user takes what it needs of it.
  /* verilator lint_off UNUSEDPARAM */

  // Link word, ready word and payloads.
  localparam int unsigned LINK_BITS = 39;
  localparam int unsigned LINK_DATA_LSB = 0;  // payload
  localparam int unsigned LINK_DATA_WIDTH = 32;
  localparam int unsigned LINK_COLOUR_LSB = 32;  // 0 to 23
  localparam int unsigned LINK_COLOUR_WIDTH = 5;
  localparam int unsigned LINK_CONTROL_LSB = 37;  // control wavelet
  localparam int unsigned LINK_CONTROL_WIDTH = 1;
  localparam int unsigned LINK_VALID_LSB = 38;  // the word holds a wavelet
  localparam int unsigned LINK_VALID_WIDTH = 1;
  localparam int unsigned READY_BITS = 24;  // one level per colour
  localparam int unsigned CTRL_TASK_LSB = 0;  // control task started at a PE that receives it
  localparam int unsigned CTRL_TASK_WIDTH = 6;
  localparam int unsigned CTRL_COMMAND_LSB = 6;  // what it does to the colour's switch in every router it passes
  localparam int unsigned CTRL_COMMAND_WIDTH = 2;
  localparam logic [1:0] CTRL_COMMAND_NONE = 2'h0;
  localparam logic [1:0] CTRL_COMMAND_ADVANCE = 2'h1;
  localparam logic [1:0] CTRL_COMMAND_RESET = 2'h2;
  localparam int unsigned CTRL_ARGUMENT_LSB = 16;  // r1 of the task
  localparam int unsigned CTRL_ARGUMENT_WIDTH = 16;
  localparam int unsigned WEIGHT_WEIGHT_LSB = 0;  // binary16
  localparam int unsigned WEIGHT_WEIGHT_WIDTH = 16;
  localparam int unsigned WEIGHT_INDEX_LSB = 16;  // offset of the feature's row in the slab
  localparam int unsigned WEIGHT_INDEX_WIDTH = 16;

  // Fabric.
  localparam int unsigned DIRECTIONS = 5;
  localparam int unsigned DIR_NORTH = 0;
  localparam int unsigned DIR_EAST = 1;
  localparam int unsigned DIR_SOUTH = 2;
  localparam int unsigned DIR_WEST = 3;
  localparam int unsigned DIR_RAMP = 4;
  localparam int unsigned COLOURS = 24;
  localparam int unsigned CFG_BITS = 41;
  localparam int unsigned CFG_DATA_LSB = 0;
  localparam int unsigned CFG_DATA_WIDTH = 32;
  localparam int unsigned CFG_WORD_LSB = 32;
  localparam int unsigned CFG_WORD_WIDTH = 3;
  localparam int unsigned CFG_COLOUR_LSB = 35;
  localparam int unsigned CFG_COLOUR_WIDTH = 5;
  localparam int unsigned CFG_VALID_LSB = 40;
  localparam int unsigned CFG_VALID_WIDTH = 1;
  localparam int unsigned ROUTE_RECEIVE_LSB = 0;  // ports that may send, bit d = direction d
  localparam int unsigned ROUTE_RECEIVE_WIDTH = 5;
  localparam int unsigned ROUTE_TRANSMIT_LSB = 5;  // ports that are sent to (several: multicast)
  localparam int unsigned ROUTE_TRANSMIT_WIDTH = 5;
  localparam logic [2:0] ROUTE_CONTROL_WORD = 3'h4;  // word index of a colour's control
  localparam int unsigned SWITCH_POSITION_LSB = 0;  // current switch position
  localparam int unsigned SWITCH_POSITION_WIDTH = 2;
  localparam int unsigned SWITCH_LAST_LSB = 2;  // last switch position in use
  localparam int unsigned SWITCH_LAST_WIDTH = 2;
  localparam int unsigned SWITCH_RING_LSB = 4;  // advance from the last position goes to 0
  localparam int unsigned SWITCH_RING_WIDTH = 1;
  localparam int unsigned IN_QUEUES = 8;
  localparam int unsigned OUT_QUEUES = 4;
  localparam int unsigned OUT_QUEUE_DEPTH = 4;
  localparam int unsigned MICROTHREADS = 8;

  // Instruction fields.
  localparam int unsigned OPCODE_LSB = 0;
  localparam int unsigned OPCODE_WIDTH = 7;
  localparam int unsigned A_REG_LSB = 7;  // reg
  localparam int unsigned A_REG_WIDTH = 4;
  localparam int unsigned B_REG_LSB = 11;  // reg
  localparam int unsigned B_REG_WIDTH = 4;
  localparam int unsigned C_REG_LSB = 15;  // reg
  localparam int unsigned C_REG_WIDTH = 4;
  localparam int unsigned S_REG_LSB = 19;  // reg
  localparam int unsigned S_REG_WIDTH = 4;
  localparam int unsigned A_DSR_LSB = 7;  // dsr
  localparam int unsigned A_DSR_WIDTH = 4;
  localparam int unsigned B_DSR_LSB = 11;  // dsr
  localparam int unsigned B_DSR_WIDTH = 4;
  localparam int unsigned C_DSR_LSB = 15;  // dsr
  localparam int unsigned C_DSR_WIDTH = 4;
  localparam int unsigned S_DSR_LSB = 19;  // dsr
  localparam int unsigned S_DSR_WIDTH = 4;
  localparam int unsigned IMM_LSB = 16;  // sint
  localparam int unsigned IMM_WIDTH = 16;
  localparam int unsigned UIMM_LSB = 16;  // uint
  localparam int unsigned UIMM_WIDTH = 16;
  localparam int unsigned REL_LSB = 16;  // rel
  localparam int unsigned REL_WIDTH = 16;
  localparam int unsigned TASK_LSB = 16;  // uint
  localparam int unsigned TASK_WIDTH = 6;
  localparam int unsigned WORD_LSB = 16;  // uint
  localparam int unsigned WORD_WIDTH = 2;
  localparam int unsigned UT_LSB = 23;  // uint
  localparam int unsigned UT_WIDTH = 3;
  localparam int unsigned ASYNC_LSB = 26;  // flag
  localparam int unsigned ASYNC_WIDTH = 1;
  localparam int unsigned FN_LSB = 27;  // enum
  localparam int unsigned FN_WIDTH = 3;
  localparam int unsigned SHALF_LSB = 30;  // flag
  localparam int unsigned SHALF_WIDTH = 1;
  localparam int unsigned SCALAR_LSB = 31;  // flag
  localparam int unsigned SCALAR_WIDTH = 1;

  // Opcodes.
  localparam logic [6:0] OP_ADD = 7'h01;  // R3: a = b + c
  localparam logic [6:0] OP_SUB = 7'h02;  // R3: a = b - c
  localparam logic [6:0] OP_AND = 7'h03;  // R3: a = b & c
  localparam logic [6:0] OP_OR = 7'h04;  // R3: a = b | c
  localparam logic [6:0] OP_XOR = 7'h05;  // R3: a = b ^ c
  localparam logic [6:0] OP_SLL = 7'h06;  // R3: a = b << (c & 31)
  localparam logic [6:0] OP_SRL = 7'h07;  // R3: a = b >> (c & 31), zeros enter
  localparam logic [6:0] OP_SRA = 7'h08;  // R3: a = b >> (c & 31), the sign enters
  localparam logic [6:0] OP_SLT = 7'h09;  // R3: a = signed b < signed c
  localparam logic [6:0] OP_SLTU = 7'h0a;  // R3: a = unsigned b < unsigned c
  localparam logic [6:0] OP_ADDI = 7'h0b;  // I: a = b + imm
  localparam logic [6:0] OP_LI = 7'h0c;  // LI: a = imm, sign-extended
  localparam logic [6:0] OP_LIH = 7'h0d;  // LU: a = (imm << 16) | (a & 0xffff)
  localparam logic [6:0] OP_LW = 7'h10;  // M: a = mem32[b + imm]
  localparam logic [6:0] OP_LHU = 7'h11;  // M: a = mem16[b + imm], zero-extended
  localparam logic [6:0] OP_SW = 7'h12;  // M: mem32[b + imm] = a
  localparam logic [6:0] OP_SH = 7'h13;  // M: mem16[b + imm] = low half of a
  localparam logic [6:0] OP_BEQ = 7'h14;  // B: if a == b: pc = pc + 4 rel
  localparam logic [6:0] OP_BNE = 7'h15;  // B: if a != b: pc = pc + 4 rel
  localparam logic [6:0] OP_BLT = 7'h16;  // B: if signed a < signed b: pc = pc + 4 rel
  localparam logic [6:0] OP_BGE = 7'h17;  // B: if signed a >= signed b: pc = pc + 4 rel
  localparam logic [6:0] OP_JAL = 7'h18;  // J: a = pc + 4; pc = pc + 4 rel
  localparam logic [6:0] OP_JALR = 7'h19;  // I: t = b + imm; a = pc + 4; pc = t (a multiple of 4, else trap)
  localparam logic [6:0] OP_FADD = 7'h20;  // R3: a = b + c
  localparam logic [6:0] OP_FSUB = 7'h21;  // R3: a = b - c
  localparam logic [6:0] OP_FMUL = 7'h22;  // R3: a = b * c
  localparam logic [6:0] OP_FMADD = 7'h23;  // R3: a = b * c + a, fused
  localparam logic [6:0] OP_FLT = 7'h24;  // R3: a = b < c (0 if either is NaN)
  localparam logic [6:0] OP_FCVT = 7'h25;  // R2F: a = convert(b); to integer toward zero, saturating, NaN gives 0
  localparam logic [6:0] OP_FSFU = 7'h26;  // R2F: a = special(b)
  localparam logic [6:0] OP_VMOV = 7'h30;  // V1: dest = src0 (or the scalar), converted to dest's type
  localparam logic [6:0] OP_VADD = 7'h31;  // V2: dest = src0 + src1
  localparam logic [6:0] OP_VSUB = 7'h32;  // V2: dest = src0 - src1
  localparam logic [6:0] OP_VMUL = 7'h33;  // V2: dest = src0 * src1
  localparam logic [6:0] OP_VMACS = 7'h34;  // V2: dest = src0 + s * src1, fused
  localparam logic [6:0] OP_VFMA = 7'h35;  // V2: dest = src0 * src1 + dest, fused; reads the destination
  localparam logic [6:0] OP_VMAX = 7'h36;  // V2: dest = maximum(src0, src1)
  localparam logic [6:0] OP_VMIN = 7'h37;  // V2: dest = minimum(src0, src1)
  localparam logic [6:0] OP_VSEL = 7'h38;  // V2: dest = src0 > 0 ? src1 : +0
  localparam logic [6:0] OP_VCVT = 7'h39;  // V1: dest = convert(src0) between integer and floating point
  localparam logic [6:0] OP_VSFU = 7'h3a;  // V1: dest = special(src0), computed in binary32
  localparam logic [6:0] OP_VIADD = 7'h3b;  // V2: dest = src0 + src1, integers of dest's width, wrapping
  localparam logic [6:0] OP_VSHIFT = 7'h3c;  // V2: dest = src0 shifted by src1 (modulo the width)
  localparam logic [6:0] OP_VDOT = 7'h3d;  // V2: dest[0] = sum of src0[k] * src1[k] in binary32 lanes
  localparam logic [6:0] OP_VRED = 7'h3e;  // V1: dest[0] = sum, max or min over src0[k] in binary32 lanes
  localparam logic [6:0] OP_SAXPY = 7'h40;  // VS: for each wavelet (w, index): dest[k] = dest[k] + w * slab[index + k], k over dest's length
  localparam logic [6:0] OP_SDOT = 7'h41;  // VD: for each index: dest[i++] = sum over k of vector[k] * slab[index + k], k over vector's length
  localparam logic [6:0] OP_LDD = 7'h48;  // DL: the four words of d = mem32[b + imm ...], 8-byte aligned
  localparam logic [6:0] OP_DSET = 7'h49;  // DS: word of d = b
  localparam logic [6:0] OP_DGET = 7'h4a;  // DG: a = word of d
  localparam logic [6:0] OP_ACT = 7'h50;  // T: set the activated flag
  localparam logic [6:0] OP_BLK = 7'h51;  // T: set the blocked flag
  localparam logic [6:0] OP_UNB = 7'h52;  // T: clear the blocked flag
  localparam logic [6:0] OP_YIELD = 7'h53;  // N: end the task
  localparam logic [6:0] OP_WAITU = 7'h54;  // U: wait until microthread ut is idle
  localparam logic [6:0] OP_NOP = 7'h58;  // N: nothing
  localparam logic [6:0] OP_HALT = 7'h59;  // N: stop the PE for good once its microthreads are done (not a trap)
  localparam logic [6:0] OP_TRAP = 7'h5a;  // X: trap 6; imm is shown

  // Values of the field fn.
  localparam logic [2:0] FCVT_F32_F16 = 3'h0;
  localparam logic [2:0] FCVT_F16_F32 = 3'h1;
  localparam logic [2:0] FCVT_F32_I32 = 3'h2;
  localparam logic [2:0] FCVT_I32_F32 = 3'h3;
  localparam logic [2:0] SFU_EXP2 = 3'h0;
  localparam logic [2:0] SFU_LOG2 = 3'h1;
  localparam logic [2:0] SFU_RCP = 3'h2;
  localparam logic [2:0] SFU_RSQRT = 3'h3;
  localparam logic [2:0] VCVT_FLOAT = 3'h0;
  localparam logic [2:0] VCVT_INT = 3'h1;
  localparam logic [2:0] SHIFT_SLL = 3'h0;
  localparam logic [2:0] SHIFT_SRL = 3'h1;
  localparam logic [2:0] SHIFT_SRA = 3'h2;
  localparam logic [2:0] RED_SUM = 3'h0;
  localparam logic [2:0] RED_MAX = 3'h1;
  localparam logic [2:0] RED_MIN = 3'h2;

  // Descriptor: bit positions in its 128 bits, word 0 lowest.
  localparam int unsigned DESC_BASE_LSB = 0;  // address of the first element (iota: the first value)
  localparam int unsigned DESC_BASE_WIDTH = 16;
  localparam int unsigned DESC_LEN0_LSB = 16;  // elements in a row
  localparam int unsigned DESC_LEN0_WIDTH = 16;
  localparam int unsigned DESC_STRIDE0_LSB = 32;  // from one element to the next
  localparam int unsigned DESC_STRIDE0_WIDTH = 16;
  localparam int unsigned DESC_LEN1_LSB = 48;  // rows (mem2d, circular); other kinds have one row
  localparam int unsigned DESC_LEN1_WIDTH = 16;
  localparam int unsigned DESC_STRIDE1_LSB = 64;  // from the start of one row to the start of the next (mem2d, circular)
  localparam int unsigned DESC_STRIDE1_WIDTH = 16;
  localparam int unsigned DESC_WRAP_LOG2_LSB = 80;  // circular: the buffer holds 2**wrap_log2 bytes and is aligned to its size
  localparam int unsigned DESC_WRAP_LOG2_WIDTH = 4;
  localparam int unsigned DESC_COLOUR_LSB = 84;  // fabric_out: colour sent
  localparam int unsigned DESC_COLOUR_WIDTH = 5;
  localparam int unsigned DESC_QUEUE_LSB = 89;  // fabric_in: input queue 0 to 7; fabric_out: output queue 0 to 3
  localparam int unsigned DESC_QUEUE_WIDTH = 3;
  localparam int unsigned DESC_KIND_LSB = 96;  // what the operand is
  localparam int unsigned DESC_KIND_WIDTH = 3;
  localparam logic [2:0] KIND_MEM1D = 3'h0;
  localparam logic [2:0] KIND_MEM2D = 3'h1;
  localparam logic [2:0] KIND_CIRCULAR = 3'h2;
  localparam logic [2:0] KIND_FABRIC_IN = 3'h3;
  localparam logic [2:0] KIND_FABRIC_OUT = 3'h4;
  localparam logic [2:0] KIND_IOTA = 3'h5;
  localparam int unsigned DESC_TYPE_LSB = 99;  // element type
  localparam int unsigned DESC_TYPE_WIDTH = 2;
  localparam logic [1:0] TYPE_F16 = 2'h0;
  localparam logic [1:0] TYPE_F32 = 2'h1;
  localparam logic [1:0] TYPE_I16 = 2'h2;
  localparam logic [1:0] TYPE_I32 = 2'h3;
  localparam int unsigned DESC_PACK_LSB = 101;  // fabric: two 16-bit elements in a wavelet, the first in the low half
  localparam int unsigned DESC_PACK_WIDTH = 1;
  localparam int unsigned DESC_CONTROL_LSB = 102;  // fabric_out: the wavelets sent are control wavelets
  localparam int unsigned DESC_CONTROL_WIDTH = 1;
  localparam int unsigned DESC_SAVE_LSB = 103;  // when the instruction completes, base becomes the next address
  localparam int unsigned DESC_SAVE_WIDTH = 1;
  localparam int unsigned DESC_ON_CONTROL_LSB = 104;  // fabric_in: what a control wavelet at the head of the queue does
  localparam int unsigned DESC_ON_CONTROL_WIDTH = 2;
  localparam logic [1:0] ON_CONTROL_TRAP = 2'h0;
  localparam logic [1:0] ON_CONTROL_CONSUME = 2'h1;
  localparam logic [1:0] ON_CONTROL_LEAVE = 2'h2;
  localparam int unsigned DESC_ON_DONE_LSB = 106;  // destination only: what completion does to done_task
  localparam int unsigned DESC_ON_DONE_WIDTH = 2;
  localparam logic [1:0] ON_DONE_NONE = 2'h0;
  localparam logic [1:0] ON_DONE_ACTIVATE = 2'h1;
  localparam logic [1:0] ON_DONE_UNBLOCK = 2'h2;
  localparam int unsigned DESC_DONE_TASK_LSB = 108;  // task id for on_done
  localparam int unsigned DESC_DONE_TASK_WIDTH = 6;
  localparam logic [31:0] DESC_WORD0_MASK = 32'hffffffff;  // bits that belong to a field; the others are not kept and read zero
  localparam logic [31:0] DESC_WORD1_MASK = 32'hffffffff;  // bits that belong to a field; the others are not kept and read zero
  localparam logic [31:0] DESC_WORD2_MASK = 32'h0fffffff;  // bits that belong to a field; the others are not kept and read zero
  localparam logic [31:0] DESC_WORD3_MASK = 32'h0003ffff;  // bits that belong to a field; the others are not kept and read zero

  // Memory map and memory-mapped registers (offsets in the mmio region).
  localparam logic [15:0] SRAM_BASE = 16'h0000;  // 8 banks of 32 bits, word interleaved; a machine may have less, the rest traps
  localparam int unsigned SRAM_MAX_BYTES = 49152;
  localparam logic [15:0] WINDOW_BASE = 16'hc000;  // accumulator window; a machine has 0, 256 or 512 bytes
  localparam int unsigned WINDOW_MAX_BYTES = 512;
  localparam logic [15:0] MMIO_BASE = 16'hf000;  // 32-bit accesses by lw and sw only
  localparam int unsigned MMIO_MAX_BYTES = 4096;
  localparam logic [15:0] TASK_TABLE_BASE = 16'h0000;
  localparam int unsigned TASKS = 64;
  localparam logic [5:0] BOOT_TASK = 6'h18;
  localparam logic [11:0] MMIO_COORD = 12'h000;  // ro; [15:0] x, [31:16] y
  localparam logic [11:0] MMIO_DIMS = 12'h004;  // ro; [15:0] width, [31:16] height
  localparam logic [11:0] MMIO_TIME_LO = 12'h008;  // ro; wafer cycle, bits 31:0
  localparam logic [11:0] MMIO_TIME_HI = 12'h00c;  // ro; wafer cycle, bits 47:32
  localparam logic [11:0] MMIO_TRAP = 12'h010;  // ro; as trap_o
  localparam logic [11:0] MMIO_QUEUE_BIND = 12'h020;  // rw; [4:0] colour, [6] data wavelets start tasks, [7] bound
  localparam int unsigned MMIO_QUEUE_BIND_COUNT = 8;
  localparam int unsigned MMIO_QUEUE_BIND_STRIDE = 4;
  localparam logic [11:0] MMIO_TASK_ACTIVE = 12'h040;  // rw; activated flags 31:0, 63:32
  localparam int unsigned MMIO_TASK_ACTIVE_COUNT = 2;
  localparam int unsigned MMIO_TASK_ACTIVE_STRIDE = 4;
  localparam logic [11:0] MMIO_TASK_BLOCKED = 12'h048;  // rw; blocked flags 31:0, 63:32
  localparam int unsigned MMIO_TASK_BLOCKED_COUNT = 2;
  localparam int unsigned MMIO_TASK_BLOCKED_STRIDE = 4;
  localparam logic [11:0] MMIO_CLASS_COUNT = 12'h100;  // ro; cycle classes, 48 bits
  localparam int unsigned MMIO_CLASS_COUNT_COUNT = 16;
  localparam int unsigned MMIO_CLASS_COUNT_STRIDE = 8;
  localparam logic [11:0] MMIO_EVENT_COUNT = 12'h180;  // ro; events, 48 bits
  localparam int unsigned MMIO_EVENT_COUNT_COUNT = 8;
  localparam int unsigned MMIO_EVENT_COUNT_STRIDE = 8;
  localparam logic [11:0] MMIO_ROUTE = 12'h400;  // wo; router configuration word {colour, word}
  localparam int unsigned MMIO_ROUTE_COUNT = 192;
  localparam int unsigned MMIO_ROUTE_STRIDE = 4;

  // Traps; 0 is none.
  localparam logic [7:0] TRAP_NONE = 8'h00;
  localparam logic [7:0] TRAP_ILLEGAL_INSTRUCTION = 8'h01;  // unknown opcode or a field that must be zero is not
  localparam logic [7:0] TRAP_MISALIGNED = 8'h02;  // address not a multiple of the access (vector: of the element), jump target not a multiple of 4
  localparam logic [7:0] TRAP_OUT_OF_RANGE = 8'h03;  // address outside SRAM, window and MMIO, or a vector operand or fetch outside SRAM and window
  localparam logic [7:0] TRAP_UNEXPECTED_CONTROL = 8'h04;  // control wavelet at a fabric_in with on_control trap
  localparam logic [7:0] TRAP_ILLEGAL_DESCRIPTOR = 8'h05;  // kind or type does not fit the instruction, two fabric inputs, queue not bound, colour above 23
  localparam logic [7:0] TRAP_SOFTWARE = 8'h06;  // trap instruction
  localparam logic [7:0] TRAP_UNBOUND_COLOUR = 8'h07;  // a wavelet arrived on a colour that no input queue is bound to
  localparam logic [7:0] TRAP_NO_TASK = 8'h08;  // a task without an entry was started
  localparam logic [7:0] TRAP_ILLEGAL_MMIO = 8'h09;  // unknown register, write to ro, read of wo, or a 16-bit access
  localparam logic [7:0] TRAP_QUEUE_OVERFLOW = 8'h0a;  // cannot happen: a sender ignored ready
  localparam logic [7:0] ROUTER_TRAP_NONE = 8'h00;
  localparam logic [7:0] ROUTER_TRAP_NO_ROUTE = 8'h01;  // wavelet on a colour without a route
  localparam logic [7:0] ROUTER_TRAP_OVER_EDGE = 8'h02;  // transmit over the wafer's edge
  localparam logic [7:0] ROUTER_TRAP_TWO_PORTS = 8'h03;  // one colour from two ports at once
  localparam logic [7:0] ROUTER_TRAP_RESERVED_COLOUR = 8'h04;  // colour 24 to 31
  localparam logic [7:0] ROUTER_TRAP_QUEUE_OVERFLOW = 8'h05;  // cannot happen: a sender ignored ready

  // Cycle classes and events.
  localparam int unsigned PE_CLASSES = 13;
  localparam logic [3:0] CLASS_IDLE = 4'h0;  // no task, no instruction, no microthread active
  localparam logic [3:0] CLASS_AXPY = 4'h1;  // a saxpy group issued
  localparam logic [3:0] CLASS_DOT = 4'h2;  // an sdot or vdot group issued
  localparam logic [3:0] CLASS_REDUCE = 4'h3;  // a vector group with a fabric operand issued (not saxpy, sdot)
  localparam logic [3:0] CLASS_ELEMENTWISE = 4'h4;  // a vector group on memory operands only issued
  localparam logic [3:0] CLASS_SCALAR = 4'h5;  // a scalar instruction issued
  localparam logic [3:0] CLASS_STREAM = 4'h6;  // saxpy or sdot holds a wavelet but issued no group: decoding, skipping a zero, between weights
  localparam logic [3:0] CLASS_WAIT_BANK = 4'h7;  // a group could issue but for a memory bank
  localparam logic [3:0] CLASS_WAIT_HAZARD = 4'h8;  // a group or instruction waits for a result in the pipeline
  localparam logic [3:0] CLASS_WAIT_OUT = 4'h9;  // a group waits for room in an output queue
  localparam logic [3:0] CLASS_WAIT_IN = 4'ha;  // a group waits for a wavelet
  localparam logic [3:0] CLASS_CONTROL = 4'hb;  // task start, fetch, branch, launch, drain
  localparam logic [3:0] CLASS_STOPPED = 4'hc;  // halted or trapped
  localparam int unsigned PE_EVENTS = 8;
  localparam int unsigned EVENT_WAVELETS_IN = 0;  // wavelets taken into an input queue
  localparam int unsigned EVENT_WAVELETS_OUT = 1;  // wavelets put on the ramp
  localparam int unsigned EVENT_LANE_SLOTS = 2;  // 16-bit lane slots used by groups issued (an element of a 32-bit group uses two)
  localparam int unsigned EVENT_MACS = 3;  // multiply-accumulates issued (saxpy, sdot, vdot, vmacs, vfma elements)
  localparam int unsigned EVENT_ZERO_SKIPS = 4;  // zero weights that arrived at saxpy
  localparam int unsigned EVENT_SATURATIONS = 5;  // results that overflowed from finite operands to infinity
  localparam int unsigned EVENT_TASKS = 6;  // tasks started
  localparam int unsigned EVENT_INSTRUCTIONS = 7;  // instructions issued by the main thread
  localparam int unsigned ROUTER_CLASSES = 4;
  localparam logic [3:0] ROUTER_CLASS_IDLE = 4'h0;  // nothing stored, nothing moved
  localparam logic [3:0] ROUTER_CLASS_FORWARD = 4'h1;  // at least one wavelet taken or granted
  localparam logic [3:0] ROUTER_CLASS_STALLED = 4'h2;  // wavelets stored, none granted
  localparam logic [3:0] ROUTER_CLASS_TRAPPED = 4'h3;  // stopped by a trap

  // A word that the machine executes; any other traps (illegal_instruction). An instruction's fields: docs/reference/isa.md.
  function automatic logic instr_legal(input logic [31:0] w_i);
    case (w_i[6:0])
      OP_ADD, OP_SUB, OP_AND, OP_OR, OP_XOR, OP_SLL, OP_SRL, OP_SRA,
      OP_SLT, OP_SLTU, OP_FADD, OP_FSUB, OP_FMUL, OP_FMADD, OP_FLT:
        instr_legal = (w_i & 32'hfff80000) == 32'd0;
      OP_ADDI, OP_LW, OP_LHU, OP_SW, OP_SH, OP_BEQ, OP_BNE, OP_BLT,
      OP_BGE, OP_JALR, OP_LDD:
        instr_legal = (w_i & 32'h00008000) == 32'd0;
      OP_LI, OP_LIH, OP_JAL:
        instr_legal = (w_i & 32'h0000f800) == 32'd0;
      OP_FCVT, OP_FSFU:
        instr_legal = (w_i & 32'hc7ff8000) == 32'd0 && w_i[29:27] < 3'd4;
      OP_VMOV:
        instr_legal = (w_i & 32'h38078000) == 32'd0 && (w_i[26] || (w_i & 32'h03800000) == 32'd0) && (w_i & (w_i[31] ? 32'h00007800 : 32'h40780000)) == 32'd0;
      OP_VADD, OP_VSUB, OP_VMUL, OP_VFMA, OP_VMAX, OP_VMIN, OP_VSEL, OP_VIADD:
        instr_legal = (w_i & 32'h38000000) == 32'd0 && (w_i[26] || (w_i & 32'h03800000) == 32'd0) && (w_i & (w_i[31] ? 32'h00078000 : 32'h40780000)) == 32'd0;
      OP_VMACS:
        instr_legal = (w_i & 32'h38000000) == 32'd0 && (w_i & 32'h80000000) != 32'd0 && (w_i[26] || (w_i & 32'h03800000) == 32'd0);
      OP_VCVT:
        instr_legal = (w_i & 32'hc07f8000) == 32'd0 && (w_i[26] || (w_i & 32'h03800000) == 32'd0) && w_i[29:27] < 3'd2;
      OP_VSFU:
        instr_legal = (w_i & 32'hc07f8000) == 32'd0 && (w_i[26] || (w_i & 32'h03800000) == 32'd0) && w_i[29:27] < 3'd4;
      OP_VSHIFT:
        instr_legal = (w_i[26] || (w_i & 32'h03800000) == 32'd0) && (w_i & (w_i[31] ? 32'h00078000 : 32'h40780000)) == 32'd0 && w_i[29:27] < 3'd3;
      OP_VDOT, OP_SAXPY:
        instr_legal = (w_i & 32'hf8780000) == 32'd0 && (w_i[26] || (w_i & 32'h03800000) == 32'd0);
      OP_VRED:
        instr_legal = (w_i & 32'hc07f8000) == 32'd0 && (w_i[26] || (w_i & 32'h03800000) == 32'd0) && w_i[29:27] < 3'd3;
      OP_SDOT:
        instr_legal = (w_i & 32'hf8000000) == 32'd0 && (w_i[26] || (w_i & 32'h03800000) == 32'd0);
      OP_DSET, OP_DGET:
        instr_legal = (w_i & 32'hfffc8000) == 32'd0;
      OP_ACT, OP_BLK, OP_UNB:
        instr_legal = (w_i & 32'hffc08780) == 32'd0;
      OP_YIELD, OP_NOP, OP_HALT:
        instr_legal = (w_i & 32'hffffff80) == 32'd0;
      OP_WAITU:
        instr_legal = (w_i & 32'hfc7fff80) == 32'd0;
      OP_TRAP:
        instr_legal = (w_i & 32'h0000ff80) == 32'd0;
      default: instr_legal = 1'b0;
    endcase
  endfunction

  // Vector and streamed instructions: they run in a context and carry ut, async, fn, shalf, scalar.
  function automatic logic op_vector(input logic [6:0] opcode_i);
    case (opcode_i)
      OP_VMOV, OP_VADD, OP_VSUB, OP_VMUL, OP_VMACS, OP_VFMA, OP_VMAX, OP_VMIN,
      OP_VSEL, OP_VCVT, OP_VSFU, OP_VIADD, OP_VSHIFT, OP_VDOT, OP_VRED, OP_SAXPY,
      OP_SDOT: op_vector = 1'b1;
      default: op_vector = 1'b0;
    endcase
  endfunction

  /* verilator lint_on UNUSEDPARAM */
endpackage
