; The products of attention: sums of outer products. A scalar of one slab times a row of tokens of another, added to a row of binary32: factors are binary16,
; which the lanes multiply at full rate, and only a scalar can be repeated at that rate (a source with stride 0 takes three cycles an element). A microthread
; adds while the main thread fetches the next scalar; each row is a descriptor that moves on by itself (`save`), so it is set once for a round.
; a_word: address of the first scalar; b_word, rows_word: first words of the descriptors of the row of tokens and of the first row of sums. r14 links.
UT_OUTER = 1
        .alias sums_row  d0
        .alias token_row d2
        .alias left      r3
        .alias a_word    r4
        .alias b_word    r5
        .alias rows_word r6
        .alias scalar    r7
; sums[key][query] += the sum over local features of a[feature][key] b[feature][query]
scores_of:
        ldd   sums_row, sums_row_d(r0)
        ldd   token_row, token_row_d(r0)
        li    left, FEATURES
scores_feature:
        dset  sums_row, 0, rows_word
        dset  token_row, 0, b_word
.rept TOKENS, key
        lhu   scalar, 2 * key(a_word)
        vmacs.h.async(UT_OUTER) sums_row, sums_row, token_row, scalar
.endr
        addi  a_word, a_word, ROW_BYTES
        addi  b_word, b_word, ROW_BYTES
        addi  left, left, -1
        waitu UT_OUTER
        bnez  left, scores_feature
        ret   r14

; sums[feature][token] += the sum over k of a[feature][k] b[k][token], b a square of TOKENS
columns_of:
        ldd   sums_row, sums_row_d(r0)
        ldd   token_row, token_row_d(r0)
        li    left, TOKENS
columns_token:
        dset  sums_row, 0, rows_word
        dset  token_row, 0, b_word
.rept FEATURES, feature
        lhu   scalar, ROW_BYTES * feature(a_word)
        vmacs.h.async(UT_OUTER) sums_row, sums_row, token_row, scalar
.endr
        addi  a_word, a_word, 2
        addi  b_word, b_word, ROW_BYTES
        addi  left, left, -1
        waitu UT_OUTER
        bnez  left, columns_token
        ret   r14

        .align 8
        .desc sums_row_d kind=mem1d, type=f32, base=0, len0=TOKENS, stride0=4, save=1
        .desc token_row_d kind=mem1d, type=f16, base=0, len0=TOKENS, stride0=2

; Sum of a vector over the columns of a head, left in all of them: a chain westward to the head's first column, a broadcast back. r15 links. head_out: of the
; first column the broadcast, of the others the chain.
        .alias head_vector d3
        .alias head_out    d4
        .alias head_in     d5
        .alias head_back   d6
head_sum:
.if HEAD_COLUMNS > 1
.if HEAD_COLUMN == 0
        vadd  head_vector, head_in, head_vector
        vmov  head_out, head_vector
.elif HEAD_COLUMN < HEAD_COLUMNS - 1
        vadd  head_out, head_in, head_vector
        vmov  head_vector, head_back
.else
        vmov  head_out, head_vector
        vmov  head_vector, head_back
.endif
.endif
        ret
