# file: rtl/fp/bf16_dot.v
# caught by: vectors bf16_dot_d4
# The lowest bit of a sum that needs no shift is forgotten: a tie that is none.
s/norm\[SUM_W-10:0\]/norm[SUM_W-10:1]/
