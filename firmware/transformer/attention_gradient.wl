; The gradient of attention: weights again from the scores and the maximum and 1 / sum that the forward pass left; then of queries at home, of keys and values
; in sums that rotate with their block and are home after as many steps as the sequence has rows. With w the weights, a the output, da its gradient:
; dv = da w; dw = v da over all of the head's features; ds = w (dw - da a) scale; dq = k ds; dk = q ds.
; Given beside what attention.wl wants: SCALE_BITS (scale of the scores, binary32), attended_delta, query_delta (then keys' and values').
        .alias inverse_sum d8
        .alias weight      d9
        .alias weight_delta d10
        .alias dot         d11
        .alias turned_weights d12
        .alias score_delta_all d13
        .alias turned_delta d14
        .alias sums_here   r1      ; the block's gradients
        .alias sums_there  r2
attention_gradient:
        ldd   head_vector, dot_d(r0)
        ldd   head_out, dot_out_d(r0)
        ldd   head_in, head_in_d(r0)
        ldd   head_back, head_back_d(r0)
        ldd   d0, dot_rows_d(r0)
        ldd   d1, attended_delta_d(r0)
        ldd   d2, attended_d(r0)
        vmov  head_vector, r0
        vfma  d0, d1, d2
        call  head_sum
        ldd   head_vector, both_d(r0)
        ldd   head_out, both_out_d(r0)
        ldd   maximum, maximum_d(r0)
        ldd   inverse_sum, sum_d(r0)
        ldd   weight, scores_d(r0)
        ldd   weight_delta, weight_delta_d(r0)
        ldd   dot, dot_d(r0)
        ldd   turned_weights, turned_weights_d(r0)
        ldd   score_delta_all, score_delta_d(r0)
        ldd   turned_delta, turned_delta_d(r0)
        ldd   d0, query_sums_d(r0)
        vmov  d0, r0
        ldd   d0, block_sums_d(r0)
        vmov  d0, r0
        li32  sums_here, block_sums
        li32  sums_there, block_sums + 2 * BLOCK_BYTES
        li32  here, keys
        li32  there, rotating
        li    step, 0
gradient_step:
.if SEQUENCE_ROWS > 1
        li    r3, SEQUENCE_ROWS - 1
        beq   step, r3, gradient_scores
        call  pass_on
gradient_scores:
.if CAUSAL
        li    r3, POSITION
        blt   r3, step, gradient_next
.endif
.endif
        vmov  head_vector, r0
        mv    a_word, here
        li32  b_word, queries + (TOKENS << 16)
        li32  rows_word, scores + (TOKENS << 16)
        call  r14, scores_of
        addi  a_word, here, VALUES
        li32  b_word, attended_delta + (TOKENS << 16)
        li32  rows_word, scores + 4 * TOKENS * TOKENS + (TOKENS << 16)
        call  r14, scores_of
        call  head_sum
.if CAUSAL
        bnez  step, gradient_weights
        ldd   other, later_d(r0)
        vadd  weight, weight, other
.endif
gradient_weights:
        li32  r3, EXPONENT_BITS
        vsub  weight, weight, maximum
        vmul  weight, weight, r3
        vsfu.exp2 weight, weight
        vmul  weight, weight, inverse_sum
        vmov  turned_weights, weight
        vsub  weight_delta, weight_delta, dot
        vmul  weight_delta, weight_delta, weight
        li32  r3, SCALE_BITS
        vmul  score_delta_all, weight_delta, r3
        vmov  turned_delta, score_delta_all

        li32  rows_word, 2 * VALUES + (TOKENS << 16)
        add   rows_word, rows_word, sums_here
        li32  a_word, attended_delta
        li32  b_word, turned_weight + (TOKENS << 16)
        call  r14, columns_of                   ; values
        li32  rows_word, TOKENS << 16
        add   rows_word, rows_word, sums_here
        li32  a_word, queries
        li32  b_word, turned_score_delta + (TOKENS << 16)
        call  r14, columns_of                   ; keys
        li32  rows_word, query_sums + (TOKENS << 16)
        mv    a_word, here
        li32  b_word, score_delta + (TOKENS << 16)
        call  r14, columns_of                   ; queries
gradient_next:
.if SEQUENCE_ROWS > 1
        call  block_arrived
        ldd   pass_out, sums_pass_d(r0)
        ldd   block_from, sums_d(r0)
        ldd   block_to, sums_d(r0)
        ldd   other, sums_in_d(r0)
        li32  r3, (2 * FEATURES * TOKENS) << 16
        add   r4, r3, sums_here
        dset  block_from, 0, r4
        add   r4, r3, sums_there
        dset  block_to, 0, r4
        vmov.async(UT_WEST) pass_out, block_from
        vmov  block_to, other
        waitu UT_WEST
        mv    r3, sums_here
        mv    sums_here, sums_there
        mv    sums_there, r3
        addi  step, step, 1
        li    r3, SEQUENCE_ROWS
        blt   step, r3, gradient_step
.endif
        ldd   d0, query_delta_d(r0)
        ldd   d1, query_sums_d(r0)
        vmov  d0, d1
        ldd   d0, block_delta_d(r0)
        ldd   d1, sums_d(r0)
        li32  r3, (2 * FEATURES * TOKENS) << 16
        add   r3, r3, sums_here
        dset  d1, 0, r3
        vmov  d0, d1
        yield

; scores, then gradients of the weights
score_dot          = scores + 8 * TOKENS * TOKENS
turned_weight      = score_dot + 4 * TOKENS
score_delta        = turned_weight + 2 * TOKENS * TOKENS
turned_score_delta = score_delta + 2 * TOKENS * TOKENS
query_sums         = turned_score_delta + 2 * TOKENS * TOKENS
block_sums         = query_sums + 4 * FEATURES * TOKENS
ATTENTION_GRADIENT_BYTES = block_sums + 4 * BLOCK_BYTES - scratch
        .align 8
        .desc dot_d kind=mem1d, type=f32, base=score_dot, len0=TOKENS, stride0=4
        .desc dot_rows_d kind=mem2d, type=f32, base=score_dot, len0=TOKENS, stride0=4, len1=FEATURES, stride1=0
        .desc dot_out_d kind=fabric_out, type=f32, len0=TOKENS, colour=HEAD_OUT, queue=1
        .desc both_d kind=mem1d, type=f32, base=scores, len0=2 * TOKENS * TOKENS, stride0=4
        .desc both_out_d kind=fabric_out, type=f32, len0=2 * TOKENS * TOKENS, colour=HEAD_OUT, queue=1
        .desc weight_delta_d kind=mem1d, type=f32, base=scores + 4 * TOKENS * TOKENS, len0=TOKENS * TOKENS, stride0=4
        .desc turned_weights_d kind=mem2d, type=f16, base=turned_weight, len0=TOKENS, stride0=ROW_BYTES, len1=TOKENS, stride1=2
        .desc score_delta_d kind=mem1d, type=f16, base=score_delta, len0=TOKENS * TOKENS, stride0=2
        .desc turned_delta_d kind=mem2d, type=f16, base=turned_score_delta, len0=TOKENS, stride0=ROW_BYTES, len1=TOKENS, stride1=2
        .desc query_sums_d kind=mem1d, type=f32, base=query_sums, len0=FEATURES * TOKENS, stride0=4
        .desc block_sums_d kind=mem1d, type=f32, base=block_sums, len0=2 * FEATURES * TOKENS, stride0=4
        .desc sums_d kind=mem1d, type=f32, base=0, len0=2 * FEATURES * TOKENS, stride0=4
        .desc sums_pass_d kind=fabric_out, type=f32, len0=2 * FEATURES * TOKENS, colour=PASS_OUT, queue=3
        .desc sums_in_d kind=fabric_in, type=f32, queue=1
        .desc attended_delta_d kind=mem1d, type=f16, base=attended_delta, len0=FEATURES * TOKENS, stride0=2
        .desc query_delta_d kind=mem1d, type=f16, base=query_delta, len0=FEATURES * TOKENS, stride0=2
        .desc block_delta_d kind=mem1d, type=f16, base=query_delta + VALUES, len0=2 * FEATURES * TOKENS, stride0=2
