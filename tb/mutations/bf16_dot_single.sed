# file: rtl/fp/bf16_dot.v
# caught by: vectors bf16_dot_d3
# A node with a single child loses the sign.
s/, x\[MAG_W+l-1\], x};/, 1'b0, x};/
