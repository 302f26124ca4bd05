; What the measured kernels share. Boot stores the bindings, prepares descriptors and waits; the host then activates `start` in all tiles at one wafer cycle.
; All tiles run their first instruction in the same cycle: a tile that begins by sending sends at once and leaves it to the others to read the clock (it
; records 0 as its start). A kernel gives `prepare` (ends with yield), `start` (reads the time first and last, then jumps to `finish`), `bindings` (pairs address, value; ended by 0) and, last of
; all, `values`: the vector, of WORDS wavelets: binary32, or (HALF) two packed binary16 each.
        .param WORDS
        .param HALF, 0
TASK_START = 30
TIME = MMIO_TIME_LO - 0x10000          ; as an offset from r0
.if HALF
TYPE = TYPE_F16
ELEMENTS = 2 * WORDS
STRIDE = 2
.else
TYPE = TYPE_F32
ELEMENTS = WORDS
STRIDE = 4
.endif
        .alias started r10
        .alias finished r11

        .task BOOT_TASK, boot
        .task TASK_START, start
        .org  0x80
record: .word 0, 0                     ; wafer cycles of start (0: not read) and end
boot:
        li    r3, bindings
boot_next:
        lw    r4, 0(r3)
        beqz  r4, prepare
        lw    r5, 4(r3)
        sw    r5, 0(r4)
        addi  r3, r3, 8
        j     boot_next

finish:
        sw    started, record(r0)
        sw    finished, record + 4(r0)
        yield
