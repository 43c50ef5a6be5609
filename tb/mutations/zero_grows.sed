# file: rtl/hfa/hfa_lns_add.v
# caught by: vectors hfa_units
# The sum of two zeros is not zero.
s/(larger == ZERO) | cancels/cancels/
