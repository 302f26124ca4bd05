; Causal attention of one head on two columns, over a sequence of eight tokens on two rows, and its gradient.
        .include "protocol.wl"
        .task BOOT_TASK, boot
        .task TASK_PHASE, phase
        .org  0x88
TOKENS        = 4
FEATURES      = 2
HEAD_COLUMNS  = WIDTH
HEAD_COLUMN   = COLUMN
SEQUENCE_ROWS = HEIGHT
POSITION      = ROW
CAUSAL        = 1
SCALE         = 0.5                    ; 1 / sqrt(four features)
SCALE_BITS    = f32(SCALE)
EXPONENT_BITS = f32(SCALE * 1.4426950408889634)
        .align 8
attention_record:
        .word attention, 0, 0, 0
attention_gradient_record:
        .word attention_gradient, 0, 0, 0

; Behind the records, whose addresses the host sends to all tiles alike: code of a head's ends is shorter.
        .include "boot.wl"
        .include "phase.wl"
        .include "../../transformer/outer.wl"
        .include "../../transformer/attention.wl"
        .include "../../transformer/attention_gradient.wl"

SLAB = 2 * FEATURES * TOKENS
        .align 8
queries:        .space SLAB
keys:           .space 2 * SLAB        ; and values
attended:       .space SLAB
attended_delta: .space SLAB
query_delta:    .space 3 * SLAB
rotating:       .space 4 * SLAB
score_maximum:  .space 4 * TOKENS
score_inverse:  .space 4 * TOKENS
scratch:        .space ATTENTION_GRADIENT_BYTES
