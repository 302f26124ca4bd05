; Traffic with computation in it, for comparing a composed fabric with a monolithic one. Words of colour 0 come from the north and are multicast down
; each column; every tile adds them up and works on vectors. Column 0 answers each with a word into its row; each tile of the row adds its own sum, stores
; it and passes the word on, on the other colour of the pair, to the east edge. A control wavelet starts vector work on a microthread.
        .task 24, boot
        .task 0, from_north
        .task 5, from_west
        .task 6, from_west
        .task 30, vectors
        .org  0x88
boot:
        li32  r6, 0xf000
        li    r3, 0x00c0                ; queue 0: colour 0, starts tasks
        sw    r3, 0x20(r6)
        lw    r8, 0(r6)
        li32  r7, 0xffff
        and   r8, r8, r7                ; r8 = x
        li    r7, 1
        and   r9, r8, r7                ; r9 = x odd
        li    r3, 0x00c5                ; queue 2: what the western neighbour sends: 5 from even, 6 from odd columns
        bnez  r9, boot_bind
        li    r3, 0x00c6
boot_bind:
        sw    r3, 0x28(r6)
        ldd   d0, out_even(r0)
        beqz  r9, boot_done
        ldd   d0, out_odd(r0)
boot_done:
        ldd   d1, row_a(r0)
        ldd   d2, row_b(r0)
        ldd   d3, row_sum(r0)
        ldd   d4, total_out(r0)
        yield

from_north:
        lw    r4, total(r0)
        add   r4, r4, r1
        sw    r4, total(r0)
        bnez  r8, north_done
        lw    r5, 0xf008(r0)            ; the time belongs to the answer
        xor   r1, r1, r5
        j     answer
north_done:
        yield

from_west:
        lw    r4, total(r0)
        xor   r1, r1, r4
answer:
        sw    r1, sent(r0)
        vmov  d0, d4
        yield

vectors:
        sw    r1, row(r0)
        vfma.async(1) d3, d1, d2
        vadd.async(2) d1, d1, d2
        yield

        .desc out_even kind=fabric_out, type=i32, len0=1, colour=5, queue=1
        .desc out_odd kind=fabric_out, type=i32, len0=1, colour=6, queue=1
        .desc total_out kind=mem1d, type=i32, base=sent, len0=1, stride0=4
        .desc row_a kind=mem1d, type=f16, base=row, len0=16, stride0=2
        .desc row_b kind=mem1d, type=f16, base=other, len0=16, stride0=2
        .desc row_sum kind=mem1d, type=f32, base=sums, len0=16, stride0=4
        .align 8
total:  .word 0
sent:   .word 0
row:    .half 0x3c00, 0x4000, 0x3555, 0xb800, 0x3c01, 0x4400, 0x3000, 0xc000, 0x3c00, 0x4000, 0x3555, 0xb800, 0x3c01, 0x4400, 0x3000, 0xc000
other:  .half 0x1400, 0x2000, 0x3155, 0x9800, 0x2c01, 0x1400, 0x3000, 0xa000, 0x1c00, 0x2000, 0x3155, 0x9800, 0x1c01, 0x2400, 0x3000, 0xa000
sums:   .space 64
