; A matrix-vector product. Each tile multiplies its block of the matrix by its part of the vector in one instruction; then every row of tiles adds its partial
; results in a chain towards its first tile (see 11-chain-reduce), which floods the sums back along the row: a pipelined allreduce.
; Roles in the chain: 0 none, 1 the far end, 2 within, 3 the root.
        .param X_ROLE, 0
        .param X_IN, 0
        .param X_OUT, 0
        .param FLOOD, 0                ; colour of the broadcast
        .param INNER                   ; columns of the tile's block; its rows are the ELEMENTS
        .param WINDOW, 0               ; bytes of the accumulator window
        .include "../collective.wl"
        .assert ELEMENTS < 65536 && INNER < 65536, "a block has at most 65535 rows and columns"

; Partial sums lie in the accumulator window if they fit.
.if 4 * WORDS <= WINDOW
PARTIAL = WINDOW_BASE
.else
PARTIAL = values
.endif
        .alias row d0
        .alias x_in d1
        .alias x_out d2
        .alias to_all d3
        .alias from_root d4
        .alias sums d5
        .alias block d6
        .alias vector d7
        .alias result d8
prepare:
        ldd   row, row_descriptor(r0)
        ldd   x_in, x_in_descriptor(r0)
        ldd   x_out, x_out_descriptor(r0)
        ldd   to_all, to_all_descriptor(r0)
        ldd   from_root, from_root_descriptor(r0)
        ldd   sums, sums_descriptor(r0)
        ldd   block, block_descriptor(r0)
        ldd   vector, vector_descriptor(r0)
        ldd   result, result_descriptor(r0)
        vmov  row, r0
        yield

start:
        lw    started, TIME(r0)
        vfma  sums, block, vector
.if X_ROLE == 1
        vmov  x_out, row
.elif X_ROLE == 2
        vadd  x_out, x_in, row
.elif X_ROLE == 3
        vadd  result, x_in, row
        vmov  to_all, result
.elif 4 * WORDS <= WINDOW
        vmov  result, row
.endif
.if X_ROLE == 1 || X_ROLE == 2
        vmov  result, from_root
.endif
        lw    finished, TIME(r0)
        j     finish

        ; The same sums for every column of the block, one element of the vector for a whole column.
        .desc sums_descriptor kind=mem2d, type=TYPE, base=PARTIAL, len0=ELEMENTS, stride0=STRIDE, len1=INNER, stride1=0
        .desc block_descriptor kind=mem2d, type=TYPE, base=block_values, len0=ELEMENTS, stride0=STRIDE, len1=INNER, stride1=ELEMENTS * STRIDE
        .desc vector_descriptor kind=mem2d, type=TYPE, base=vector_values, len0=ELEMENTS, stride0=0, len1=INNER, stride1=STRIDE
        .desc result_descriptor kind=mem1d, type=TYPE, base=values, len0=ELEMENTS, stride0=STRIDE
        .desc row_descriptor kind=mem1d, type=TYPE, base=PARTIAL, len0=ELEMENTS, stride0=STRIDE
        .desc x_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=0
        .desc x_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=X_OUT, queue=0
        .desc to_all_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=FLOOD, queue=1
        .desc from_root_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=1
        .align 8
bindings:
.if X_ROLE >= 2
        .word MMIO_QUEUE_BIND, 0x80 | X_IN
.endif
.if X_ROLE == 1 || X_ROLE == 2
        .word MMIO_QUEUE_BIND + 4, 0x80 | FLOOD
.endif
        .word 0, 0
        .align 8
; Sums, the block column by column, the part of the vector (a last word is filled up).
values:
block_values = values + 4 * WORDS
vector_values = block_values + 4 * WORDS * INNER
values_end = vector_values + (INNER * STRIDE + 3) / 4 * 4
