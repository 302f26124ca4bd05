; A star of single values: every tile sends its value to the root, which sums them as they come, one a cycle. All tiles start in the same cycle, so all values
; enter their routers in the same cycle and then walk to the root in step: no two ever meet at a router, and one static route that takes values from the ramp
; and from the far side alike is enough. (Two values that did meet would trap.) The root's own value goes out and comes back through its router, as the first: along
; the first axis before the start, so that it waits in the input queue already.
; Along x, then (column 0 only, whose tiles all end along x in the same cycle) along y. Roles: 0 none, 1 sender, 3 root.
        .param X_ROLE, 0
        .param X_COUNT, 0
        .param Y_ROLE, 0
        .param Y_COUNT, 0
        .include "../collective.wl"

        .alias row d0
        .alias x_out d1
        .alias x_in d2
        .alias y_out d3
        .alias y_in d4
prepare:
        ldd   row, row_descriptor(r0)
        ldd   x_out, x_out_descriptor(r0)
        ldd   x_in, x_in_descriptor(r0)
        ldd   y_out, y_out_descriptor(r0)
        ldd   y_in, y_in_descriptor(r0)
.if X_ROLE == 3
        vmov  x_out, row
.elif Y_ROLE == 3
        vmov  y_out, row
.endif
        yield

start:
.if !(X_ROLE == 1 || X_ROLE == 0 && Y_ROLE == 1)
        lw    started, TIME(r0)
.endif
.if X_ROLE == 1
        vmov  x_out, row
.elif X_ROLE == 3
        vred.sum row, x_in
.endif
.if Y_ROLE == 1
        vmov  y_out, row
.elif Y_ROLE == 3
.if X_ROLE == 3
        vmov.async(0) y_out, row
.endif
        vred.sum row, y_in
.endif
        lw    finished, TIME(r0)
        j     finish

        .desc row_descriptor kind=mem1d, type=TYPE, base=values, len0=1, stride0=STRIDE
        .desc x_out_descriptor kind=fabric_out, type=TYPE, len0=1, colour=0, queue=0
        .desc x_in_descriptor kind=fabric_in, type=TYPE, len0=X_COUNT, queue=0
        .desc y_out_descriptor kind=fabric_out, type=TYPE, len0=1, colour=1, queue=1
        .desc y_in_descriptor kind=fabric_in, type=TYPE, len0=Y_COUNT, queue=1
        .align 8
bindings:
.if X_ROLE == 3
        .word MMIO_QUEUE_BIND, 0x80
.endif
.if Y_ROLE == 3
        .word MMIO_QUEUE_BIND + 4, 0x80 | 1
.endif
        .word 0, 0
values:
values_end = values + 8
