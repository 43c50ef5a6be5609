# file: rtl/fp/bf16_round.v
# caught by: vectors bf16_mul
# Overflow is not seen: the exponent wraps.
s/~r\[16\] & (r\[16:7\] >= EXP_INF)/1'b0/
