; ReLU and its gradient over all local features at once.
relu:
        ldd   d0, RECORD_HEAD + 0 * DESCRIPTOR(r1)
        vmax.h d0, d0, r0
        yield

; d0 gradient, d1 the ReLU's output: positive exactly where its input was.
relu_gradient:
        ldd   d0, RECORD_HEAD + 0 * DESCRIPTOR(r1)
        ldd   d1, RECORD_HEAD + 1 * DESCRIPTOR(r1)
        vsel  d0, d1, d0
        yield
