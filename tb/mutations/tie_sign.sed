# file: rtl/hfa/hfa_lns_add.v
# caught by: vectors hfa_units
# The wrong sign on a tie.
s/d\[16\] | equal ? b\[16\]/d[16] ? b[16]/
