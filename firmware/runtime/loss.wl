; Softmax cross-entropy over all columns, its gradient, the loss and the number of wrong tokens. All in binary32.
; Row chains run from the last column to column 0, which broadcasts the result. Ends of a chain are descriptors: the last column's chain input is a
; neutral constant in memory, column 0's chain output the row itself, so that every tile runs the same instruction.
        .alias logit_all    d0
        .alias max_rows     d1
        .alias max_row      d2
        .alias sum_rows     d3
        .alias sum_row      d4
        .alias label_rows   d5
        .alias label_row    d6
        .alias target_all   d7
        .alias delta_all    d8
        .alias factors_row  d9
        .alias ones_row     d10
        .alias max_in       d11
        .alias sum_in       d12
        .alias max_out      d13
        .alias sum_out      d14
        .alias broadcast_in d15
loss:
        ldd   logit_all, RECORD_HEAD + 0 * DESCRIPTOR(record)
        ldd   max_rows, RECORD_HEAD + 1 * DESCRIPTOR(record)
        ldd   max_row, RECORD_HEAD + 2 * DESCRIPTOR(record)
        ldd   sum_rows, RECORD_HEAD + 3 * DESCRIPTOR(record)
        ldd   sum_row, RECORD_HEAD + 4 * DESCRIPTOR(record)
        ldd   label_rows, RECORD_HEAD + 5 * DESCRIPTOR(record)
        ldd   label_row, RECORD_HEAD + 6 * DESCRIPTOR(record)
        ldd   target_all, RECORD_HEAD + 7 * DESCRIPTOR(record)
        ldd   delta_all, RECORD_HEAD + 8 * DESCRIPTOR(record)
        ldd   factors_row, RECORD_HEAD + 9 * DESCRIPTOR(record)
        ldd   ones_row, RECORD_HEAD + 10 * DESCRIPTOR(record)
        ldd   max_in, RECORD_HEAD + 11 * DESCRIPTOR(record)
        ldd   sum_in, RECORD_HEAD + 12 * DESCRIPTOR(record)
        ldd   max_out, RECORD_HEAD + 13 * DESCRIPTOR(record)
        ldd   sum_out, RECORD_HEAD + 14 * DESCRIPTOR(record)

        ; maximum over the row's columns
        li32  r3, 0xff800000                    ; -inf
        vmov  max_row, r3
        vmax  max_rows, max_rows, logit_all
        vmax  max_out, max_in, max_row
        .alias broadcast_out d13
        ldd   broadcast_out, RECORD_HEAD + 15 * DESCRIPTOR(record)
        ldd   broadcast_in, RECORD_HEAD + 16 * DESCRIPTOR(record)
        bne   column, r0, loss_maximum_in
        vmov  broadcast_out, max_row
        j     loss_exponential
loss_maximum_in:
        vmov  max_row, broadcast_in

        ; logit - maximum; what the label has of it; exponentials and their sum
loss_exponential:
        vsub  logit_all, logit_all, max_row
        vmov  label_row, r0
        vfma  label_rows, target_all, logit_all
        li32  r3, f32(1.4426950408889634)       ; log2(e)
        vmul  logit_all, logit_all, r3
        vsfu.exp2 logit_all, logit_all
        vmov  sum_row, r0
        vadd  sum_rows, sum_rows, logit_all
        vadd  sum_out, sum_in, sum_row
        bne   column, r0, loss_sum_in
        vmov  broadcast_out, sum_row
        j     loss_label
loss_sum_in:
        vmov  sum_row, broadcast_in

        ; the label's part to column 0
loss_label:
        .alias label_out d14
        ldd   label_out, RECORD_HEAD + 17 * DESCRIPTOR(record)
        vadd  label_out, sum_in, label_row

        ; gradient = (exp / sum - target) * factor
        vsfu.rcp max_row, sum_row
        vmul  logit_all, logit_all, max_row
        vsub  logit_all, logit_all, target_all
        vmul  delta_all, logit_all, factors_row
        beq   column, r0, loss_report
        yield

        ; column 0: loss = sum over tokens of ln(sum) - label; wrong = tokens whose label is below the maximum; added up over the rows
loss_report:
        .alias loss_out d0
        .alias wrong_out d1
        .alias both d2
        .alias column_in d12
        .alias column_out d14
        waitu UT_CHAIN
        ldd   loss_out, RECORD_HEAD + 18 * DESCRIPTOR(record)
        ldd   wrong_out, RECORD_HEAD + 19 * DESCRIPTOR(record)
        ldd   both, RECORD_HEAD + 20 * DESCRIPTOR(record)
        ldd   column_in, RECORD_HEAD + 21 * DESCRIPTOR(record)
        ldd   column_out, RECORD_HEAD + 22 * DESCRIPTOR(record)
        li32  r3, f32(0.6931471805599453)       ; ln(2)
        vsfu.log2 sum_row, sum_row
        vmul  sum_row, sum_row, r3
        vsub  sum_row, sum_row, label_row
        vmul  sum_row, sum_row, ones_row
        vred.sum loss_out, sum_row
        li32  r3, f32(-1.0)
        vmul  label_row, label_row, r3
        vsel  label_row, label_row, ones_row
        vred.sum wrong_out, label_row
        vadd  column_out, column_in, both
        yield
