# file: rtl/fp/bf16_dot.v
# caught by: vectors bf16_dot_d64
# A negative product is one unit too low.
s/ + {{MAG_W{1'b0}}, item\[25\]}//
