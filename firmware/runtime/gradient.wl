; Weight gradient. For each output its owner multicasts the row of output gradients along its row of tiles, first west, then east through the same output
; queue: a tile that has the last word may become the next owner, because all words of the one before are on their way. Each tile multiplies the row with
; each of its own feature rows; the column adds the results from the last row to the north edge.
;
; d0 to west   d1 to east   d2 from the east (sent west)   d3 from the west (sent east)   d4, d5 own gradient rows, in turn   d6 the row received
; d7, d8 results A, B   d9 row offsets   d10 the owner's row offsets (with the row of ones: the bias)   d11 slab
; d12 chain in   d13 chain out   d14 the owner's chain out
gradient_descriptors:
        ldd   d0, RECORD_HEAD + 0 * DESCRIPTOR(r1)
        ldd   d1, RECORD_HEAD + 1 * DESCRIPTOR(r1)
        ldd   d2, RECORD_HEAD + 2 * DESCRIPTOR(r1)
        ldd   d3, RECORD_HEAD + 3 * DESCRIPTOR(r1)
        ldd   d4, RECORD_HEAD + 4 * DESCRIPTOR(r1)
        ldd   d5, RECORD_HEAD + 5 * DESCRIPTOR(r1)
        ldd   d6, RECORD_HEAD + 6 * DESCRIPTOR(r1)
        ldd   d9, RECORD_HEAD + 9 * DESCRIPTOR(r1)
        ldd   d10, RECORD_HEAD + 10 * DESCRIPTOR(r1)
        ldd   d11, RECORD_HEAD + 11 * DESCRIPTOR(r1)
        ldd   d12, RECORD_HEAD + 12 * DESCRIPTOR(r1)
        waitu UT_CHAIN                  ; the last chain of the phase before still reads its results
        ldd   d7, RECORD_HEAD + 7 * DESCRIPTOR(r1)
        ldd   d8, RECORD_HEAD + 8 * DESCRIPTOR(r1)
        ldd   d13, RECORD_HEAD + 13 * DESCRIPTOR(r1)
        ldd   d14, RECORD_HEAD + 14 * DESCRIPTOR(r1)
        ret

gradient:
        call  gradient_descriptors
        yield

; The owner's own words come back on both colours: the first copy is what it computes with, the second is dropped on top of it.
gradient_own:
        vmov.async(UT_WEST) d0, d4
        vmov.async(UT_COPY) d6, d2
        vmov.async(UT_EAST) d1, d5
        vmov  d6, d3
        waitu UT_COPY
        ret

gradient_a:
        beq   r1, r8, gradient_own_a
        blt   r8, r1, gradient_east_a
        vmov  d6, d3
        sdot  d7, d9, d11, d6
        vadd.async(UT_CHAIN) d13, d12, d7             ; waits for the chain before: results B are free for the next output
        yield
gradient_east_a:
        vmov  d6, d2
        sdot  d7, d9, d11, d6
        vadd.async(UT_CHAIN) d13, d12, d7
        yield
gradient_own_a:
        call  gradient_own
        sdot  d7, d10, d11, d6
        vadd.async(UT_CHAIN) d14, d12, d7
        yield

gradient_b:
        beq   r1, r8, gradient_own_b
        blt   r8, r1, gradient_east_b
        vmov  d6, d3
        sdot  d8, d9, d11, d6
        vadd.async(UT_CHAIN) d13, d12, d8
        yield
gradient_east_b:
        vmov  d6, d2
        sdot  d8, d9, d11, d6
        vadd.async(UT_CHAIN) d13, d12, d8
        yield
gradient_own_b:
        call  gradient_own
        sdot  d8, d10, d11, d6
        vadd.async(UT_CHAIN) d14, d12, d8
        yield

; At stored weights only: the row offsets come as a stream behind the control wavelet, ended by another. How many results there are follows from how far
; d7 has moved (d8 reads them from the start). r12 = d7 as it starts.
gradient_stored:
        call  gradient_descriptors
        dget  r12, d7, 0
        li    r13, 14
        yield

stored:
        beq   r1, r8, stored_own
        blt   r8, r1, stored_east
        vmov  d6, d3
        j     stored_dot
stored_own:
        call  gradient_own
        j     stored_dot
stored_east:
        vmov  d6, d2
stored_dot:
        waitu UT_CHAIN
        sdot  d7, d9, d11, d6
        dget  r3, d7, 0
        sub   r3, r3, r12               ; bytes of results
        sll   r3, r3, r13               ; / 4 << 16: the length in elements
        dset  d7, 0, r12
        dset  d13, 0, r3
        vadd.async(UT_CHAIN) d13, d12, d8
        yield
