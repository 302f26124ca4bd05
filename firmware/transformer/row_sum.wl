; Sum of a vector over all columns of a row of tiles, left in every tile: a chain eastward on the ring's colours A and B, in which the last column has the total,
; and a multicast back from there, which the last column takes too. Every tile has the same bits. r15 links; the caller sets row_vector (memory) and row_out,
; row_in, back_out, back_in of as many elements. Constants of the program: COLUMN, WIDTH.
        .alias row_vector d0
        .alias row_out    d12
        .alias row_in     d13
        .alias back_out   d14
        .alias back_in    d15
row_sum:
.if WIDTH > 1
.if COLUMN == 0
        vmov  row_out, row_vector
.elif COLUMN < WIDTH - 1
        vadd  row_out, row_in, row_vector
.else
        vadd  row_vector, row_in, row_vector
        vmov.async(UT_WEST) back_out, row_vector
.endif
        vmov  row_vector, back_in
.if COLUMN == WIDTH - 1
        waitu UT_WEST
.endif
.endif
        ret
