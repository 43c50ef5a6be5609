# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# The lane mask of the last beat of a row is applied to all its beats.
s/wire \[LANES-1:0\]   s1_mask = .*;/wire [LANES-1:0]   s1_mask = s1_mask_q;/
