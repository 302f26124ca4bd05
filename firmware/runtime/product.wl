; Matrix product with streamed weights, forward and delta pass alike. Weights (w, row offset) of one output come down the column and a resident AXPY adds
; w * row to the accumulator of tokens; a control wavelet (owner) ends the output. Then the row of tiles reduces its accumulators along a ring: the tile
; after the owner starts, each adds and passes on, the owner keeps the sum as the next row of its result.
; Two accumulators: while the main thread reduces one, a microthread accumulates the next output into the other. The edge alternates the two tasks.
;
; d0 weights   d1 slab   d2, d3 accumulators A, B   d4 ring out   d5 ring in   d6 result rows, one after the other
pass:
        ldd   d0, RECORD_HEAD + 0 * DESCRIPTOR(r1)
        ldd   d1, RECORD_HEAD + 1 * DESCRIPTOR(r1)
        ldd   d2, RECORD_HEAD + 2 * DESCRIPTOR(r1)
        ldd   d3, RECORD_HEAD + 3 * DESCRIPTOR(r1)
        ldd   d4, RECORD_HEAD + 4 * DESCRIPTOR(r1)
        ldd   d5, RECORD_HEAD + 5 * DESCRIPTOR(r1)
        ldd   d6, RECORD_HEAD + 6 * DESCRIPTOR(r1)
        vmov  d2, r0
        vmov  d3, r0
        saxpy.async(UT_STREAM) d2, d0, d1
        yield

output_a:
        saxpy.async(UT_STREAM) d3, d0, d1              ; the next output; its accumulator is clear
        beq   r1, r8, keep_a
        beq   r1, r9, start_a
        vadd  d4, d5, d2
        vmov  d2, r0
        yield
start_a:
        vmov  d4, d2
        vmov  d2, r0
        yield
keep_a:
        vadd  d6, d5, d2
        vmov  d2, r0
        yield

output_b:
        saxpy.async(UT_STREAM) d2, d0, d1
        beq   r1, r8, keep_b
        beq   r1, r9, start_b
        vadd  d4, d5, d3
        vmov  d3, r0
        yield
start_b:
        vmov  d4, d3
        vmov  d3, r0
        yield
keep_b:
        vadd  d6, d5, d3
        vmov  d3, r0
        yield
