# file: rtl/hfa/hfa_pow2.v
# caught by: vectors hfa_units
# 2^-D is cut instead of rounded.
s/ + {8'd0, line\[0\]}//
