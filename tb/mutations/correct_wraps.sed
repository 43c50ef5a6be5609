# file: rtl/hfa/hfa_correct.v
# caught by: vectors hfa_units
# Distances of 16 octaves and more begin the table anew.
s/d\[15:11\] != 5'd0 ? 10'd0 : //
