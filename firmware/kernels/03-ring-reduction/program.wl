; The owner of a sum moves from output to output. A control wavelet names it; the tile after it starts with its partial sums, the others add and pass on, the
; owner adds and keeps. Three static colours: even to odd columns, odd to even, the last column back to the first.
        .include "protocol.wl"
        .task BOOT_TASK, boot
        .task TASK_PHASE, set_up
        .task TASK_OUTPUT_A, output
        .org  0x88
        .include "boot.wl"

        .alias ring_out d0
        .alias ring_in d1
        .alias partial d2
        .alias kept d3
set_up:
        ldd   ring_out, out_descriptor(r0)
        ldd   ring_in, in_descriptor(r0)
        ldd   partial, partial_descriptor(r0)
        ldd   kept, kept_descriptor(r0)
        yield

output:                                         ; r1 = owner
        beq   r1, r8, output_keep
        beq   r1, r9, output_start
        vadd  ring_out, ring_in, partial
        yield
output_start:
        vmov  ring_out, partial
        yield
output_keep:
        vadd  kept, ring_in, partial
        yield

.if COLUMN == WIDTH - 1
RING_OUT = COLOUR_RING_C
.elif COLUMN % 2
RING_OUT = COLOUR_RING_B
.else
RING_OUT = COLOUR_RING_A
.endif
        .desc out_descriptor kind=fabric_out, type=f32, len0=4, colour=RING_OUT, queue=0
        .desc in_descriptor kind=fabric_in, type=f32, queue=2
        .desc partial_descriptor kind=mem1d, type=f32, base=values, len0=4, stride0=4
        .desc kept_descriptor kind=mem1d, type=f32, base=sums, len0=4, stride0=4, save=1
        .align 8
values: .space 16
sums:   .space 32
