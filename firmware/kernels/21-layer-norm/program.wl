; Layer normalisation and its gradient: sums over columns that every tile of the row gets, reciprocal square roots, gain and bias streamed in behind a control
; wavelet, their gradients added up over rows of tiles and out of the north edge.
        .include "protocol.wl"
        .task BOOT_TASK, boot
        .task TASK_PHASE, phase
        .org  0x88
ALL_FEATURES = 6
FEATURES     = ALL_FEATURES / WIDTH
TOKENS       = 4
EPSILON_BITS = f32(0.00001)

.if COLUMN % 2
ROW_OUT = COLOUR_RING_B
.else
ROW_OUT = COLOUR_RING_A
.endif
.if ROW % 2
RESULTS_OUT = COLOUR_CHAIN_Y_ODD
.else
RESULTS_OUT = COLOUR_CHAIN_Y_EVEN
.endif
        .align 8
norm_record:
        .word normalise, 0, 0, 0
        .desc norm_mean_d kind=mem1d, type=f32, base=mean, len0=TOKENS, stride0=4
        .desc norm_parameters_d kind=mem1d, type=f32, base=norm_parameters, len0=2 * FEATURES, stride0=4
        .desc norm_stream_d kind=fabric_in, type=f32, queue=0
        .desc norm_input_d kind=mem1d, type=f16, base=input, len0=FEATURES * TOKENS, stride0=2
        .desc norm_centred_d kind=mem1d, type=f32, base=scratch, len0=FEATURES * TOKENS, stride0=4
        .desc norm_square_rows_d kind=mem2d, type=f32, base=inverse_deviation, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc norm_gain_d kind=mem2d, type=f32, base=norm_parameters, len0=TOKENS, stride0=0, len1=FEATURES, stride1=4
        .desc norm_bias_d kind=mem2d, type=f32, base=norm_parameters + 4 * FEATURES, len0=TOKENS, stride0=0, len1=FEATURES, stride1=4
        .desc norm_output_d kind=mem1d, type=f16, base=output, len0=FEATURES * TOKENS, stride0=2
        .desc norm_mean_rows_d kind=mem2d, type=f32, base=mean, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc norm_inverse_d kind=mem1d, type=f32, base=inverse_deviation, len0=TOKENS, stride0=4
        .desc norm_row_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=ROW_OUT, queue=0
        .desc norm_row_in_d kind=fabric_in, type=f32, queue=2
        .desc norm_back_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=COLOUR_MULTICAST_WEST, queue=2
        .desc norm_back_in_d kind=fabric_in, type=f32, queue=5

norm_gradient_record:
        .word normalise_gradient, 0, 0, 0
        .desc norm_g_mean_d kind=mem1d, type=f32, base=mean, len0=TOKENS, stride0=4
        .desc norm_g_result_d kind=mem1d, type=f32, base=norm_results, len0=1, stride0=4, save=1
        .desc norm_g_stream_d kind=fabric_in, type=f32, queue=0
        .desc norm_g_input_d kind=mem1d, type=f16, base=input, len0=FEATURES * TOKENS, stride0=2
        .desc norm_g_inverse_d kind=mem1d, type=f32, base=inverse_deviation, len0=TOKENS, stride0=4
        .desc norm_g_normal_d kind=mem1d, type=f32, base=scratch, len0=FEATURES * TOKENS, stride0=4
        .desc norm_g_gain_d kind=mem2d, type=f32, base=norm_parameters, len0=TOKENS, stride0=0, len1=FEATURES, stride1=4
        .desc norm_g_normal_row_d kind=mem1d, type=f32, base=scratch, len0=TOKENS, stride0=4, save=1
        .desc norm_g_delta_d kind=mem1d, type=f16, base=delta, len0=FEATURES * TOKENS, stride0=2
        .desc norm_g_weighted_d kind=mem1d, type=f32, base=scratch + 4 * FEATURES * TOKENS, len0=FEATURES * TOKENS, stride0=4
        .desc norm_g_first_rows_d kind=mem2d, type=f32, base=norm_sums, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc norm_g_second_rows_d kind=mem2d, type=f32, base=norm_sums + 4 * TOKENS, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc norm_g_gains_d kind=mem1d, type=f32, base=norm_parameters, len0=FEATURES, stride0=4
        .desc norm_g_delta_row_d kind=mem1d, type=f16, base=delta, len0=TOKENS, stride0=2, save=1
        .desc norm_g_results_d kind=mem1d, type=f32, base=norm_results, len0=2 * FEATURES, stride0=4
.if ROW == HEIGHT - 1
        .desc norm_g_column_in_d kind=mem1d, type=f32, base=zero, len0=1
.else
        .desc norm_g_column_in_d kind=fabric_in, type=f32, queue=7
.endif
        .desc norm_g_column_out_d kind=fabric_out, type=f32, len0=2 * FEATURES, colour=RESULTS_OUT, queue=3
        .desc norm_g_sums_d kind=mem1d, type=f32, base=norm_sums, len0=2 * TOKENS, stride0=4
        .desc norm_g_row_out_d kind=fabric_out, type=f32, len0=2 * TOKENS, colour=ROW_OUT, queue=0
        .desc norm_g_row_in_d kind=fabric_in, type=f32, queue=2
        .desc norm_g_back_out_d kind=fabric_out, type=f32, len0=2 * TOKENS, colour=COLOUR_MULTICAST_WEST, queue=2
        .desc norm_g_back_in_d kind=fabric_in, type=f32, queue=5
        .desc norm_g_first_d kind=mem1d, type=f32, base=norm_sums, len0=TOKENS, stride0=4
        .desc norm_g_second_d kind=mem1d, type=f32, base=norm_sums + 4 * TOKENS, len0=TOKENS, stride0=4
        .desc norm_g_passed_d kind=mem1d, type=f16, base=passed, len0=FEATURES * TOKENS, stride0=2
        .desc norm_g_out_d kind=mem1d, type=f16, base=input_gradient, len0=FEATURES * TOKENS, stride0=2

; Behind the records, whose addresses the host sends to all tiles alike: code of the row's ends is shorter.
        .include "boot.wl"
        .include "phase.wl"
        .include "../../transformer/row_sum.wl"
        .include "../../transformer/norm.wl"

        .align 8
zero:    .word 0, 0
mean:    .space 4 * TOKENS
inverse_deviation: .space 4 * TOKENS
norm_sums: .space 8 * TOKENS
norm_parameters: .space 8 * FEATURES
norm_results: .space 8 * FEATURES
scratch: .space 8 * FEATURES * TOKENS
input:   .space 2 * FEATURES * TOKENS
output:  .space 2 * FEATURES * TOKENS
delta:   .space 2 * FEATURES * TOKENS
passed:  .space 2 * FEATURES * TOKENS
input_gradient: .space 2 * FEATURES * TOKENS
