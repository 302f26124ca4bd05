; Matrix product with streamed weights, forward and delta pass alike. Weights (w, row offset) of one output come down the column and a resident AXPY adds
; w * row to the accumulator of tokens; a control wavelet (owner) ends the output. Then the row of tiles reduces its accumulators along a ring: the tile
; after the owner starts, each adds and passes on, the owner keeps the sum as the next row of its result.
; Two accumulators: while the main thread reduces one, a microthread accumulates the next output into the other. The edge alternates the two tasks.
        .alias weights_in d0
        .alias slab_rows d1
        .alias sum_a d2
        .alias sum_b d3
        .alias ring_out d4
        .alias ring_in d5
        .alias kept_rows d6
pass:
        ldd   weights_in, RECORD_HEAD + 0 * DESCRIPTOR(record)
        ldd   slab_rows, RECORD_HEAD + 1 * DESCRIPTOR(record)
        ldd   sum_a, RECORD_HEAD + 2 * DESCRIPTOR(record)
        ldd   sum_b, RECORD_HEAD + 3 * DESCRIPTOR(record)
        ldd   ring_out, RECORD_HEAD + 4 * DESCRIPTOR(record)
        ldd   ring_in, RECORD_HEAD + 5 * DESCRIPTOR(record)
        ldd   kept_rows, RECORD_HEAD + 6 * DESCRIPTOR(record)
        vmov  sum_a, r0
        vmov  sum_b, r0
        saxpy.async(UT_STREAM) sum_a, weights_in, slab_rows
        yield

output_a:
        saxpy.async(UT_STREAM) sum_b, weights_in, slab_rows ; the next output; its accumulator is clear
        beq   owner, column, keep_a
        beq   owner, column_before, start_a
        vadd  ring_out, ring_in, sum_a
        vmov  sum_a, r0
        yield
start_a:
        vmov  ring_out, sum_a
        vmov  sum_a, r0
        yield
keep_a:
        vadd  kept_rows, ring_in, sum_a
        vmov  sum_a, r0
        yield

output_b:
        saxpy.async(UT_STREAM) sum_a, weights_in, slab_rows
        beq   owner, column, keep_b
        beq   owner, column_before, start_b
        vadd  ring_out, ring_in, sum_b
        vmov  sum_b, r0
        yield
start_b:
        vmov  ring_out, sum_b
        vmov  sum_b, r0
        yield
keep_b:
        vadd  kept_rows, ring_in, sum_b
        vmov  sum_b, r0
        yield
