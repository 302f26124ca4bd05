; Everything works in every cycle, for ever: a streamed AXPY over 16 tokens in binary32 (eight cycles a weight on four lanes), its weights sent by a second
; microthread through the tile's own ramp (one cycle a weight). The links between tiles carry wavelets that circle in closed routes; a tile that heads a
; circle puts them there first. Given: SQUARE (colour of the circle of four tiles that this tile heads, -1 if none), RING (wavelets of the outer circle if
; this tile heads it, else 0), RING_COLOUR, RAMP_COLOUR.
        .task 24, boot
        .org  0x88
boot:
        li32  r6, 0xf000
        li    r3, 0x0080 + RAMP_COLOUR
        sw    r3, 0x20(r6)
        ldd   d0, words(r0)
.if SQUARE >= 0
        ldd   d1, square(r0)
        vmov  d1, d0
.endif
.if RING > 0
        ldd   d1, ring(r0)
        vmov  d1, d0
.endif
        ldd   d2, accumulator(r0)
        ldd   d3, stream(r0)
        ldd   d4, slab_rows(r0)
        ldd   d5, weights_out(r0)
        ldd   d6, weights_in(r0)
        saxpy.async(2) d2, d3, d4
feed:
        vmov.async(1) d5, d6
        j     feed

.if SQUARE >= 0
        .desc square kind=fabric_out, type=i32, len0=4, colour=SQUARE, queue=1
.endif
.if RING > 0
        .desc ring kind=fabric_out, type=i32, len0=RING, colour=RING_COLOUR, queue=1
.endif
        .desc words kind=mem1d, type=i32, base=weights, len0=8, stride0=4
        .desc accumulator kind=mem1d, type=f32, base=sums, len0=16, stride0=4
        .desc stream kind=fabric_in, type=f16, queue=0
        .desc slab_rows kind=mem1d, type=f16, base=slab, len0=64, stride0=2
        .desc weights_out kind=fabric_out, type=i32, len0=65535, colour=RAMP_COLOUR, queue=0
        .desc weights_in kind=mem1d, type=i32, base=weights, len0=8, stride0=4
        .align 8
; A weight is binary16 with its row's byte offset above it. Signs alternate, so the sums stay small.
weights: .word 0x00003555, 0x0020b555, 0x00403801, 0x0060b801, 0x0020b333, 0x00003333, 0x0060b2cd, 0x004032cd
slab:   .half 0x3c00, 0x4000, 0x3555, 0xb800, 0x3c01, 0x4400, 0x3000, 0xc000, 0x3c00, 0x4000, 0x3555, 0xb800, 0x3c01, 0x4400, 0x3000, 0xc000
        .half 0x1400, 0x2000, 0x3155, 0x9800, 0x2c01, 0x1400, 0x3000, 0xa000, 0x1c00, 0x2000, 0x3155, 0x9800, 0x1c01, 0x2400, 0x3000, 0xa000
        .half 0x3400, 0x2800, 0x3355, 0xb800, 0x2e01, 0x3400, 0x3100, 0xa400, 0x3c00, 0x2200, 0x3655, 0xb800, 0x3c01, 0x2800, 0x3200, 0xa100
        .half 0x3a00, 0x2400, 0xb155, 0x3800, 0x2d01, 0x3500, 0x3300, 0xa700, 0x3800, 0xa000, 0x3155, 0xb800, 0x3601, 0x3400, 0x3100, 0x2800
sums:   .space 64
