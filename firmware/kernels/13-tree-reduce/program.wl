; A binary tree over whole vectors: in round r the tiles whose number ends in 1 and r zeros (binary) send to the tile 2**r nearer to the root. Each round has a
; colour of its own, so that routes are static: routers between sender and receiver pass it on. A tile adds what it receives round by round; the sum of its
; last round goes out as it arises. Along x, then (column 0 only) along y.
; Input queues are taken in turn, eight at a time; a queue is bound to its next colour when its vector has been taken, eight rounds before the next one is due.
        .param X_RECEIVES, 0
        .param Y_RECEIVES, 0
        .param Y_FIRST, 0              ; colour of the first round along y; along x it is 0
        .param SEND, 0
        .param OUT, 0
        .include "../collective.wl"
TOTAL = X_RECEIVES + Y_RECEIVES
PLAIN = TOTAL - (SEND && TOTAL > 0)    ; receptions that are not passed on at once
BIND = MMIO_QUEUE_BIND - 0x10000

        .alias in0 d0
        .alias in1 d1
        .alias in2 d2
        .alias in3 d3
        .alias in4 d4
        .alias in5 d5
        .alias in6 d6
        .alias in7 d7
        .alias row d8
        .alias out d9
prepare:
        ldd   in0, in_descriptors(r0)
        ldd   in1, in_descriptors + 16(r0)
        ldd   in2, in_descriptors + 32(r0)
        ldd   in3, in_descriptors + 48(r0)
        ldd   in4, in_descriptors + 64(r0)
        ldd   in5, in_descriptors + 80(r0)
        ldd   in6, in_descriptors + 96(r0)
        ldd   in7, in_descriptors + 112(r0)
        ldd   row, row_descriptor(r0)
        ldd   out, out_descriptor(r0)
        yield

start:
.if !(SEND && TOTAL == 0)
        lw    started, TIME(r0)
.endif
.rept 3, k
.if 8 * k + 0 < TOTAL
.if 8 * k + 8 < TOTAL
        li    r5, 0x80 | (8 * k + 8 < X_RECEIVES) * (8 * k + 8) + (8 * k + 8 >= X_RECEIVES) * (Y_FIRST + 8 * k + 8 - X_RECEIVES)
.endif
.if 8 * k + 0 < PLAIN
        vadd  row, in0, row
.else
        vadd  out, in0, row
.endif
.if 8 * k + 8 < TOTAL
        sw    r5, BIND + 0(r0)
.endif
.endif
.if 8 * k + 1 < TOTAL
.if 8 * k + 9 < TOTAL
        li    r5, 0x80 | (8 * k + 9 < X_RECEIVES) * (8 * k + 9) + (8 * k + 9 >= X_RECEIVES) * (Y_FIRST + 8 * k + 9 - X_RECEIVES)
.endif
.if 8 * k + 1 < PLAIN
        vadd  row, in1, row
.else
        vadd  out, in1, row
.endif
.if 8 * k + 9 < TOTAL
        sw    r5, BIND + 4(r0)
.endif
.endif
.if 8 * k + 2 < TOTAL
.if 8 * k + 10 < TOTAL
        li    r5, 0x80 | (8 * k + 10 < X_RECEIVES) * (8 * k + 10) + (8 * k + 10 >= X_RECEIVES) * (Y_FIRST + 8 * k + 10 - X_RECEIVES)
.endif
.if 8 * k + 2 < PLAIN
        vadd  row, in2, row
.else
        vadd  out, in2, row
.endif
.if 8 * k + 10 < TOTAL
        sw    r5, BIND + 8(r0)
.endif
.endif
.if 8 * k + 3 < TOTAL
.if 8 * k + 11 < TOTAL
        li    r5, 0x80 | (8 * k + 11 < X_RECEIVES) * (8 * k + 11) + (8 * k + 11 >= X_RECEIVES) * (Y_FIRST + 8 * k + 11 - X_RECEIVES)
.endif
.if 8 * k + 3 < PLAIN
        vadd  row, in3, row
.else
        vadd  out, in3, row
.endif
.if 8 * k + 11 < TOTAL
        sw    r5, BIND + 12(r0)
.endif
.endif
.if 8 * k + 4 < TOTAL
.if 8 * k + 12 < TOTAL
        li    r5, 0x80 | (8 * k + 12 < X_RECEIVES) * (8 * k + 12) + (8 * k + 12 >= X_RECEIVES) * (Y_FIRST + 8 * k + 12 - X_RECEIVES)
.endif
.if 8 * k + 4 < PLAIN
        vadd  row, in4, row
.else
        vadd  out, in4, row
.endif
.if 8 * k + 12 < TOTAL
        sw    r5, BIND + 16(r0)
.endif
.endif
.if 8 * k + 5 < TOTAL
.if 8 * k + 13 < TOTAL
        li    r5, 0x80 | (8 * k + 13 < X_RECEIVES) * (8 * k + 13) + (8 * k + 13 >= X_RECEIVES) * (Y_FIRST + 8 * k + 13 - X_RECEIVES)
.endif
.if 8 * k + 5 < PLAIN
        vadd  row, in5, row
.else
        vadd  out, in5, row
.endif
.if 8 * k + 13 < TOTAL
        sw    r5, BIND + 20(r0)
.endif
.endif
.if 8 * k + 6 < TOTAL
.if 8 * k + 14 < TOTAL
        li    r5, 0x80 | (8 * k + 14 < X_RECEIVES) * (8 * k + 14) + (8 * k + 14 >= X_RECEIVES) * (Y_FIRST + 8 * k + 14 - X_RECEIVES)
.endif
.if 8 * k + 6 < PLAIN
        vadd  row, in6, row
.else
        vadd  out, in6, row
.endif
.if 8 * k + 14 < TOTAL
        sw    r5, BIND + 24(r0)
.endif
.endif
.if 8 * k + 7 < TOTAL
.if 8 * k + 15 < TOTAL
        li    r5, 0x80 | (8 * k + 15 < X_RECEIVES) * (8 * k + 15) + (8 * k + 15 >= X_RECEIVES) * (Y_FIRST + 8 * k + 15 - X_RECEIVES)
.endif
.if 8 * k + 7 < PLAIN
        vadd  row, in7, row
.else
        vadd  out, in7, row
.endif
.if 8 * k + 15 < TOTAL
        sw    r5, BIND + 28(r0)
.endif
.endif
.endr
.if SEND && TOTAL == 0
        vmov  out, row
.endif
        lw    finished, TIME(r0)
        j     finish

        .desc row_descriptor kind=mem1d, type=TYPE, base=values, len0=ELEMENTS, stride0=STRIDE
        .desc out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=OUT, queue=0
        .align 8
in_descriptors:
.rept 8, q
        .word 0, 0, q << 25, KIND_FABRIC_IN | (TYPE << 3) | (HALF << 5)
.endr
bindings:
.rept 8, q
.if q < TOTAL
        .word MMIO_QUEUE_BIND + 4 * q, 0x80 | (q < X_RECEIVES) * q + (q >= X_RECEIVES) * (Y_FIRST + q - X_RECEIVES)
.endif
.endr
        .word 0, 0
values:
values_end = values + 4 * WORDS
