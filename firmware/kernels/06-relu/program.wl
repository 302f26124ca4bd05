; ReLU and its gradient are one vector instruction each over all local features and tokens.
        .include "protocol.wl"
        .task BOOT_TASK, boot
        .task TASK_PHASE, phase
        .org  0x88
        .include "boot.wl"
        .include "phase.wl"
        .include "elementwise.wl"

        .align 8
relu_record:
        .word relu, 0, 0, 0
        .desc activation_descriptor kind=mem1d, type=f16, base=activations, len0=8, stride0=2
relu_gradient_record:
        .word relu_gradient, 0, 0, 0
        .desc gradient_descriptor kind=mem1d, type=f16, base=gradients, len0=8, stride0=2
        .desc output_descriptor kind=mem1d, type=f16, base=activations, len0=8, stride0=2
activations: .space 16
gradients: .space 16
