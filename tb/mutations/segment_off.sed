# file: rtl/hfa/hfa_pow2.v
# caught by: vectors hfa_units
# A piece of 2^-f begins one place late.
s/77777666_/77777665_/
