# file: rtl/hfa/hfa_lns_add.v
# caught by: vectors hfa_units
# The wrong sign on a tie.
s/a_less | equal ? b_i\[16\]/a_less ? b_i[16]/
