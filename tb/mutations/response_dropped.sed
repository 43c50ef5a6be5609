# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# A request that writes nothing is not answered.
s/assign rsp_valid_o = .*;/assign rsp_valid_o = s2_valid_q \& s2_last_q \& (|s2_mask_q);/
