# file: rtl/hfa/hfa_lns_add.v
# caught by: attention random --design hfa --d 4 --p 2 --n 32
# The sum of two zeros is not zero.
s/t\[7\] & (l\[15:0\] != ZERO)/t[7]/
