# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# Beats are issued without room for their answers.
s/assign credit = .*;/assign credit = 1'b1;/
