# file: rtl/hfa/hfa_scale.v
# caught by: vectors hfa_units
# Scaling below the range wraps.
s/x\[15\] | d\[15\], x\[15\] & ~d\[15\] ? 15'd0 : d\[14:0\]/d/
