; y = W x with streamed weights. Features of x are split over columns, tokens over rows; weights come down the columns and are never stored.
ROWS = 2
RESULTS = 2
        .include "../product_kernel.wl"
