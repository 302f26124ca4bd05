; Boot: store the boot table's values (routes, queue bindings) and learn where this tile is.
; The table is data, so that all tiles share this code: pairs (address, value), ended by address 0.
boot:
        lhu   r3, BOOT_POINTER(r0)
boot_next:
        lw    r4, 0(r3)
        beqz  r4, boot_place
        lw    r5, 4(r3)
        sw    r5, 0(r4)
        addi  r3, r3, 8
        j     boot_next

boot_place:
        li32  r6, MMIO_COORD
        li32  r7, 0x0000ffff
        lw    r8, 0(r6)
        and   r8, r8, r7                ; r8 = x
        addi  r9, r8, -1
        bnez  r8, boot_done
        lw    r9, MMIO_DIMS - MMIO_COORD(r6)
        and   r9, r9, r7
        addi  r9, r9, -1                ; before column 0 comes the last one
boot_done:
        yield
