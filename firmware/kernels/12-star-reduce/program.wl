; A star of vectors: tiles send their vectors to the root one after the other, nearest first. A tile's router first takes the tile's own vector. Behind it, through
; the same output queue, the tile sends one word on a colour that leads back to itself: when that arrives all of the vector has left, and the tile turns the
; route, so that its router passes on what comes from behind. In the meantime the link would idle: so tiles take two colours in turn, and one colour moves while
; the other turns. The root takes vector after vector from the two colours. Along x, then (column 0 only) along y.
; Roles: 0 none, 1 sender, 3 root. *_ODD and *_EVEN: how many tiles send on the first and on the second colour.
        .param X_ROLE, 0
        .param X_OUT, 0
        .param X_TURN, 0               ; the route's word once the tile's own vector has left
        .param X_ODD, 0
        .param X_EVEN, 0
        .param Y_ROLE, 0
        .param Y_OUT, 0
        .param Y_TURN, 0
        .param Y_ODD, 0
        .param Y_EVEN, 0
        .include "../collective.wl"

        .alias row d0
        .alias out d1
        .alias fence_out d2
        .alias fence_in d7
        .alias sink d8
        .alias in_odd d3
        .alias in_even d4
        .alias y_in_odd d5
        .alias y_in_even d6
prepare:
        ldd   row, row_descriptor(r0)
        ldd   out, out_descriptor(r0)
        ldd   fence_out, fence_out_descriptor(r0)
        ldd   fence_in, fence_in_descriptor(r0)
        ldd   sink, sink_descriptor(r0)
        ldd   in_odd, in_odd_descriptor(r0)
        ldd   in_even, in_even_descriptor(r0)
        ldd   y_in_odd, y_in_odd_descriptor(r0)
        ldd   y_in_even, y_in_even_descriptor(r0)
        li    r6, TURN
        yield

start:
.if !(X_ROLE == 1 || X_ROLE == 0 && Y_ROLE == 1)
        lw    started, TIME(r0)
.endif
.if X_ROLE == 3
.rept X_ODD, k
        vadd  row, in_odd, row
.if k < X_EVEN
        vadd  row, in_even, row
.endif
.endr
.endif
.if X_ROLE == 1 || Y_ROLE == 1
        vmov  out, row
        vmov  fence_out, row
        vmov  sink, fence_in
        sw    r6, TURN_AT(r0)
.endif
.if Y_ROLE == 3
.rept Y_ODD, k
        vadd  row, y_in_odd, row
.if k < Y_EVEN
        vadd  row, y_in_even, row
.endif
.endr
.endif
        lw    finished, TIME(r0)
        j     finish

; A tile sends once: along x, or, in column 0, along y.
.if X_ROLE == 1
OUT = X_OUT
TURN = X_TURN
.else
OUT = Y_OUT
TURN = Y_TURN
.endif
TURN_AT = MMIO_ROUTE + 32 * OUT - 0x10000
        .desc row_descriptor kind=mem1d, type=TYPE, base=values, len0=ELEMENTS, stride0=STRIDE
        .desc out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=OUT, queue=0
        .desc fence_out_descriptor kind=fabric_out, type=f32, len0=1, colour=4, queue=0
        .desc fence_in_descriptor kind=fabric_in, type=f32, queue=4
        .desc sink_descriptor kind=mem1d, type=f32, base=spare, len0=1
        .desc in_odd_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=0
        .desc in_even_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=1
        .desc y_in_odd_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=2
        .desc y_in_even_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=3
        .align 8
bindings:
.if X_ROLE == 3
        .word MMIO_QUEUE_BIND, 0x80
        .word MMIO_QUEUE_BIND + 4, 0x80 | 1
.endif
.if Y_ROLE == 3
        .word MMIO_QUEUE_BIND + 8, 0x80 | 2
        .word MMIO_QUEUE_BIND + 12, 0x80 | 3
.endif
.if X_ROLE == 1 || Y_ROLE == 1
        .word MMIO_QUEUE_BIND + 16, 0x80 | 4
.endif
        .word 0, 0
spare:  .word 0, 0
values:
values_end = values + 4 * WORDS
