; GELU, x s with s = 1 / (1 + e^-w) and w = 2 sqrt(2 / pi) (x + 0.044715 x^3): the tanh form, since (1 + tanh(w / 2)) / 2 = s. And its gradient:
; s (1 + x (1 - s) w'). All in binary32 but for the slabs. A large |x| makes e^-w 0 or infinity and s 1 or 0: no NaN from finite x.
GELU_SLOPE = 1.5957691216057308         ; 2 sqrt(2 / pi)
GELU_CUBE  = 0.044715
LOG2_E     = 1.4426950408889634
        .alias input_all   d0
        .alias sigmoid     d1
        .alias output_all  d2
        .alias constant    d3
        .alias slope       d4
        .alias gradient_in d5
        .alias one         r3
gelu:
        ldd   output_all, RECORD_HEAD + 2 * DESCRIPTOR(record)
        call  r14, gelu_sigmoid
        vmul  output_all, sigmoid, input_all
        yield

; sigmoid = s of the whole slab; r14 links.
gelu_sigmoid:
        ldd   input_all, RECORD_HEAD + 0 * DESCRIPTOR(record)
        ldd   sigmoid, RECORD_HEAD + 1 * DESCRIPTOR(record)
        ldd   constant, gelu_exponent_d(r0)
        li32  r4, f32(-GELU_SLOPE * LOG2_E * GELU_CUBE)
        li32  one, f32(1.0)
        vmul  sigmoid, input_all, input_all
        vmacs sigmoid, constant, sigmoid, r4
        vmul  sigmoid, sigmoid, input_all       ; -w log2(e)
        vsfu.exp2 sigmoid, sigmoid
        vadd  sigmoid, sigmoid, one
        vsfu.rcp sigmoid, sigmoid
        ret   r14

gelu_gradient:
        ldd   output_all, RECORD_HEAD + 2 * DESCRIPTOR(record)
        ldd   slope, RECORD_HEAD + 3 * DESCRIPTOR(record)
        ldd   gradient_in, RECORD_HEAD + 4 * DESCRIPTOR(record)
        call  r14, gelu_sigmoid
        ldd   constant, gelu_slope_d(r0)
        li32  r4, f32(3 * GELU_SLOPE * GELU_CUBE)
        vmul  slope, input_all, input_all
        vmacs slope, constant, slope, r4        ; w'
        vmul  slope, slope, input_all
        ldd   constant, gelu_one_d(r0)
        .alias rest d6
        ldd   rest, RECORD_HEAD + 5 * DESCRIPTOR(record)
        vsub  rest, constant, sigmoid           ; 1 - s
        vmul  slope, slope, rest
        vadd  slope, slope, one
        vmul  slope, slope, sigmoid
        vmul  output_all, slope, gradient_in
        yield

        .align 8
        .desc gelu_exponent_d kind=mem1d, type=f32, base=gelu_constants, len0=1, stride0=0
        .desc gelu_slope_d kind=mem1d, type=f32, base=gelu_constants + 4, len0=1, stride0=0
        .desc gelu_one_d kind=mem1d, type=f32, base=gelu_constants + 8, len0=1, stride0=0
gelu_constants:
        .f32  -GELU_SLOPE * LOG2_E, GELU_SLOPE, 1.0
