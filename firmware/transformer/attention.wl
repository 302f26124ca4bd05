; Attention of one head on its columns, over a sequence on SEQUENCE_ROWS rows of tiles. Queries, keys and values of the tile's tokens and features lie in slabs,
; keys and values behind each other. Keys and values rotate southward, one row of tiles a step: while a tile works on the block it has, it passes it on and
; receives the next. Scores of TOKENS keys by TOKENS queries are summed over the head's columns; the softmax is online: when a block raises a query's
; maximum, what was summed before is scaled down. Maximum and 1 / sum stay in memory for the gradient. With CAUSAL a tile skips blocks of later rows.
; Given: TOKENS, FEATURES, HEAD_COLUMNS, HEAD_COLUMN, SEQUENCE_ROWS, POSITION (row within the sequence), CAUSAL, EXPONENT_BITS (scale of the scores times
; log2 e, as binary32), memory: queries, keys, attended, score_maximum, score_inverse, rotating (two blocks), scratch.
; Colours of the rotation (host/block/routes.h has the same).
COLOUR_ROTATE_A       = 12   ; within a sequence, even to odd rows, southward
COLOUR_ROTATE_B       = 13   ; odd to even rows
COLOUR_ROTATE_C       = 14   ; the sequence's last row back to its first
ROW_BYTES   = 2 * TOKENS
BLOCK_BYTES = 4 * FEATURES * TOKENS            ; keys and values of a tile
VALUES      = 2 * FEATURES * TOKENS            ; of a block: where the values start
        .alias maximum     d7
        .alias fresh       d8
        .alias fresh_rows  d9
        .alias factor      d10
        .alias sum         d11
        .alias sum_rows    d12
        .alias weights_all d13
        .alias heads_out   d14
        .alias other       d15
        .alias pass_out    d0
        .alias block_from  d1
        .alias block_to    d2
        .alias here        r10     ; the block that is worked on
        .alias there       r11     ; where the next one arrives
        .alias step        r12
attention:
        ldd   head_vector, scores_d(r0)
        ldd   head_out, scores_out_d(r0)
        ldd   head_in, head_in_d(r0)
        ldd   head_back, head_back_d(r0)
        ldd   maximum, maximum_d(r0)
        ldd   fresh, fresh_d(r0)
        ldd   fresh_rows, fresh_rows_d(r0)
        ldd   factor, factor_d(r0)
        ldd   sum, sum_d(r0)
        ldd   sum_rows, sum_rows_d(r0)
        ldd   weights_all, weights_d(r0)
        ldd   heads_out, heads_out_d(r0)
        li32  r3, 0xff800000                    ; -inf
        vmov  maximum, r3
        vmov  sum, r0
        vmov  heads_out, r0
        li32  here, keys
        li32  there, rotating
        li    step, 0
attention_step:
.if SEQUENCE_ROWS > 1
        li    r3, SEQUENCE_ROWS - 1
        beq   step, r3, attention_scores        ; the last block goes no further
        call  pass_on
attention_scores:
.if CAUSAL
        li    r3, POSITION
        blt   r3, step, attention_next          ; keys of later rows
.endif
.endif
        vmov  head_vector, r0
        mv    a_word, here
        li32  b_word, queries + (TOKENS << 16)
        li32  rows_word, scores + (TOKENS << 16)
        call  r14, scores_of
        call  head_sum
.if CAUSAL
        bnez  step, attention_weights
        ldd   other, later_d(r0)
        vadd  head_vector, head_vector, other   ; -inf where the key is later than the query
.endif
attention_weights:
        vmov  fresh, maximum
        vmax  fresh_rows, fresh, head_vector
        li32  r3, EXPONENT_BITS
        vsub  factor, maximum, fresh
        vmul  factor, factor, r3
        vsfu.exp2 factor, factor
        vmov  maximum, fresh
        vsub  head_vector, head_vector, fresh
        vmul  head_vector, head_vector, r3
        vsfu.exp2 head_vector, head_vector
        vmul  sum, sum, factor
        vadd  sum_rows, sum, head_vector
        vmov  weights_all, head_vector
        vmul  heads_out, heads_out, factor

        addi  a_word, here, VALUES
        li32  b_word, score_weights + (TOKENS << 16)
        li32  rows_word, head_sums + (TOKENS << 16)
        call  r14, columns_of
attention_next:
.if SEQUENCE_ROWS > 1
        call  block_arrived
        addi  step, step, 1
        li    r3, SEQUENCE_ROWS
        blt   step, r3, attention_step
.endif
        vsfu.rcp sum, sum
        ldd   other, attended_d(r0)
        vmul  other, heads_out, sum
        yield

.if SEQUENCE_ROWS > 1
; Starts to pass the block on and to receive the next.
pass_on:
        ldd   pass_out, pass_out_d(r0)
        ldd   block_from, block_d(r0)
        ldd   block_to, block_d(r0)
        ldd   other, pass_in_d(r0)
        li32  r3, (2 * FEATURES * TOKENS) << 16
        add   r4, r3, here
        dset  block_from, 0, r4
        add   r4, r3, there
        dset  block_to, 0, r4
        vmov.async(UT_WEST) pass_out, block_from
        vmov.async(UT_EAST) block_to, other
        ret

; Waits for both; the next block is here. The tile's own stays where it is.
block_arrived:
        waitu UT_WEST
        waitu UT_EAST
        mv    r3, here
        mv    here, there
        mv    there, r3
        li32  r4, keys
        bne   r3, r4, block_taken
        li32  there, rotating + BLOCK_BYTES
block_taken:
        ret
.endif

scores        = scratch
score_weights = scores + 4 * TOKENS * TOKENS
head_sums     = score_weights + 2 * TOKENS * TOKENS
score_fresh   = head_sums + 4 * FEATURES * TOKENS
score_factor  = score_fresh + 4 * TOKENS
ATTENTION_BYTES = score_factor + 4 * TOKENS - scratch
.if HEAD_COLUMN == 0
HEAD_OUT = COLOUR_BROADCAST_X
.elif COLUMN % 2
HEAD_OUT = COLOUR_CHAIN_X_ODD
.else
HEAD_OUT = COLOUR_CHAIN_X_EVEN
.endif
.if POSITION == SEQUENCE_ROWS - 1
PASS_OUT = COLOUR_ROTATE_C
.elif POSITION % 2
PASS_OUT = COLOUR_ROTATE_B
.else
PASS_OUT = COLOUR_ROTATE_A
.endif
        .align 8
        .desc scores_d kind=mem1d, type=f32, base=scores, len0=TOKENS * TOKENS, stride0=4
        .desc scores_out_d kind=fabric_out, type=f32, len0=TOKENS * TOKENS, colour=HEAD_OUT, queue=1
        .desc head_in_d kind=fabric_in, type=f32, queue=3
        .desc head_back_d kind=fabric_in, type=f32, queue=4
        .desc maximum_d kind=mem1d, type=f32, base=score_maximum, len0=TOKENS, stride0=4
        .desc fresh_d kind=mem1d, type=f32, base=score_fresh, len0=TOKENS, stride0=4
        .desc fresh_rows_d kind=mem2d, type=f32, base=score_fresh, len0=TOKENS, stride0=4, len1=TOKENS, stride1=0
        .desc factor_d kind=mem1d, type=f32, base=score_factor, len0=TOKENS, stride0=4
        .desc sum_d kind=mem1d, type=f32, base=score_inverse, len0=TOKENS, stride0=4
        .desc sum_rows_d kind=mem2d, type=f32, base=score_inverse, len0=TOKENS, stride0=4, len1=TOKENS, stride1=0
        .desc weights_d kind=mem1d, type=f16, base=score_weights, len0=TOKENS * TOKENS, stride0=2
        .desc heads_out_d kind=mem1d, type=f32, base=head_sums, len0=FEATURES * TOKENS, stride0=4
        .desc attended_d kind=mem1d, type=f16, base=attended, len0=FEATURES * TOKENS, stride0=2
        .desc block_d kind=mem1d, type=f16, base=0, len0=2 * FEATURES * TOKENS, stride0=2
        .desc pass_out_d kind=fabric_out, type=f16, pack=1, len0=2 * FEATURES * TOKENS, colour=PASS_OUT, queue=3
        .desc pass_in_d kind=fabric_in, type=f16, pack=1, queue=1
.if CAUSAL
        .desc later_d kind=mem1d, type=f16, base=later, len0=TOKENS * TOKENS, stride0=2
later:
.rept TOKENS, key
.rept TOKENS, query
        .half (key > query) * 0xfc00
.endr
.endr
        .align 8
.endif
