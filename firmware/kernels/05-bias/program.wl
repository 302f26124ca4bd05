; The bias is the weight of one more feature, which is 1 for real tokens and 0 for padding: no code of its own, and padding stays zero.
ROWS = 2
RESULTS = 1
        .include "../product_kernel.wl"
