; Every tile ends with the sum of all: chains to tile (0, 0) (see 11-chain-reduce), which then floods the sum back (see 10-flood-broadcast).
; Roles in a leg of the chain: 0 none, 1 the far end, 2 within, 3 the root.
        .param X_ROLE, 0
        .param X_IN, 0
        .param X_OUT, 0
        .param Y_ROLE, 0
        .param Y_IN, 0
        .param Y_OUT, 0
        .param ROOT, 0                 ; 0 a receiver of the broadcast, 1 its root, 2 a root without receivers
        .param FLOOD, 0                ; colour of the broadcast
        .include "../collective.wl"

        .alias row d0
        .alias x_in d1
        .alias x_out d2
        .alias y_in d3
        .alias y_out d4
        .alias to_all d5
        .alias from_root d6
prepare:
        ldd   row, row_descriptor(r0)
        ldd   x_in, x_in_descriptor(r0)
        ldd   x_out, x_out_descriptor(r0)
        ldd   y_in, y_in_descriptor(r0)
        ldd   y_out, y_out_descriptor(r0)
        ldd   to_all, to_all_descriptor(r0)
        ldd   from_root, from_root_descriptor(r0)
        yield

start:
.if !(X_ROLE == 1 || X_ROLE == 0 && Y_ROLE == 1)
        lw    started, TIME(r0)
.endif
.if X_ROLE == 1
        vmov  x_out, row
.elif X_ROLE == 2
        vadd  x_out, x_in, row
.elif X_ROLE == 3
        vadd  row, x_in, row
.endif
.if Y_ROLE == 1
        vmov  y_out, row
.elif Y_ROLE == 2
        vadd  y_out, y_in, row
.elif Y_ROLE == 3
        vadd  row, y_in, row
.endif
.if ROOT == 1
        vmov  to_all, row
.elif ROOT == 0
        vmov  row, from_root
.endif
        lw    finished, TIME(r0)
        j     finish

        .desc row_descriptor kind=mem1d, type=TYPE, base=values, len0=ELEMENTS, stride0=STRIDE
        .desc x_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=0
        .desc x_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=X_OUT, queue=0
        .desc y_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=1
        .desc y_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=Y_OUT, queue=1
        .desc to_all_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=FLOOD, queue=2
        .desc from_root_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=2
        .align 8
bindings:
.if X_ROLE >= 2
        .word MMIO_QUEUE_BIND, 0x80 | X_IN
.endif
.if Y_ROLE >= 2
        .word MMIO_QUEUE_BIND + 4, 0x80 | Y_IN
.endif
.if ROOT == 0
        .word MMIO_QUEUE_BIND + 8, 0x80 | FLOOD
.endif
        .word 0, 0
values:
values_end = values + 4 * WORDS
