; GELU and its gradient from two powers of two and two reciprocals, over all local features and tokens at once.
        .include "protocol.wl"
        .task BOOT_TASK, boot
        .task TASK_PHASE, phase
        .org  0x88
        .include "boot.wl"
        .include "phase.wl"
        .include "../../transformer/gelu.wl"

ELEMENTS = 16
        .align 8
gelu_record:
        .word gelu, 0, 0, 0
        .desc input_d kind=mem1d, type=f16, base=input, len0=ELEMENTS, stride0=2
        .desc sigmoid_d kind=mem1d, type=f32, base=scratch, len0=ELEMENTS, stride0=4
        .desc output_d kind=mem1d, type=f16, base=output, len0=ELEMENTS, stride0=2
gelu_gradient_record:
        .word gelu_gradient, 0, 0, 0
        .desc g_input_d kind=mem1d, type=f16, base=input, len0=ELEMENTS, stride0=2
        .desc g_sigmoid_d kind=mem1d, type=f32, base=scratch, len0=ELEMENTS, stride0=4
        .desc g_output_d kind=mem1d, type=f16, base=input_gradient, len0=ELEMENTS, stride0=2
        .desc g_slope_d kind=mem1d, type=f32, base=scratch + 4 * ELEMENTS, len0=ELEMENTS, stride0=4
        .desc g_gradient_d kind=mem1d, type=f16, base=gradient, len0=ELEMENTS, stride0=2
        .desc g_rest_d kind=mem1d, type=f32, base=scratch + 8 * ELEMENTS, len0=ELEMENTS, stride0=4
input:    .space 2 * ELEMENTS
output:   .space 2 * ELEMENTS
gradient: .space 2 * ELEMENTS
input_gradient: .space 2 * ELEMENTS
scratch:  .space 12 * ELEMENTS
