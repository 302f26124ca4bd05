; ReLU and its gradient over all local features at once.
        .alias activation d0
relu:
        ldd   activation, RECORD_HEAD + 0 * DESCRIPTOR(record)
        vmax.h activation, activation, r0
        yield

; The gradient passes where the ReLU's output is positive: exactly where its input was.
        .alias delta_all d0
        .alias passed d1
relu_gradient:
        ldd   delta_all, RECORD_HEAD + 0 * DESCRIPTOR(record)
        ldd   passed, RECORD_HEAD + 1 * DESCRIPTOR(record)
        vsel  delta_all, passed, delta_all
        yield
