# file: rtl/hfa/hfa_log2.v
# caught by: vectors hfa_units
# A subnormal has a logarithm.
s/exponent == 9'd0 ? ZERO : //
