# file: rtl/hfa/hfa_log2.v
# caught by: vectors hfa_units
# A subnormal has a logarithm.
s/v\[14:7\] == 8'd0 ? ZERO : //
