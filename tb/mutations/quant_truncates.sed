# file: rtl/hfa/hfa_quant.v
# caught by: vectors hfa_units
# Distances are cut instead of rounded.
s/scaled\[18:8\] + {10'd0, scaled\[7\]}/scaled[18:8]/
