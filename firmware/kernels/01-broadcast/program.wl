; Column 0 sends a row of tokens; every router on the way hands it to its own tile and passes it on, so that one send reaches the whole row.
        .include "protocol.wl"
        .task BOOT_TASK, boot
        .task TASK_PHASE, broadcast
        .org  0x88
        .include "boot.wl"

        .alias row d0
        .alias to_east d1
        .alias from_west d2
broadcast:
        ldd   row, row_descriptor(r0)
        ldd   to_east, out_descriptor(r0)
        ldd   from_west, in_descriptor(r0)
        bnez  r8, broadcast_receive
        vmov  to_east, row
        yield
broadcast_receive:
        vmov  row, from_west
        yield

        .desc row_descriptor kind=mem1d, type=f32, base=tokens, len0=4, stride0=4
        .desc out_descriptor kind=fabric_out, type=f32, len0=4, colour=COLOUR_BROADCAST_X, queue=1
        .desc in_descriptor kind=fabric_in, type=f32, queue=4
        .align 8
tokens: .space 16
