# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# The lane mask of the last beat of a row is applied to all its beats.
s/rq_last ? rq_mask_q : {LANES{1'b1}}/rq_mask_q/
