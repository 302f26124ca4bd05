; One or more steps of a wave equation with a stencil of 25 points: each tile holds a column of cells along z, neighbours along x and y lie in other tiles.
;
; Exchange: in each of four directions the columns flow past, four tiles far, on two colours: tiles at even places send on the first, tiles at odd places on the
; second, in three turns. A switch of three positions (send, end of a flow, pass on) moves with the control wavelet behind each column. So a
; direction takes one input stream at a time: first those of the even colour, then those of the odd one. Four microthreads multiply what arrives by a coefficient
; and store the products; four more send. The own column comes back through the ramp with the eastward flow.
; Then: 17 additions of products, 8 multiply-adds along z, one subtraction of the cells two steps ago.
        .param CELLS
        .param STEPS, 1
        .param PENDING                 ; directions from which something comes, and those in which the tile sends
; For each direction (0 east, 1 west, 2 south, 3 north is where the data flow to): streams received, in order, as bytes: product << 3 | queue; whether and on
; which colour the tile sends.
        .param TAKES0, 0
        .param TAKES1, 0
        .param TAKES2, 0
        .param TAKES3, 0
        .param ORDER0, 0
        .param ORDER1, 0
        .param ORDER2, 0
        .param ORDER3, 0
        .param SENDS0, 0
        .param SENDS1, 0
        .param SENDS2, 0
        .param SENDS3, 0
        .param COLOUR0, 0
        .param COLOUR1, 2
        .param COLOUR2, 4
        .param COLOUR3, 6
        .param BOUND, 0                ; bit mask of queues, colour = queue
; Coefficients as binary32: the cell itself, distances 1 to 4 along x, y, z.
        .param C_OWN
        .param C_X1
        .param C_X2
        .param C_X3
        .param C_X4
        .param C_Y1
        .param C_Y2
        .param C_Y3
        .param C_Y4
        .param C_Z1
        .param C_Z2
        .param C_Z3
        .param C_Z4
        .include "../collective.wl"
HALO = 4
TASK_TAKE = 32                         ; and 33 to 35: the next stream of a direction
TASK_MARK = 36                         ; and 37 to 39: the control wavelet behind what was sent
COLUMN = CELLS << 16
PRODUCTS = 17

        .alias dest d0
        .alias source d1
        .alias factor d2
        .alias out0 d3
        .alias out1 d4
        .alias out2 d5
        .alias out3 d6
        .alias own d7
        .alias sum d8
        .alias product d9
        .alias zero d10
        .alias shifted d11
        .alias old d12
        .alias mark d13
        .alias marker d14

        .alias at0 r4                  ; next record of a direction
        .alias at1 r5
        .alias at2 r6
        .alias at3 r7
        .alias pending r8
        .alias now r9                  ; the descriptor's first word of the cells, without the length
        .alias before r12              ; the same of those one step earlier
        .alias left r13                ; steps

        .task TASK_TAKE + 0, take0
        .task TASK_TAKE + 1, take1
        .task TASK_TAKE + 2, take2
        .task TASK_TAKE + 3, take3
        .task TASK_MARK + 0, mark0
        .task TASK_MARK + 1, mark1
        .task TASK_MARK + 2, mark2
        .task TASK_MARK + 3, mark3
prepare:
        ldd   out0, out_descriptors(r0)
        ldd   out1, out_descriptors + 16(r0)
        ldd   out2, out_descriptors + 32(r0)
        ldd   out3, out_descriptors + 48(r0)
        ldd   marker, marker_descriptor(r0)
        ldd   own, column_descriptor(r0)
        ldd   shifted, column_descriptor(r0)
        ldd   old, column_descriptor(r0)
        ldd   sum, sum_descriptor(r0)
        ldd   zero, zero_descriptor(r0)
        li32  now, (values + 4 * HALO) | COLUMN
        li32  before, (values + 4 * (CELLS + 3 * HALO)) | COLUMN
        li    left, STEPS
        yield

start:
        lw    started, TIME(r0)
step:
        dset  own, 0, now
        li    pending, PENDING
        li    at0, records0
        li    at1, records1
        li    at2, records2
        li    at3, records3
.if TAKES0
        act   r0, TASK_TAKE + 0
.endif
.if TAKES1
        act   r0, TASK_TAKE + 1
.endif
.if TAKES2
        act   r0, TASK_TAKE + 2
.endif
.if TAKES3
        act   r0, TASK_TAKE + 3
.endif
.if SENDS0
        vmov.async(4) out0, own
.endif
.if SENDS1
        vmov.async(5) out1, own
.endif
.if SENDS2
        vmov.async(6) out2, own
.endif
.if SENDS3
        vmov.async(7) out3, own
.endif
        yield

; The next stream of a direction, or the direction's end.
take0:
        li    r3, records0 + 48 * TAKES0
        beq   at0, r3, done
        ldd   dest, 0(at0)
        ldd   source, 16(at0)
        ldd   factor, 32(at0)
        addi  at0, at0, 48
        vmul.async(0) dest, source, factor
        yield
take1:
        li    r3, records1 + 48 * TAKES1
        beq   at1, r3, done
        ldd   dest, 0(at1)
        ldd   source, 16(at1)
        ldd   factor, 32(at1)
        addi  at1, at1, 48
        vmul.async(1) dest, source, factor
        yield
take2:
        li    r3, records2 + 48 * TAKES2
        beq   at2, r3, done
        ldd   dest, 0(at2)
        ldd   source, 16(at2)
        ldd   factor, 32(at2)
        addi  at2, at2, 48
        vmul.async(2) dest, source, factor
        yield
take3:
        li    r3, records3 + 48 * TAKES3
        beq   at3, r3, done
        ldd   dest, 0(at3)
        ldd   source, 16(at3)
        ldd   factor, 32(at3)
        addi  at3, at3, 48
        vmul.async(3) dest, source, factor
        yield
; The sums wait for the own control wavelets too: a tile that computes would keep those back for whom it sends.
done:
        addi  pending, pending, -1
        beqz  pending, compute
        yield

mark0:
        ldd   mark, mark_descriptors(r0)
        vmov.async(4) mark, marker
        j     done
mark1:
        ldd   mark, mark_descriptors + 16(r0)
        vmov.async(5) mark, marker
        j     done
mark2:
        ldd   mark, mark_descriptors + 32(r0)
        vmov.async(6) mark, marker
        j     done
mark3:
        ldd   mark, mark_descriptors + 48(r0)
        vmov.async(7) mark, marker
        j     done

compute:
        ldd   product, product_descriptor(r0)
        vadd  sum, zero, product
.rept PRODUCTS - 1, k
        vadd  sum, sum, product
.endr
        addi  r3, now, -16
.rept 8, k
        lw    r14, along_z + 4 * k(r0)
        dset  shifted, 0, r3
        vmacs sum, sum, shifted, r14
.if k == 3
        addi  r3, r3, 8
.else
        addi  r3, r3, 4
.endif
.endr
        dset  old, 0, before
        vsub  old, sum, old
        mv    r3, now
        mv    now, before
        mv    before, r3
        addi  left, left, -1
        bnez  left, step
        lw    finished, TIME(r0)
        j     finish

        .align 8
out_descriptors:
        .word COLUMN, 0, COLOUR0 << 20 | 0 << 25, KIND_FABRIC_OUT | TYPE_F32 << 3 | 1 << 10 | (TASK_MARK + 0) << 12
        .word COLUMN, 0, COLOUR1 << 20 | 1 << 25, KIND_FABRIC_OUT | TYPE_F32 << 3 | 1 << 10 | (TASK_MARK + 1) << 12
        .word COLUMN, 0, COLOUR2 << 20 | 2 << 25, KIND_FABRIC_OUT | TYPE_F32 << 3 | 1 << 10 | (TASK_MARK + 2) << 12
        .word COLUMN, 0, COLOUR3 << 20 | 3 << 25, KIND_FABRIC_OUT | TYPE_F32 << 3 | 1 << 10 | (TASK_MARK + 3) << 12
mark_descriptors:
        .word 1 << 16, 0, COLOUR0 << 20 | 0 << 25, KIND_FABRIC_OUT | TYPE_I32 << 3 | 1 << 6
        .word 1 << 16, 0, COLOUR1 << 20 | 1 << 25, KIND_FABRIC_OUT | TYPE_I32 << 3 | 1 << 6
        .word 1 << 16, 0, COLOUR2 << 20 | 2 << 25, KIND_FABRIC_OUT | TYPE_I32 << 3 | 1 << 6
        .word 1 << 16, 0, COLOUR3 << 20 | 3 << 25, KIND_FABRIC_OUT | TYPE_I32 << 3 | 1 << 6
        .desc marker_descriptor kind=mem1d, type=TYPE_I32, base=advance, len0=1, stride0=4
        .desc column_descriptor kind=mem1d, type=TYPE_F32, base=values, len0=CELLS, stride0=4
        .desc sum_descriptor kind=mem1d, type=TYPE_F32, base=sums, len0=CELLS, stride0=4
        .desc zero_descriptor kind=mem1d, type=TYPE_F32, base=nothing, len0=CELLS, stride0=0
        .desc product_descriptor kind=mem1d, type=TYPE_F32, base=products, len0=CELLS, stride0=4, save=1
advance: .word CMD_ADVANCE
nothing: .word 0
coefficients:
        .word C_OWN, C_X1, C_X2, C_X3, C_X4, C_X1, C_X2, C_X3, C_X4, C_Y1, C_Y2, C_Y3, C_Y4, C_Y1, C_Y2, C_Y3, C_Y4
along_z: .word C_Z4, C_Z3, C_Z2, C_Z1, C_Z1, C_Z2, C_Z3, C_Z4
        .align 8
; A stream's record: where the products go (one element more than comes: the control wavelet behind the column ends the instruction), the queue, the coefficient.
records0:
.rept TAKES0, k
        .word (products + 4 * CELLS * (ORDER0 >> 8 * k >> 3 & 31)) | CELLS + 1 << 16, 4, 0, KIND_MEM1D | TYPE_F32 << 3 | 1 << 10 | (TASK_TAKE + 0) << 12
        .word 0, 0, (ORDER0 >> 8 * k & 7) << 25, KIND_FABRIC_IN | TYPE_F32 << 3 | 1 << 8
        .word (coefficients + 4 * (ORDER0 >> 8 * k >> 3 & 31)) | CELLS + 1 << 16, 0, 0, KIND_MEM1D | TYPE_F32 << 3
.endr
records1:
.rept TAKES1, k
        .word (products + 4 * CELLS * (ORDER1 >> 8 * k >> 3 & 31)) | CELLS + 1 << 16, 4, 0, KIND_MEM1D | TYPE_F32 << 3 | 1 << 10 | (TASK_TAKE + 1) << 12
        .word 0, 0, (ORDER1 >> 8 * k & 7) << 25, KIND_FABRIC_IN | TYPE_F32 << 3 | 1 << 8
        .word (coefficients + 4 * (ORDER1 >> 8 * k >> 3 & 31)) | CELLS + 1 << 16, 0, 0, KIND_MEM1D | TYPE_F32 << 3
.endr
records2:
.rept TAKES2, k
        .word (products + 4 * CELLS * (ORDER2 >> 8 * k >> 3 & 31)) | CELLS + 1 << 16, 4, 0, KIND_MEM1D | TYPE_F32 << 3 | 1 << 10 | (TASK_TAKE + 2) << 12
        .word 0, 0, (ORDER2 >> 8 * k & 7) << 25, KIND_FABRIC_IN | TYPE_F32 << 3 | 1 << 8
        .word (coefficients + 4 * (ORDER2 >> 8 * k >> 3 & 31)) | CELLS + 1 << 16, 0, 0, KIND_MEM1D | TYPE_F32 << 3
.endr
records3:
.rept TAKES3, k
        .word (products + 4 * CELLS * (ORDER3 >> 8 * k >> 3 & 31)) | CELLS + 1 << 16, 4, 0, KIND_MEM1D | TYPE_F32 << 3 | 1 << 10 | (TASK_TAKE + 3) << 12
        .word 0, 0, (ORDER3 >> 8 * k & 7) << 25, KIND_FABRIC_IN | TYPE_F32 << 3 | 1 << 8
        .word (coefficients + 4 * (ORDER3 >> 8 * k >> 3 & 31)) | CELLS + 1 << 16, 0, 0, KIND_MEM1D | TYPE_F32 << 3
.endr
bindings:
.rept 8, k
.if BOUND >> k & 1
        .word MMIO_QUEUE_BIND + 4 * k, 0x80 | k
.endif
.endr
        .word 0, 0
        .align 8
; The cells now and one step earlier, each between two halos of zeros; the sums; the products.
values:
sums = values + 8 * (CELLS + 2 * HALO)
products = sums + 4 * (CELLS + CELLS % 2)
values_end = products + 4 * CELLS * PRODUCTS
