# file: rtl/fp/bf16_round.v
# caught by: vectors bf16_mul
# Ties are rounded away from zero.
s/(x\[0\] | x\[2\])/1'b1/
