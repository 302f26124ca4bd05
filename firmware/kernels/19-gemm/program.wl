; A product of two matrices. Each tile keeps a block of the result. The columns of the left matrix and the rows of the right one are cut into STEPS pieces; in each
; step a tile multiplies one piece of either, sends both on and gets others: the left one along a ring of the row's tiles, the right one along a ring of the column's.
; A ring visits first the even tiles, then the odd ones on the way back, so that a piece never goes farther than two hops (the interleaved ring of published
; work on the wafer). Where the row is longer than the column, or the other way round, a tile of the shorter one holds several pieces.
; Communication runs on microthreads beside the multiplication; a piece that has been used goes on, another comes into the place of the one that went before it.
        .param STEPS
        .param ROWS                    ; of the tile's block of the result
        .param COLUMNS
        .param INNER                   ; of a piece
        .param X_RING, 0               ; a ring along x
        .param X_IN, 0
        .param X_OUT, 0
        .param X_PLACES, 1             ; for pieces of the left matrix
        .param Y_RING, 0
        .param Y_IN, 0
        .param Y_OUT, 0
        .param Y_PLACES, 1
        .include "../collective.wl"
LEFT = ROWS * INNER                    ; elements of a piece
RIGHT = INNER * COLUMNS
LEFT_BYTES = (LEFT * STRIDE + 3) / 4 * 4
RIGHT_BYTES = (RIGHT * STRIDE + 3) / 4 * 4
RESULT_BYTES = (ROWS * COLUMNS * STRIDE + 3) / 4 * 4

        .alias sums d0
        .alias right d1
        .alias left_send d3
        .alias left_take d4
        .alias right_send d5
        .alias right_take d6
        .alias left_out d7
        .alias left_in d8
        .alias right_out d9
        .alias right_in d10

        .alias steps r3                ; still to do
        .alias at_left r4              ; the descriptor's first word (address and length) of the piece in use
        .alias at_right r5
        .alias end_left r6
        .alias end_right r7
        .alias at r8                   ; the element in use, of the left piece
        .alias row r15
        .alias into r9                 ; the descriptor's first word of a row of the result
        .alias factor r1
        .alias end_row r12
        .alias length r13
        .alias other r14
prepare:
        ldd   sums, sums_descriptor(r0)
        ldd   right, right_descriptor(r0)
        ldd   left_send, left_descriptor(r0)
        ldd   left_take, left_descriptor(r0)
        ldd   right_send, right_piece_descriptor(r0)
        ldd   right_take, right_piece_descriptor(r0)
        ldd   left_out, left_out_descriptor(r0)
        ldd   left_in, left_in_descriptor(r0)
        ldd   right_out, right_out_descriptor(r0)
        ldd   right_in, right_in_descriptor(r0)
        li32  at_left, left_values
        li32  at_right, right_values
        li32  end_left, left_values + X_PLACES * LEFT_BYTES
        li32  end_right, right_values + Y_PLACES * RIGHT_BYTES
        li    steps, STEPS
        yield

start:
        lw    started, TIME(r0)
step:
        addi  steps, steps, -1
        beqz  steps, multiply          ; the last pieces stay
.if X_RING
        li32  length, LEFT << 16
        or    other, at_left, length
        dset  left_send, 0, other
        vmov.async(2) left_out, left_send
        li32  other, left_values       ; the place before, round the places
        bne   at_left, other, left_before
        mv    other, end_left
        j     left_place
left_before:
        mv    other, at_left
left_place:
        addi  other, other, -LEFT_BYTES
        or    other, other, length
        dset  left_take, 0, other
        vmov.async(0) left_take, left_in
.endif
.if Y_RING
        li32  length, RIGHT << 16
        or    other, at_right, length
        dset  right_send, 0, other
        vmov.async(3) right_out, right_send
        li32  other, right_values
        bne   at_right, other, right_before
        mv    other, end_right
        j     right_place
right_before:
        mv    other, at_right
right_place:
        addi  other, other, -RIGHT_BYTES
        or    other, other, length
        dset  right_take, 0, other
        vmov.async(1) right_take, right_in
.endif
multiply:
        li32  length, COLUMNS << 16
        or    other, at_right, length
        mv    at, at_left
        li32  into, values | COLUMNS << 16
        li32  end_row, (values + ROWS * COLUMNS * STRIDE) | COLUMNS << 16
multiply_row:
        dset  right, 0, other
        dset  sums, 0, into
        addi  row, at, INNER * STRIDE  ; the row's end
multiply_element:
.if HALF
        lhu   factor, 0(at)
        addi  at, at, STRIDE
        vmacs.h sums, sums, right, factor
.else
        lw    factor, 0(at)
        addi  at, at, STRIDE
        vmacs sums, sums, right, factor
.endif
        bne   at, row, multiply_element
        addi  into, into, COLUMNS * STRIDE
        bne   into, end_row, multiply_row
        beqz  steps, ended
.if X_RING
        waitu 0
.endif
.if Y_RING
        waitu 1
.endif
        addi  at_left, at_left, LEFT_BYTES
        bne   at_left, end_left, left_next
        li32  at_left, left_values
left_next:
        addi  at_right, at_right, RIGHT_BYTES
        bne   at_right, end_right, step
        li32  at_right, right_values
        j     step
ended:
        lw    finished, TIME(r0)
        j     finish

        ; A row of the result takes one row of the right piece after the other, each times one element of the left piece's row.
        .desc sums_descriptor kind=mem1d, type=TYPE, base=0, len0=COLUMNS, stride0=STRIDE
        .desc right_descriptor kind=mem1d, type=TYPE, base=0, len0=COLUMNS, stride0=STRIDE, save=1
        .desc left_descriptor kind=mem1d, type=TYPE, base=0, len0=LEFT, stride0=STRIDE
        .desc right_piece_descriptor kind=mem1d, type=TYPE, base=0, len0=RIGHT, stride0=STRIDE
        .desc left_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=LEFT, colour=X_OUT, queue=0
        .desc left_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=0
        .desc right_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=RIGHT, colour=Y_OUT, queue=1
        .desc right_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=1
        .align 8
bindings:
.if X_RING
        .word MMIO_QUEUE_BIND, 0x80 | X_IN
.endif
.if Y_RING
        .word MMIO_QUEUE_BIND + 4, 0x80 | Y_IN
.endif
        .word 0, 0
        .align 8
; The block of the result, row by row; places for pieces of the left matrix, row by row each; places for pieces of the right one.
values:
left_values = values + RESULT_BYTES
right_values = left_values + X_PLACES * LEFT_BYTES
values_end = right_values + Y_PLACES * RIGHT_BYTES
