# file: rtl/fp/bf16_add.v
# caught by: vectors bf16_add
# x - x has the sign of x.
s/l_sign & ~opposite, 15'd0/l_sign, 15'd0/
