# file: rtl/hfa/hfa_lns_add.v
# caught by: vectors hfa_units
# A difference below the range wraps.
s/zero | below ? ZERO/zero ? ZERO/
