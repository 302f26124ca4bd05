; What the kernels with a streamed product share: tasks, the training program's code, a record for it, its memory. Four tokens per tile. Given: ROWS (rows of
; the slab), RESULTS (rows of results).
        .include "protocol.wl"
        .task BOOT_TASK, boot
        .task TASK_PHASE, phase
        .task TASK_OUTPUT_A, output_a
        .task TASK_OUTPUT_B, output_b
        .org  0x88
        .include "boot.wl"
        .include "phase.wl"
        .include "product.wl"

.if COLUMN == WIDTH - 1
RING_OUT = COLOUR_RING_C
.elif COLUMN % 2
RING_OUT = COLOUR_RING_B
.else
RING_OUT = COLOUR_RING_A
.endif
        .align 8
product_record:
        .word pass, 0, 0, 0
        .desc weights_descriptor kind=fabric_in, type=f16, queue=0, on_control=leave
        .desc slab_descriptor kind=mem1d, type=f16, base=slab, len0=4 * ROWS, stride0=2
        .desc accumulator_a_descriptor kind=mem1d, type=f32, base=accumulators, len0=4, stride0=4
        .desc accumulator_b_descriptor kind=mem1d, type=f32, base=accumulators + 16, len0=4, stride0=4
        .desc ring_out_descriptor kind=fabric_out, type=f32, len0=4, colour=RING_OUT, queue=0
        .desc ring_in_descriptor kind=fabric_in, type=f32, queue=2
        .desc results_descriptor kind=mem1d, type=f16, base=results, len0=4, stride0=2, save=1
slab:   .space 8 * ROWS
results: .space 8 * RESULTS
accumulators: .space 32
