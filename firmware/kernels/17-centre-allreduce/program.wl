; A single word, summed over all tiles and given back to all, in little more than the diameter of the rectangle. Each row sends its values to its two middle
; columns (a star from either side, see 12-star-reduce/scalar.wl), each middle column to its two middle rows; the four tiles in the middle join their sums and one
; of them floods the total back in all directions. Packed binary16 is added in memory, at half the rate: the lanes' sums would join the two.
; Roles: 0 none, 1 sender, 3 receiver.
        .param X_ROLE, 0
        .param X_COUNT, 0              ; values of the half row, the receiver's included
        .param Y_ROLE, 0
        .param Y_COUNT, 0
        .param PAIR_ROLE, 0            ; middle tiles, east to west
        .param LAST_ROLE, 0            ; middle tiles, south to north
        .param ROOT, 0                 ; 0 a receiver of the broadcast, 1 its root, 2 a root without receivers
        .include "../collective.wl"
        .assert WORDS == 1, "the centre-rooted allreduce is for single words"
COLOUR_X = 0
COLOUR_Y = 1
COLOUR_PAIR = 2
COLOUR_LAST = 3
COLOUR_FLOOD = 4

        .alias row d0
        .alias x_out d1
        .alias x_in d2
        .alias y_out d3
        .alias y_in d4
        .alias x_sum d5
        .alias y_sum d6
        .alias pair_out d7
        .alias pair_in d8
        .alias last_out d9
        .alias last_in d10
        .alias flood_out d11
        .alias flood_in d12
prepare:
        ldd   row, row_descriptor(r0)
        ldd   x_out, x_out_descriptor(r0)
        ldd   x_in, x_in_descriptor(r0)
        ldd   y_out, y_out_descriptor(r0)
        ldd   y_in, y_in_descriptor(r0)
        ldd   x_sum, x_sum_descriptor(r0)
        ldd   y_sum, y_sum_descriptor(r0)
        ldd   pair_out, pair_out_descriptor(r0)
        ldd   pair_in, pair_in_descriptor(r0)
        ldd   last_out, last_out_descriptor(r0)
        ldd   last_in, last_in_descriptor(r0)
        ldd   flood_out, flood_out_descriptor(r0)
        ldd   flood_in, flood_in_descriptor(r0)
.if !HALF && X_ROLE == 3
        vmov  x_out, row
.elif !HALF && X_ROLE == 0 && Y_ROLE == 3
        vmov  y_out, row
.endif
        yield

start:
.if !(X_ROLE == 1 || X_ROLE == 0 && Y_ROLE == 1)
        lw    started, TIME(r0)
.endif
.if X_ROLE == 1
        vmov  x_out, row
.elif X_ROLE == 3 && HALF
        vadd  x_sum, x_in, x_sum
.elif X_ROLE == 3
        vred.sum row, x_in
.endif
.if Y_ROLE == 1
        vmov  y_out, row
.elif Y_ROLE == 3 && HALF
        vadd  y_sum, y_in, y_sum
.elif Y_ROLE == 3
.if X_ROLE == 3
        vmov.async(0) y_out, row
.endif
        vred.sum row, y_in
.endif
.if PAIR_ROLE == 1
        vmov  pair_out, row
.elif PAIR_ROLE == 3
        vadd  row, pair_in, row
.endif
.if LAST_ROLE == 1
        vmov  last_out, row
.elif LAST_ROLE == 3
        vadd  row, last_in, row
.endif
.if ROOT == 1
        vmov  flood_out, row
.elif ROOT == 0
        vmov  row, flood_in
.endif
        lw    finished, TIME(r0)
        j     finish

        .desc row_descriptor kind=mem1d, type=TYPE, base=values, len0=ELEMENTS, stride0=STRIDE
        .desc x_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=COLOUR_X, queue=0
        .desc x_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, len0=X_COUNT, queue=0
        .desc y_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=COLOUR_Y, queue=0
        .desc y_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, len0=Y_COUNT, queue=1
        .desc x_sum_descriptor kind=mem2d, type=TYPE, base=values, len0=ELEMENTS, stride0=STRIDE, len1=X_COUNT - (X_COUNT > 0), stride1=0
        .desc y_sum_descriptor kind=mem2d, type=TYPE, base=values, len0=ELEMENTS, stride0=STRIDE, len1=Y_COUNT - (Y_COUNT > 0), stride1=0
        .desc pair_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=COLOUR_PAIR, queue=0
        .desc pair_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=2
        .desc last_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=COLOUR_LAST, queue=0
        .desc last_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=3
        .desc flood_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=ELEMENTS, colour=COLOUR_FLOOD, queue=0
        .desc flood_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=4
        .align 8
bindings:
.if X_ROLE == 3
        .word MMIO_QUEUE_BIND, 0x80 | COLOUR_X
.endif
.if Y_ROLE == 3
        .word MMIO_QUEUE_BIND + 4, 0x80 | COLOUR_Y
.endif
.if PAIR_ROLE == 3
        .word MMIO_QUEUE_BIND + 8, 0x80 | COLOUR_PAIR
.endif
.if LAST_ROLE == 3
        .word MMIO_QUEUE_BIND + 12, 0x80 | COLOUR_LAST
.endif
.if ROOT == 0
        .word MMIO_QUEUE_BIND + 16, 0x80 | COLOUR_FLOOD
.endif
        .word 0, 0
        .align 8
values:
values_end = values + 8
