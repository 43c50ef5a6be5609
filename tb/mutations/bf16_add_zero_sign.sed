# file: rtl/fp/bf16_add.v
# caught by: vectors bf16_add
# x - x has the sign of x.
s/l\[15\] & ~opposite, 15'd0/l[15], 15'd0/
