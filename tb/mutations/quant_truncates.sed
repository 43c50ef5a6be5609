# file: rtl/fp/bf16_fixed.v
# caught by: vectors hfa_units
# Distances are cut instead of rounded.
s/scaled\[18:8\] + {10'd0, scaled\[7\]}/scaled[18:8]/
