; dW[o][i] = sum over tokens of d[o] x[i]: the owner multicasts d[o] along its row, every tile takes the dot product with its own features, columns add up
; over rows of tiles to the north edge. The owner also takes the product with its row of ones: the bias's gradient.
        .include "protocol.wl"
        .task BOOT_TASK, boot
        .task TASK_PHASE, phase
        .task TASK_GRADIENT_A, gradient_a
        .task TASK_GRADIENT_B, gradient_b
        .task TASK_STORED, stored
        .org  0x88
        .include "boot.wl"
        .include "phase.wl"
        .include "gradient.wl"

FEATURES = 4 / WIDTH + (COLUMN < 4 % WIDTH)     ; of four, on this column
.if ROW % 2
RESULTS_OUT = COLOUR_CHAIN_Y_ODD
.else
RESULTS_OUT = COLOUR_CHAIN_Y_EVEN
.endif
        .align 8
gradient_record:
        .word gradient, 0, 0, 0
        .desc to_west_d kind=fabric_out, type=f16, pack=1, len0=4, colour=COLOUR_MULTICAST_WEST, queue=2
        .desc to_east_d kind=fabric_out, type=f16, pack=1, len0=4, colour=COLOUR_MULTICAST_EAST, queue=2
        .desc from_east_d kind=fabric_in, type=f16, pack=1, queue=5
        .desc from_west_d kind=fabric_in, type=f16, pack=1, queue=6
        .desc own_west_d kind=mem1d, type=f16, base=delta, len0=4, stride0=2, save=1
        .desc own_east_d kind=mem1d, type=f16, base=delta, len0=4, stride0=2, save=1
        .desc received_d kind=mem1d, type=f16, base=received, len0=4, stride0=2
        .desc results_a_d kind=mem1d, type=f32, base=results, len0=FEATURES + 1, stride0=4
        .desc results_b_d kind=mem1d, type=f32, base=results + 16, len0=FEATURES + 1, stride0=4
        .desc rows_d kind=iota, len0=FEATURES, stride0=8
        .desc own_rows_d kind=iota, len0=FEATURES + 1, stride0=8
        .desc slab_d kind=mem1d, type=f16, base=slab, len0=4, stride0=2
.if ROW == HEIGHT - 1
        .desc chain_in_d kind=mem1d, type=f32, base=zero, len0=1
.else
        .desc chain_in_d kind=fabric_in, type=f32, queue=7
.endif
        .desc chain_out_d kind=fabric_out, type=f32, len0=FEATURES, colour=RESULTS_OUT, queue=3
        .desc own_chain_out_d kind=fabric_out, type=f32, len0=FEATURES + 1, colour=RESULTS_OUT, queue=3

stored_record:
        .word gradient_stored, 0, 0, 0
        .desc s_to_west_d kind=fabric_out, type=f16, pack=1, len0=4, colour=COLOUR_MULTICAST_WEST, queue=2
        .desc s_to_east_d kind=fabric_out, type=f16, pack=1, len0=4, colour=COLOUR_MULTICAST_EAST, queue=2
        .desc s_from_east_d kind=fabric_in, type=f16, pack=1, queue=5
        .desc s_from_west_d kind=fabric_in, type=f16, pack=1, queue=6
        .desc s_own_west_d kind=mem1d, type=f16, base=delta, len0=4, stride0=2, save=1
        .desc s_own_east_d kind=mem1d, type=f16, base=delta, len0=4, stride0=2, save=1
        .desc s_received_d kind=mem1d, type=f16, base=received, len0=4, stride0=2
        .desc s_results_d kind=mem1d, type=f32, base=results, len0=FEATURES + 1, stride0=4, save=1
        .desc s_results_read_d kind=mem1d, type=f32, base=results, len0=FEATURES + 1, stride0=4
        .desc s_rows_d kind=fabric_in, type=f16, queue=0, on_control=consume
        .desc s_own_rows_d kind=fabric_in, type=f16, queue=0, on_control=consume
        .desc s_slab_d kind=mem1d, type=f16, base=slab, len0=4, stride0=2
.if ROW == HEIGHT - 1
        .desc s_chain_in_d kind=mem1d, type=f32, base=zero, len0=1
.else
        .desc s_chain_in_d kind=fabric_in, type=f32, queue=7
.endif
        .desc s_chain_out_d kind=fabric_out, type=f32, len0=FEATURES, colour=RESULTS_OUT, queue=3
        .desc s_own_chain_out_d kind=fabric_out, type=f32, len0=FEATURES + 1, colour=RESULTS_OUT, queue=3

zero:   .word 0, 0
slab:   .space 8 * 3
delta:  .space 8 * 2
received: .space 8
results: .space 32
