# file: rtl/hfa/hfa_scale.v
# caught by: vectors hfa_units
# Scaling below the range wraps.
s/x_i\[15\] | difference\[15\], difference\[14:0\] \& {15{~below}}/difference[15:0]/
