# file: rtl/fp/bf16_dot.v
# caught by: vectors bf16_dot_d3
# A node with a single child loses the sign.
s/{only\[MAG_W+l-1\], only}/{1'b0, only}/
