# file: rtl/hfa/hfa_pow2.v
# caught by: vectors hfa_units
# A piece of 2^-f begins one place late.
s/_58acb960/_58acc960/
