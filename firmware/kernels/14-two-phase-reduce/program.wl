; Two phases: chains within groups of GROUP neighbouring tiles, then a chain over the groups' first tiles. The last group's first tile passes its group's sums on
; as they arise. Along x, then (column 0 only) along y. Roles in each of the four legs: 0 none, 1 the far end, 2 within, 3 the root.
        .param X1_ROLE, 0
        .param X1_IN, 0
        .param X1_OUT, 0
        .param X2_ROLE, 0
        .param X2_IN, 0
        .param X2_OUT, 0
        .param Y1_ROLE, 0
        .param Y1_IN, 0
        .param Y1_OUT, 0
        .param Y2_ROLE, 0
        .param Y2_IN, 0
        .param Y2_OUT, 0
        .include "../collective.wl"

        .alias row d0
        .alias x1_in d1
        .alias x1_out d2
        .alias x2_in d3
        .alias x2_out d4
        .alias y1_in d5
        .alias y1_out d6
        .alias y2_in d7
        .alias y2_out d8
prepare:
        ldd   row, row_descriptor(r0)
        ldd   x1_in, x1_in_descriptor(r0)
        ldd   x1_out, x1_out_descriptor(r0)
        ldd   x2_in, x2_in_descriptor(r0)
        ldd   x2_out, x2_out_descriptor(r0)
        ldd   y1_in, y1_in_descriptor(r0)
        ldd   y1_out, y1_out_descriptor(r0)
        ldd   y2_in, y2_in_descriptor(r0)
        ldd   y2_out, y2_out_descriptor(r0)
        yield

start:
.if !(X1_ROLE == 1 || X1_ROLE == 0 && X2_ROLE == 1 || X1_ROLE == 0 && X2_ROLE == 0 && (Y1_ROLE == 1 || Y1_ROLE == 0 && Y2_ROLE == 1))
        lw    started, TIME(r0)
.endif
.if X1_ROLE == 3 && X2_ROLE == 1
        vadd  x2_out, x1_in, row
.else
.if X1_ROLE == 1
        vmov  x1_out, row
.elif X1_ROLE == 2
        vadd  x1_out, x1_in, row
.elif X1_ROLE == 3
        vadd  row, x1_in, row
.endif
.if X2_ROLE == 1
        vmov  x2_out, row
.elif X2_ROLE == 2
        vadd  x2_out, x2_in, row
.elif X2_ROLE == 3
        vadd  row, x2_in, row
.endif
.endif
.if Y1_ROLE == 3 && Y2_ROLE == 1
        vadd  y2_out, y1_in, row
.else
.if Y1_ROLE == 1
        vmov  y1_out, row
.elif Y1_ROLE == 2
        vadd  y1_out, y1_in, row
.elif Y1_ROLE == 3
        vadd  row, y1_in, row
.endif
.if Y2_ROLE == 1
        vmov  y2_out, row
.elif Y2_ROLE == 2
        vadd  y2_out, y2_in, row
.elif Y2_ROLE == 3
        vadd  row, y2_in, row
.endif
.endif
        lw    finished, TIME(r0)
        j     finish

        .desc row_descriptor kind=mem1d, type=TYPE, base=values, len0=ELEMENTS, stride0=STRIDE
        .desc x1_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=0
        .desc x1_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=X1_OUT, queue=0
        .desc x2_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=1
        .desc x2_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=X2_OUT, queue=1
        .desc y1_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=2
        .desc y1_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=Y1_OUT, queue=2
        .desc y2_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=3
        .desc y2_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=Y2_OUT, queue=3
        .align 8
bindings:
.if X1_ROLE >= 2
        .word MMIO_QUEUE_BIND + 0, 0x80 | X1_IN
.endif
.if X2_ROLE >= 2
        .word MMIO_QUEUE_BIND + 4, 0x80 | X2_IN
.endif
.if Y1_ROLE >= 2
        .word MMIO_QUEUE_BIND + 8, 0x80 | Y1_IN
.endif
.if Y2_ROLE >= 2
        .word MMIO_QUEUE_BIND + 12, 0x80 | Y2_IN
.endif
        .word 0, 0
values:
values_end = values + 4 * WORDS
