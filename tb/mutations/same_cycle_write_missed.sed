# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# The write in the cycle of the read is not kept: beats two apart lose an update.
s/s2_leave & s2_same ? s2_mask_q :/1'b0 ? s2_mask_q :/
