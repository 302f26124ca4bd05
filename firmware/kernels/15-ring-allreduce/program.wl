; A ring: the vector is cut into as many pieces as there are tiles in a row. For each piece a sum goes round: tile i starts piece i and sends it on; the others
; add theirs as it comes and pass it on; after P - 1 steps tile i keeps the total of piece i + 1. Then the totals go round in the same way. Eastward colours in
; turn, and one that brings the last tile's words back to the first. Along x in every row, then along y in every column.
        .param X_STEPS, 0              ; tiles of the row less one; 0: no ring along x
        .param X_OUT, 0
        .param X_IN, 0
        .param X_PIECE, 1              ; words
        .param Y_STEPS, 0
        .param Y_OUT, 0
        .param Y_IN, 0
        .param Y_PIECE, 1
        .include "../collective.wl"

        .alias piece d0
        .alias out d1
        .alias in d2

; One ring, once along x and once along y: descriptors piece, out, in; r4 address and length of the tile's own piece (the descriptor's first word), r5 bytes of a
; piece, r6 that word for the first piece, r7 for the end of the last one, r8 steps.
        .alias at r4
        .alias bytes r5
        .alias first r6
        .alias end r7
        .alias steps r8
        .alias left r9
prepare:
        ldd   out, x_out_descriptor(r0)
        ldd   in, x_in_descriptor(r0)
        ldd   piece, x_piece_descriptor(r0)
        li    steps, X_STEPS
.if X_STEPS > 0
        lw    r3, MMIO_COORD - 0x10000(r0)
        li32  at, 0xffff
        and   r3, r3, at               ; own number
        li32  at, values + (X_ELEMENTS << 16)
        li    bytes, 4 * X_PIECE
        mv    first, at
        addi  end, at, 4 * WORDS
        j     prepare_test
prepare_next:
        add   at, at, bytes
        addi  r3, r3, -1
prepare_test:
        bnez  r3, prepare_next
.endif
        yield

start:
        lw    started, TIME(r0)
.if X_STEPS > 0
        call  ring
.endif
.if Y_STEPS > 0
        ldd   out, y_out_descriptor(r0)
        ldd   in, y_in_descriptor(r0)
        ldd   piece, y_piece_descriptor(r0)
        li    steps, Y_STEPS
        lw    r3, MMIO_COORD - 0x10000(r0)
        li    at, 16
        srl   r3, r3, at
        li32  at, values + (Y_ELEMENTS << 16)
        li    bytes, 4 * Y_PIECE
        mv    first, at
        addi  end, at, 4 * WORDS
        j     y_test
y_next:
        add   at, at, bytes
        addi  r3, r3, -1
y_test:
        bnez  r3, y_next
        call  ring
.endif
        lw    finished, TIME(r0)
        j     finish

ring:
        dset  piece, 0, at
        vmov  out, piece
        mv    left, steps
ring_sum:
        bne   at, first, ring_before   ; the piece before, round the ring
        mv    at, end
ring_before:
        sub   at, at, bytes
        dset  piece, 0, at
        addi  left, left, -1
        beqz  left, ring_total
        vadd  out, in, piece
        j     ring_sum
ring_total:
        vadd  piece, in, piece
        vmov  out, piece
        mv    left, steps
ring_share:
        bne   at, first, share_before
        mv    at, end
share_before:
        sub   at, at, bytes
        dset  piece, 0, at
        vmov  piece, in
        addi  left, left, -1
        beqz  left, ring_done
        vmov  out, piece
        j     ring_share
ring_done:
        ret

X_ELEMENTS = X_PIECE * (1 + HALF)
Y_ELEMENTS = Y_PIECE * (1 + HALF)
        .desc x_piece_descriptor kind=mem1d, type=TYPE, base=values, len0=X_ELEMENTS, stride0=STRIDE
        .desc x_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=X_ELEMENTS, colour=X_OUT, queue=0
        .desc x_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=0
        .desc y_piece_descriptor kind=mem1d, type=TYPE, base=values, len0=Y_ELEMENTS, stride0=STRIDE
        .desc y_out_descriptor kind=fabric_out, type=TYPE, pack=HALF, len0=Y_ELEMENTS, colour=Y_OUT, queue=1
        .desc y_in_descriptor kind=fabric_in, type=TYPE, pack=HALF, queue=1
        .align 8
bindings:
.if X_STEPS > 0
        .word MMIO_QUEUE_BIND, 0x80 | X_IN
.endif
.if Y_STEPS > 0
        .word MMIO_QUEUE_BIND + 4, 0x80 | Y_IN
.endif
        .word 0, 0
values:
values_end = values + 4 * WORDS
