; The gradient of a layer's input: the same product as the forward pass, with the transposed weights and the output gradient as its slab; then the ReLU of
; the layer before decides what passes.
ROWS = 2
RESULTS = 1
        .include "../product_kernel.wl"
        .include "elementwise.wl"

        .align 8
relu_gradient_record:
        .word relu_gradient, 0, 0, 0
        .desc passed_descriptor kind=mem1d, type=f16, base=results, len0=4, stride0=2
        .desc before_descriptor kind=mem1d, type=f16, base=activations, len0=4, stride0=2
activations: .space 8
