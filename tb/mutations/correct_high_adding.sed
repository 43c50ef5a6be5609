# file: rtl/hfa/hfa_correct.v
# caught by: vectors hfa_units
# Adding, too, gets the bits that only a difference of nearly equals has.
s/sub_i & (d_i\[10:7\] == 4'd0)/(d_i[10:7] == 4'd0)/
