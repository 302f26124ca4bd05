; The root sends its vector once; routers copy it to their tile and pass it on, along the first row and down all columns at once: one colour, static routes.
        .param ROOT, 0                 ; 0 a receiver, 1 the root, 2 a root without receivers
        .param COLOUR, 0
        .include "../collective.wl"

        .alias row d0
        .alias to_all d1
        .alias from_root d2
prepare:
        ldd   row, row_descriptor(r0)
        ldd   to_all, out_descriptor(r0)
        ldd   from_root, in_descriptor(r0)
        yield

start:
.if ROOT != 1
        lw    started, TIME(r0)
.endif
.if ROOT == 1
        vmov  to_all, row
.elif ROOT == 0
        vmov  row, from_root
.endif
        lw    finished, TIME(r0)
        j     finish

        .desc row_descriptor kind=mem1d, type=TYPE, base=values, len0=ELEMENTS, stride0=STRIDE
        .desc out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=COLOUR, queue=0
        .desc in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=0
        .align 8
bindings:
.if !ROOT
        .word MMIO_QUEUE_BIND, 0x80 | COLOUR
.endif
        .word 0, 0
values:
values_end = values + 4 * WORDS
