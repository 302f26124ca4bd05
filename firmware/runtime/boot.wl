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
        lw    column, 0(r6)
        and   column, column, r7                ; r8 = x
        addi  column_before, column, -1
        bnez  column, boot_done
        lw    column_before, MMIO_DIMS - MMIO_COORD(r6)
        and   column_before, column_before, r7
        addi  column_before, column_before, -1  ; before column 0 comes the last one
boot_done:
        yield
