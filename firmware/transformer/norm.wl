; Layer normalisation over all features of a token, which lie on all columns of its row, and its gradient. All in binary32 but for the slabs. Gain and bias of
; the tile's features come as binary32 words behind the control wavelet, gains first. Mean and 1 / deviation stay in memory for the gradient.
; Constants of the program: FEATURES (of this tile), ALL_FEATURES, EPSILON_BITS (binary32).
        .alias parameters  d1
        .alias stream      d2
        .alias slab_all    d3
        .alias centred     d4
        .alias square_rows d5
        .alias gain_column d6
        .alias bias_column d7
        .alias normal_all  d8
        .alias sum_rows    d9
        .alias reciprocal  r3
normalise:
        ldd   row_vector, RECORD_HEAD + 0 * DESCRIPTOR(record)
        ldd   parameters, RECORD_HEAD + 1 * DESCRIPTOR(record)
        ldd   stream, RECORD_HEAD + 2 * DESCRIPTOR(record)
        ldd   slab_all, RECORD_HEAD + 3 * DESCRIPTOR(record)
        ldd   centred, RECORD_HEAD + 4 * DESCRIPTOR(record)
        ldd   square_rows, RECORD_HEAD + 5 * DESCRIPTOR(record)
        ldd   gain_column, RECORD_HEAD + 6 * DESCRIPTOR(record)
        ldd   bias_column, RECORD_HEAD + 7 * DESCRIPTOR(record)
        ldd   normal_all, RECORD_HEAD + 8 * DESCRIPTOR(record)
        ldd   sum_rows, RECORD_HEAD + 9 * DESCRIPTOR(record)
        ldd   row_out, RECORD_HEAD + 11 * DESCRIPTOR(record)
        ldd   row_in, RECORD_HEAD + 12 * DESCRIPTOR(record)
        ldd   back_out, RECORD_HEAD + 13 * DESCRIPTOR(record)
        ldd   back_in, RECORD_HEAD + 14 * DESCRIPTOR(record)
        vmov  parameters, stream

        ; mean
        vmov  row_vector, r0
        vadd  sum_rows, row_vector, slab_all
        call  row_sum
        li32  reciprocal, f32(1.0 / ALL_FEATURES)
        vmul  row_vector, row_vector, reciprocal
        vsub  centred, slab_all, row_vector

        ; 1 / deviation
        ldd   row_vector, RECORD_HEAD + 10 * DESCRIPTOR(record)
        vmov  row_vector, r0
        vfma  square_rows, centred, centred
        call  row_sum
        vmul  row_vector, row_vector, reciprocal
        li32  r4, EPSILON_BITS
        vadd  row_vector, row_vector, r4
        vsfu.rsqrt row_vector, row_vector

        vmul  centred, centred, row_vector
        vmul  centred, centred, gain_column
        vadd  normal_all, centred, bias_column
        yield

; Of the output's gradient d, with n the normalised input and g the gain: gradients of gain (sum over tokens of d n) and bias (sum of d) go to the north edge,
; gains first; the input's gradient is (g d - mean(g d) - n mean(g d n)) / deviation, added to what passes the layer by (the residual path) and rounded once.
        .alias result_row  d1
        .alias delta_row   d2
        .alias inverse     d4
        .alias normal      d5
        .alias normal_row  d7
        .alias delta_all   d8
        .alias weighted    d9
        .alias first_rows  d10
        .alias second_rows d11
        .alias left        r4
normalise_gradient:
        ldd   row_vector, RECORD_HEAD + 0 * DESCRIPTOR(record)
        ldd   result_row, RECORD_HEAD + 1 * DESCRIPTOR(record)
        ldd   stream, RECORD_HEAD + 2 * DESCRIPTOR(record)
        ldd   slab_all, RECORD_HEAD + 3 * DESCRIPTOR(record)
        ldd   inverse, RECORD_HEAD + 4 * DESCRIPTOR(record)
        ldd   normal, RECORD_HEAD + 5 * DESCRIPTOR(record)
        ldd   gain_column, RECORD_HEAD + 6 * DESCRIPTOR(record)
        ldd   normal_row, RECORD_HEAD + 7 * DESCRIPTOR(record)
        ldd   delta_all, RECORD_HEAD + 8 * DESCRIPTOR(record)
        ldd   weighted, RECORD_HEAD + 9 * DESCRIPTOR(record)
        ldd   first_rows, RECORD_HEAD + 10 * DESCRIPTOR(record)
        ldd   second_rows, RECORD_HEAD + 11 * DESCRIPTOR(record)
        .alias gains d12
        ldd   gains, RECORD_HEAD + 12 * DESCRIPTOR(record)
        vmov  gains, stream
        ldd   delta_row, RECORD_HEAD + 13 * DESCRIPTOR(record)
        vsub  normal, slab_all, row_vector
        vmul  normal, normal, inverse

        waitu UT_CHAIN                          ; the last chain of the phase before still reads its results
        li    left, FEATURES
normalise_gain:
        vdot  result_row, delta_row, normal_row
        addi  left, left, -1
        bnez  left, normalise_gain
        ldd   delta_row, RECORD_HEAD + 13 * DESCRIPTOR(record)
        li    left, FEATURES
normalise_bias:
        vred.sum result_row, delta_row
        addi  left, left, -1
        bnez  left, normalise_bias
        .alias results_all d12
        .alias column_in d13
        .alias column_out d14
        ldd   results_all, RECORD_HEAD + 14 * DESCRIPTOR(record)
        ldd   column_in, RECORD_HEAD + 15 * DESCRIPTOR(record)
        ldd   column_out, RECORD_HEAD + 16 * DESCRIPTOR(record)
        vadd.async(UT_CHAIN) column_out, column_in, results_all

        ldd   row_vector, RECORD_HEAD + 17 * DESCRIPTOR(record)
        ldd   row_out, RECORD_HEAD + 18 * DESCRIPTOR(record)
        ldd   row_in, RECORD_HEAD + 19 * DESCRIPTOR(record)
        ldd   back_out, RECORD_HEAD + 20 * DESCRIPTOR(record)
        ldd   back_in, RECORD_HEAD + 21 * DESCRIPTOR(record)
        vmul  weighted, delta_all, gain_column
        vmov  row_vector, r0
        vadd  first_rows, first_rows, weighted
        vfma  second_rows, weighted, normal
        call  row_sum
        li32  reciprocal, f32(-1.0 / ALL_FEATURES)
        vmul  row_vector, row_vector, reciprocal
        .alias first d10
        .alias second d11
        .alias passed_by d12
        .alias delta_out d13
        ldd   first, RECORD_HEAD + 22 * DESCRIPTOR(record)
        ldd   second, RECORD_HEAD + 23 * DESCRIPTOR(record)
        ldd   passed_by, RECORD_HEAD + 24 * DESCRIPTOR(record)
        ldd   delta_out, RECORD_HEAD + 25 * DESCRIPTOR(record)
        vadd  weighted, weighted, first
        vfma  weighted, normal, second
        vmul  weighted, weighted, inverse
        vadd  delta_out, weighted, passed_by
        yield
