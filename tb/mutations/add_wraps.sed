# file: rtl/hfa/hfa_lns_add.v
# caught by: vectors hfa_units
# A sum out of range wraps.
s/(~start\[15\] & sum\[15\]) | l\[18\]/l[18]/
