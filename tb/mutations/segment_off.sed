# file: rtl/hfa/hfa_pow2.v
# caught by: vectors hfa_units
# One segment's slope is its neighbour's.
s/c0 = 13'd2895; c1 = 5'd15/c0 = 13'd2895; c1 = 5'd16/
