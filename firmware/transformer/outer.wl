; The products of attention: dest += a column (x) b row, for `left` pairs one after the other. outer_dest, outer_a and outer_b are set but for where a and b start:
; a_word and b_word, the descriptors' first words, move on by a_step and b_step. The factors are binary16, the sums binary32: the lanes' full rate. A
; microthread multiplies while the main thread makes the next descriptors. r14 links.
UT_OUTER = 1
        .alias outer_dest d0
        .alias outer_a    d1
        .alias outer_b    d2
        .alias left       r3
        .alias a_word     r4
        .alias b_word     r5
        .alias a_step     r6
        .alias b_step     r7
outer:
        dset  outer_a, 0, a_word
        dset  outer_b, 0, b_word
        vfma.async(UT_OUTER) outer_dest, outer_a, outer_b
        add   a_word, a_word, a_step
        add   b_word, b_word, b_step
        addi  left, left, -1
        bnez  left, outer
        waitu UT_OUTER
        ret   r14

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
