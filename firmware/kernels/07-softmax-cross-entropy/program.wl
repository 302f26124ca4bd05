; Softmax cross-entropy over classes that are spread over the columns of a row: maximum and sum travel by row chains and come back by broadcast.
        .include "protocol.wl"
        .task BOOT_TASK, boot
        .task TASK_PHASE, phase
        .org  0x88
        .include "boot.wl"
        .include "phase.wl"
        .include "loss.wl"

CLASSES = 3 / WIDTH + (COLUMN < 3 % WIDTH)      ; of three, on this column

.if COLUMN % 2
CHAIN_OUT = COLOUR_CHAIN_X_ODD
.else
CHAIN_OUT = COLOUR_CHAIN_X_EVEN
.endif
.if ROW % 2
RESULTS_OUT = COLOUR_CHAIN_Y_ODD
.else
RESULTS_OUT = COLOUR_CHAIN_Y_EVEN
.endif
        .align 8
loss_record:
        .word loss, 0, 0, 0
        .desc logits_d kind=mem1d, type=f32, base=logits, len0=4 * CLASSES, stride0=4
        .desc maximum_rows_d kind=mem2d, type=f32, base=maximum, len0=4, stride0=4, len1=CLASSES, stride1=0
        .desc maximum_d kind=mem1d, type=f32, base=maximum, len0=4, stride0=4
        .desc sum_rows_d kind=mem2d, type=f32, base=sum, len0=4, stride0=4, len1=CLASSES, stride1=0
        .desc sum_d kind=mem1d, type=f32, base=sum, len0=4, stride0=4
        .desc label_rows_d kind=mem2d, type=f32, base=label, len0=4, stride0=4, len1=CLASSES, stride1=0
        .desc label_d kind=mem1d, type=f32, base=label, len0=4, stride0=4
        .desc targets_d kind=mem1d, type=f16, base=targets, len0=4 * CLASSES, stride0=2
        .desc gradient_d kind=mem1d, type=f16, base=gradient, len0=4 * CLASSES, stride0=2
        .desc factors_d kind=mem1d, type=f32, base=factors, len0=4, stride0=4
        .desc ones_d kind=mem1d, type=f16, base=ones, len0=4, stride0=2
.if COLUMN == WIDTH - 1
        .desc chain_in_maximum_d kind=mem1d, type=f32, base=infinity, len0=1
        .desc chain_in_sum_d kind=mem1d, type=f32, base=zero, len0=1
.else
        .desc chain_in_maximum_d kind=fabric_in, type=f32, queue=3
        .desc chain_in_sum_d kind=fabric_in, type=f32, queue=3
.endif
.if COLUMN == 0
        .desc chain_out_maximum_d kind=mem1d, type=f32, base=maximum, len0=4, stride0=4
        .desc chain_out_sum_d kind=mem1d, type=f32, base=sum, len0=4, stride0=4
        .desc broadcast_out_d kind=fabric_out, type=f32, len0=4, colour=COLOUR_BROADCAST_X, queue=1
        .desc broadcast_in_d kind=mem1d, type=f32, base=maximum, len0=4, stride0=4 ; not used
        .desc chain_out_label_d kind=mem1d, type=f32, base=label, len0=4, stride0=4
.else
        .desc chain_out_maximum_d kind=fabric_out, type=f32, len0=4, colour=CHAIN_OUT, queue=1
        .desc chain_out_sum_d kind=fabric_out, type=f32, len0=4, colour=CHAIN_OUT, queue=1
        .desc broadcast_out_d kind=mem1d, type=f32, base=maximum, len0=0 ; not used
        .desc broadcast_in_d kind=fabric_in, type=f32, queue=4
        .desc chain_out_label_d kind=fabric_out, type=f32, len0=4, colour=CHAIN_OUT, queue=1
.endif
        .desc loss_d kind=mem1d, type=f32, base=losses, len0=1, stride0=4
        .desc wrong_d kind=mem1d, type=f32, base=losses + 4, len0=1, stride0=4
        .desc losses_d kind=mem1d, type=f32, base=losses, len0=2, stride0=4
.if ROW == HEIGHT - 1
        .desc column_in_d kind=mem1d, type=f32, base=zero, len0=1
.else
        .desc column_in_d kind=fabric_in, type=f32, queue=7
.endif
        .desc column_out_d kind=fabric_out, type=f32, len0=2, colour=RESULTS_OUT, queue=3

zero:     .word 0
infinity: .word 0xff800000
logits:   .space 16 * 2
targets:  .space 8 * 2
gradient: .space 8 * 2
factors:  .space 16
ones:     .space 8
maximum:  .space 16
sum:      .space 16
label:    .space 16
losses:   .space 8
