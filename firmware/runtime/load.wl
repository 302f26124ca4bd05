; A batch arrives as one block per tile: the input slab with its row of ones, one-hot targets, the factor of the output gradient, and a control
; wavelet that has moved the router's switch on to the next tile and is consumed here.
; Record: word 1 = address of the factor, word 2 = number of further slabs.
        .alias slab_all     d0
        .alias target_all   d1
        .alias factor_pair  d2
        .alias pairs_in     d3
        .alias factor_in    d4
        .alias factors_row  d5
        .alias ones_row     d6
        .alias more_ones    d7
load:
        ldd   slab_all, RECORD_HEAD + 0 * DESCRIPTOR(record)
        ldd   target_all, RECORD_HEAD + 1 * DESCRIPTOR(record)
        ldd   factor_pair, RECORD_HEAD + 2 * DESCRIPTOR(record)
        ldd   pairs_in, RECORD_HEAD + 3 * DESCRIPTOR(record) ; pairs of binary16 from the edge
        ldd   factor_in, RECORD_HEAD + 4 * DESCRIPTOR(record) ; binary32 from the edge, until the control wavelet
        ldd   factors_row, RECORD_HEAD + 5 * DESCRIPTOR(record)
        ldd   ones_row, RECORD_HEAD + 6 * DESCRIPTOR(record)
        vmov  slab_all, pairs_in
        vmov  target_all, pairs_in
        vmov  factor_pair, factor_in
        lw    r3, 4(record)
        lw    r3, 0(r3)
        vmul  factors_row, ones_row, r3         ; 0 for padding: it gets no gradient
        lw    r3, 8(record)
        addi  r4, record, RECORD_HEAD + 7 * DESCRIPTOR
load_ones:
        beqz  r3, load_done
        ldd   more_ones, 0(r4)
        vmov  more_ones, ones_row
        addi  r4, r4, DESCRIPTOR
        addi  r3, r3, -1
        j     load_ones
load_done:
        yield
