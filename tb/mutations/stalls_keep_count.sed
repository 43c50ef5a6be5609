# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# Reset leaves the count of stalls as it is.
0,/cnt_stalls_q <= {CNT_W{1'b0}};/s/cnt_stalls_q <= {CNT_W{1'b0}};/cnt_stalls_q <= cnt_stalls_q;/
