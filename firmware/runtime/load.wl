; A batch arrives as one block per tile: the input slab with its row of ones, one-hot targets, the factor of the output gradient, and a control
; wavelet that has moved the router's switch on to the next tile and is consumed here.
; Record: word 1 = address of the factor, word 2 = number of further slabs.
load:
        ldd   d0, RECORD_HEAD + 0 * DESCRIPTOR(r1)      ; slab of layer 0
        ldd   d1, RECORD_HEAD + 1 * DESCRIPTOR(r1)      ; targets
        ldd   d2, RECORD_HEAD + 2 * DESCRIPTOR(r1)      ; the factor
        ldd   d3, RECORD_HEAD + 3 * DESCRIPTOR(r1)      ; pairs of binary16 from the edge
        ldd   d4, RECORD_HEAD + 4 * DESCRIPTOR(r1)      ; binary32 from the edge, until the control wavelet
        ldd   d5, RECORD_HEAD + 5 * DESCRIPTOR(r1)      ; row of factors
        ldd   d6, RECORD_HEAD + 6 * DESCRIPTOR(r1)      ; row of ones
        vmov  d0, d3
        vmov  d1, d3
        vmov  d2, d4
        lw    r3, 4(r1)
        lw    r3, 0(r3)
        vmul  d5, d6, r3                ; 0 for padding: it gets no gradient
        lw    r3, 8(r1)
        addi  r4, r1, RECORD_HEAD + 7 * DESCRIPTOR
load_ones:
        beqz  r3, load_done
        ldd   d7, 0(r4)
        vmov  d7, d6
        addi  r4, r4, DESCRIPTOR
        addi  r3, r3, -1
        j     load_ones
load_done:
        yield
