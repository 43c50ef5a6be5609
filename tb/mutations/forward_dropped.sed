# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# Stage 2 is forwarded to rows only: back-to-back beats of one address lose an update.
s/wire       forward = .*;/wire       forward = s1_forward_q \& s2_mask_q[g] \& ~s1_last;/
