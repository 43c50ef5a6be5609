# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# No forwarding from stage 2: back-to-back beats of one address lose an update.
s/wire       forward = .*;/wire       forward = 1'b0;/
