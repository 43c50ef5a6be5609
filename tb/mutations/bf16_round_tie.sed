# file: rtl/fp/bf16_round.v
# caught by: vectors bf16_mul
# Ties are rounded away from zero.
s/(sticky_i | frac_i\[0\])/1'b1/
