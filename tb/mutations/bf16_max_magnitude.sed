# file: rtl/fp/bf16_max.v
# caught by: vectors bf16_max
# Negative numbers are ordered by magnitude.
s/{15{a_i\[15\]}}/15'd0/
