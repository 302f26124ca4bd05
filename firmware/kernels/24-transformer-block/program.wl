; A transformer block, forward and backward, one phase after another at the host's word:
;   middle = input + projection(attention(norm(input))), output = middle + second(GELU(first(norm(middle)))).
; Features of a slab are split over columns, tokens over rows; a head is HEAD_COLUMNS neighbouring columns, a sequence SEQUENCE_ROWS neighbouring rows. Weights,
; gains and biases stream in and nothing of them stays; their gradients leave at the north edge. Activations stay, each in a slab of its own, so that the
; backward pass finds what it needs. Outputs of the product for queries, keys and values are ordered by column: a column's queries, its keys, its values.
; The host (host/block) gives every tile its constants and reads or writes slabs by their names.
        .param COLUMN
        .param ROW
        .param WIDTH
        .param HEIGHT
        .param HEADS
        .param SEQUENCES
        .param TOKENS                  ; of a tile, a multiple of four
        .param FEATURES                ; of a tile
        .param HIDDEN                  ; of the feed-forward layer, of a tile
        .param CAUSAL
        .param EXPONENT_BITS           ; of the scores' scale times log2 e, as binary32
        .param SCALE_BITS              ; of the scores' scale
        .param EPSILON_BITS            ; binary32
        .include "protocol.wl"
        .task BOOT_TASK, boot
        .task TASK_PHASE, phase
        .task TASK_OUTPUT_A, output_a
        .task TASK_OUTPUT_B, output_b
        .task TASK_GRADIENT_A, gradient_a
        .task TASK_GRADIENT_B, gradient_b
        .task TASK_STORED, stored
        .task TASK_HALT, halt_tile
        .org  0x88
ALL_FEATURES  = FEATURES * WIDTH
HEAD_COLUMNS  = WIDTH / HEADS
HEAD_COLUMN   = COLUMN % HEAD_COLUMNS
SEQUENCE_ROWS = HEIGHT / SEQUENCES
POSITION      = ROW % SEQUENCE_ROWS
.if COLUMN % 2
ROW_OUT = COLOUR_RING_B
.else
ROW_OUT = COLOUR_RING_A
.endif
.if COLUMN == WIDTH - 1
RING_OUT = COLOUR_RING_C
.else
RING_OUT = ROW_OUT
.endif
.if ROW % 2
RESULTS_OUT = COLOUR_CHAIN_Y_ODD
.else
RESULTS_OUT = COLOUR_CHAIN_Y_EVEN
.endif
        .align 8
; ---- forward
attention_norm_record:
        .word normalise, 0, 0, 0
        .desc attention_norm_mean_d kind=mem1d, type=f32, base=mean_1, len0=TOKENS, stride0=4
        .desc attention_norm_parameters_d kind=mem1d, type=f32, base=norm_parameters, len0=2 * FEATURES, stride0=4
        .desc attention_norm_stream_d kind=fabric_in, type=f32, queue=0
        .desc attention_norm_input_d kind=mem1d, type=f16, base=input, len0=FEATURES * TOKENS, stride0=2
        .desc attention_norm_centred_d kind=mem1d, type=f32, base=scratch, len0=FEATURES * TOKENS, stride0=4
        .desc attention_norm_square_rows_d kind=mem2d, type=f32, base=deviation_1, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc attention_norm_gain_d kind=mem2d, type=f32, base=norm_parameters, len0=TOKENS, stride0=0, len1=FEATURES, stride1=4
        .desc attention_norm_bias_d kind=mem2d, type=f32, base=norm_parameters + 4 * FEATURES, len0=TOKENS, stride0=0, len1=FEATURES, stride1=4
        .desc attention_norm_output_d kind=mem1d, type=f16, base=normal_1, len0=FEATURES * TOKENS, stride0=2
        .desc attention_norm_mean_rows_d kind=mem2d, type=f32, base=mean_1, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc attention_norm_inverse_d kind=mem1d, type=f32, base=deviation_1, len0=TOKENS, stride0=4
        .desc attention_norm_row_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=ROW_OUT, queue=0
        .desc attention_norm_row_in_d kind=fabric_in, type=f32, queue=2
        .desc attention_norm_back_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=COLOUR_MULTICAST_WEST, queue=2
        .desc attention_norm_back_in_d kind=fabric_in, type=f32, queue=5

attention_norm_gradient_record:
        .word normalise_gradient, 0, 0, 0
        .desc attention_norm_g_mean_d kind=mem1d, type=f32, base=mean_1, len0=TOKENS, stride0=4
        .desc attention_norm_g_result_d kind=mem1d, type=f32, base=norm_results, len0=1, stride0=4, save=1
        .desc attention_norm_g_stream_d kind=fabric_in, type=f32, queue=0
        .desc attention_norm_g_input_d kind=mem1d, type=f16, base=input, len0=FEATURES * TOKENS, stride0=2
        .desc attention_norm_g_inverse_d kind=mem1d, type=f32, base=deviation_1, len0=TOKENS, stride0=4
        .desc attention_norm_g_normal_d kind=mem1d, type=f32, base=scratch, len0=FEATURES * TOKENS, stride0=4
        .desc attention_norm_g_gain_d kind=mem2d, type=f32, base=norm_parameters, len0=TOKENS, stride0=0, len1=FEATURES, stride1=4
        .desc attention_norm_g_normal_row_d kind=mem1d, type=f32, base=scratch, len0=TOKENS, stride0=4, save=1
        .desc attention_norm_g_delta_d kind=mem1d, type=f16, base=normal_1_delta, len0=FEATURES * TOKENS, stride0=2
        .desc attention_norm_g_weighted_d kind=mem1d, type=f32, base=scratch + 4 * FEATURES * TOKENS, len0=FEATURES * TOKENS, stride0=4
        .desc attention_norm_g_first_rows_d kind=mem2d, type=f32, base=norm_sums, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc attention_norm_g_second_rows_d kind=mem2d, type=f32, base=norm_sums + 4 * TOKENS, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc attention_norm_g_gains_d kind=mem1d, type=f32, base=norm_parameters, len0=FEATURES, stride0=4
        .desc attention_norm_g_delta_row_d kind=mem1d, type=f16, base=normal_1_delta, len0=TOKENS, stride0=2, save=1
        .desc attention_norm_g_results_d kind=mem1d, type=f32, base=norm_results, len0=2 * FEATURES, stride0=4
.if ROW == HEIGHT - 1
        .desc attention_norm_g_column_in_d kind=mem1d, type=f32, base=zero, len0=1
.else
        .desc attention_norm_g_column_in_d kind=fabric_in, type=f32, queue=7
.endif
        .desc attention_norm_g_column_out_d kind=fabric_out, type=f32, len0=2 * FEATURES, colour=RESULTS_OUT, queue=3
        .desc attention_norm_g_sums_d kind=mem1d, type=f32, base=norm_sums, len0=2 * TOKENS, stride0=4
        .desc attention_norm_g_row_out_d kind=fabric_out, type=f32, len0=2 * TOKENS, colour=ROW_OUT, queue=0
        .desc attention_norm_g_row_in_d kind=fabric_in, type=f32, queue=2
        .desc attention_norm_g_back_out_d kind=fabric_out, type=f32, len0=2 * TOKENS, colour=COLOUR_MULTICAST_WEST, queue=2
        .desc attention_norm_g_back_in_d kind=fabric_in, type=f32, queue=5
        .desc attention_norm_g_first_d kind=mem1d, type=f32, base=norm_sums, len0=TOKENS, stride0=4
        .desc attention_norm_g_second_d kind=mem1d, type=f32, base=norm_sums + 4 * TOKENS, len0=TOKENS, stride0=4
        .desc attention_norm_g_passed_d kind=mem1d, type=f16, base=middle_delta, len0=FEATURES * TOKENS, stride0=2
        .desc attention_norm_g_out_d kind=mem1d, type=f16, base=input_delta, len0=FEATURES * TOKENS, stride0=2

queries_keys_values_record:
        .word pass, 0, 0, 0
        .desc queries_keys_values_weights_d kind=fabric_in, type=f16, queue=0, on_control=leave
        .desc queries_keys_values_slab_d kind=mem1d, type=f16, base=normal_1, len0=TOKENS * (FEATURES + 1), stride0=2
        .desc queries_keys_values_sum_a_d kind=mem1d, type=f32, base=accumulators, len0=TOKENS, stride0=4
        .desc queries_keys_values_sum_b_d kind=mem1d, type=f32, base=accumulators + 4 * TOKENS, len0=TOKENS, stride0=4
        .desc queries_keys_values_ring_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=RING_OUT, queue=0
        .desc queries_keys_values_ring_in_d kind=fabric_in, type=f32, queue=2
        .desc queries_keys_values_kept_d kind=mem1d, type=f16, base=queries, len0=TOKENS, stride0=2, save=1

attention_record:
        .word attention, 0, 0, 0

attention_gradient_record:
        .word attention_gradient, 0, 0, 0

projection_record:
        .word pass, 0, 0, 0
        .desc projection_weights_d kind=fabric_in, type=f16, queue=0, on_control=leave
        .desc projection_slab_d kind=mem1d, type=f16, base=attended, len0=TOKENS * (FEATURES + 1), stride0=2
        .desc projection_sum_a_d kind=mem1d, type=f32, base=accumulators, len0=TOKENS, stride0=4
        .desc projection_sum_b_d kind=mem1d, type=f32, base=accumulators + 4 * TOKENS, len0=TOKENS, stride0=4
        .desc projection_ring_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=RING_OUT, queue=0
        .desc projection_ring_in_d kind=fabric_in, type=f32, queue=2
        .desc projection_kept_d kind=mem1d, type=f16, base=product, len0=TOKENS, stride0=2, save=1

middle_sum_record:
        .word add_slabs, 0, 0, 0
        .desc middle_sum_sum_d kind=mem1d, type=f16, base=middle, len0=FEATURES * TOKENS, stride0=2
        .desc middle_sum_passed_d kind=mem1d, type=f16, base=input, len0=FEATURES * TOKENS, stride0=2
        .desc middle_sum_added_d kind=mem1d, type=f16, base=product, len0=FEATURES * TOKENS, stride0=2

hidden_norm_record:
        .word normalise, 0, 0, 0
        .desc hidden_norm_mean_d kind=mem1d, type=f32, base=mean_2, len0=TOKENS, stride0=4
        .desc hidden_norm_parameters_d kind=mem1d, type=f32, base=norm_parameters, len0=2 * FEATURES, stride0=4
        .desc hidden_norm_stream_d kind=fabric_in, type=f32, queue=0
        .desc hidden_norm_input_d kind=mem1d, type=f16, base=middle, len0=FEATURES * TOKENS, stride0=2
        .desc hidden_norm_centred_d kind=mem1d, type=f32, base=scratch, len0=FEATURES * TOKENS, stride0=4
        .desc hidden_norm_square_rows_d kind=mem2d, type=f32, base=deviation_2, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc hidden_norm_gain_d kind=mem2d, type=f32, base=norm_parameters, len0=TOKENS, stride0=0, len1=FEATURES, stride1=4
        .desc hidden_norm_bias_d kind=mem2d, type=f32, base=norm_parameters + 4 * FEATURES, len0=TOKENS, stride0=0, len1=FEATURES, stride1=4
        .desc hidden_norm_output_d kind=mem1d, type=f16, base=normal_2, len0=FEATURES * TOKENS, stride0=2
        .desc hidden_norm_mean_rows_d kind=mem2d, type=f32, base=mean_2, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc hidden_norm_inverse_d kind=mem1d, type=f32, base=deviation_2, len0=TOKENS, stride0=4
        .desc hidden_norm_row_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=ROW_OUT, queue=0
        .desc hidden_norm_row_in_d kind=fabric_in, type=f32, queue=2
        .desc hidden_norm_back_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=COLOUR_MULTICAST_WEST, queue=2
        .desc hidden_norm_back_in_d kind=fabric_in, type=f32, queue=5

hidden_norm_gradient_record:
        .word normalise_gradient, 0, 0, 0
        .desc hidden_norm_g_mean_d kind=mem1d, type=f32, base=mean_2, len0=TOKENS, stride0=4
        .desc hidden_norm_g_result_d kind=mem1d, type=f32, base=norm_results, len0=1, stride0=4, save=1
        .desc hidden_norm_g_stream_d kind=fabric_in, type=f32, queue=0
        .desc hidden_norm_g_input_d kind=mem1d, type=f16, base=middle, len0=FEATURES * TOKENS, stride0=2
        .desc hidden_norm_g_inverse_d kind=mem1d, type=f32, base=deviation_2, len0=TOKENS, stride0=4
        .desc hidden_norm_g_normal_d kind=mem1d, type=f32, base=scratch, len0=FEATURES * TOKENS, stride0=4
        .desc hidden_norm_g_gain_d kind=mem2d, type=f32, base=norm_parameters, len0=TOKENS, stride0=0, len1=FEATURES, stride1=4
        .desc hidden_norm_g_normal_row_d kind=mem1d, type=f32, base=scratch, len0=TOKENS, stride0=4, save=1
        .desc hidden_norm_g_delta_d kind=mem1d, type=f16, base=normal_2_delta, len0=FEATURES * TOKENS, stride0=2
        .desc hidden_norm_g_weighted_d kind=mem1d, type=f32, base=scratch + 4 * FEATURES * TOKENS, len0=FEATURES * TOKENS, stride0=4
        .desc hidden_norm_g_first_rows_d kind=mem2d, type=f32, base=norm_sums, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc hidden_norm_g_second_rows_d kind=mem2d, type=f32, base=norm_sums + 4 * TOKENS, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc hidden_norm_g_gains_d kind=mem1d, type=f32, base=norm_parameters, len0=FEATURES, stride0=4
        .desc hidden_norm_g_delta_row_d kind=mem1d, type=f16, base=normal_2_delta, len0=TOKENS, stride0=2, save=1
        .desc hidden_norm_g_results_d kind=mem1d, type=f32, base=norm_results, len0=2 * FEATURES, stride0=4
.if ROW == HEIGHT - 1
        .desc hidden_norm_g_column_in_d kind=mem1d, type=f32, base=zero, len0=1
.else
        .desc hidden_norm_g_column_in_d kind=fabric_in, type=f32, queue=7
.endif
        .desc hidden_norm_g_column_out_d kind=fabric_out, type=f32, len0=2 * FEATURES, colour=RESULTS_OUT, queue=3
        .desc hidden_norm_g_sums_d kind=mem1d, type=f32, base=norm_sums, len0=2 * TOKENS, stride0=4
        .desc hidden_norm_g_row_out_d kind=fabric_out, type=f32, len0=2 * TOKENS, colour=ROW_OUT, queue=0
        .desc hidden_norm_g_row_in_d kind=fabric_in, type=f32, queue=2
        .desc hidden_norm_g_back_out_d kind=fabric_out, type=f32, len0=2 * TOKENS, colour=COLOUR_MULTICAST_WEST, queue=2
        .desc hidden_norm_g_back_in_d kind=fabric_in, type=f32, queue=5
        .desc hidden_norm_g_first_d kind=mem1d, type=f32, base=norm_sums, len0=TOKENS, stride0=4
        .desc hidden_norm_g_second_d kind=mem1d, type=f32, base=norm_sums + 4 * TOKENS, len0=TOKENS, stride0=4
        .desc hidden_norm_g_passed_d kind=mem1d, type=f16, base=output_delta, len0=FEATURES * TOKENS, stride0=2
        .desc hidden_norm_g_out_d kind=mem1d, type=f16, base=middle_delta, len0=FEATURES * TOKENS, stride0=2

first_record:
        .word pass, 0, 0, 0
        .desc first_weights_d kind=fabric_in, type=f16, queue=0, on_control=leave
        .desc first_slab_d kind=mem1d, type=f16, base=normal_2, len0=TOKENS * (FEATURES + 1), stride0=2
        .desc first_sum_a_d kind=mem1d, type=f32, base=accumulators, len0=TOKENS, stride0=4
        .desc first_sum_b_d kind=mem1d, type=f32, base=accumulators + 4 * TOKENS, len0=TOKENS, stride0=4
        .desc first_ring_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=RING_OUT, queue=0
        .desc first_ring_in_d kind=fabric_in, type=f32, queue=2
        .desc first_kept_d kind=mem1d, type=f16, base=hidden, len0=TOKENS, stride0=2, save=1

gelu_record:
        .word gelu, 0, 0, 0
        .desc gelu_input_d kind=mem1d, type=f16, base=hidden, len0=HIDDEN * TOKENS, stride0=2
        .desc gelu_sigmoid_d kind=mem1d, type=f32, base=scratch, len0=HIDDEN * TOKENS, stride0=4
        .desc gelu_output_d kind=mem1d, type=f16, base=active, len0=HIDDEN * TOKENS, stride0=2

gelu_gradient_record:
        .word gelu_gradient, 0, 0, 0
        .desc gelu_g_input_d kind=mem1d, type=f16, base=hidden, len0=HIDDEN * TOKENS, stride0=2
        .desc gelu_g_sigmoid_d kind=mem1d, type=f32, base=scratch, len0=HIDDEN * TOKENS, stride0=4
        .desc gelu_g_output_d kind=mem1d, type=f16, base=hidden_delta, len0=HIDDEN * TOKENS, stride0=2
        .desc gelu_g_slope_d kind=mem1d, type=f32, base=scratch + 4 * HIDDEN * TOKENS, len0=HIDDEN * TOKENS, stride0=4
        .desc gelu_g_gradient_d kind=mem1d, type=f16, base=active_delta, len0=HIDDEN * TOKENS, stride0=2
        .desc gelu_g_rest_d kind=mem1d, type=f32, base=scratch + 8 * HIDDEN * TOKENS, len0=HIDDEN * TOKENS, stride0=4

second_record:
        .word pass, 0, 0, 0
        .desc second_weights_d kind=fabric_in, type=f16, queue=0, on_control=leave
        .desc second_slab_d kind=mem1d, type=f16, base=active, len0=TOKENS * (HIDDEN + 1), stride0=2
        .desc second_sum_a_d kind=mem1d, type=f32, base=accumulators, len0=TOKENS, stride0=4
        .desc second_sum_b_d kind=mem1d, type=f32, base=accumulators + 4 * TOKENS, len0=TOKENS, stride0=4
        .desc second_ring_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=RING_OUT, queue=0
        .desc second_ring_in_d kind=fabric_in, type=f32, queue=2
        .desc second_kept_d kind=mem1d, type=f16, base=product, len0=TOKENS, stride0=2, save=1

output_sum_record:
        .word add_slabs, 0, 0, 0
        .desc output_sum_sum_d kind=mem1d, type=f16, base=output, len0=FEATURES * TOKENS, stride0=2
        .desc output_sum_passed_d kind=mem1d, type=f16, base=middle, len0=FEATURES * TOKENS, stride0=2
        .desc output_sum_added_d kind=mem1d, type=f16, base=product, len0=FEATURES * TOKENS, stride0=2

; ---- backward: gradients of weights, then of what came in (the transposed weights stream in)
second_gradient_record:
        .word gradient, 0, 0, 0
        .desc second_to_west_d kind=fabric_out, type=f16, pack=1, len0=TOKENS, colour=COLOUR_MULTICAST_WEST, queue=2
        .desc second_to_east_d kind=fabric_out, type=f16, pack=1, len0=TOKENS, colour=COLOUR_MULTICAST_EAST, queue=2
        .desc second_from_east_d kind=fabric_in, type=f16, pack=1, queue=5
        .desc second_from_west_d kind=fabric_in, type=f16, pack=1, queue=6
        .desc second_own_west_d kind=mem1d, type=f16, base=output_delta, len0=TOKENS, stride0=2, save=1
        .desc second_own_east_d kind=mem1d, type=f16, base=output_delta, len0=TOKENS, stride0=2, save=1
        .desc second_received_d kind=mem1d, type=f16, base=received, len0=TOKENS, stride0=2
        .desc second_results_a_d kind=mem1d, type=f32, base=results, len0=HIDDEN + 1, stride0=4
        .desc second_results_b_d kind=mem1d, type=f32, base=results + RESULT_BYTES, len0=HIDDEN + 1, stride0=4
        .desc second_rows_d kind=iota, len0=HIDDEN, stride0=ROW_BYTES
        .desc second_own_rows_d kind=iota, len0=HIDDEN + 1, stride0=ROW_BYTES
        .desc second_g_slab_d kind=mem1d, type=f16, base=active, len0=TOKENS, stride0=2
.if ROW == HEIGHT - 1
        .desc second_chain_in_d kind=mem1d, type=f32, base=zero, len0=1
.else
        .desc second_chain_in_d kind=fabric_in, type=f32, queue=7
.endif
        .desc second_chain_out_d kind=fabric_out, type=f32, len0=HIDDEN, colour=RESULTS_OUT, queue=3
        .desc second_own_chain_out_d kind=fabric_out, type=f32, len0=HIDDEN + 1, colour=RESULTS_OUT, queue=3

second_delta_record:
        .word pass, 0, 0, 0
        .desc second_delta_weights_d kind=fabric_in, type=f16, queue=0, on_control=leave
        .desc second_delta_slab_d kind=mem1d, type=f16, base=output_delta, len0=TOKENS * (FEATURES), stride0=2
        .desc second_delta_sum_a_d kind=mem1d, type=f32, base=accumulators, len0=TOKENS, stride0=4
        .desc second_delta_sum_b_d kind=mem1d, type=f32, base=accumulators + 4 * TOKENS, len0=TOKENS, stride0=4
        .desc second_delta_ring_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=RING_OUT, queue=0
        .desc second_delta_ring_in_d kind=fabric_in, type=f32, queue=2
        .desc second_delta_kept_d kind=mem1d, type=f16, base=active_delta, len0=TOKENS, stride0=2, save=1

first_gradient_record:
        .word gradient, 0, 0, 0
        .desc first_to_west_d kind=fabric_out, type=f16, pack=1, len0=TOKENS, colour=COLOUR_MULTICAST_WEST, queue=2
        .desc first_to_east_d kind=fabric_out, type=f16, pack=1, len0=TOKENS, colour=COLOUR_MULTICAST_EAST, queue=2
        .desc first_from_east_d kind=fabric_in, type=f16, pack=1, queue=5
        .desc first_from_west_d kind=fabric_in, type=f16, pack=1, queue=6
        .desc first_own_west_d kind=mem1d, type=f16, base=hidden_delta, len0=TOKENS, stride0=2, save=1
        .desc first_own_east_d kind=mem1d, type=f16, base=hidden_delta, len0=TOKENS, stride0=2, save=1
        .desc first_received_d kind=mem1d, type=f16, base=received, len0=TOKENS, stride0=2
        .desc first_results_a_d kind=mem1d, type=f32, base=results, len0=FEATURES + 1, stride0=4
        .desc first_results_b_d kind=mem1d, type=f32, base=results + RESULT_BYTES, len0=FEATURES + 1, stride0=4
        .desc first_rows_d kind=iota, len0=FEATURES, stride0=ROW_BYTES
        .desc first_own_rows_d kind=iota, len0=FEATURES + 1, stride0=ROW_BYTES
        .desc first_g_slab_d kind=mem1d, type=f16, base=normal_2, len0=TOKENS, stride0=2
.if ROW == HEIGHT - 1
        .desc first_chain_in_d kind=mem1d, type=f32, base=zero, len0=1
.else
        .desc first_chain_in_d kind=fabric_in, type=f32, queue=7
.endif
        .desc first_chain_out_d kind=fabric_out, type=f32, len0=FEATURES, colour=RESULTS_OUT, queue=3
        .desc first_own_chain_out_d kind=fabric_out, type=f32, len0=FEATURES + 1, colour=RESULTS_OUT, queue=3

first_delta_record:
        .word pass, 0, 0, 0
        .desc first_delta_weights_d kind=fabric_in, type=f16, queue=0, on_control=leave
        .desc first_delta_slab_d kind=mem1d, type=f16, base=hidden_delta, len0=TOKENS * (HIDDEN), stride0=2
        .desc first_delta_sum_a_d kind=mem1d, type=f32, base=accumulators, len0=TOKENS, stride0=4
        .desc first_delta_sum_b_d kind=mem1d, type=f32, base=accumulators + 4 * TOKENS, len0=TOKENS, stride0=4
        .desc first_delta_ring_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=RING_OUT, queue=0
        .desc first_delta_ring_in_d kind=fabric_in, type=f32, queue=2
        .desc first_delta_kept_d kind=mem1d, type=f16, base=normal_2_delta, len0=TOKENS, stride0=2, save=1

projection_gradient_record:
        .word gradient, 0, 0, 0
        .desc projection_to_west_d kind=fabric_out, type=f16, pack=1, len0=TOKENS, colour=COLOUR_MULTICAST_WEST, queue=2
        .desc projection_to_east_d kind=fabric_out, type=f16, pack=1, len0=TOKENS, colour=COLOUR_MULTICAST_EAST, queue=2
        .desc projection_from_east_d kind=fabric_in, type=f16, pack=1, queue=5
        .desc projection_from_west_d kind=fabric_in, type=f16, pack=1, queue=6
        .desc projection_own_west_d kind=mem1d, type=f16, base=middle_delta, len0=TOKENS, stride0=2, save=1
        .desc projection_own_east_d kind=mem1d, type=f16, base=middle_delta, len0=TOKENS, stride0=2, save=1
        .desc projection_received_d kind=mem1d, type=f16, base=received, len0=TOKENS, stride0=2
        .desc projection_results_a_d kind=mem1d, type=f32, base=results, len0=FEATURES + 1, stride0=4
        .desc projection_results_b_d kind=mem1d, type=f32, base=results + RESULT_BYTES, len0=FEATURES + 1, stride0=4
        .desc projection_rows_d kind=iota, len0=FEATURES, stride0=ROW_BYTES
        .desc projection_own_rows_d kind=iota, len0=FEATURES + 1, stride0=ROW_BYTES
        .desc projection_g_slab_d kind=mem1d, type=f16, base=attended, len0=TOKENS, stride0=2
.if ROW == HEIGHT - 1
        .desc projection_chain_in_d kind=mem1d, type=f32, base=zero, len0=1
.else
        .desc projection_chain_in_d kind=fabric_in, type=f32, queue=7
.endif
        .desc projection_chain_out_d kind=fabric_out, type=f32, len0=FEATURES, colour=RESULTS_OUT, queue=3
        .desc projection_own_chain_out_d kind=fabric_out, type=f32, len0=FEATURES + 1, colour=RESULTS_OUT, queue=3

projection_delta_record:
        .word pass, 0, 0, 0
        .desc projection_delta_weights_d kind=fabric_in, type=f16, queue=0, on_control=leave
        .desc projection_delta_slab_d kind=mem1d, type=f16, base=middle_delta, len0=TOKENS * (FEATURES), stride0=2
        .desc projection_delta_sum_a_d kind=mem1d, type=f32, base=accumulators, len0=TOKENS, stride0=4
        .desc projection_delta_sum_b_d kind=mem1d, type=f32, base=accumulators + 4 * TOKENS, len0=TOKENS, stride0=4
        .desc projection_delta_ring_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=RING_OUT, queue=0
        .desc projection_delta_ring_in_d kind=fabric_in, type=f32, queue=2
        .desc projection_delta_kept_d kind=mem1d, type=f16, base=attended_delta, len0=TOKENS, stride0=2, save=1

queries_keys_values_gradient_record:
        .word gradient, 0, 0, 0
        .desc queries_keys_values_to_west_d kind=fabric_out, type=f16, pack=1, len0=TOKENS, colour=COLOUR_MULTICAST_WEST, queue=2
        .desc queries_keys_values_to_east_d kind=fabric_out, type=f16, pack=1, len0=TOKENS, colour=COLOUR_MULTICAST_EAST, queue=2
        .desc queries_keys_values_from_east_d kind=fabric_in, type=f16, pack=1, queue=5
        .desc queries_keys_values_from_west_d kind=fabric_in, type=f16, pack=1, queue=6
        .desc queries_keys_values_own_west_d kind=mem1d, type=f16, base=query_delta, len0=TOKENS, stride0=2, save=1
        .desc queries_keys_values_own_east_d kind=mem1d, type=f16, base=query_delta, len0=TOKENS, stride0=2, save=1
        .desc queries_keys_values_received_d kind=mem1d, type=f16, base=received, len0=TOKENS, stride0=2
        .desc queries_keys_values_results_a_d kind=mem1d, type=f32, base=results, len0=FEATURES + 1, stride0=4
        .desc queries_keys_values_results_b_d kind=mem1d, type=f32, base=results + RESULT_BYTES, len0=FEATURES + 1, stride0=4
        .desc queries_keys_values_rows_d kind=iota, len0=FEATURES, stride0=ROW_BYTES
        .desc queries_keys_values_own_rows_d kind=iota, len0=FEATURES + 1, stride0=ROW_BYTES
        .desc queries_keys_values_g_slab_d kind=mem1d, type=f16, base=normal_1, len0=TOKENS, stride0=2
.if ROW == HEIGHT - 1
        .desc queries_keys_values_chain_in_d kind=mem1d, type=f32, base=zero, len0=1
.else
        .desc queries_keys_values_chain_in_d kind=fabric_in, type=f32, queue=7
.endif
        .desc queries_keys_values_chain_out_d kind=fabric_out, type=f32, len0=FEATURES, colour=RESULTS_OUT, queue=3
        .desc queries_keys_values_own_chain_out_d kind=fabric_out, type=f32, len0=FEATURES + 1, colour=RESULTS_OUT, queue=3

queries_keys_values_delta_record:
        .word pass, 0, 0, 0
        .desc queries_keys_values_delta_weights_d kind=fabric_in, type=f16, queue=0, on_control=leave
        .desc queries_keys_values_delta_slab_d kind=mem1d, type=f16, base=query_delta, len0=TOKENS * (3 * FEATURES), stride0=2
        .desc queries_keys_values_delta_sum_a_d kind=mem1d, type=f32, base=accumulators, len0=TOKENS, stride0=4
        .desc queries_keys_values_delta_sum_b_d kind=mem1d, type=f32, base=accumulators + 4 * TOKENS, len0=TOKENS, stride0=4
        .desc queries_keys_values_delta_ring_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=RING_OUT, queue=0
        .desc queries_keys_values_delta_ring_in_d kind=fabric_in, type=f32, queue=2
        .desc queries_keys_values_delta_kept_d kind=mem1d, type=f16, base=normal_1_delta, len0=TOKENS, stride0=2, save=1


; ---- code: behind the records, whose addresses the host sends to all tiles alike (the ends of chains are shorter than what lies between)
        .include "boot.wl"
        .include "phase.wl"
        .include "../../transformer/row_sum.wl"
        .include "../../transformer/norm.wl"
        .include "product.wl"
        .include "gradient.wl"
        .include "../../transformer/gelu.wl"
        .include "../../transformer/outer.wl"
        .include "../../transformer/attention.wl"
        .include "../../transformer/attention_gradient.wl"
        .alias slab_sum d0
        .alias slab_passed d1
        .alias slab_added d2
add_slabs:
        ldd   slab_sum, RECORD_HEAD + 0 * DESCRIPTOR(record)
        ldd   slab_passed, RECORD_HEAD + 1 * DESCRIPTOR(record)
        ldd   slab_added, RECORD_HEAD + 2 * DESCRIPTOR(record)
        vadd  slab_sum, slab_passed, slab_added
        yield

; ---- memory
SLAB   = 2 * FEATURES * TOKENS
WIDE   = 2 * HIDDEN * TOKENS
LARGER = (FEATURES > HIDDEN) * FEATURES + (FEATURES <= HIDDEN) * HIDDEN
RESULT_BYTES = 8 * ((LARGER + 2) / 2)
        .align 8
zero:           .word 0, 0
input:          .space SLAB
normal_1:       .space SLAB
.rept TOKENS
        .f16 1.0                       ; the row of ones, whose weight is the bias
.endr
queries:        .space SLAB
keys:           .space 2 * SLAB        ; and values
attended:       .space SLAB
.rept TOKENS
        .f16 1.0
.endr
product:        .space SLAB
middle:         .space SLAB
normal_2:       .space SLAB
.rept TOKENS
        .f16 1.0
.endr
hidden:         .space WIDE
active:         .space WIDE
.rept TOKENS
        .f16 1.0
.endr
output:         .space SLAB
output_delta:   .space SLAB
active_delta:   .space WIDE
hidden_delta:   .space WIDE
normal_2_delta: .space SLAB
middle_delta:   .space SLAB
attended_delta: .space SLAB
query_delta:    .space 3 * SLAB
normal_1_delta: .space SLAB
input_delta:    .space SLAB
rotating:       .space 4 * SLAB
mean_1:         .space 4 * TOKENS
deviation_1:    .space 4 * TOKENS
mean_2:         .space 4 * TOKENS
deviation_2:    .space 4 * TOKENS
score_maximum:  .space 4 * TOKENS
score_inverse:  .space 4 * TOKENS
norm_sums:      .space 8 * TOKENS
norm_parameters: .space 8 * FEATURES
norm_results:   .space 8 * FEATURES
accumulators:   .space 8 * TOKENS
received:       .space 2 * TOKENS
results:        .space 2 * RESULT_BYTES
; One phase's intermediate values.
SCRATCH_A = (ATTENTION_GRADIENT_BYTES > ATTENTION_BYTES) * ATTENTION_GRADIENT_BYTES + (ATTENTION_GRADIENT_BYTES <= ATTENTION_BYTES) * ATTENTION_BYTES
SCRATCH_B = 12 * LARGER * TOKENS
scratch:        .space (SCRATCH_A > SCRATCH_B) * SCRATCH_A + (SCRATCH_A <= SCRATCH_B) * SCRATCH_B
memory_end:
