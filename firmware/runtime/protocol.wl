; Names shared by the training program and the kernels: control tasks, addresses, offsets of a record, registers.
; host/plan/protocol.h has the same numbers for the host; a test compares the two.

; Colours.
COLOUR_WEIGHTS        = 0
COLOUR_LOAD           = 1
COLOUR_RING_A         = 2    ; even to odd columns, eastward
COLOUR_RING_B         = 3    ; odd to even columns, eastward
COLOUR_RING_C         = 4    ; the last column back to the first
COLOUR_CHAIN_X_EVEN   = 5    ; sent west by even columns
COLOUR_CHAIN_X_ODD    = 6
COLOUR_BROADCAST_X    = 7    ; column 0 to its row
COLOUR_MULTICAST_WEST = 8    ; from the owner
COLOUR_MULTICAST_EAST = 9
COLOUR_CHAIN_Y_EVEN   = 10   ; sent north by even rows
COLOUR_CHAIN_Y_ODD    = 11

; Control tasks.
TASK_PHASE      = 32   ; r1: address of a record
TASK_OUTPUT_A   = 33   ; r1: owner column; ends an output of a matrix product
TASK_OUTPUT_B   = 34
TASK_GRADIENT_A = 35   ; r1: owner column; one output of a dense weight gradient
TASK_GRADIENT_B = 36
TASK_STORED     = 37   ; r1: owner column; one output of a gradient at stored weights
TASK_HALT       = 38
TASK_NOTHING    = 39   ; never started: ends streams that consume it

; Microthreads.
UT_STREAM = 0          ; the streamed AXPY, ahead of the reduction
UT_CHAIN  = 2          ; the column chain, behind the dot products
UT_WEST   = 3          ; multicast of a gradient row
UT_EAST   = 4
UT_COPY   = 5          ; the owner's own copy coming back

; A record: four words (the first is the handler's address), then descriptors.
RECORD_HEAD = 16
DESCRIPTOR  = 16

; Where the loader leaves the address of the boot table.
BOOT_POINTER = 0x80

; Registers. The last two keep their values after boot.
        .alias record r1                ; of a task that starts a phase: the argument
        .alias owner r1                 ; of a task for an output: the argument
        .alias column r8                ; this tile's
        .alias column_before r9         ; cyclically
