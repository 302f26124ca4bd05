; Weight gradient. For each output its owner multicasts the row of output gradients along its row of tiles, first west, then east through the same output
; queue: a tile that has the last word may become the next owner, because all words of the one before are on their way. Each tile multiplies the row with
; each of its own feature rows; the column adds the results from the last row to the north edge.
        .alias to_west       d0
        .alias to_east       d1
        .alias from_east     d2
        .alias from_west     d3
        .alias own_west      d4
        .alias own_east      d5
        .alias delta_row     d6
        .alias result_a      d7
        .alias result_b      d8
        .alias offsets       d9
        .alias own_offsets   d10
        .alias slab_rows     d11
        .alias chain_in      d12
        .alias chain_out     d13
        .alias own_chain_out d14
        .alias start         r12    ; stored only: result_a's first word
        .alias shift         r13    ; and 14, to make a length of a distance
gradient_descriptors:
        ldd   to_west, RECORD_HEAD + 0 * DESCRIPTOR(record)
        ldd   to_east, RECORD_HEAD + 1 * DESCRIPTOR(record)
        ldd   from_east, RECORD_HEAD + 2 * DESCRIPTOR(record)
        ldd   from_west, RECORD_HEAD + 3 * DESCRIPTOR(record)
        ldd   own_west, RECORD_HEAD + 4 * DESCRIPTOR(record)
        ldd   own_east, RECORD_HEAD + 5 * DESCRIPTOR(record)
        ldd   delta_row, RECORD_HEAD + 6 * DESCRIPTOR(record)
        ldd   offsets, RECORD_HEAD + 9 * DESCRIPTOR(record)
        ldd   own_offsets, RECORD_HEAD + 10 * DESCRIPTOR(record)
        ldd   slab_rows, RECORD_HEAD + 11 * DESCRIPTOR(record)
        ldd   chain_in, RECORD_HEAD + 12 * DESCRIPTOR(record)
        waitu UT_CHAIN                          ; the last chain of the phase before still reads its results
        ldd   result_a, RECORD_HEAD + 7 * DESCRIPTOR(record)
        ldd   result_b, RECORD_HEAD + 8 * DESCRIPTOR(record)
        ldd   chain_out, RECORD_HEAD + 13 * DESCRIPTOR(record)
        ldd   own_chain_out, RECORD_HEAD + 14 * DESCRIPTOR(record)
        ret

gradient:
        call  gradient_descriptors
        yield

; The owner's own words come back on both colours: the first copy is what it computes with, the second is dropped on top of it.
gradient_own:
        vmov.async(UT_WEST) to_west, own_west
        vmov.async(UT_COPY) delta_row, from_east
        vmov.async(UT_EAST) to_east, own_east
        vmov  delta_row, from_west
        waitu UT_COPY
        ret

gradient_a:
        beq   owner, column, gradient_own_a
        blt   column, owner, gradient_east_a
        vmov  delta_row, from_west
        sdot  result_a, offsets, slab_rows, delta_row
        vadd.async(UT_CHAIN) chain_out, chain_in, result_a ; waits for the chain before: results B are free for the next output
        yield
gradient_east_a:
        vmov  delta_row, from_east
        sdot  result_a, offsets, slab_rows, delta_row
        vadd.async(UT_CHAIN) chain_out, chain_in, result_a
        yield
gradient_own_a:
        call  gradient_own
        sdot  result_a, own_offsets, slab_rows, delta_row
        vadd.async(UT_CHAIN) own_chain_out, chain_in, result_a
        yield

gradient_b:
        beq   owner, column, gradient_own_b
        blt   column, owner, gradient_east_b
        vmov  delta_row, from_west
        sdot  result_b, offsets, slab_rows, delta_row
        vadd.async(UT_CHAIN) chain_out, chain_in, result_b
        yield
gradient_east_b:
        vmov  delta_row, from_east
        sdot  result_b, offsets, slab_rows, delta_row
        vadd.async(UT_CHAIN) chain_out, chain_in, result_b
        yield
gradient_own_b:
        call  gradient_own
        sdot  result_b, own_offsets, slab_rows, delta_row
        vadd.async(UT_CHAIN) own_chain_out, chain_in, result_b
        yield

; At stored weights only: the row offsets come as a stream behind the control wavelet, ended by another. How many results there are follows from how far
; result_a has moved (result_b reads them from the start). start = result_a as it starts.
gradient_stored:
        call  gradient_descriptors
        dget  start, result_a, 0
        li    shift, 14
        yield

stored:
        beq   owner, column, stored_own
        blt   column, owner, stored_east
        vmov  delta_row, from_west
        j     stored_dot
stored_own:
        call  gradient_own
        j     stored_dot
stored_east:
        vmov  delta_row, from_east
stored_dot:
        waitu UT_CHAIN
        sdot  result_a, offsets, slab_rows, delta_row
        dget  r3, result_a, 0
        sub   r3, r3, start                     ; bytes of results
        sll   r3, r3, shift                     ; / 4 << 16: the length in elements
        dset  result_a, 0, start
        dset  chain_out, 0, r3
        vadd.async(UT_CHAIN) chain_out, chain_in, result_b
        yield
