# file: rtl/fp/bf16_max.v
# caught by: attention random --design hfa --d 4 --p 2 --n 32
# Negative scores compare the wrong way round.
s/{15{a_i\[15\]}}/{15{1'b0}}/
