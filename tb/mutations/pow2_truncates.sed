# file: rtl/hfa/hfa_pow2.v
# caught by: vectors hfa_units
# 2^-D is cut instead of rounded.
s/{1'b0, shifted} + 10'd1/{1'b0, shifted}/
