; A row of partial sums per tile, added up from the last column to column 0. Neighbours use two colours in turn: what a tile receives on one it sends on the
; other, so each colour's route in a router is static. The last column adds to a zero in memory, column 0 stores where the others send: one instruction.
        .include "protocol.wl"
        .task BOOT_TASK, boot
        .task TASK_PHASE, reduce
        .org  0x88
        .include "boot.wl"

        .alias sum_out d0
        .alias chain_in d1
        .alias partial d2
reduce:
        ldd   sum_out, out_descriptor(r0)
        ldd   chain_in, in_descriptor(r0)
        ldd   partial, partial_descriptor(r0)
        vadd  sum_out, chain_in, partial
        yield

.if COLUMN == 0
        .desc out_descriptor kind=mem1d, type=f32, base=total, len0=4, stride0=4
.elif COLUMN % 2
        .desc out_descriptor kind=fabric_out, type=f32, len0=4, colour=COLOUR_CHAIN_X_ODD, queue=1
.else
        .desc out_descriptor kind=fabric_out, type=f32, len0=4, colour=COLOUR_CHAIN_X_EVEN, queue=1
.endif
.if COLUMN == WIDTH - 1
        .desc in_descriptor kind=mem1d, type=f32, base=zero, len0=1, stride0=0
.else
        .desc in_descriptor kind=fabric_in, type=f32, queue=3
.endif
        .desc partial_descriptor kind=mem1d, type=f32, base=values, len0=4, stride0=4
        .align 8
zero:   .word 0, 0
values: .space 16
total:  .space 16
