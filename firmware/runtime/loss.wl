; Softmax cross-entropy over all columns, its gradient, the loss and the number of wrong tokens. All in binary32.
; Row chains run from the last column to column 0, which broadcasts the result. Ends of a chain are descriptors: the last column's chain input is a
; neutral constant in memory, column 0's chain output the row itself, so that every tile runs the same instruction.
;
; d0 logits   d1, d2 maximum (as one row for all features, as a row)   d3, d4 sum   d5, d6 label   d7 targets   d8 output gradient   d9 row of factors
; d10 row of ones   d11, d12 chain in (or -inf, 0)   d13, d14 chain out (maximum, sum); then d13 broadcast out, d15 broadcast in
loss:
        ldd   d0, RECORD_HEAD + 0 * DESCRIPTOR(r1)
        ldd   d1, RECORD_HEAD + 1 * DESCRIPTOR(r1)
        ldd   d2, RECORD_HEAD + 2 * DESCRIPTOR(r1)
        ldd   d3, RECORD_HEAD + 3 * DESCRIPTOR(r1)
        ldd   d4, RECORD_HEAD + 4 * DESCRIPTOR(r1)
        ldd   d5, RECORD_HEAD + 5 * DESCRIPTOR(r1)
        ldd   d6, RECORD_HEAD + 6 * DESCRIPTOR(r1)
        ldd   d7, RECORD_HEAD + 7 * DESCRIPTOR(r1)
        ldd   d8, RECORD_HEAD + 8 * DESCRIPTOR(r1)
        ldd   d9, RECORD_HEAD + 9 * DESCRIPTOR(r1)
        ldd   d10, RECORD_HEAD + 10 * DESCRIPTOR(r1)
        ldd   d11, RECORD_HEAD + 11 * DESCRIPTOR(r1)
        ldd   d12, RECORD_HEAD + 12 * DESCRIPTOR(r1)
        ldd   d13, RECORD_HEAD + 13 * DESCRIPTOR(r1)
        ldd   d14, RECORD_HEAD + 14 * DESCRIPTOR(r1)

        ; maximum over the row's columns
        li32  r3, 0xff800000            ; -inf
        vmov  d2, r3
        vmax  d1, d1, d0
        vmax  d13, d11, d2
        ldd   d13, RECORD_HEAD + 15 * DESCRIPTOR(r1)
        ldd   d15, RECORD_HEAD + 16 * DESCRIPTOR(r1)
        bne   r8, r0, loss_maximum_in
        vmov  d13, d2
        j     loss_exponential
loss_maximum_in:
        vmov  d2, d15

        ; logit - maximum; what the label has of it; exponentials and their sum
loss_exponential:
        vsub  d0, d0, d2
        vmov  d6, r0
        vfma  d5, d7, d0
        li32  r3, f32(1.4426950408889634)       ; log2(e)
        vmul  d0, d0, r3
        vsfu.exp2 d0, d0
        vmov  d4, r0
        vadd  d3, d3, d0
        vadd  d14, d12, d4
        bne   r8, r0, loss_sum_in
        vmov  d13, d4
        j     loss_label
loss_sum_in:
        vmov  d4, d15

        ; the label's part to column 0
loss_label:
        ldd   d14, RECORD_HEAD + 17 * DESCRIPTOR(r1)
        vadd  d14, d12, d6

        ; gradient = (exp / sum - target) * factor
        vsfu.rcp d2, d4
        vmul  d0, d0, d2
        vsub  d0, d0, d7
        vmul  d8, d0, d9
        beq   r8, r0, loss_report
        yield

        ; column 0: loss = sum over tokens of ln(sum) - label; wrong = tokens whose label is below the maximum; added up over the rows
loss_report:
        waitu UT_CHAIN
        ldd   d0, RECORD_HEAD + 18 * DESCRIPTOR(r1)     ; loss
        ldd   d1, RECORD_HEAD + 19 * DESCRIPTOR(r1)     ; wrong
        ldd   d2, RECORD_HEAD + 20 * DESCRIPTOR(r1)     ; both
        ldd   d12, RECORD_HEAD + 21 * DESCRIPTOR(r1)    ; column chain in, out
        ldd   d14, RECORD_HEAD + 22 * DESCRIPTOR(r1)
        li32  r3, f32(0.6931471805599453)       ; ln(2)
        vsfu.log2 d4, d4
        vmul  d4, d4, r3
        vsub  d4, d4, d6
        vmul  d4, d4, d10
        vred.sum d0, d4
        li32  r3, f32(-1.0)
        vmul  d6, d6, r3
        vsel  d6, d6, d10
        vred.sum d1, d6
        vadd  d14, d12, d2
        yield
