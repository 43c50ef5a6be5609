# file: rtl/hfa/hfa_correct.v
# caught by: vectors hfa_units
# Adding, too, gets the bits that only a difference of nearly equals has.
s/d\[16\] & (d\[10:7\] == 4'd0)/(d[10:7] == 4'd0)/
