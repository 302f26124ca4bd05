; A phase starts with a control wavelet that carries the address of a record: jump to its handler. r1 stays the record's address.
phase:
        lhu   r3, 0(record)
        jalr  r0, r3, 0

halt_tile:
        halt
