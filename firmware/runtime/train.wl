; The whole training program: one image for every tile; what differs from tile to tile is in the boot table and the records.
        .include "protocol.wl"

        .task 24, boot
        .task TASK_PHASE, phase
        .task TASK_OUTPUT_A, output_a
        .task TASK_OUTPUT_B, output_b
        .task TASK_GRADIENT_A, gradient_a
        .task TASK_GRADIENT_B, gradient_b
        .task TASK_STORED, stored
        .task TASK_HALT, halt_tile

        .org  0x88
        .include "boot.wl"
        .include "phase.wl"
        .include "load.wl"
        .include "product.wl"
        .include "elementwise.wl"
        .include "loss.wl"
        .include "gradient.wl"
